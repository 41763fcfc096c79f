// Caps of what agents may spend, by KYA tier: a setting of the workspace, none by default (CONTRACT.md 5). They become limits
// that a posting consumes, so they hold exactly under any concurrency, over every protocol.
import type { KyaLimit } from '../../generated/prisma/client.js';
import { KyaLimitExceeded } from '../../ledger/errors.js';
import type { LimitUse } from '../../ledger/posting.js';
import type { ActingAgent, Ctx } from '../../platform/ctx.js';
import { type FieldIssue, ValidationFailed } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { newId } from '../../platform/ids.js';
import { type Currency, formatMinor, parseMinor, scaleOf } from '../../platform/money.js';
import { agent } from './agent.js';

/** Currencies that stand one to one: a cap in one counts what is spent in the others (Gap G-46). */
export const pegs: readonly (readonly Currency[])[] = [
  ['USD', 'USDC', 'USDT'],
  ['EUR', 'EURC'],
];

/** Amounts in minor units of the currency; null for no cap. */
export type KyaCap = Pick<KyaLimit, 'tier' | 'currency' | 'perTx' | 'perDay' | 'perMonth'>;

/** True when what is spent in `spent` can be counted in `counted` without a rate. */
export function isPegged(spent: string, counted: string): boolean {
  return (
    spent === counted || pegs.some((peg) => (peg as readonly string[]).includes(spent) && (peg as readonly string[]).includes(counted))
  );
}

/** Minor units of one currency in those of another that stands one to one with it. What is too small to count rounds up. */
export function convertPegged(minor: bigint, from: string, to: string): bigint {
  const digits = scaleOf(to) - scaleOf(from);
  if (digits >= 0) return minor * 10n ** BigInt(digits);
  const unit = 10n ** BigInt(-digits);
  return (minor + unit - 1n) / unit;
}

/** The windows of `at`: its UTC day (`2026-11-21`) and month (`2026-11`), as counters name them. */
export function windowsOf(at: Date): { day: string; month: string } {
  const iso = at.toISOString();
  return { day: iso.slice(0, 10), month: iso.slice(0, 7) };
}

/** The counter of an agent's spending in the currency of a cap. */
export function kyaCounter(agentId: string, currency: string): string {
  return `kya:${agentId}:${currency}`;
}

/**
 * The limits that a spend of `amountMinor` in `currency` uses up at `at` (workspace time). Throws 403 `kya_limit_exceeded` when
 * it is larger than one spend may be, and when the tier has caps but none that this currency counts in (Gap G-46).
 */
export async function kyaUses(ctx: Ctx, spender: ActingAgent, currency: string, amountMinor: bigint, at: Date): Promise<LimitUse[]> {
  return usesOf(await kyaCaps(ctx), spender, currency, amountMinor, at);
}

/** The rule behind kyaUses(), over the caps of a workspace. */
export function usesOf(
  caps: readonly KyaCap[],
  spender: Pick<ActingAgent, 'id' | 'kyaTier'>,
  currency: string,
  amountMinor: bigint,
  at: Date,
): LimitUse[] {
  const ofTier = caps.filter(({ tier }) => tier === spender.kyaTier);
  if (!ofTier.some(hasMaximum)) return [];
  const counting = ofTier.filter((cap) => isPegged(currency, cap.currency));
  if (counting.length === 0) throw noRate(spender, currency, ofTier);
  const windows = windowsOf(at);
  return counting.flatMap((cap) => {
    const used = convertPegged(amountMinor, currency, cap.currency);
    if (cap.perTx !== null && used > cap.perTx) throw tooLarge(spender, cap, cap.perTx, used);
    const counter = kyaCounter(spender.id, cap.currency);
    const use = (window: string, maximum: bigint | null) => (maximum === null ? [] : [{ counter, window, used, reserved: 0n, maximum }]);
    return [...use(windows.day, cap.perDay), ...use(windows.month, cap.perMonth)];
  });
}

function hasMaximum({ perTx, perDay, perMonth }: KyaCap): boolean {
  return (perTx ?? perDay ?? perMonth) !== null;
}

function raise(spender: { id: string }) {
  return { agent_id: spender.id, next_actions: [{ rel: 'raise_limit', actor: 'api_key', method: 'PUT', path: '/v1/kya-limits' } as const] };
}

function tooLarge(spender: { id: string }, { currency }: KyaCap, maximum: bigint, requested: bigint): KyaLimitExceeded {
  const max = formatMinor(maximum, currency);
  return new KyaLimitExceeded(`This agent may spend ${max} ${currency} at a time; this is ${formatMinor(requested, currency)}.`, {
    details: {
      limit: {
        kind: 'kya',
        per: 'tx',
        window: 'tx',
        currency,
        max,
        used: formatMinor(0n, currency),
        requested: formatMinor(requested, currency),
        remaining: max,
      },
      ...raise(spender),
    },
  });
}

