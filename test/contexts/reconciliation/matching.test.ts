// How lines are matched, held against a plain model: by reference, then by amount and day.
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { stepReport } from '../../../src/contexts/reconciliation/due.js';
import { line, newRailBooks, type Posted, postLines, upload } from '../../factories/reconciliation.js';
import { type Json, useHarness } from '../../harness.js';
import { isSlow } from '../../slow.js';

vi.setConfig({ testTimeout: isSlow ? 600_000 : 60_000 });

const harness = useHarness();
const day = (n: number) => `2026-02-${String(n).padStart(2, '0')}`;
/** Of the days 8 to 15 the period has those from 10 to 13. */
const isInside = (at: string) => at >= day(10) && at <= day(13);
const daysBetween = (a: string, b: string) => Math.abs(new Date(a).getTime() - new Date(b).getTime()) / 86_400_000;

interface Line {
  reference: string | null;
  direction: string;
  amount: bigint;
  day: string;
}
interface Verdict {
  matched: number;
  found: string[];
}

const keyOf = ({ reference, direction }: Line) => `${reference} ${direction}`;
const shown = (type: string, { direction }: Line, expected: bigint | null, actual: bigint | null) =>
  `${type} ${direction} ${expected ?? '-'} ${actual ?? '-'}`;

/** The first line of each reference and direction stands for it; lines are in the order of their days. */
function splitFirst(lines: readonly Line[]): { first: Line[]; again: Line[] } {
  const seen = new Set<string>();
  const isFirst = lines.map((one) => one.reference === null || (!seen.has(keyOf(one)) && seen.add(keyOf(one)) !== undefined));
  return { first: lines.filter((_, n) => isFirst[n]), again: lines.filter((_, n) => !isFirst[n]) };
}

function model(ledger: readonly Line[], rail: readonly Line[]): Verdict {
  const [ours, theirs] = [splitFirst(ledger), splitFirst(rail)];
  const found = [
    ...ours.again.filter((one) => isInside(one.day)).map((one) => shown('duplicate', one, one.amount, null)),
    ...theirs.again.filter((one) => isInside(one.day)).map((one) => shown('duplicate', one, null, one.amount)),
  ];
  let matched = 0;
  const alone: Line[] = [];
  let rest = theirs.first;
  for (const one of ours.first) {
    const other = one.reference === null ? undefined : theirs.first.find((candidate) => keyOf(candidate) === keyOf(one));
    if (other === undefined) alone.push(one);
    else {
      rest = rest.filter((candidate) => candidate !== other);
      if (!isInside(one.day)) continue;
      if (other.amount !== one.amount) found.push(shown('amount_mismatch', one, one.amount, other.amount));
      else if (daysBetween(other.day, one.day) > 1) found.push(shown('timing_mismatch', one, one.amount, other.amount));
      else matched += 1;
    }
  }
  const isNear = (at: string) => at >= day(9) && at <= day(14);
  let left = alone.filter((one) => isNear(one.day));
  rest = rest.filter((one) => isNear(one.day));
  for (const later of [0, 1, -1]) {
    left = left.filter((one) => {
      const at = new Date(new Date(one.day).getTime() + later * 86_400_000).toISOString().slice(0, 10);
      const other = rest.find(
        (candidate) => candidate.direction === one.direction && candidate.amount === one.amount && candidate.day === at,
      );
      if (other === undefined) return true;
      rest = rest.filter((candidate) => candidate !== other);
      if (isInside(one.day)) matched += 1;
      return false;
    });
  }
  found.push(...left.filter((one) => isInside(one.day)).map((one) => shown('ledger_only', one, one.amount, null)));
  found.push(...rest.filter((one) => isInside(one.day)).map((one) => shown('rail_only', one, null, one.amount)));
  return { matched, found: found.sort() };
}

const anyLine = (reference: fc.Arbitrary<string | null>): fc.Arbitrary<Line> =>
  fc.record({
    reference,
    direction: fc.constantFrom('debit', 'debit', 'credit'),
    amount: fc.constantFrom(100n, 200n),
    day: fc.integer({ min: 8, max: 15 }).map(day),
  });
const common = fc.constantFrom('r1', 'r2', 'r3', 'r4');
const inOrder = (lines: Line[]) => [...lines].sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0));
const ledgerLines = fc.array(anyLine(fc.oneof(common, fc.constant(null))), { maxLength: 12 }).map(inOrder);
const railLines = fc.array(anyLine(fc.oneof(common, fc.constantFrom('s1', 's2', 's3'))), { maxLength: 12 }).map(inOrder);

const minor = (text: string | undefined | null) => (text == null ? null : BigInt(Math.round(Number(text) * 100)));

describe('a run', () => {
  it('finds what the model finds, each line once, also where two processes take stretches of it in turn', async () => {
    await fc.assert(
      fc.asyncProperty(ledgerLines, railLines, fc.integer({ min: 1, max: 6 }), async (ledger, rail, most) => {
        const books = await newRailBooks(harness);
        const posted = ledger.map((one): Posted => ({ ...one, minor: one.direction === 'debit' ? one.amount : -one.amount }));
        await postLines(books, posted);
        const lines = rail.map(({ reference, direction, amount, day: date }) =>
          line(reference ?? '', { direction, amount: `${amount / 100n}.00`, date }),
        );
        if (lines.length > 0) await upload(books.client, lines);
        const begun = await books.client.make('/v1/reconciliation/runs', { rail: 'ach', date_from: day(10), date_to: day(13) });
        const step = () => stepReport(books.ctx, begun.id.slice('rec_'.length), most);
        await Promise.all([step(), step()]);
        const report = (await books.client.get(`/v1/reconciliation/reports/${begun.id}`)).body.data;
        const expected = model(ledger, rail);
        const found: string[] = report.discrepancies
          .map((one: Json) => shown(one.type, one, minor(one.expected_amount), minor(one.actual_amount)))
          .sort();
        expect(found).toEqual(expected.found);
        const named = (member: string) => report.discrepancies.filter((one: Json) => one[member] !== null);
        const [unmatchedLedger, unmatchedRail] = [named('ledger_entry_id'), named('rail_entry_id')];
        expect(report.totals).toEqual({
          ledger_entries: expected.matched + unmatchedLedger.length,
          rail_entries: expected.matched + unmatchedRail.length,
          matched: expected.matched,
          unmatched_ledger: unmatchedLedger.length,
          unmatched_rail: unmatchedRail.length,
          discrepancies: found.length,
        });
        for (const member of ['ledger_entry_id', 'rail_entry_id']) {
          const ids = named(member).map((one: Json) => one[member]);
          expect(new Set(ids).size).toBe(ids.length);
        }
        expect(await harness.platform.database.unscoped.reconciliationRemainder.count({ where: { reportId: report.id.slice(4) } })).toBe(0);
      }),
      { numRuns: isSlow ? 200 : 12 },
    );
  });
});
