// A tree of many leaves in the log of a workspace, written by its blocks and tiles: the lines that its leaves stand for are not there, but for some.
import { createHash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { emptyTree, joinHashes, nodeHash, rootOf, type Tree, withLeaf } from '../src/contexts/audit/tree.js';

const blockLeaves = 256;
/** Blocks in a statement. */
const stepBlocks = 500;

/** What was written: its tables' bytes, and some leaves that have lines. */
export interface FilledTree {
  leaves: number;
  bytes: number;
  withLines: number[];
}

/** Replaces the tree of a workspace by one of `leaves` leaves, a multiple of 256. Its log begins anew. */
export async function fillTree(db: pg.Client, workspaceId: string, leaves: number): Promise<FilledTree> {
  const hashes = Array.from({ length: blockLeaves }, () => randomBytes(32));
  const block = rootOf(hashes.reduce<Tree>((tree, leaf) => withLeaf(tree, leaf), emptyTree));
  await db.query("SET session_replication_role = 'replica'");
  for (const table of ['evidence_head', 'evidence_key', 'evidence_log', 'audit_node', 'audit_block', 'audit_head'])
    await db.query(`DELETE FROM ${table} WHERE workspace_id = $1`, [workspaceId]);
  await db.query('DELETE FROM fence');
  // A complete block is one leaf of a smaller tree, whose roots are the same ones.
  let blocks = emptyTree;
  for (let first = 0; first < leaves / blockLeaves; first += stepBlocks) {
    const rows: { peaks: Buffer; root: Buffer }[] = [];
    const nodes: { level: number; index: bigint; hash: Buffer }[] = [];
    for (let n = first; n < Math.min(first + stepBlocks, leaves / blockLeaves); n += 1) {
      nodes.push({ level: 1, index: BigInt(n), hash: block });
      blocks = withLeaf(blocks, block, ({ level, index, hash }) => nodes.push({ level: level + 1, index, hash }));
      rows.push({ peaks: joinHashes(blocks.peaks), root: rootOf(blocks) });
    }
    await db.query(
      `INSERT INTO audit_block (workspace_id, first_leaf, line_ids, last_position, leaves, peaks, root)
        SELECT $1, ($2 + u.n - 1) * 256, (SELECT array_agg(gen_random_uuid()) FROM generate_series(1, 256) WHERE u.n > 0), ($2 + u.n) * 256, $3, u.peaks, u.root
        FROM unnest($4::bytea[], $5::bytea[]) WITH ORDINALITY AS u (peaks, root, n)`,
      [workspaceId, first, joinHashes(hashes), rows.map(({ peaks }) => peaks), rows.map(({ root }) => root)],
    );
    await db.query(
      'INSERT INTO audit_node (workspace_id, level, index, hash) SELECT $1, l, i, h FROM unnest($2::smallint[], $3::bigint[], $4::bytea[]) AS u (l, i, h)',
      [workspaceId, nodes.map(({ level }) => level), nodes.map(({ index }) => index), nodes.map(({ hash }) => hash)],
    );
  }
  await db.query(
    'INSERT INTO audit_head (workspace_id, position, hash, tree_size, peaks, root, moved) VALUES ($1, 0, $2, $3, $4, $5, true)',
    [workspaceId, createHash('sha256').digest(), leaves, joinHashes(blocks.peaks), rootOf(blocks)],
  );
  const withLines = await addLines(db, workspaceId, leaves);
  await db.query('VACUUM ANALYZE audit_block, audit_node');
  const { rows } = await db.query<{ bytes: string }>(
    "SELECT sum(pg_total_relation_size(t)) AS bytes FROM unnest('{audit_block, audit_node}'::regclass[]) AS t",
  );
  await db.query('RESET session_replication_role');
  return { leaves, bytes: Number(rows[0]?.bytes), withLines };
}

/** Lines for some leaves: the proof of a leaf is asked for with its line. */
async function addLines(db: pg.Client, workspaceId: string, leaves: number): Promise<number[]> {
  const firsts = Array.from({ length: 500 }, () => Math.floor(Math.random() * (leaves / blockLeaves)) * blockLeaves);
  await db.query(
    `INSERT INTO audit_entry (workspace_id, id, at, actor_type, action, seed, digest)
      SELECT DISTINCT workspace_id, line_ids[7], now(), 'system', 'filled', '\\x00112233445566778899aabbccddeeff'::bytea, sha256('')
      FROM audit_block WHERE workspace_id = $1 AND first_leaf = ANY ($2::bigint[])`,
    [workspaceId, firsts],
  );
  return firsts.map((first) => first + 6);
}

/** So many workspaces whose trees have grown by a leaf since their last head. */
export async function growTrees(db: pg.Client, workspaceIds: readonly string[], size: number): Promise<void> {
  const root = nodeHash(randomBytes(32), randomBytes(32));
  await db.query("SET session_replication_role = 'replica'");
  await db.query(
    `INSERT INTO audit_head (workspace_id, position, hash, tree_size, peaks, root, moved)
      SELECT id, 0, sha256(''), $2, $3, $3, true FROM unnest($1::uuid[]) AS u (id)
      ON CONFLICT (workspace_id) DO UPDATE SET tree_size = $2, peaks = $3, root = $3, moved = true`,
    [workspaceIds, size, root],
  );
  await db.query('RESET session_replication_role');
}
