// Streams of a tenant that has moved end in each process as soon as the process has forgotten where the tenant was: their readers come back, and
// find it where it is. So this follows what the directory tells, and no other notice may overtake it.
import { leftCell } from '../../credential.js';
import type { Platform } from '../../ctx.js';

const place = 'place:';

/** Ends streams in the cells of a process when their tenants have moved. The directory has been made: it forgets first. */
export function endStreamsOfMoved({ cache, cells }: Platform): void {
  const end = (tenantId: string) => {
    for (const platform of cells.served) platform.cache.drop(`${leftCell}${tenantId}`);
  };
  cache.onDrop((tag) => {
    if (tag.startsWith(place)) end(tag.slice(place.length));
  });
  // What was told during an interruption has not come.
  cache.onNotice((notice) => {
    if (notice !== null) return;
    for (const platform of cells.served)
      void movedAway(platform).then(
        (ids) => ids.forEach(end),
        () => {},
      );
  });
}

/** Tenants that have left a cell in the last day. */
async function movedAway({ database: { pool } }: Platform): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>('SELECT DISTINCT tenant_id AS id FROM moved_workspace WHERE moved_at IS NOT NULL');
  return rows.map(({ id }) => id);
}
