// A tool of MCP: a routed operation under a name for models, with the part of its input that they need. It holds no rule.
import type { Actor } from '../platform/ctx.js';

/**
 * What an agent has to have for a tool to be listed. `act`: it is active. `wallet`: besides, spending is not frozen, and a wallet of its
 * own is active. `internal`, `x402`: something could be spent by that protocol now; `pay`: by one of those of transfers.
 */
export type Need = 'read' | 'act' | 'wallet' | 'pay' | 'internal' | 'x402';

/** What a model is told of the effect of a call, as MCP has it. */
export interface ToolEffect {
  readOnly: boolean;
  /** It cannot be taken back. */
  destructive: boolean;
  /** The same call again changes nothing more, whatever its key. */
  idempotent: boolean;
}

export const reads: ToolEffect = { readOnly: true, destructive: false, idempotent: true };
/** Makes something that can be called off. */
export const adds: ToolEffect = { readOnly: false, destructive: false, idempotent: false };
/** Takes a step that is taken once. */
export const steps: ToolEffect = { readOnly: false, destructive: false, idempotent: true };
/** Moves money, or ends something, for good. */
export const commits: ToolEffect = { readOnly: false, destructive: true, idempotent: false };

type Members = Readonly<Record<string, unknown>>;

export interface Tool {
  name: string;
  title: string;
  description: string;
  /** The routed operation that it runs. */
  operation: string;
  audience: 'agent' | 'operator' | 'everyone';
  /** By default `read`. */
  needs?: Need;
  effect: ToolEffect;
  /** The members of the operation's input that it takes, as they are spelled on the wire. */
  takes: readonly string[];
  /** Those that it asks for although the operation does not. */
  requires?: readonly string[];
  /** Members that it sets itself. */
  sets?: (given: Members) => Members;
  /** True for an answer that has to be waited for: it is asked again until the time is over. */
  isWaiting?: (body: Members) => boolean;
}

/** Whether a tool is for such an actor: agents have theirs, API keys and users have those of operators. */
export function isFor({ type }: Pick<Actor, 'type'>, { audience }: Pick<Tool, 'audience'>): boolean {
  return audience === 'everyone' || (type === 'agent') === (audience === 'agent');
}
