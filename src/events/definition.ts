// What is said of a type of event where it is declared: its data, an example, its subject, and the line that channels of agents show.
import type { z } from 'zod';

/** One type of event. */
export interface Definition<S extends z.ZodType = z.ZodType> {
  /** When it is emitted. */
  description: string;
  /** Schema of its data. Strict: an event has no other members. */
  data: S;
  example: z.infer<S>;
  /** The member of its data that is the id of the object it is about. */
  subject: string;
  /** Absent: no channel shows it. */
  channel?: ChannelLine<S>;
}

/** What the channel of an agent shows of an event (CONTRACT.md 5 "SSE channel"). */
export interface ChannelLine<S extends z.ZodType = z.ZodType> {
  /** Name of the line, such as `transfer_completed`. */
  type: string;
  /** Schema of its data, besides `id`, `type`, `time` and `agent_id`, which every line has. */
  data: z.ZodType;
  /** What an agent can be to the event. Whoever emits it names the agents, each with its role. */
  roles: readonly string[];
  /** The data of the line for an agent in `role`. */
  line(data: z.infer<S>, role: string): Record<string, unknown>;
}

/**
 * True for a type of the platform's own, whose name begins with `_`: channels and subscriptions show it, and no webhook, list or
 * pattern does. publish_outbox() knows them by the same sign.
 */
export function isInternal(type: string): boolean {
  return type.startsWith('_');
}
