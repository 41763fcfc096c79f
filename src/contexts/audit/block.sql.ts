// The statements of the tree of the audit log: lines that are taken up, blocks, and the head.
import type pg from 'pg';
import type { Stretch } from '../../events/listener.js';
import type { KeptSalts, LeafLine, LeafSecret } from '../../platform/audit-leaf.js';
import type { PostingRef } from '../spending/evidence/stored-part.sql.js';
import { joinHashes, type StretchRoot, splitHashes, type Tree } from './tree.js';

/** A line that is to become a leaf. */
export interface CommittedLine extends LeafSource {
  position: string;
  at: Date;
}

/** What the leaf of a line is made of. */
export interface LeafSource extends PostingRef {
  seed: Buffer;
  digest: Buffer;
}

/** The columns of a line `e` that say what its leaf is made of. */
export const leafColumns = `e.id, e.seed, e.digest, e.resource_id AS "resourceId", e.transaction_id AS "transactionId",
  e.transfer_status AS "transferStatus", e.decision_id AS "decisionId"`;

/** The lines of a stretch of publications, in the order of their publication. */
export async function linesOfStretch(tx: pg.ClientBase, { workspaceId, after, upTo }: Stretch): Promise<CommittedLine[]> {
  const { rows } = await tx.query<CommittedLine>({
    name: 'audit-lines-of-stretch',
    text: `SELECT e.position, e.at, ${leafColumns}
      FROM publication p CROSS JOIN LATERAL unnest(p.line_ids) WITH ORDINALITY AS u (id, index)
      CROSS JOIN LATERAL (SELECT * FROM audit_entry e WHERE e.workspace_id = p.workspace_id AND e.id = u.id OFFSET 0) e
      WHERE p.workspace_id = $1 AND p.number > $2 AND p.number <= $3 ORDER BY p.number, u.index`,
    values: [workspaceId, after, upTo],
  });
  return rows;
}

/** True while lines of the workspace are committed and no leaves yet. */
export async function linesWait(pool: pg.Pool, workspaceId: string, listener: string): Promise<boolean> {
  const { rows } = await pool.query<{ wait: boolean }>({
    name: 'audit-lines-wait',
    text: `SELECT EXISTS (SELECT FROM outbox WHERE workspace_id = $1 AND line_ids <> '{}') OR EXISTS (
        SELECT FROM publication p WHERE p.workspace_id = $1 AND p.line_ids <> '{}' AND p.number > coalesce(
          (SELECT l.number FROM event_listener l WHERE l.workspace_id = $1 AND l.name = $2), 0)
      ) AS wait`,
    values: [workspaceId, listener],
  });
  return rows[0]?.wait === true;
}

/** Where the chain of before ended. */
export interface ChainEnd {
  position: string;
  hash: Buffer;
}

/** The head of the workspace, which is made where there is none, locked until the transaction ends. */
export async function lockHead(tx: pg.ClientBase, workspaceId: string, beginning: Buffer): Promise<{ tree: Tree; chain: ChainEnd }> {
  await tx.query('INSERT INTO audit_head (workspace_id, position, hash) VALUES ($1, 0, $2) ON CONFLICT DO NOTHING', [
    workspaceId,
    beginning,
  ]);
  const { rows } = await tx.query<{ position: string; hash: Buffer; tree_size: string; peaks: Buffer | null }>(
    'SELECT position, hash, tree_size, peaks FROM audit_head WHERE workspace_id = $1 FOR UPDATE',
    [workspaceId],
  );
  const [head] = rows;
  if (head === undefined) throw new Error('a head that was made is there');
  const { position, hash, tree_size: size, peaks } = head;
  return { tree: { size: BigInt(size), peaks: splitHashes(peaks) }, chain: { position, hash } };
}

/** Notes the tree as it is now. */
export async function moveHead(tx: pg.ClientBase, workspaceId: string, { size, peaks }: Tree, root: Buffer): Promise<void> {
  await tx.query({
    name: 'audit-move-head',
    text: 'UPDATE audit_head SET tree_size = $2, peaks = $3, root = $4, moved = true WHERE workspace_id = $1',
    values: [workspaceId, size, joinHashes(peaks), root],
  });
}

/** Leaves that were added together, and the tree after them. */
export interface Block {
  firstLeaf: bigint;
  lineIds: string[];
  lastPosition: bigint;
  leaves: Buffer[];
  peaks: readonly Buffer[];
  root: Buffer;
}

