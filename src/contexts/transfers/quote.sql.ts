// The statement that removes old quotes.
import { addSeconds } from '../../platform/clock.js';
import type { Platform } from '../../platform/ctx.js';
import { byIndex } from '../../platform/postgres/lookup-plan.js';

/** Days for which a quote can be read. What a transfer took of it stands in the transfer. */
const quoteDays = 30;

/** Removes up to `most` quotes that expired 30 days ago, oldest first; answers how many. */
export async function sweepQuotes({ database, clock }: Platform, most = 1_000): Promise<number> {
  const { rowCount } = await byIndex(database.pool, (tx) =>
    tx.query({
      name: 'sweep-quotes',
      text: `DELETE FROM quote USING (SELECT workspace_id, id FROM quote WHERE expires_at < $1 ORDER BY expires_at LIMIT $2) old
        WHERE quote.workspace_id = old.workspace_id AND quote.id = old.id`,
      values: [addSeconds(clock.now(), -quoteDays * 86_400), most],
    }),
  );
  return rowCount ?? 0;
}
