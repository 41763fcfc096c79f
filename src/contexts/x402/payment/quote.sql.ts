// The statement that removes old payment requests.
import { addSeconds } from '../../../platform/clock.js';
import type { Platform } from '../../../platform/ctx.js';
import { byIndex } from '../../../platform/postgres/lookup-plan.js';

/** Days for which a payment request is known; what was paid of it stands in its payment. */
const requestDays = 1;

/** Removes up to `most` payment requests that expired a day ago, oldest first; answers how many. */
export async function sweepPaymentRequests({ database, clock }: Platform, most = 1_000): Promise<number> {
  const { rowCount } = await byIndex(database.pool, (tx) =>
    tx.query({
      name: 'sweep-x402-quotes',
      text: `DELETE FROM x402_quote USING (SELECT workspace_id, id FROM x402_quote WHERE expires_at < $1 ORDER BY expires_at LIMIT $2) old
        WHERE x402_quote.workspace_id = old.workspace_id AND x402_quote.id = old.id`,
      values: [addSeconds(clock.now(), -requestDays * 86_400), most],
    }),
  );
  return rowCount ?? 0;
}
