// What a period's spends were refused for (see G-434).
import type { Ctx } from '../../platform/ctx.js';
import { type DecidingLayer, decidingLayers } from '../spending/pipeline/layer.js';
import { readRefusals, refusalBuckets } from '../spending/pipeline/refusal-count.sql.js';
import { ceilTo, floorTo, type Period, partsOf } from '../usage/period.js';

/** What reports tell apart; limits of an agent's tier are rules like those of a policy. */
const reasonOf = {
  workspace: 'frozen',
  agent: 'frozen',
  wallet: 'frozen',
  kya: 'policy',
  policy: 'policy',
  budget: 'budget',
  mandate: 'mandate',
  balance: 'balance',
} as const satisfies Readonly<Record<DecidingLayer, string>>;
type Reason = (typeof reasonOf)[DecidingLayer];

export type Refusals = Readonly<Record<Reason, number>>;

/** Refused spends of a period, which is widened to whole buckets of five minutes. */
export async function refusalsIn(ctx: Ctx, { start, end }: Period): Promise<Refusals> {
  const shortest = Math.min(...refusalBuckets);
  const { buckets } = partsOf({ start: floorTo(start, shortest), end: ceilTo(end, shortest) }, refusalBuckets);
  const counts = await readRefusals(ctx, buckets);
  const refusals: Record<Reason, number> = { policy: 0, budget: 0, mandate: 0, balance: 0, frozen: 0 };
  for (const layer of decidingLayers) refusals[reasonOf[layer]] += counts.get(layer) ?? 0;
  return refusals;
}
