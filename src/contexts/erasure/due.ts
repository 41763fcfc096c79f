// The due step of an erasure: a set of rows after the other, stage after stage. What was done stays done: a process that takes it up again
// goes on behind the last set.

import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { transact } from '../../platform/idempotency.js';
import { inTransaction } from '../../platform/postgres/database.js';
import { printId } from '../../platform/schema/id.js';
import { emit } from './events.js';
import { lockErasure, noteProgress } from './progress.sql.js';
import { stagesFor } from './stage.js';
import type { ErasureWork, Progress, Stage } from './work.js';

/** Milliseconds for which a run goes on. After that others have their turn. */
const turnMs = 2_000;

/** Carries the next sets of an erasure out. Nothing happens to one that is done. */
export async function stepErasure(ctx: Ctx, id: string): Promise<void> {
  const endsAt = performance.now() + turnMs;
  let dueAt: Date | null = await nextSet(ctx, id);
  while (dueAt !== null && dueAt <= ctx.clock.now() && performance.now() < endsAt) dueAt = await nextSet(ctx, id);
  if (dueAt === null) return;
  await ctx.db.erasure.updateMany({ where: { id, status: 'pending' }, data: { leaseUntil: null } });
  ringAt(ctx, 'erasure', dueAt);
}

/** Does one set. Returns when there is more to do; null where nothing is left. */
async function nextSet(ctx: Ctx, id: string): Promise<Date | null> {
  const found = await ctx.db.erasure.findFirst({ where: { id, status: 'pending' } });
  if (found === null) return null;
  const stages = stagesFor(found);
  const place = stages.findIndex(({ name }) => name === found.stage);
  const stage = stages[place];
  if (stage === undefined) return beginAgain(ctx, id, stages);
  const work: ErasureWork = { ...found, tenantId: ctx.workspace.tenantId, cursor: found.cursor };
  await stage.before?.(ctx, work);
  const isOver = await oneSet(ctx, stage, stages[place + 1], work);
  if (isOver !== 'all') return isOver;
  await finish(ctx, id);
  return null;
}

/** This release has no such stage: all begins again, and what is empty already is passed over. */
async function beginAgain(ctx: Ctx, id: string, [first]: readonly Stage[]): Promise<Date> {
  await ctx.db.erasure.updateMany({ where: { id, status: 'pending' }, data: { stage: first?.name ?? '', cursor: [], namedBy: null } });
  return ctx.clock.now();
}

async function oneSet(ctx: Ctx, stage: Stage, next: Stage | undefined, work: ErasureWork): Promise<Date | 'all'> {
  const columns = stage.erases.join(',');
  return inTransaction(
    ctx.platform.database.pool,
    async (tx) => {
      const now = ctx.clock.now();
      // Another process has taken it over.
      if (!(await lockErasure(tx, work, stage.name))) return now;
      const progress = await stage.run(tx, work, ctx);
      const dueAt = addSeconds(now, progress.waitSeconds ?? 0);
      const isAll = progress.isOver === true && next === undefined;
      await noteProgress(tx, work, { ...at(stage, next, progress), dueAt });
      return isAll ? 'all' : dueAt;
    },
    { first: columns === '' ? [] : [`SET LOCAL platform.erasing = '${columns}'`] },
  );
}

/** Where an erasure is after a set. */
function at(stage: Stage, next: Stage | undefined, progress: Progress): Progress & { stage: string } {
  return progress.isOver === true && next !== undefined
    ? { ...progress, stage: next.name, cursor: [] }
    : { ...progress, stage: stage.name };
}

async function finish(ctx: Ctx, id: string): Promise<void> {
  await transact(ctx, async (tx) => {
    const at = ctx.clock.now();
    const done = await tx.erasure.updateManyAndReturn({
      where: { id, status: 'pending' },
      data: { status: 'done', completedAt: at, dueAt: null, leaseUntil: null },
    });
    for (const { accountId } of done) {
      if (accountId === null) continue;
      const data = { account_id: printId('account', accountId), erased_at: at.toISOString() };
      await emit(ctx, tx, 'account.erased', data, { objectId: accountId });
    }
    return { id };
  });
}
