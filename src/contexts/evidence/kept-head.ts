// Heads that somebody has kept, against the log as it is: whether it still has what was signed, and may go on.
import type { EvidenceLog } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { takeFence } from '../../platform/fence.js';
import { transact } from '../../platform/idempotency.js';
import { inTransaction } from '../../platform/postgres/database.js';
import { TreeReader } from '../audit/proof.js';
import { factOf } from './comparison.js';
import type { LogHead } from './head.sql.js';
import { keysOf } from './log-key.js';
import { openCheckpoint } from './note.js';

/** Why a kept head does not fit a log; as a sentence for the one who has it. */
export class HeadDoesNotFit extends Error {}

/** The head in a note, where this log has signed it and its tree still has it. */
export async function headInLog(ctx: Ctx, log: EvidenceLog, note: string): Promise<LogHead> {
  const { origin } = log;
  const head = openCheckpoint(
    note,
    (await keysOf(ctx, log)).map(({ publicKey }) => ({ origin, publicKey })),
  );
  if (head === null) throw new HeadDoesNotFit(`The file is no checkpoint that the log ${origin} has signed.`);
  const size = head.treeSize;
  const tree = await ctx.db.auditHead.findFirst({ select: { treeSize: true } });
  if (size > (tree?.treeSize ?? 0n))
    throw new HeadDoesNotFit(`The head has ${size} leaves, the log has ${tree?.treeSize ?? 0n}: what came after them is lost.`);
  const root = size === 0n ? Buffer.from(head.root) : await new TreeReader(ctx.platform.database.pool, ctx.workspace.id).root(size);
  if (!root.equals(head.root)) throw new HeadDoesNotFit(`With ${size} leaves the log has another root than the head: it was written anew.`);
  return { workspaceId: ctx.workspace.id, logId: log.id, size, root };
}

/**
 * Opens a halted log again, where the newest head that anybody is known to have is a head of its tree: nothing was lost.
 * @throws HeadDoesNotFit where it is not, or is older than what the memory knows
 */
export async function resumeLog(ctx: Ctx, log: EvidenceLog, note: string): Promise<void> {
  if (log.state !== 'halted') throw new HeadDoesNotFit(`The log is ${log.state}: there is nothing to resume.`);
  const head = await headInLog(ctx, log, note);
  const fact = factOf(head);
  const { config, database } = ctx.platform;
  await inTransaction(database.pool, async (tx) => {
    const fence = await takeFence(tx, config);
    if (fence.memory === null) throw new HeadDoesNotFit(`The log cannot be resumed here: ${fence.why}.`);
    const { memory } = fence;
    const known = memory.get(fact.name);
    if (known !== undefined && known.number > head.size)
      throw new HeadDoesNotFit(`The memory knows of a head with ${known.number} leaves: resume with that one, or a newer one.`);
    await memory.put([fact]);
  });
  const where = { id: log.id, state: 'halted' as const };
  await transact(ctx, async (tx) => {
    await tx.evidenceLog.updateMany({ where, data: { state: 'open', reason: null } });
    return log;
  });
}
