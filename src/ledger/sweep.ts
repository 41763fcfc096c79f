// What the ledger forgets: claims that have expired, counters of windows that are long over, holds that were resolved long ago.
import { addSeconds } from '../platform/clock.js';
import type { Platform } from '../platform/ctx.js';
import { byIndex } from '../platform/postgres/lookup-plan.js';

const daySeconds = 86_400;
/** Gap G-69: A limit counter is deleted 92 days after its day or month. */
const windowDays = 92;
// Gap G-70: A resolved hold is kept for 400 days, so `pending_in` at a past time is exact that far back.
/** Days for which a resolved hold is kept: so far back goes what a wallet shows as pending at a time. */
const holdDays = 400;

/**
 * Deletes up to `most` claims that have expired, oldest first; answers how many. A claim that does not expire stays for ever. Answers
 * that were kept with them leave by their partitions.
 */
export async function sweepClaims({ database, clock }: Platform, most = 1_000): Promise<number> {
  const { rowCount } = await byIndex(database.pool, (tx) =>
    tx.query(
      `DELETE FROM claim c USING (
         SELECT ctid AS place FROM claim WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED
       ) expired WHERE c.ctid = expired.place`,
      [clock.now(), most],
    ),
  );
  return rowCount ?? 0;
}

/** Deletes up to `most` counters whose window, a day or a month, is over for 92 days. Windows that are no date never end. */
export async function sweepLimitCounters({ database, clock }: Platform, most = 1_000): Promise<number> {
  const before = addSeconds(clock.now(), -windowDays * daySeconds)
    .toISOString()
    .slice(0, 10);
  const { rowCount } = await byIndex(database.pool, (tx) =>
    tx.query(
      `DELETE FROM limit_counter c USING (
         SELECT workspace_id, counter, "window" FROM limit_counter
         WHERE "window" COLLATE "C" < $1 AND "window" COLLATE "C" < 'A' ORDER BY "window" COLLATE "C" LIMIT $2 FOR UPDATE SKIP LOCKED
       ) over WHERE c.workspace_id = over.workspace_id AND c.counter = over.counter AND c."window" = over."window"`,
      [before, most],
    ),
  );
  return rowCount ?? 0;
}

/** Deletes up to `most` holds that were resolved 400 days ago. The money that they moved stays in the ledger for ever. */
export async function sweepHolds({ database, clock }: Platform, most = 1_000): Promise<number> {
  const { rowCount } = await byIndex(database.pool, (tx) =>
    tx.query(
      `DELETE FROM hold h USING (
         SELECT workspace_id, id FROM hold WHERE resolved_at < $1 ORDER BY resolved_at LIMIT $2 FOR UPDATE SKIP LOCKED
       ) old WHERE h.workspace_id = old.workspace_id AND h.id = old.id`,
      [addSeconds(clock.now(), -holdDays * daySeconds), most],
    ),
  );
  return rowCount ?? 0;
}
