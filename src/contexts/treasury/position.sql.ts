// The statement that reads where the money of a workspace is, by currency. One statement sees one state of the database, so its figures
// agree with each other whatever is posted meanwhile.
import type { Ctx } from '../../platform/ctx.js';
import { runIn, type Tx } from '../../platform/postgres/database.js';

/** Where money stands in the ledger: every kind of account belongs to exactly one of them; `receivables` to clearing (see G-170). */
export const places = ['available', 'held', 'wrapped', 'streams', 'escrows', 'reserve', 'fees', 'clearing', 'world'] as const;
/** What is promised: it stands in one of the places, or has not left its wallet yet. */
export const promises = ['holds', 'scheduled', 'disputes', 'mandates'] as const;

/** One currency, minor units. */
export type Position = { currency: string } & Record<(typeof places)[number] | (typeof promises)[number], bigint>;
/** The same in decimal text, as PostgreSQL answers and as a snapshot keeps it. */
export type PositionText = Record<keyof Position, string>;

const accounts: Record<(typeof places)[number], string> = {
  available: `kind = 'wallet.available'`,
  held: `kind = 'wallet.held'`,
  wrapped: `kind = 'wallet.wrapped'`,
  streams: `kind = 'stream.escrow'`,
  escrows: `kind LIKE '%.escrow' AND kind <> 'stream.escrow'`,
  reserve: `kind = 'settlement.reserve'`,
  fees: `kind = 'fees'`,
  clearing: `kind IN ('fx.clearing', 'receivables') OR kind LIKE 'rail.clearing:%'`,
  world: `kind = 'world'`,
};

const balances = places.map((place) => `coalesce(sum(balance) FILTER (WHERE ${accounts[place]}), 0) AS ${place}`);

/** What a mandate has spent in the day or the month of now. */
const spentIn = (span: string) => `
        SELECT coalesce(sum(c.used + c.reserved), 0) AS spent FROM limit_counter c WHERE c.workspace_id = m.workspace_id
          AND c.counter = 'mandate:' || m.id AND c."window" = to_char($2::timestamptz AT TIME ZONE 'UTC', '${span}')`;

/**
 * A mandate may spend what its month has left, or else its day, or else one transaction. A transfer that waits for its time has moved
 * nothing; one that waits with a hold is counted among the holds.
 */
const positions = {
  name: 'treasury-positions',
  text: `
    WITH book AS (
      SELECT currency, ${balances.join(', ')} FROM ledger_account WHERE workspace_id = $1::uuid GROUP BY currency
    ), held AS (
      SELECT currency, sum(amount) AS amount FROM hold WHERE workspace_id = $1::uuid AND status = 'held' GROUP BY currency
    ), waiting AS (
      SELECT currency, sum(amount) AS amount FROM transfer
      WHERE workspace_id = $1::uuid AND status = 'pending' AND scheduled_for IS NOT NULL AND hold_id IS NULL GROUP BY currency
    ), disputed AS (
      SELECT currency, sum(amount_disputed) AS amount FROM dispute WHERE workspace_id = $1::uuid AND status <> 'resolved' GROUP BY currency
    ), running AS (
      SELECT m.currency, greatest(coalesce(m.max_per_month - month.spent, m.max_per_day - day.spent, m.max_per_tx), 0) AS left_over
      FROM mandate m JOIN agent a ON a.workspace_id = m.workspace_id AND a.id = m.agent_id AND a.status = 'active'
      CROSS JOIN LATERAL (${spentIn('YYYY-MM')}) month CROSS JOIN LATERAL (${spentIn('YYYY-MM-DD')}) day
      WHERE m.workspace_id = $1::uuid AND m.revoked_at IS NULL AND m.expires_at > $2::timestamptz
    ), mandated AS (
      SELECT currency, sum(left_over) AS amount FROM running GROUP BY currency
    )
    SELECT currency, ${places.map((place) => `book.${place}::text`).join(', ')}, coalesce(held.amount, 0)::text AS holds,
      coalesce(waiting.amount, 0)::text AS scheduled, coalesce(disputed.amount, 0)::text AS disputes,
      coalesce(mandated.amount, 0)::text AS mandates
    FROM book LEFT JOIN held USING (currency) LEFT JOIN waiting USING (currency) LEFT JOIN disputed USING (currency)
      LEFT JOIN mandated USING (currency)
    ORDER BY currency`,
};

/** The position of the workspace in each currency, read through `ctx.db`, which may be a transaction. */
export function readPositions({ db, workspace, clock }: Pick<Ctx, 'db' | 'workspace' | 'clock'>): Promise<PositionText[]> {
  return runIn<PositionText>(db as unknown as Tx, positions, [workspace.id, clock.now()]);
}