/** Writes a block. It is never changed. */
export async function insertBlock(tx: pg.ClientBase, workspaceId: string, block: Block): Promise<void> {
  const { firstLeaf, lineIds, lastPosition, leaves, peaks, root } = block;
  await tx.query({
    name: 'audit-insert-block',
    text: `INSERT INTO audit_block (workspace_id, first_leaf, line_ids, last_position, leaves, peaks, root)
      VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    values: [workspaceId, firstLeaf, lineIds, lastPosition, joinHashes(leaves), joinHashes(peaks), root],
  });
}

/** Writes the roots of complete stretches. They are never changed. */
export async function insertNodes(tx: pg.ClientBase, workspaceId: string, stretches: readonly StretchRoot[]): Promise<void> {
  await tx.query({
    name: 'audit-insert-nodes',
    text: `INSERT INTO audit_node (workspace_id, level, index, hash) SELECT $1, u.level, u.index, u.hash
      FROM unnest($2::smallint[], $3::bigint[], $4::bytea[]) AS u (level, index, hash)`,
    values: [workspaceId, stretches.map(({ level }) => level), stretches.map(({ index }) => index), stretches.map(({ hash }) => hash)],
  });
}

/** The roots of stretches as they are kept, in their order; null for one that is not. */
export async function nodesOf(
  pool: pg.Pool,
  workspaceId: string,
  stretches: readonly Pick<StretchRoot, 'level' | 'index'>[],
): Promise<(Buffer | null)[]> {
  const { rows } = await pool.query<{ hash: Buffer | null }>({
    name: 'audit-nodes',
    text: `SELECT n.hash FROM unnest($2::smallint[], $3::bigint[]) WITH ORDINALITY AS u (level, index, place)
      LEFT JOIN audit_node n ON n.workspace_id = $1 AND n.level = u.level AND n.index = u.index ORDER BY u.place`,
    values: [workspaceId, stretches.map(({ level }) => level), stretches.map(({ index }) => index)],
  });
  return rows.map(({ hash }) => hash);
}

interface BlockRow {
  first_leaf: string;
  line_ids: string[];
  last_position: string;
  leaves: Buffer;
  peaks: Buffer;
  root: Buffer;
}

const blockOf = ({ first_leaf, line_ids, last_position, leaves, peaks, root }: BlockRow): Block => ({
  firstLeaf: BigInt(first_leaf),
  lineIds: line_ids,
  lastPosition: BigInt(last_position),
  leaves: splitHashes(leaves),
  peaks: splitHashes(peaks),
  root,
});

/** Blocks whose first leaf is not below `from`, at most `most`. */
export async function blocksFrom(pool: pg.Pool, workspaceId: string, from: bigint, most: number): Promise<Block[]> {
  const { rows } = await pool.query<BlockRow>({
    name: 'audit-blocks-from',
    text: 'SELECT * FROM audit_block WHERE workspace_id = $1 AND first_leaf >= $2 ORDER BY first_leaf LIMIT $3',
    values: [workspaceId, from, most],
  });
  return rows.map(blockOf);
}

/** The last block that begins before the leaf `leaf`. */
export async function blockBefore(pool: pg.Pool, workspaceId: string, leaf: bigint): Promise<Block | undefined> {
  const { rows } = await pool.query<BlockRow>({
    name: 'audit-block-before',
    text: 'SELECT * FROM audit_block WHERE workspace_id = $1 AND first_leaf < $2 ORDER BY first_leaf DESC LIMIT 1',
    values: [workspaceId, leaf],
  });
  return rows[0] && blockOf(rows[0]);
}

/** A line with everything that its leaf says. */
export interface StoredLine extends LeafLine, Omit<PostingRef, 'resourceId'> {
  seed: Buffer | null;
  digest: Buffer | null;
  /** Of one whose content was erased, with the line that names it. */
  kept: (KeptSalts & { by: string }) | null;
}

/** From what the salts of a line are made; null for one that has lost it. */
export function secretOf({ seed, kept }: Pick<StoredLine, 'seed' | 'kept'>): LeafSecret | null {
  return kept ?? seed;
}

export const lineColumns = `e.kept, e.at, e.actor_type AS "actorType", e.actor_id AS "actorId", e.via, e.key_thumbprint AS "keyThumbprint", e.action, e.resource_type AS "resourceType",
  e.request_id AS "requestId", e.ip, e.changes, e.outcome, ${leafColumns}`;

/** The lines of these ids that are there. */
export async function linesOf(pool: pg.Pool, workspaceId: string, ids: readonly string[]): Promise<StoredLine[]> {
  const { rows } = await pool.query<StoredLine>({
    name: 'audit-lines',
    text: `SELECT ${lineColumns} FROM unnest($2::uuid[]) AS u (id)
      CROSS JOIN LATERAL (SELECT * FROM audit_entry e WHERE e.workspace_id = $1 AND e.id = u.id OFFSET 0) e`,
    values: [workspaceId, ids],
  });
  return rows;
}

/** A transfer of which its lines say something else than its row. */
export interface OtherwiseSaid {
  id: string;
  /** The first line that says that it was completed; null where none does. */
  lineId: string | null;
}

/** Transfers with lines that are completed where no line says so, or are not where one does, at most `most`. */
export async function otherwiseSaid(pool: pg.Pool, workspaceId: string, most: number): Promise<OtherwiseSaid[]> {
  const { rows } = await pool.query<OtherwiseSaid>({
    name: 'audit-otherwise-said',
    text: `WITH said AS (
        SELECT coalesce(f.transfer_id, e.transaction_id, e.resource_id::uuid) AS id,
          min(e.id::text) FILTER (WHERE e.transfer_status = 'completed') AS line_id
        FROM audit_entry e LEFT JOIN ledger_transaction f ON f.workspace_id = e.workspace_id AND f.id = e.transaction_id
        WHERE e.workspace_id = $1 AND e.transfer_status IS NOT NULL GROUP BY 1
      )
      SELECT t.id, said.line_id AS "lineId" FROM said JOIN transfer t ON t.workspace_id = $1 AND t.id = said.id
      WHERE (said.line_id IS NOT NULL) <> (t.status = 'completed') ORDER BY t.id LIMIT $2`,
    values: [workspaceId, most],
  });
  return rows;
}

/** The workspaces whose log has begun. */
export async function workspacesWithLines(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>('SELECT workspace_id AS id FROM audit_head ORDER BY workspace_id');
  return rows.map(({ id }) => id);
}

/** Lines that stand with a posting, by id from `after` on, at most `most`. */
export async function linesWithPosting(pool: pg.Pool, workspaceId: string, after: string, most: number): Promise<StoredLine[]> {
  const { rows } = await pool.query<StoredLine>({
    name: 'audit-lines-with-posting',
    text: `SELECT ${lineColumns} FROM audit_entry e
      WHERE e.workspace_id = $1 AND e.id > $2 AND (e.transfer_status IS NOT NULL OR e.decision_id IS NOT NULL) ORDER BY e.id LIMIT $3`,
    values: [workspaceId, after, most],
  });
  return rows;
}

/** Where a line stands in the tree. */
export interface Leaf {
  index: bigint;
  hash: Buffer;
}

/**
 * The leaves of lines, by id. The block of a line is the first one with a number that is not below its own; those of lines that came late are
 * further on. Lines that were not taken up yet are left out.
 */
export async function leavesOf(pool: pg.Pool, workspaceId: string, ids: readonly string[]): Promise<Map<string, Leaf>> {
  const { rows } = await pool.query<{ id: string; index: string; hash: Buffer }>({
    name: 'audit-leaves',
    text: `SELECT u.id, b.first_leaf + b.place - 1 AS index, substring(b.leaves FROM (b.place::int - 1) * 32 + 1 FOR 32) AS hash
      FROM unnest($2::uuid[]) AS u (id)
      CROSS JOIN LATERAL (SELECT id, position FROM audit_entry e WHERE e.workspace_id = $1 AND e.id = u.id AND e.hash IS NULL OFFSET 0) l
      CROSS JOIN LATERAL (
        SELECT first_leaf, leaves, array_position(line_ids, l.id) AS place FROM audit_block
        WHERE workspace_id = $1 AND last_position >= l.position AND line_ids @> ARRAY[l.id]
        ORDER BY last_position LIMIT 1
      ) b`,
    values: [workspaceId, ids],
  });
  return new Map(rows.map(({ id, index, hash }) => [id, { index: BigInt(index), hash }]));
}

/** A line of the tree, without what it says. */
export interface LineRef {
  id: string;
  at: Date;
}

/** The lines since the tree began whose ids are above `after`, up to `upTo` where it is given. */
export async function linesBetween(pool: pg.Pool, workspaceId: string, after: string, upTo: string | null): Promise<LineRef[]> {
  const { rows } = await pool.query<LineRef>({
    name: 'audit-lines-between',
    text: `SELECT e.id, e.at FROM audit_entry e
      WHERE e.workspace_id = $1 AND e.id > $2 AND ($3::uuid IS NULL OR e.id <= $3) AND e.hash IS NULL ORDER BY e.id LIMIT ${mostBetween}`,
    values: [workspaceId, after, upTo],
  });
  return rows;
}
const mostBetween = 50_000;

/** The line of the last leaf of a tree that a snapshot of the treasury has noted with another root than it has: of size above `from`, up to `upTo`. */
export async function notedOtherRoot(
  pool: pg.Pool,
  workspaceId: string,
  from: bigint,
  upTo: bigint,
): Promise<{ lineId: string | null } | null> {
  const { rows } = await pool.query<{ line: string | null }>({
    name: 'audit-noted-root',
    text: `SELECT b.line_ids[cardinality(b.line_ids)] AS line FROM treasury_snapshot s
      LEFT JOIN LATERAL (
        SELECT line_ids, root, first_leaf + cardinality(line_ids) AS size FROM audit_block
        WHERE workspace_id = $1 AND first_leaf < s.tree_size ORDER BY first_leaf DESC LIMIT 1
      ) b ON true
      WHERE s.workspace_id = $1 AND s.tree_size > $2
        AND (s.tree_size > $3 OR b.size IS DISTINCT FROM s.tree_size OR b.root IS DISTINCT FROM decode(s.tree_head, 'hex'))
      ORDER BY s.tree_size LIMIT 1`,
    values: [workspaceId, from, upTo],
  });
  return rows[0] === undefined ? null : { lineId: rows[0].line };
}
