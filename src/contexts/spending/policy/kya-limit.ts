// Caps of what agents may spend, by KYA tier: a setting of the workspace, none by default (CONTRACT.md 5). They become limits
// that a posting consumes, so they hold exactly under any concurrency, over every protocol.
import type { KyaLimit } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import { type FieldIssue, ValidationFailed } from '../../../platform/errors.js';
import { transact } from '../../../platform/idempotency.js';
import { formatMinor, parseMinor } from '../../../platform/money.js';
import { newId } from '../../../platform/schema/id.js';
import type { RateBook } from '../../rates/rate.js';
import { windowOf } from '../pipeline/limit.js';
import { noRate, type RuleResult, type RuleResults, type SpendFacts } from '../pipeline/rule-result.js';
import { dropRulebook } from '../pipeline/rules-tag.js';
import type { KyaLimitInput } from './kya-limit.input.js';

/** Amounts in minor units of the currency; null for no cap. */
export type KyaCap = Pick<KyaLimit, 'tier' | 'currency' | 'perTx' | 'perDay' | 'perMonth'>;

/** The counter of an agent's spending in the currency of a cap. */
export function kyaCounter(agentId: string, currency: string): string {
  return `kya:${agentId}:${currency}`;
}

// Gap G-53: Every cap of the tier counts every spend, converted by the rate of the day; a currency without a rate is refused.
/** What the caps of the spending agent's tier say of a spend. Every cap counts it, in its own currency. */
export function kyaLayer({ agent, amount, currency, at }: SpendFacts, caps: readonly KyaCap[], rates: RateBook): RuleResults {
  const answer: RuleResults = { uses: [], results: [], rateIds: [] };
  if (agent === null) return answer;
  for (const cap of caps) {
    if (cap.tier !== agent.kyaTier || !hasMaximum(cap)) continue;
    const ruleId = `kya.tier.${cap.tier}`;
    const converted = rates.convertUp(amount, currency, cap.currency);
    if (converted === null) {
      answer.results.push(noRate('kya', ruleId, 'kya_limit_exceeded', currency, cap.currency));
      continue;
    }
    const { minor, rateIds } = converted;
    answer.rateIds.push(...rateIds);
    if (cap.perTx !== null && minor > cap.perTx) answer.results.push(tooLarge(ruleId, cap.currency, cap.perTx, minor));
    const use = (per: 'day' | 'month', maximum: bigint | null) => {
      if (maximum === null) return;
      const { name: window, resetsAt } = windowOf(per, at);
      const counter = kyaCounter(agent.id, cap.currency);
      const limit = { counter, window, used: minor, reserved: 0n, maximum };
      answer.uses.push({ ...limit, layer: 'kya', ruleId, per, currency: cap.currency, action: 'deny', resetsAt });
    };
    use('day', cap.perDay);
    use('month', cap.perMonth);
  }
  return answer;
}

function hasMaximum({ perTx, perDay, perMonth }: KyaCap): boolean {
  return (perTx ?? perDay ?? perMonth) !== null;
}

function tooLarge(ruleId: string, currency: string, max: bigint, requested: bigint): RuleResult {
  const limit = { kind: 'kya', per: 'tx', currency, max, used: 0n, requested, resetsAt: null } as const;
  const message = `This agent may spend ${formatMinor(max, currency)} ${currency} at a time; this is ${formatMinor(requested, currency)}.`;
  return { layer: 'kya', ruleId, outcome: 'fail', code: 'kya_limit_exceeded', reason: 'max_amount', message, limit };
}

/** The caps of the workspace, by tier and currency. */
export function kyaCaps({ db }: Pick<Ctx, 'db'>): Promise<KyaCap[]> {
  return db.kyaLimit.findMany({ orderBy: [{ tier: 'asc' }, { currency: 'asc' }] });
}

// Gap G-54: Changed caps bind from the next spend on, with what the UTC day and month have counted so far.
/** Replaces the caps of the workspace. They hold from the next spend on, for what the windows have counted so far. */
export async function setKyaCaps(ctx: Ctx, input: readonly KyaLimitInput[]): Promise<KyaCap[]> {
  const caps = input.map(readCap);
  refuseDoubles(input);
  const { id } = ctx.workspace;
  const at = ctx.clock.now();
  await transact(
    ctx,
    async (tx) => {
      // Two changes at once follow each other.
      await tx.workspace.updateMany({ where: { id }, data: { id } });
      await tx.kyaLimit.deleteMany();
      await tx.kyaLimit.createMany({ data: caps.map((cap) => ({ id: newId(at), ...cap })) });
    },
    () => id,
  );
  dropRulebook(ctx);
  return kyaCaps(ctx);
}

function readCap({ tier, currency, perTx, perDay, perMonth }: KyaLimitInput, index: number): KyaCap {
  const read = (amount: string | null | undefined, name: string) =>
    amount == null ? null : parseMinor(amount, currency, ['tiers', index, name], 0n);
  return { tier, currency, perTx: read(perTx, 'perTx'), perDay: read(perDay, 'perDay'), perMonth: read(perMonth, 'perMonth') };
}

function refuseDoubles(input: readonly KyaLimitInput[]): void {
  const seen = new Set<string>();
  const doubles = input.flatMap(({ tier, currency }, index): FieldIssue[] => {
    const key = `${tier} ${currency}`;
    if (seen.has(key)) return [{ path: ['tiers', index], message: `is the second line for tier ${tier} in ${currency}`, rule: 'unique' }];
    seen.add(key);
    return [];
  });
  if (doubles.length > 0) throw new ValidationFailed(doubles);
}
