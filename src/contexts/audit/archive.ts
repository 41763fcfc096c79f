// Archiving: lines of the audit log that are old enough are written to a file, with all that their leaves are made of. Then they may leave the
// database. Blocks, nodes and heads stay, so proofs and checks go on from the first line that is kept (CONTRACT.md 24 "Keeping").
import type { Ctx } from '../../platform/ctx.js';
import { declareError } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { storedParts } from '../spending/evidence/stored-part.sql.js';
import { type Checkpoint, checkpointOf, lockLog } from './archive.sql.js';
import { printEnd, printLeaf, printStart } from './archive-file.js';
import { blockBefore, blocksFrom, linesOf } from './block.sql.js';
import { checkBlocks, type Walk } from './leaf-check.js';
import { emptyTree } from './tree.js';

/** Blocks in a step: a step is held in memory. */
const stepBlocks = 5;

/** The signed head under which an archive ends. */
export interface ArchiveHead {
  size: bigint;
  /** When it was signed. */
  at: Date;
  note: string;
  origin: string;
  /** The keys of the log, as readers of notes take them. */
  keys: readonly string[];
}

/** Why nothing was archived; as a sentence for the operator. */
export class NotArchived extends Error {}

/** 409: what was asked for needs lines that have left the database. */
export class LineArchived extends declareError(409, 'state_conflict') {
  constructor({ leafIndex, sha256 }: Checkpoint) {
    super(
      'The entries of the audit log that this needs were archived: the operator of the platform has them in a file, with the proof that they were in the log.',
      { details: { reason: 'archived', archived_sha256: sha256.toString('hex'), first_kept_leaf: Number(leafIndex), terminal: true } },
    );
  }
}

/** Where an archive begins: at the end of the one before. */
export function archivedSoFar(ctx: Ctx): Promise<Checkpoint | undefined> {
  return checkpointOf(ctx.platform.database.pool, ctx.workspace.id);
}

/**
 * The lines of the file with the entries from the end of the archive before up to a head, each checked against its leaf. `progress` is told the
 * part that is done.
 * @throws NotArchived where an entry is not as it was written
 */
export async function* archiveLines(ctx: Ctx, head: ArchiveHead, progress: (done: number) => void): AsyncGenerator<object> {
  const { pool } = ctx.platform.database;
  const { id: workspaceId } = ctx.workspace;
  const before = await archivedSoFar(ctx);
  const first = before?.leafIndex ?? 0n;
  const own = await blockBefore(pool, workspaceId, first);
  const chain = await ctx.db.auditHead.findFirstOrThrow();
  const walk: Walk = {
    tree: own === undefined ? emptyTree : { size: first, peaks: own.peaks },
    from: first,
    checked: 0,
    erased: 0,
    highestId: await highestBefore(ctx, first),
    lastId: null,
    chainEnd: { position: Number(chain.position), chain_hash: Buffer.from(chain.hash).toString('hex') },
  };
  const { origin, keys } = head;
  yield printStart({
    origin,
    keys: [...keys],
    first_leaf: first,
    peaks: [...walk.tree.peaks],
    previous_sha256: before?.sha256.toString('hex') ?? null,
  });
  while (walk.tree.size < head.size) {
    const blocks = (await blocksFrom(pool, workspaceId, walk.tree.size, stepBlocks)).filter(({ firstLeaf }) => firstLeaf < head.size);
    const begin = walk.tree.size;
    const invalid = blocks.length === 0 ? null : await checkBlocks(pool, workspaceId, walk, blocks);
    if (invalid !== undefined)
      throw new NotArchived(
        `The log is broken at ${invalid ?? 'an entry that is missing'}: nothing was archived. \`evidence verify\` says more.`,
      );
    const ids = blocks.flatMap(({ lineIds }) => lineIds);
    const stored = await linesOf(pool, workspaceId, ids);
    const lines = new Map(stored.map((line) => [line.id, line]));
    const parts = await storedParts(pool, workspaceId, stored);
    for (const [n, id] of ids.entries()) {
      const line = lines.get(id);
      if (line === undefined) throw new NotArchived('An entry has just left: run the command again.');
      yield printLeaf(begin + BigInt(n), line, parts.get(id) ?? { written: [], added: [] });
    }
    progress(Number(walk.tree.size - first) / Number(head.size - first));
  }
  if (walk.tree.size !== head.size) throw new NotArchived(`The head of ${head.size} leaves ends within a block.`);
  yield printEnd(head.size, head.note);
}

/** Lines with ids up to this one were looked at with the archive before. */
async function highestBefore(ctx: Ctx, first: bigint): Promise<string> {
  const ids = (await blockBefore(ctx.platform.database.pool, ctx.workspace.id, first))?.lineIds ?? [];
  return [...ids].sort().at(-1) ?? '00000000-0000-0000-0000-000000000000';
}

/**
 * Notes that a file has the lines up to a head: from now on they may leave. `from`: where the file began.
 * @throws NotArchived where another archive was noted since
 */
export async function noteArchive(ctx: Ctx, from: Checkpoint | undefined, head: ArchiveHead, sha256: Buffer<ArrayBuffer>): Promise<void> {
  const at = ctx.platform.clock.now();
  await transact(
    ctx,
    async (tx) => {
      await lockLog(tx, ctx.workspace.id);
      const last = await tx.auditArchive.findFirst({ orderBy: { leafIndex: 'desc' } });
      if ((last?.leafIndex ?? 0n) !== (from?.leafIndex ?? 0n))
        throw new NotArchived('Another archive was written meanwhile: this file is not needed. Run the command again for what is left.');
      const first = from?.leafIndex ?? 0n;
      return tx.auditArchive.create({ data: { leafIndex: head.size, sha256, until: head.at, sweptTo: first, createdAt: at } });
    },
    ({ leafIndex }) => String(leafIndex),
  );
}
