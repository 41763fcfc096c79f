// Reading heads: the newest, which is signed first where the log has grown, and those that are kept.
import { setTimeout as pause } from 'node:timers/promises';
import type { EvidenceHead, EvidenceLog } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound, ValidationFailed } from '../../platform/errors.js';
import { TreeReader } from '../audit/proof.js';
import { takeUpNow } from '../audit/take-up.js';
import { HeadNotSigned, LogHalted } from './errors.js';
import { beginLog, signHeads } from './signing.js';

/** A head that was signed. */
export type Checkpoint = EvidenceHead & { checkpoint: string };

/** What is read of a log: the log, and one of its heads. */
export interface LogAt {
  log: EvidenceLog;
  head: Checkpoint;
}

/** The log of the workspace, which begins when it is first asked for. */
export async function currentLog(ctx: Ctx): Promise<EvidenceLog> {
  const find = () => ctx.db.evidenceLog.findFirst({ where: { state: { not: 'ended' } } });
  const log = await find();
  if (log !== null) return log;
  await beginLog(ctx);
  const begun = await find();
  if (begun === null) throw new HeadNotSigned();
  return begun;
}

/** Another process may have to sign: it looks once a second. */
const mostLooks = 20;
const lookAgainMs = 250;

/** The newest head, under which is everything that was done until now. 409 while the log is halted, 503 where nobody signs. */
async function newestHead(ctx: Ctx): Promise<LogAt> {
  await takeUpNow(ctx);
  const tree = await ctx.db.auditHead.findFirst({ select: { treeSize: true } });
  for (let n = 0; n < mostLooks; n += 1) {
    const log = await currentLog(ctx);
    if (log.state === 'halted') throw new LogHalted();
    const head = await headOf(ctx, log, log.treeSize);
    if (head !== null && head.treeSize >= (tree?.treeSize ?? 0n)) return { log, head };
    if ((await signHeads(ctx.platform, ctx.workspace.id)) === 0) await pause(lookAgainMs);
  }
  throw new HeadNotSigned();
}

/** The head of this size, or 404; the newest one without a size. */
export async function headAt(ctx: Ctx, treeSize: bigint | null): Promise<LogAt> {
  if (treeSize === null) return newestHead(ctx);
  const log = await currentLog(ctx);
  const head = await headOf(ctx, log, treeSize);
  if (head === null) throw new NotFound('tree_size');
  return { log, head };
}

/** The head of a log with this size, where there is one and it was signed. */
export async function headOf({ db }: Pick<Ctx, 'db'>, { id: logId }: EvidenceLog, treeSize: bigint): Promise<Checkpoint | null> {
  const head = await db.evidenceHead.findFirst({ where: { logId, treeSize } });
  return head?.checkpoint == null ? null : { ...head, checkpoint: head.checkpoint };
}

/** Two heads, and the hashes by which the tree of the second follows from that of the first. */
export interface Consistency {
  from: bigint;
  to: Checkpoint;
  proof: Buffer[];
}

/** How the head of size `to`, by default the newest, follows from that of size `from`. 400 where `from` is not between 1 and `to`. */
export async function consistency(ctx: Ctx, { from, to }: { from: bigint; to: bigint | null }): Promise<Consistency> {
  const { head } = await headAt(ctx, to);
  if (from > head.treeSize)
    throw new ValidationFailed([
      { path: ['from'], message: `must not be above ${head.treeSize}, the size of the later head`, rule: 'range' },
    ]);
  const reader = new TreeReader(ctx.platform.database.pool, ctx.workspace.id);
  return { from, to: head, proof: await reader.consistency(from, head.treeSize) };
}
