// What the books of both sides do not agree on, by reference and over everything at once: for the sandbox, which asks at the end of a story.
// A discrepancy that somebody has resolved is explained.
import { transferOf } from '../../ledger/transaction.js';
import { directionOf, lineReferenceOf } from './line.sql.js';

/** Lines of one reference may come to more than a number of the database: what anybody uploads is added up here. */
const sumOf = (amount: string) => `least(sum(${amount}), 9223372036854775807)::bigint`;

/** Lines of workspace $1 that have no counterpart, another amount, or come twice: `kind`, `id`, `expected`, `actual`; at most $2. */
export const strayLines = `
  WITH ledger AS (
    SELECT substr(a.kind, length('rail.clearing:') + 1) AS rail, a.currency, e.transaction_id AS id, sum(e.amount)::bigint AS moved
    FROM ledger_account a JOIN ledger_entry e ON e.workspace_id = $1::uuid AND e.account_id = a.id
    WHERE a.workspace_id = $1::uuid AND a.kind LIKE 'rail.clearing:%'
    GROUP BY a.id, a.kind, a.currency, e.transaction_id HAVING sum(e.amount) <> 0
  ), ours AS (
    SELECT l.rail, l.currency, coalesce(r.reference, l.id::text) AS name, ${directionOf('l.moved')} AS direction,
      count(*) AS lines, ${sumOf('abs(l.moved)')} AS amount, min(l.id::text) AS id
    FROM (SELECT b.*, ${transferOf('$1::uuid', 'b.id')} AS transfer_id FROM ledger b) l
    LEFT JOIN LATERAL (${lineReferenceOf('l.transfer_id')} LIMIT 1) r ON true
    GROUP BY 1, 2, 3, 4
  ), theirs AS (
    SELECT rail, currency, reference AS name, direction, count(*) AS lines, ${sumOf('amount')} AS amount, min(id::text) AS id
    FROM rail_statement WHERE workspace_id = $1::uuid GROUP BY 1, 2, 3, 4
  )
  SELECT CASE WHEN o.lines IS NULL THEN 'rail_only' WHEN t.lines IS NULL THEN 'ledger_only'
      WHEN o.lines > 1 OR t.lines > 1 THEN 'duplicate' ELSE 'amount_mismatch' END AS kind,
    name AS id, money_text(o.amount, currency) AS expected, money_text(t.amount, currency) AS actual
  FROM ours o FULL JOIN theirs t USING (rail, currency, name, direction)
  WHERE (o.amount IS DISTINCT FROM t.amount OR o.lines > 1 OR t.lines > 1)
    AND NOT EXISTS (SELECT FROM discrepancy d WHERE d.workspace_id = $1::uuid AND d.status = 'resolved' AND d.ledger_entry_id = o.id::uuid)
    AND NOT EXISTS (SELECT FROM discrepancy d WHERE d.workspace_id = $1::uuid AND d.status = 'resolved' AND d.rail_entry_id = t.id::uuid)
  ORDER BY name, direction LIMIT $2::int`;
