// A tree that somebody with the database in their hands writes anew: after a change each line says what its posting says now, and every leaf,
// block, tile and head follows.
import { linesOf } from '../../../src/contexts/audit/block.sql.js';
import { emptyTree, joinHashes, rootOf, type StretchRoot, withLeaf } from '../../../src/contexts/audit/tree.js';
import { storedParts } from '../../../src/contexts/spending/evidence/stored-part.sql.js';
import { addedDigest, leafHash, lineDigest } from '../../../src/platform/audit-leaf.js';
import type { Ctx } from '../../../src/platform/ctx.js';

const tables = ['transfer', 'audit_entry', 'audit_block', 'audit_node', 'audit_head', 'evidence_head', 'evidence_log'];
type Run = (text: string, values?: unknown[]) => Promise<unknown>;

/** Makes a change and writes everything anew that stands on it; returns what brings all of it back. */
export async function writeAnew({ platform, workspace }: Ctx, change: (run: Run) => Promise<void>): Promise<() => Promise<void>> {
  const { pool } = platform.database;
  const client = await pool.connect();
  const run: Run = async (text, values = []) => {
    await client.query("BEGIN; SET LOCAL session_replication_role = 'replica'");
    await client.query(text, values);
    await client.query('COMMIT');
  };
  for (const table of tables) await run(`CREATE TABLE kept_${table} AS SELECT * FROM ${table}`);
  await change(run);
  await rewrite(run, pool, workspace.id);
  return async () => {
    for (const table of tables) {
      await run(`DELETE FROM ${table}`);
      await run(`INSERT INTO ${table} SELECT * FROM kept_${table}`);
      await run(`DROP TABLE kept_${table}`);
    }
    client.release(true);
  };
}

async function rewrite(run: Run, pool: Ctx['platform']['database']['pool'], workspaceId: string): Promise<void> {
  const { rows: blocks } = await pool.query<{ first_leaf: string; line_ids: string[] }>(
    'SELECT first_leaf, line_ids FROM audit_block WHERE workspace_id = $1 ORDER BY first_leaf',
    [workspaceId],
  );
  let tree = emptyTree;
  for (const { first_leaf: first, line_ids: ids } of blocks) {
    const lines = new Map((await linesOf(pool, workspaceId, ids)).map((line) => [line.id, line]));
    const parts = await storedParts(pool, workspaceId, [...lines.values()]);
    const leaves: Buffer[] = [];
    const ended: StretchRoot[] = [];
    for (const id of ids) {
      const line = lines.get(id);
      if (line?.seed == null) throw new Error('a line is there, with its seed');
      const { written = [], added = [] } = parts.get(id) ?? {};
      const digest = lineDigest(line, line.seed, written);
      await run('UPDATE audit_entry SET digest = $2 WHERE id = $1', [id, digest]);
      leaves.push(leafHash(digest, addedDigest(line.seed, added)));
      tree = withLeaf(tree, leaves.at(-1) as Buffer, (stretch) => ended.push(stretch));
    }
    await run('UPDATE audit_block SET leaves = $3, peaks = $4, root = $5 WHERE workspace_id = $1 AND first_leaf = $2', [
      workspaceId,
      first,
      joinHashes(leaves),
      joinHashes(tree.peaks),
      rootOf(tree),
    ]);
    for (const { level, index, hash } of ended)
      await run('UPDATE audit_node SET hash = $4 WHERE workspace_id = $1 AND level = $2 AND index = $3', [workspaceId, level, index, hash]);
  }
  await run('UPDATE audit_head SET root = $2, peaks = $3 WHERE workspace_id = $1', [workspaceId, rootOf(tree), joinHashes(tree.peaks)]);
}
