// What the channel of an agent shows (CONTRACT.md 5 "SSE channel"): its own frames, declared here, and a numbered event for each
// published event whose declaration has a channel line.
import { z } from 'zod';
import { catalogOf } from '../../events/catalog.js';
import { id } from '../../events/data.js';
import type { ChannelView } from '../../events/outbox.js';
import type { Platform } from '../../platform/ctx.js';
import { newId, printId } from '../../platform/schema/id.js';
import { type ChannelKey, deleteOldAgentEvents, type NewAgentEvent, type Replay, readAgentEvents } from './agent-event.sql.js';

const time = z.iso.datetime();

/** The frames of the channel itself: what each says besides `id`, `type`, `time` and `agent_id`. */
export const channelFrames = {
  connected: z.object({ session_expires_at: time.nullable(), resumed: z.boolean(), replayed: z.int() }),
  key_rotated: z.object({ key_id: id('auth'), new_public_key: z.string().nullable(), revoke_at: time }),
  heartbeat: z.object({}),
  gap: z.object({ last_seen_id: z.string(), oldest_available_id: z.string().nullable(), backfill: z.string() }),
  reconnect: z.object({ reason: z.enum(['shutdown', 'session_expires']) }),
} as const;
export type ChannelFrame = keyof typeof channelFrames;
export type ChannelFrameData<T extends ChannelFrame> = z.infer<(typeof channelFrames)[T]>;

interface Head {
  agentId: string;
  eventId: string;
  at: Date;
}

/** The JSON text of what the channel shows. */
function channelText(type: string, { agentId, eventId, at }: Head, data: object): string {
  return JSON.stringify({ id: printId('event', eventId), type, time: at, agent_id: printId('agent', agentId), ...data });
}

/** The JSON text of a frame of the channel itself. */
export function frameText<T extends ChannelFrame>(type: T, agentId: string, at: Date, data: ChannelFrameData<T>): string {
  return channelText(type, { agentId, eventId: newId(at), at }, data);
}

/** A numbered frame that comes from no published event. */
export function newFrame<T extends ChannelFrame>(
  workspaceId: string,
  type: T,
  { agentId, at }: Omit<Head, 'eventId'>,
  data: ChannelFrameData<T>,
): NewAgentEvent {
  const eventId = newId(at);
  return { workspaceId, agentId, eventId, type, data: channelText(type, { agentId, eventId, at }, data), createdAt: at };
}

/** What a channel shows of an event, by the channel line of its type. */
export const showLine: ChannelView = (platform, { agentId, seq, role, eventId, type, data, createdAt }) => {
  const channel = catalogOf({ platform }).get(type)?.channel;
  const shownAs = channel?.type ?? type;
  const text = channelText(shownAs, { agentId, eventId, at: createdAt }, channel?.line(data, role) ?? {});
  return { topic: agentId, seq, eventId, type: shownAs, data: text };
};

/** What a reader at position `after` may still read. */
export function replay(platform: Platform, channel: ChannelKey, after: number): Promise<Replay> {
  const { database, clock } = platform;
  return readAgentEvents(database.pool, channel, { after, now: clock.now(), show: (line) => showLine(platform, line) });
}

/** Deletes agent events that can no longer be read. For the worker. */
export function sweepAgentEvents({ database, clock }: Platform, most: number): Promise<number> {
  return deleteOldAgentEvents(database.pool, clock.now(), most);
}
