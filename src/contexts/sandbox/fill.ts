// Fills a sandbox with a made-up past, to see reports of many operations: `cli sandbox fill`.
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { inTransaction } from '../../platform/postgres/database.js';
import { createAccount } from '../accounts/account.js';
import { createMerchant } from '../accounts/merchant.js';
import { createAgent } from '../agents/enrolment.js';
import { rebuildDemand } from '../analytics/demand.sql.js';
import { keptDays } from '../usage/period.js';
import { rebuildUsage } from '../usage/rebuild.sql.js';
import { analyzeFilled, type Cast, fillStretch } from './fill.sql.js';

/** Hears how far the work is, as a part of 1. */
export type Progress = (doing: string, done: number) => void;

export interface FillOptions {
  operations: number;
  days: number;
}

const accounts = 20;
const agents = 10;
const merchantCount = 8;
const stretchSize = 20_000;
const daySeconds = 86_400;

// Gap G-361: `sandbox fill` makes real accounts, agents and merchants; operations and checkouts are rows without transfers.
/** Writes `operations` over the last `days` of the workspace, and their rollups. */
export async function fillSandbox(ctx: Ctx, { operations, days }: FillOptions, progress: Progress): Promise<void> {
  const { platform, workspace, clock } = ctx;
  if (workspace.environment !== 'test') throw new Error('only a sandbox is filled');
  // What is older has no raw rows, and is in no report.
  if (days > keptDays) throw new Error(`--days must be at most ${keptDays}: operations are kept for so long`);
  const cast = await makeCast(ctx);
  const start = addSeconds(clock.now(), -days * daySeconds);
  for (let day = 0; day < days; day += 1) {
    const from = Math.floor((operations * day) / days);
    const below = Math.floor((operations * (day + 1)) / days);
    for (let first = from; first < below; first += stretchSize) {
      const stretch = { start: addSeconds(start, day * daySeconds), days: 1, from: first, to: Math.min(below, first + stretchSize) - 1 };
      await inTransaction(platform.database.pool, (tx) => fillStretch(tx, cast, stretch), { statementMs: 120_000 });
      progress('operations', (stretch.to + 1) / operations);
    }
  }
  await analyzeFilled(platform.database.pool);
  await rebuildUsage(platform, workspace, (done, all) => progress('rollups', done / all));
  await rebuildDemand(platform, workspace.id);
  await analyzeFilled(platform.database.pool);
}

async function makeCast(ctx: Ctx): Promise<Cast> {
  const accountIds: string[] = [];
  for (let n = 1; n <= accounts; n += 1) accountIds.push((await createAccount(ctx, { type: 'business', name: `Filled ${n}` })).id);
  const [parentAccountId = ''] = accountIds;
  const agentIds: string[] = [];
  for (let n = 1; n <= agents; n += 1) agentIds.push((await createAgent(ctx, { parentAccountId, name: `Filled ${n}` })).agent.id);
  const merchants: Cast['merchants'][number][] = [];
  for (const accountId of accountIds.slice(0, merchantCount)) {
    const { id } = await createMerchant(ctx, { name: `Filled shop ${merchants.length + 1}`, category: 'retail', accountId });
    merchants.push({ id, accountId });
  }
  return { workspaceId: ctx.workspace.id, accountIds, agentIds, merchants };
}
