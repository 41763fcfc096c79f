// The two walks of a run, a stretch at a time: over what the ledger has of a rail, and over its statement. What finds its counterpart by
// reference is judged at once; the rest is set aside. Parameters of both: $1 workspace, $2 rail, $3 clearing account, $4 report, $5 and $6
// the first and the last day, $7 now, $8 lines of a stretch.
import { transferOf } from '../../ledger/transaction.js';
import { runIn, type Statement, type Tx } from '../../platform/postgres/database.js';
import { dayOf, directionOf, firstBooked, ledgerLinesOf, lineReferenceOf, movedBy, sentAs } from './line.sql.js';

/** What a run finds, as the database says it: amounts are minor units in decimal text. */
export interface Found {
  type: 'ledger_only' | 'rail_only' | 'amount_mismatch' | 'timing_mismatch' | 'duplicate';
  ledger: string | null;
  rail: string | null;
  reference: string | null;
  payout: string | null;
  direction: 'credit' | 'debit';
  expected: string | null;
  actual: string | null;
}

/** What a stretch has come to. */
export interface MatchedStretch {
  /** Where the next one begins; null after the last. */
  next: readonly string[] | null;
  /** Lines of each side that agree with one of the other. */
  matched: number;
  found: readonly Found[];
  /** Payouts whose rail is to be asked now. */
  rung: number;
}

/** What every statement of a run is about. */
export interface WalkScope {
  workspaceId: string;
  rail: string;
  clearingId: string;
  reportId: string;
  from: string;
  to: string;
  now: Date;
  most: number;
}

const valuesOf = ({ workspaceId, rail, clearingId, reportId, from, to, now, most }: WalkScope) => [
  workspaceId,
  rail,
  clearingId,
  reportId,
  from,
  to,
  now,
  most,
];

/** The lines of a period, and a day more on each side: what is matched by amount may lie beyond it. */
const isNear = (day: string) => `${day} BETWEEN $5::date - 1 AND $6::date + 1`;
export const inPeriod = (day: string) => `${day} BETWEEN $5::date AND $6::date`;

export const remainderColumns =
  'reconciliation_remainder (workspace_id, report_id, side, direction, amount, day, line_id, reference, payout_id)';

// Gap G-187: A discrepancy keeps its id over all reports and is announced once; a counterpart that is found later makes it `cleared`.
/** Lines that were alone when an earlier run came by, and have their counterpart now. */
const clearing = (side: 'ledger' | 'rail', pairs: string) => `
  UPDATE discrepancy SET status = 'cleared', resolved_at = $7::timestamptz
  WHERE workspace_id = $1::uuid AND status IN ('open', 'chasing') AND id = ANY (ARRAY(
    SELECT (SELECT d.id FROM discrepancy d WHERE d.workspace_id = $1::uuid AND d.type = '${side}_only'
      AND d.${side}_entry_id = ${pairs}.${side}${side === 'rail' ? ' AND d.ledger_entry_id IS NULL' : ''}) FROM ${pairs}))`;
/** Two steps of a statement that clear what the lines of `pairs` were reported for. */
export const clearPairs = (pairs: string) =>
  `cleared_ledger AS (${clearing('ledger', pairs)}), cleared_rail AS (${clearing('rail', pairs)})`;

// Gap G-184: Lines match by reference, else by equal amounts on close days; a repeated reference is a `duplicate`.
/** $9 and $10: the numbers of the entries after which it begins and at which it ends. */
const ledger: Statement = {
  name: 'reconcile-ledger',
  text: `
    WITH entries AS MATERIALIZED (
      SELECT e.version, e.transaction_id, ${dayOf('e.created_at')} AS day FROM ledger_entry e
      WHERE e.workspace_id = $1::uuid AND e.account_id = $3::uuid AND e.version > $9::bigint AND e.version <= $10::bigint
      ORDER BY e.version LIMIT $8::int
    ), lines AS MATERIALIZED (
      SELECT e.transaction_id AS ledger, e.version, e.day, n.moved, abs(n.moved) AS amount, ${directionOf('n.moved')} AS direction,
        e.transfer_id, r.reference, r.payout_id
      FROM (
        SELECT *, ${transferOf('$1::uuid', 'transaction_id')} AS transfer_id FROM entries
      ) e CROSS JOIN LATERAL (${movedBy('e.transaction_id')}) n
      LEFT JOIN LATERAL (${lineReferenceOf('e.transfer_id')} LIMIT 1) r ON true
      WHERE n.last = e.version AND n.moved <> 0
    ), judged AS MATERIALIZED (
      SELECT l.*, s.id AS rail, s.amount AS booked, s.day AS booked_day, ${inPeriod('l.day')} AS inside,
        l.reference IS NOT NULL AND EXISTS (
          SELECT FROM (${ledgerLinesOf('l.transfer_id')}) o WHERE o.last < l.version AND sign(o.moved) = sign(l.moved)
        ) AS again
      FROM lines l LEFT JOIN LATERAL (${firstBooked('l.reference', 'l.direction')}) s ON l.reference IS NOT NULL
    ), pairs AS MATERIALIZED (SELECT ledger, rail FROM judged WHERE inside AND NOT again AND rail IS NOT NULL
    ), ${clearPairs('pairs')}, aside AS (
      INSERT INTO ${remainderColumns}
      SELECT $1::uuid, $4::uuid, 'ledger', direction, amount, day, ledger, reference, payout_id
      FROM judged WHERE NOT again AND rail IS NULL
    ), verdict AS (
      SELECT *, CASE WHEN again THEN 'duplicate' WHEN booked <> amount THEN 'amount_mismatch'
        WHEN abs(booked_day - day) > 1 THEN 'timing_mismatch' ELSE 'matched' END AS type
      FROM judged WHERE inside AND (again OR rail IS NOT NULL)
    )
    SELECT (SELECT max(version)::text FROM entries) AS next, (SELECT count(*)::int FROM entries) AS seen,
      count(*) FILTER (WHERE type = 'matched')::int AS matched,
      coalesce(json_agg(json_build_object('type', type, 'ledger', ledger, 'rail', CASE WHEN NOT again THEN rail END,
        'reference', reference, 'payout', payout_id, 'direction', direction, 'expected', amount::text,
        'actual', CASE WHEN NOT again THEN booked::text END) ORDER BY version) FILTER (WHERE type <> 'matched'), '[]') AS found
    FROM verdict`,
};

