// Heads leave with their time: all of the last day are kept, then the last of each hour, for ever. The hours before are looked at, not every day.
import { addSeconds } from '../../platform/clock.js';
import type { Platform } from '../../platform/ctx.js';

/** Every head is kept so long. */
const keptSeconds = 86_400;

/** Deletes heads of more than a day ago that are not the last of their hour; how many. For the worker. */
export async function sweepHeads({ database: { pool }, clock }: Platform, most = 1_000): Promise<number> {
  const { rowCount } = await pool.query({
    name: 'evidence-sweep-heads',
    text: `WITH old AS (
        SELECT e.workspace_id, e.log_id, e.tree_size FROM evidence_head e
        WHERE e.at >= $1::timestamptz - interval '3 hours' AND e.at < $1 AND EXISTS (
          SELECT FROM evidence_head n WHERE n.workspace_id = e.workspace_id AND n.log_id = e.log_id AND n.tree_size > e.tree_size
            AND date_trunc('hour', n.at) = date_trunc('hour', e.at)
        ) ORDER BY e.at LIMIT $2
      )
      DELETE FROM evidence_head e USING old
      WHERE e.workspace_id = old.workspace_id AND e.log_id = old.log_id AND e.tree_size = old.tree_size`,
    values: [addSeconds(clock.now(), -keptSeconds), most],
  });
  return rowCount ?? 0;
}
