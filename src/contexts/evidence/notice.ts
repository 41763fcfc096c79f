// What tenants hear of their logs: heads, at most so often as they want, and that nothing is signed any more.
import { type Ctx, type Platform, workspaceOf } from '../../platform/ctx.js';
import { systemCtx } from '../../platform/due/step.js';
import { printId } from '../../platform/schema/id.js';
import type { BrokenLog } from './comparison.js';
import { emit } from './events.js';
import { headsToTell, type SignedHead } from './head.sql.js';

/** A ctx for a log: what is told of it keeps books, and is no change by anybody. */
async function ctxOf(platform: Platform, workspaceId: string): Promise<Ctx> {
  const row = await platform.database.forWorkspace(workspaceId).workspace.findUniqueOrThrow({ where: { id: workspaceId } });
  return systemCtx(platform, workspaceOf(row), null);
}

/** Emits `evidence.head` for those whose interval has passed. */
export async function tellHeads(platform: Platform, heads: readonly SignedHead[]): Promise<void> {
  const at = platform.clock.now();
  const due = new Set(await headsToTell(platform.database.pool, heads, at));
  for (const { workspaceId, logId, size, root, checkpoint } of heads.filter((head) => due.has(head.logId))) {
    const ctx = await ctxOf(platform, workspaceId);
    const { origin } = await ctx.db.evidenceLog.findFirstOrThrow({ where: { id: logId }, select: { origin: true } });
    const data = {
      log_id: printId('evidenceLog', logId),
      origin,
      tree_size: Number(size),
      root_hash: root.toString('hex'),
      checkpoint,
      at: at.toISOString(),
    };
    await ctx.db.$transaction((tx) => emit(ctx, tx, 'evidence.head', data, { objectId: logId }));
    platform.database.written.ring();
  }
}

/** Halts a log that is open, and emits `evidence.halted`. */
export async function haltLog(platform: Platform, { workspaceId, logId, reason, size, knownSize }: BrokenLog): Promise<void> {
  const ctx = await ctxOf(platform, workspaceId);
  const at = platform.clock.now();
  platform.log.error({ workspace: workspaceId, log: logId, reason, size, knownSize }, 'a log of evidence is halted: nothing is signed');
  await ctx.db.$transaction(async (tx) => {
    const { count } = await tx.evidenceLog.updateMany({ where: { id: logId, state: 'open' }, data: { state: 'halted', reason } });
    if (count === 0) return;
    const data = {
      log_id: printId('evidenceLog', logId),
      reason,
      tree_size: Number(size),
      known_size: Number(knownSize),
      at: at.toISOString(),
    };
    await emit(ctx, tx, 'evidence.halted', data, { objectId: logId });
  });
  platform.database.written.ring();
}