/** $9 and $10: the day and the id of the line after which it begins. */
const statement: Statement = {
  name: 'reconcile-statement',
  text: `
    WITH booked AS MATERIALIZED (
      SELECT s.id, s.reference, s.amount, s.direction, ${dayOf('s.booked_at')} AS day FROM rail_statement s
      WHERE s.workspace_id = $1::uuid AND s.rail = $2::text AND ${isNear(dayOf('s.booked_at'))}
        AND (${dayOf('s.booked_at')}, s.id) > ($9::date, $10::uuid)
      ORDER BY day, s.id LIMIT $8::int
    ), judged AS MATERIALIZED (
      SELECT b.*, ${inPeriod('b.day')} AS inside, f.id <> b.id AS again, o.payout_id,
        EXISTS (SELECT FROM (${ledgerLinesOf('o.transfer_id')}) l WHERE l.moved <> 0 AND ${directionOf('l.moved')} = b.direction) AS known
      FROM booked b CROSS JOIN LATERAL (${firstBooked('b.reference', 'b.direction')}) f
      LEFT JOIN LATERAL (${sentAs('b.reference')} LIMIT 1) o ON true
    ), aside AS (
      INSERT INTO ${remainderColumns}
      SELECT $1::uuid, $4::uuid, 'rail', direction, amount, day, id, reference, payout_id FROM judged WHERE NOT again AND NOT known
    ), rung AS (
      UPDATE payout p SET due_at = least(p.due_at, $7::timestamptz)
      WHERE p.workspace_id = $1::uuid AND p.id = ANY (ARRAY(SELECT payout_id FROM judged WHERE NOT known))
        AND p.status IN ('pending', 'confirmed') AND p.rail_reference IS NOT NULL AND p.lease_until IS NULL
      RETURNING p.id
    )
    SELECT (SELECT json_build_array(day, id) FROM booked ORDER BY day DESC, id DESC LIMIT 1) AS next,
      (SELECT count(*)::int FROM booked) AS seen, (SELECT count(*)::int FROM rung) AS rung,
      coalesce(json_agg(json_build_object('type', 'duplicate', 'ledger', NULL, 'rail', id, 'reference', reference, 'payout', payout_id,
        'direction', direction, 'expected', NULL, 'actual', amount::text) ORDER BY day, id) FILTER (WHERE inside AND again), '[]') AS found
    FROM judged`,
};

interface Row {
  next: string | string[] | null;
  seen: number;
  matched?: number;
  rung?: number;
  found: Found[];
}

async function walk(tx: Tx, asked: Statement, scope: WalkScope, from: readonly unknown[]): Promise<MatchedStretch> {
  const [row] = await runIn<Row>(tx, asked, [...valuesOf(scope), ...from]);
  if (row === undefined) throw new Error(`${asked.name} answered nothing`);
  const next = row.seen < scope.most || row.next === null ? null : [row.next].flat();
  return { next, matched: row.matched ?? 0, found: row.found, rung: row.rung ?? 0 };
}

const bounds: Statement = {
  name: 'reconcile-bounds',
  text: `
    SELECT coalesce(ledger_entries_before(a.workspace_id, a.id, ($3::date - 1)::timestamp AT TIME ZONE 'UTC'), 0)::text AS first,
      coalesce(ledger_entries_before(a.workspace_id, a.id, ($4::date + 2)::timestamp AT TIME ZONE 'UTC'), 0)::text AS last
    FROM ledger_account a WHERE a.workspace_id = $1::uuid AND a.id = $2::uuid`,
};

/** Takes the next stretch of what the ledger has, `cursor` being what the last one left. What is posted after the first one is left out. */
export async function walkLedger(tx: Tx, scope: WalkScope, cursor: readonly string[] | null): Promise<MatchedStretch> {
  const { workspaceId, clearingId, from, to } = scope;
  const [span] = cursor
    ? [{ first: cursor[0], last: cursor[1] }]
    : await runIn<{ first: string; last: string }>(tx, bounds, [workspaceId, clearingId, from, to]);
  const stretch = await walk(tx, ledger, scope, [span?.first, span?.last]);
  return { ...stretch, next: stretch.next && [...stretch.next, span?.last ?? '0'] };
}

/** Takes the next stretch of the statement. */
export function walkStatement(tx: Tx, scope: WalkScope, cursor: readonly string[] | null): Promise<MatchedStretch> {
  return walk(tx, statement, scope, cursor ?? ['-infinity', '00000000-0000-0000-0000-000000000000']);
}
