// The statements that post, and the door for transactions that write other rows too. Arguments go by name, so that no order of them
// is kept on two sides.
import { insertLines, linesOf } from '../platform/audit.js';
import type { Tx } from '../platform/postgres/database.js';
import { inSpanOf } from '../platform/trace.js';
import { type Fault, PostingRefused } from './fault.js';
import { checkPosting, type Posting } from './posting.js';
import { encodeSet, type SetArguments } from './posting-set.js';
import { allTables, type RecordTable, recordTables } from './record.js';

const rowsOf = (argument: (table: string, n: number) => string): string =>
  recordTables.map((table, n) => `${table}_rows => ${argument(table, n)}`).join(', ');

/** Posts one set; its values come from valuesOf(). Answers the faults: none when it was posted, and then it is in the audit log. */
export const postSet = {
  name: 'ledger_post',
  text: `WITH posted AS MATERIALIZED (
      SELECT kind, subject, refusal, detail
      FROM ledger_post(json_populate_record(NULL::ledger_set, $1::json), ${rowsOf((_, n) => `$${n + 2}::json`)})
    ), line AS (${insertLines(linesOf(`$${recordTables.length + 2}`), 'NOT EXISTS (SELECT FROM posted)')})
    SELECT * FROM posted`,
};

/** Posts several sets one after the other, each wholly or not at all; its value is a JSON list of encodeSet()s. `n` is the index of a set. */
export const postEach = {
  name: 'ledger_post_each',
  text: `WITH posted AS MATERIALIZED (
      SELECT (e.index - 1)::int AS n, f.kind, f.subject, f.refusal, f.detail
      FROM ledger_lock($1::json) AS locked (sets)
      CROSS JOIN LATERAL json_array_elements(locked.sets) WITH ORDINALITY AS e (set, index)
      CROSS JOIN LATERAL ledger_post(json_populate_record(NULL::ledger_set, e.set -> 's'), ${rowsOf((table) => `e.set -> '${table}_rows'`)}) AS f
    ), line AS (${insertLines(
      `json_array_elements($1::json) WITH ORDINALITY AS e (set, index) CROSS JOIN LATERAL ${linesOf("(e.set -> 'audit_entry_rows')")}`,
      'NOT EXISTS (SELECT FROM posted p WHERE p.n = e.index - 1)',
    )})
    SELECT * FROM posted`,
};

/** The values of postSet. */
export function valuesOf(set: SetArguments): (string | null)[] {
  return [JSON.stringify(set.s), ...allTables.map((table) => printRows(set, table))];
}

function printRows(set: SetArguments, table: RecordTable): string | null {
  const rows = set[`${table}_rows`];
  return rows === undefined ? null : JSON.stringify(rows);
}

/**
 * Posts inside a transaction that also writes other rows. Call it last: its locks are then held shortly.
 * Throws PostingRefused with every fault, which rolls the transaction back.
 */
export function post(tx: Tx, value: Posting): Promise<void> {
  return postTogether(tx, [value]);
}

/** Posts all of them or none, inside a transaction that also writes other rows; as post() otherwise. Faults are about their sums. */
export async function postTogether(tx: Tx, values: readonly Posting[]): Promise<void> {
  for (const value of values) checkPosting(value);
  // The span of the request that posts is above it; a batch has none.
  await inSpanOf({ span: values[0]?.span }, 'posting', { 'payments.posting.set_size': values.length }, async () => {
    const faults = await tx.$queryRawUnsafe<Fault[]>(postSet.text, ...valuesOf(encodeSet(values)));
    if (faults.length > 0) throw new PostingRefused(faults);
  });
}
