// The lines of both sides. A line of the ledger is what one ledger transaction moves on the clearing account of a rail: what goes into it
// leaves over the rail, a debit of the statement. Its reference is that under which its transfer went to the rail.

/** Tables that know under which reference a transfer goes over a rail: columns `transfer_id`, `rail`, and the reference. */
const referenced = [
  { table: 'payout', reference: 'rail_reference' },
  { table: 'funding_transaction', reference: 'rail_reference' },
  { table: 'card_charge', reference: 'rail_reference' },
  { table: 'card_refund', reference: 'rail_reference' },
  { table: 'x402_payment', reference: 'tx_hash' },
] as const;

/** The reference of a transfer: `reference` and, of a payout, `payout_id`. */
export const lineReferenceOf = (transfer: string) =>
  referenced
    .map(
      ({ table, reference }) => `SELECT sent.${reference} AS reference, ${table === 'payout' ? 'sent.id' : 'NULL::uuid'} AS payout_id
        FROM ${table} sent WHERE sent.workspace_id = $1::uuid AND sent.transfer_id = ${transfer} AND sent.${reference} IS NOT NULL`,
    )
    .join(' UNION ALL ');

/** What goes under a reference over the rail $2: `transfer_id` and, of a payout, `payout_id`. */
export const sentAs = (name: string) =>
  referenced
    .map(
      ({ table, reference }) => `SELECT sent.transfer_id, ${table === 'payout' ? 'sent.id' : 'NULL::uuid'} AS payout_id
        FROM ${table} sent WHERE sent.workspace_id = $1::uuid AND sent.rail = $2::text AND sent.${reference} = ${name}`,
    )
    .join(' UNION ALL ');

/** What a transaction has moved on the ledger account $3, and its last entry there. Only the index of transactions can serve it. */
export const movedBy = (transaction: string) => `
  SELECT (sum(made.amount) FILTER (WHERE made.account_id = $3::uuid))::bigint AS moved,
    max(made.version) FILTER (WHERE made.account_id = $3::uuid) AS last
  FROM ledger_entry made WHERE made.workspace_id = $1::uuid AND made.transaction_id = ${transaction}`;

// Gap G-183: A ledger line is what one ledger transaction moves on the rail's clearing account, net of the fee.
/** The lines of the ledger account $3 that a transfer has made: the transaction, what it moved, and its last entry there. */
export const ledgerLinesOf = (transfer: string) => `
  SELECT posted.id, made.moved, made.last
  FROM (
    SELECT ${transfer} AS id
    UNION ALL
    SELECT further.id FROM ledger_transaction further
    WHERE further.workspace_id = $1::uuid AND further.transfer_id = ${transfer} AND further.transfer_id <> further.id
  ) posted
  CROSS JOIN LATERAL (${movedBy('posted.id')}) made WHERE made.moved <> 0`;

/** The line of the statement of the rail $2 that stands for a reference and a direction: the first one. */
export const firstBooked = (reference: string, direction: string) => `
  SELECT early.id, early.amount, ${dayOf('early.booked_at')} AS day FROM rail_statement early
  WHERE early.workspace_id = $1::uuid AND early.rail = $2::text AND early.reference = ${reference} AND early.direction = ${direction}
  ORDER BY early.booked_at, early.id LIMIT 1`;

/** The day of an instant, in UTC. */
export function dayOf(instant: string): string {
  return `(${instant} AT TIME ZONE 'UTC')::date`;
}

/** The direction in which the statement has what the ledger moved. */
export const directionOf = (moved: string) => `CASE WHEN ${moved} > 0 THEN 'debit' ELSE 'credit' END::statement_direction`;
