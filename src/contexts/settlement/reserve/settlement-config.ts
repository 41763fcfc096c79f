// The settlement config of a workspace: what is taken and kept back of what protocols pay, and when wallets are settled without being
// asked (CONTRACT.md 12). One row; without one everything is as by default.
import type { SettlementConfig as Row } from '../../../generated/prisma/client.js';
import { nextFiring } from '../../../platform/cron.js';
import type { Ctx } from '../../../platform/ctx.js';
import { transact } from '../../../platform/idempotency.js';
import { formatMinor } from '../../../platform/money.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { lockRow } from '../../../platform/postgres/row.js';
import { newId } from '../../../platform/schema/id.js';
import { rateBook } from '../../rates/rate.js';
import type { UpdateSettlementConfigInput } from './settlement-config.input.js';

/** Percentages are in hundredths of a percent. */
export type SettlementConfig = Omit<Row, 'workspaceId' | 'updatedAt'>;

/** What holds where nothing was said. */
export const usualConfig: SettlementConfig = {
  x402Fee: 0,
  holdback: 0,
  holdbackReleaseDays: 7,
  autoSettlementEnabled: false,
  settlementSchedule: 'manual',
};

const tagOf = (ctx: Pick<Ctx, 'workspace'>) => `settlement_config:${ctx.workspace.id}`;

/** The config in force, kept in the process until any process changes it. */
export function settlementConfig(ctx: Ctx): Promise<SettlementConfig> {
  const tag = tagOf(ctx);
  return ctx.platform.cache.get(tag, async () => ({ value: await readConfig(ctx), tags: [tag] }));
}

async function readConfig({ db }: Pick<Ctx, 'db'>): Promise<SettlementConfig> {
  const select = { x402Fee: true, holdback: true, holdbackReleaseDays: true, autoSettlementEnabled: true, settlementSchedule: true };
  return (await db.settlementConfig.findFirst({ select })) ?? usualConfig;
}

/** Takes everything back that was said of it. */
export function restoreConfig(ctx: Ctx): Promise<SettlementConfig> {
  const { x402Fee, holdback, ...rest } = usualConfig;
  return updateConfig(ctx, { ...rest, x402FeePercentage: x402Fee / 100, holdbackPercentage: holdback / 100 });
}

/** Changes what is given; what was kept back before stays so until its time. */
export async function updateConfig(ctx: Ctx, input: UpdateSettlementConfigInput): Promise<SettlementConfig> {
  const { x402FeePercentage: fee, holdbackPercentage: holdback, holdbackReleaseDays, autoSettlementEnabled, settlementSchedule } = input;
  const given = {
    ...(fee != null && { x402Fee: inHundredths(fee) }),
    ...(holdback != null && { holdback: inHundredths(holdback) }),
    ...(holdbackReleaseDays != null && { holdbackReleaseDays }),
    ...(autoSettlementEnabled != null && { autoSettlementEnabled }),
    ...(settlementSchedule != null && { settlementSchedule }),
  };
  const { id } = ctx.workspace;
  const changed = await transact(
    ctx,
    async (tx) => {
      // Two changes at once follow each other.
      await lockRow(tx.workspace, id);
      const updatedAt = ctx.clock.now();
      const { count } = await tx.settlementConfig.updateMany({ data: { ...given, updatedAt } });
      if (count === 0) await tx.settlementConfig.createMany({ data: [{ ...given, updatedAt }] });
      const config = await readConfig({ db: tx as unknown as Ctx['db'] });
      // What else is changed leaves the timer alone: it may be due, or in the middle of its wallets.
      if (autoSettlementEnabled != null || settlementSchedule != null) await setTimer(tx, config, updatedAt);
      return config;
    },
    () => id,
  );
  ctx.platform.cache.drop(tagOf(ctx));
  ctx.platform.due.ring('settlement_timer');
  return changed;
}

/** Schedules fire in UTC: at the full hour, at midnight, on Mondays (see G-207). */
const schedules = { hourly: '0 * * * *', daily: '0 0 * * *', weekly: '0 0 * * 1' } as const;

/** When wallets are settled next after a time, without being asked; null where that is never, or whenever money arrives. */
export function nextSettlement({ autoSettlementEnabled, settlementSchedule }: SettlementConfig, after: Date): Date | null {
  if (!autoSettlementEnabled || settlementSchedule === 'manual' || settlementSchedule === 'immediate') return null;
  return nextFiring(schedules[settlementSchedule], 'UTC', after);
}

/** The timer of what the config says now. Where money is settled as it arrives, what is there already goes at once. */
async function setTimer(tx: Tx, config: SettlementConfig, at: Date): Promise<void> {
  await tx.settlementTimer.deleteMany();
  const isImmediate = config.autoSettlementEnabled && config.settlementSchedule === 'immediate';
  const firesAt = isImmediate ? at : nextSettlement(config, at);
  if (firesAt !== null) await tx.settlementTimer.createMany({ data: [{ id: newId(at), firesAt, dueAt: firesAt }] });
}

function inHundredths(percent: number): number {
  return Math.round(percent * 100);
}

// Gap G-177: Defaults: manual, 7 days, no percentages; `reserve_amount` sums what is kept back, in USD by the rates in force.
/** What is kept back of payments now, in all currencies, in US dollars by the rates in force. */
export async function reserveAmount(ctx: Ctx): Promise<string> {
  const where = { kind: 'settlement.reserve', balance: { not: 0n } };
  const [accounts, book] = await Promise.all([
    ctx.db.ledgerAccount.groupBy({ by: ['currency'], where, _sum: { balance: true } }),
    rateBook(ctx),
  ]);
  const cents = accounts.map(({ currency, _sum }) => {
    const converted = book.convertUp(_sum.balance ?? 0n, currency, 'USD');
    if (converted === null) throw new Error(`there is no rate from ${currency} to USD`);
    return converted.minor;
  });
  return formatMinor(
    cents.reduce((sum, part) => sum + part, 0n),
    'USD',
  );
}
