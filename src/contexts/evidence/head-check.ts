// Checking the heads that are kept of a log against its tree and its keys: what was signed is what is there.
import type { EvidenceHead, EvidenceLog } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { TreeReader } from '../audit/proof.js';
import { keysOf } from './log-key.js';
import { type NoteKey, openCheckpoint } from './note.js';

/** Heads in a step. */
const stepHeads = 500;

/** A sentence for the first head of a log that its tree does not have, or that none of its keys has signed; null where all are right. */
export async function wrongHead(ctx: Ctx, log: EvidenceLog): Promise<string | null> {
  const { db, workspace } = ctx;
  const keys = (await keysOf(ctx, log)).map(({ publicKey }) => ({ origin: log.origin, publicKey }));
  const reader = new TreeReader(ctx.platform.database.pool, workspace.id);
  let newest: EvidenceHead | undefined;
  for (;;) {
    const heads = await db.evidenceHead.findMany({
      where: { logId: log.id, treeSize: { gt: newest?.treeSize ?? 0n } },
      orderBy: { treeSize: 'asc' },
      take: stepHeads,
    });
    for (const head of heads) if (!(await isRight(head, reader, keys))) return wordsOf(head);
    newest = heads.at(-1) ?? newest;
    if (heads.length < stepHeads) break;
  }
  const isNewest = newest?.treeSize === log.treeSize && Buffer.from(newest.root).equals(log.root ?? Buffer.alloc(0));
  return isNewest || log.treeSize === 0n ? null : `the newest head of the log, with ${log.treeSize} leaves, is not the one that is kept`;
}

async function isRight({ treeSize, root, checkpoint }: EvidenceHead, reader: TreeReader, keys: readonly NoteKey[]): Promise<boolean> {
  // A tree that cannot be read any more is not the one that was signed.
  const own = await reader.root(treeSize).catch(() => Buffer.alloc(0));
  if (!own.equals(root)) return false;
  if (checkpoint === null) return true;
  const signed = openCheckpoint(checkpoint, keys);
  return signed !== null && signed.treeSize === treeSize && own.equals(signed.root);
}

const wordsOf = ({ treeSize }: EvidenceHead): string => `the head with ${treeSize} leaves is not one that this log has signed of its tree`;
