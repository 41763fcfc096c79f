// Lines whose content was erased (CONTRACT.md 24 and 29). Such a line is good only where a later leaf of an erasure names it, by its id and the
// hash of its leaf: so nobody else empties a line unseen.
import type pg from 'pg';
import { type LeafLine, leafHash, lineDigest } from '../../platform/audit-leaf.js';
import { printId } from '../../platform/schema/id.js';
import { leavesOf, linesOf, type StoredLine } from './block.sql.js';

/** What the lines of erasures are called. */
export const erasingActions = ['account.erase', 'member.erase'] as const;

/** A line, and where it stands in the tree. */
export interface PlacedLine {
  line: StoredLine;
  index: bigint;
  leaf: Buffer;
}

/** How a line is named: since the tree began by the hash of its leaf, before by its own. In hex. */
export interface NamedLine {
  line_id: string;
  leaf_hash?: string;
  hash?: string;
}

/** What the line of an erasure came to. */
export interface ErasureOutcome {
  erasure_id: string;
  lines: readonly NamedLine[];
}

/** The ids of those of the erased lines that a later leaf of an erasure names as they are. */
export async function namedAmong(pool: pg.Pool, workspaceId: string, erased: readonly PlacedLine[]): Promise<Set<string>> {
  const by = [...new Set(erased.flatMap(({ line }) => line.kept?.by ?? []))];
  if (by.length === 0) return new Set();
  const [naming, leaves] = await Promise.all([linesOf(pool, workspaceId, by), leavesOf(pool, workspaceId, by)]);
  const named = new Map<string, bigint>();
  for (const line of naming) {
    const leaf = leaves.get(line.id);
    if (leaf === undefined || !isErasure(line) || !isAsWritten(line, leaf.hash)) continue;
    for (const { line_id: id, leaf_hash: hash } of (line.outcome as ErasureOutcome).lines)
      named.set(`${line.id} ${id} ${hash}`, leaf.index);
  }
  const isNamed = ({ line, index, leaf }: PlacedLine) => {
    const at = named.get(`${line.kept?.by} ${printId('auditEntry', line.id)} ${leaf.toString('hex')}`);
    return at !== undefined && at > index;
  };
  return new Set(erased.filter(isNamed).map(({ line }) => line.id));
}

function isErasure({ action }: LeafLine): boolean {
  return (erasingActions as readonly string[]).includes(action);
}

/** True where the leaf is what the line of an erasure says: nothing stands with it. */
function isAsWritten(line: StoredLine, leaf: Buffer): boolean {
  const { seed, digest } = line;
  return seed !== null && digest !== null && lineDigest(line, seed).equals(digest) && leafHash(digest).equals(leaf);
}
