// Words that say of which resource a text is, written into every row that has a text of its own, so that a leak of it is seen wherever it shows.
import { nouns } from '../../src/manifest/noun.js';
import type { Platform } from '../../src/platform/ctx.js';

/** Columns that callers write and that nothing is decided by. */
const texts = ['name', 'description', 'label', 'comment', 'email', 'service_url', 'status_reason', 'reference', 'request_id'];

/** Those that may stand in every row. */
const open = new Set(['description', 'comment', 'label']);

/** The word of a resource: it stands in no text of another one. */
export const markOf = (resource: string) => `ZZ${resource.toUpperCase()}ZZ`;

/** Writes the word of its noun into the texts of every row. Returns the resources of which there is one. */
export async function markRows({ database, extensions }: Platform): Promise<string[]> {
  const client = await database.pool.connect();
  const marked = new Set<string>();
  try {
    // Nothing that watches over rows has to let this pass.
    await client.query('SET session_replication_role = replica');
    for (const { table, scope } of extensions.of(nouns)) {
      if (table === undefined || scope === undefined) continue;
      const [resource = ''] = scope.split(':');
      const { rows } = await client.query<{ column: string }>(
        `SELECT column_name AS column FROM information_schema.columns WHERE table_name = $1 AND data_type = 'text' AND column_name = ANY ($2)`,
        [table, texts],
      );
      for (const { column } of rows) {
        const { rowCount } = await client.query(
          `UPDATE ${table} SET ${column} = '${markOf(resource)} ' || right(id::text, 6) ${open.has(column) ? '' : `WHERE ${column} IS NOT NULL`}`,
        );
        if (rowCount !== null && rowCount > 0) marked.add(resource);
      }
    }
  } finally {
    await client.query('RESET session_replication_role');
    client.release();
  }
  return [...marked];
}
