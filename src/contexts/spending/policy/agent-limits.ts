// What an agent may spend, and how much of it is left: everything that binds it (CONTRACT.md 5, 6).
import type { Ctx } from '../../../platform/ctx.js';
import { namedAgent } from '../../agents/agent.js';
import { type LimitPeriod, windowOf } from '../pipeline/limit.js';
import { counterKey, readCounters } from '../pipeline/posting.js';
import { rulebook } from '../pipeline/rulebook.js';
import { type KyaCap, kyaCounter } from './kya-limit.js';

/** One cap of an agent and what it has used of it. `window` and `resetsAt` are null for the cap of a single spend. */
export interface AgentCap {
  per: LimitPeriod;
  currency: string;
  /** Minor units. */
  max: bigint;
  used: bigint;
  window: string | null;
  resetsAt: Date | null;
}

export interface AgentLimits {
  agentId: string;
  kyaTier: number;
  kya: AgentCap[];
}

/** What binds an agent, with what it has used of it, now in workspace time. */
export async function agentLimits(ctx: Ctx, agentId: string): Promise<AgentLimits> {
  const { kyaTier } = await namedAgent(ctx, agentId);
  const { kya } = await rulebook(ctx);
  const caps = kya.filter(({ tier }) => tier === kyaTier).flatMap((cap) => capsOf(cap, agentId, ctx.clock.now()));
  const counters = await readCounters(
    ctx.db,
    caps.flatMap(({ counter, window }) => (window === null ? [] : [{ counter, window }])),
  );
  const usedOf = (counter: string, window: string | null) => (window === null ? 0n : (counters.get(counterKey({ counter, window })) ?? 0n));
  return { agentId, kyaTier, kya: caps.map(({ counter, ...cap }) => ({ ...cap, used: usedOf(counter, cap.window) })) };
}

type Cap = Omit<AgentCap, 'used'> & { counter: string };

function capsOf({ currency, perTx, perDay, perMonth }: KyaCap, agentId: string, at: Date): Cap[] {
  const counter = kyaCounter(agentId, currency);
  const caps: Cap[] = perTx === null ? [] : [{ per: 'tx', currency, max: perTx, window: null, resetsAt: null, counter }];
  for (const [per, max] of [
    ['day', perDay],
    ['month', perMonth],
  ] as const) {
    if (max === null) continue;
    const { name: window, resetsAt } = windowOf(per, at);
    caps.push({ per, currency, max, window, resetsAt, counter });
  }
  return caps;
}
