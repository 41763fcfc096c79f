// The statements that read tiles of the tree: leaves from blocks, and the roots of complete stretches of them.
import type pg from 'pg';
import { type LeafSource, leafColumns } from './block.sql.js';
import { splitHashes, tileWidth } from './tree.js';

/** The hashes of leaves of a tile, from its first one on; the tile may be longer by now. */
export async function leafTile(pool: pg.Pool, workspaceId: string, index: bigint): Promise<Buffer[]> {
  const first = index * BigInt(tileWidth);
  const { rows } = await pool.query<{ leaves: Buffer }>({
    name: 'audit-leaf-tile',
    text: 'SELECT leaves FROM audit_block WHERE workspace_id = $1 AND first_leaf >= $2 AND first_leaf < $3 ORDER BY first_leaf',
    values: [workspaceId, first, first + BigInt(tileWidth)],
  });
  return splitHashes(Buffer.concat(rows.map(({ leaves }) => leaves)));
}

/** The hashes of a tile above the leaves, as far as they are complete. */
export async function nodeTile(pool: pg.Pool, workspaceId: string, level: number, index: bigint): Promise<Buffer[]> {
  const first = index * BigInt(tileWidth);
  const { rows } = await pool.query<{ index: string; hash: Buffer }>({
    name: 'audit-node-tile',
    text: `SELECT index, hash FROM audit_node WHERE workspace_id = $1 AND level = $2::int::smallint AND index >= $3 AND index < $4 ORDER BY index`,
    values: [workspaceId, level, first, first + BigInt(tileWidth)],
  });
  return rows.map(({ hash }) => hash);
}

/** The entries of the leaves of a tile, in their order: what C2SP calls a bundle. W of each line, from which its entry follows. */
export async function linesOfTile(pool: pg.Pool, workspaceId: string, index: bigint): Promise<LeafSource[]> {
  const first = index * BigInt(tileWidth);
  const { rows } = await pool.query<LeafSource>({
    name: 'audit-lines-of-tile',
    text: `SELECT ${leafColumns} FROM audit_block b CROSS JOIN LATERAL unnest(b.line_ids) WITH ORDINALITY AS u (id, place)
      CROSS JOIN LATERAL (SELECT * FROM audit_entry e WHERE e.workspace_id = b.workspace_id AND e.id = u.id OFFSET 0) e
      WHERE b.workspace_id = $1 AND b.first_leaf >= $2 AND b.first_leaf < $3 ORDER BY b.first_leaf, u.place`,
    values: [workspaceId, first, first + BigInt(tileWidth)],
  });
  return rows;
}
