// A leaf with the proof that it is under a head, and what of it the reader may see (CONTRACT.md 25).
import {
  addedDigest,
  type Disclosure,
  disclose,
  disclosuresOf,
  erasedDigests,
  leafEntry,
  type PartName,
} from '../../platform/audit-leaf.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import { parseId } from '../../platform/schema/id.js';
import { covers, type Scope } from '../../platform/scope.js';
import { archivedSoFar, LineArchived } from '../audit/archive.js';
import { blockBefore, leavesOf, linesOf, secretOf } from '../audit/block.sql.js';
import { TreeReader } from '../audit/proof.js';
import { storedParts } from '../spending/evidence/stored-part.sql.js';
import { type Checkpoint, headAt } from './head.js';

/** A leaf, and its proof. */
export interface ProvenLeaf {
  index: bigint;
  lineId: string;
  entry: Buffer;
  hash: Buffer;
  /** The digests of the parts that were written with the change, in the order of their bytes. */
  written: Buffer[];
  /** The digests of those that were added when the leaf was made. */
  sealed: Buffer[];
  /** The parts that the reader may see. */
  disclosures: Disclosure[];
  proof: Buffer[];
  head: Checkpoint;
}

/** The leaf with this index, or of this line of the audit log, under the head of a size, the newest by default. 404 for one that is not there, 409 for an archived one. */
export async function provenLeaf(ctx: Ctx, { leaf, treeSize }: { leaf: string; treeSize: bigint | null }): Promise<ProvenLeaf> {
  const { head } = await headAt(ctx, treeSize);
  const place = await placeOf(ctx, leaf);
  if (place.index >= head.treeSize) throw new NotFound('leaf');
  const [proven] = await proveLeaves(ctx, [place], head, (parts) => visibleOf(ctx, parts));
  if (proven === undefined) {
    const checkpoint = await archivedSoFar(ctx);
    if (checkpoint !== undefined && place.index < checkpoint.leafIndex) throw new LineArchived(checkpoint);
    throw new NotFound('leaf');
  }
  return proven;
}

/** Where a leaf stands. */
export interface LeafPlace {
  index: bigint;
  lineId: string;
}

/** Leaves under a head, in the order of their places. `shown` says which parts the reader may see of each. Lines without a leaf are left out. */
export async function proveLeaves<Place extends LeafPlace>(
  { platform, workspace }: Ctx,
  places: readonly Place[],
  head: Checkpoint,
  shown: (disclosures: readonly Disclosure[], place: Place) => Disclosure[],
): Promise<ProvenLeaf[]> {
  const { pool } = platform.database;
  const ids = places.map(({ lineId }) => lineId);
  const lines = new Map((await linesOf(pool, workspace.id, ids)).map((line) => [line.id, line]));
  const parts = await storedParts(pool, workspace.id, [...lines.values()]);
  const reader = new TreeReader(pool, workspace.id);
  const proven = places.map(async (place): Promise<ProvenLeaf[]> => {
    const { index, lineId } = place;
    const line = lines.get(lineId);
    const secret = line && secretOf(line);
    if (line === undefined || secret == null || line.digest === null) return [];
    const { written: others, added } = parts.get(lineId) ?? { written: [], added: [] };
    const written = disclosuresOf(line, secret, others);
    const sealed = disclose(secret, added);
    const [proof, tile] = await Promise.all([reader.inclusion(index, head.treeSize), reader.tile(0, index / 256n)]);
    return [
      {
        index,
        lineId,
        entry: leafEntry(line.digest, addedDigest(secret, added)),
        hash: tile[Number(index % 256n)] as Buffer,
        written: [...written.map(({ digest }) => digest), ...erasedDigests(secret)].sort(Buffer.compare),
        sealed: sealed.map(({ digest }) => digest).sort(Buffer.compare),
        disclosures: shown([...written, ...sealed], place),
        proof,
        head,
      },
    ];
  });
  return (await Promise.all(proven)).flat();
}

async function placeOf({ platform, workspace }: Ctx, leaf: string): Promise<LeafPlace> {
  const { pool } = platform.database;
  if (/^\d{1,18}$/.test(leaf)) {
    const index = BigInt(leaf);
    const block = await blockBefore(pool, workspace.id, index + 1n);
    const lineId = block?.lineIds[Number(index - block.firstLeaf)];
    if (lineId === undefined) throw new NotFound('leaf');
    return { index, lineId };
  }
  const lineId = parseId('auditEntry', leaf);
  const found = lineId === null ? undefined : (await leavesOf(pool, workspace.id, [lineId])).get(lineId);
  if (lineId === null || found === undefined) throw new NotFound('leaf');
  return { index: found.index, lineId };
}

const scopeOf: Partial<Record<PartName, Scope>> = {
  money: 'transfers:read',
  offer: 'transfers:read',
  private: 'transfers:read',
  delivery: 'transfers:read',
  authority: 'agents:read',
  decision: 'policies:read',
  figures: 'policies:read',
};

/** The scope that opens what a part says. */
export function readable(name: PartName): Scope {
  return scopeOf[name] ?? 'audit:read';
}

/** The parts that an operator may read: those of what it may read anyway. Of any other the digest remains. */
function visibleOf({ actor }: Ctx, disclosures: readonly Disclosure[]): Disclosure[] {
  return disclosures.filter(({ name }) => covers(actor.scopes, readable(name)));
}