function noRate(spender: { id: string }, currency: string, caps: readonly KyaCap[]): KyaLimitExceeded {
  const counted = [...new Set(caps.map((cap) => cap.currency))];
  return new KyaLimitExceeded(`The caps of this agent are in ${counted.join(' and ')}, and nothing says what ${currency} is worth in it.`, {
    details: { reason: 'no_rate', limit: { kind: 'kya', currency, capped_in: counted }, ...raise(spender) },
  });
}

/** The caps of the workspace, by tier and currency; kept in the process until any process changes them. */
export function kyaCaps(ctx: Ctx): Promise<KyaCap[]> {
  const tag = `kya:${ctx.workspace.id}`;
  return ctx.platform.cache.get(tag, async () => ({
    value: await ctx.db.kyaLimit.findMany({ orderBy: [{ tier: 'asc' }, { currency: 'asc' }] }),
    tags: [tag],
  }));
}

export interface KyaCapInput {
  tier: number;
  currency: Currency;
  perTx?: string | null | undefined;
  perDay?: string | null | undefined;
  perMonth?: string | null | undefined;
}

/** Replaces the caps of the workspace. They hold from the next spend on (Gap G-47), for what the windows have counted so far. */
export async function setKyaCaps(ctx: Ctx, input: readonly KyaCapInput[]): Promise<KyaCap[]> {
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
  ctx.platform.cache.drop(`kya:${id}`);
  return kyaCaps(ctx);
}

function readCap({ tier, currency, perTx, perDay, perMonth }: KyaCapInput, index: number): KyaCap {
  const read = (amount: string | null | undefined, name: string) =>
    amount == null ? null : parseMinor(amount, currency, ['tiers', index, name], 0n);
  return { tier, currency, perTx: read(perTx, 'perTx'), perDay: read(perDay, 'perDay'), perMonth: read(perMonth, 'perMonth') };
}

function refuseDoubles(input: readonly KyaCapInput[]): void {
  const seen = new Set<string>();
  const doubles = input.flatMap(({ tier, currency }, index): FieldIssue[] => {
    const key = `${tier} ${currency}`;
    if (seen.has(key)) return [{ path: ['tiers', index], message: `is the second line for tier ${tier} in ${currency}`, rule: 'unique' }];
    seen.add(key);
    return [];
  });
  if (doubles.length > 0) throw new ValidationFailed(doubles);
}

/** One cap of an agent and what is left of it. `used` and `window` stand for those that count over time. */
export interface AgentCap {
  per: 'tx' | 'day' | 'month';
  currency: string;
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

/** The caps of an agent with what it has used of them, now in workspace time. */
export async function agentLimits(ctx: Ctx, agentId: string): Promise<AgentLimits> {
  const { kyaTier } = await agent(ctx, agentId);
  const caps = (await kyaCaps(ctx)).filter(({ tier }) => tier === kyaTier);
  const at = ctx.clock.now();
  const { day, month } = windowsOf(at);
  const counters = await ctx.db.limitCounter.findMany({
    where: { counter: { in: caps.map(({ currency }) => kyaCounter(agentId, currency)) }, window: { in: [day, month] } },
  });
  const usedOf = (currency: string, window: string) => {
    const found = counters.find((one) => one.counter === kyaCounter(agentId, currency) && one.window === window);
    return found === undefined ? 0n : found.used + found.reserved;
  };
  const [year, monthIndex, date] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  const kya = caps.flatMap(({ currency, perTx, perDay, perMonth }): AgentCap[] => [
    ...(perTx === null ? [] : [{ per: 'tx' as const, currency, max: perTx, used: 0n, window: null, resetsAt: null }]),
    ...(perDay === null
      ? []
      : [
          {
            per: 'day' as const,
            currency,
            max: perDay,
            used: usedOf(currency, day),
            window: day,
            resetsAt: midnight(year, monthIndex, date + 1),
          },
        ]),
    ...(perMonth === null
      ? []
      : [
          {
            per: 'month' as const,
            currency,
            max: perMonth,
            used: usedOf(currency, month),
            window: month,
            resetsAt: midnight(year, monthIndex + 1, 1),
          },
        ]),
  ]);
  return { agentId, kyaTier, kya };
}

/** Midnight UTC at the beginning of a day; days and months past the end count on. */
function midnight(year: number, month: number, day: number): Date {
  return new Date(Date.UTC(year, month, day));
}
