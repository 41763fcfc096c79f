// The events of reconciliation (SPEC.md "Data of reconciliation.completed"; that of discrepancies is CONTRACT.md 12).
import { z } from 'zod';
import { count, currency, exampleId, exampleTime, id, money, time } from '../../events/data.js';
import { declareEvents } from '../../events/declaration.js';
import type { ReconciliationReport } from '../../generated/prisma/client.js';
import { centsOfMinor, formatMinor } from '../../platform/money.js';
import { printId } from '../../platform/schema/id.js';
import type { Identified, NewFindings } from './finding.sql.js';

const reportData = z.strictObject({
  report_id: id('rec'),
  rail: z.string(),
  period: z.strictObject({ from: z.iso.date(), to: z.iso.date() }),
  totals: z.strictObject({ matched: count, unmatched_ledger: count, unmatched_rail: count, discrepancies: count }),
});
const discrepancyData = z.strictObject({
  discrepancy_id: id('disc'),
  report_id: id('rec'),
  rail: z.string(),
  type: z.enum(['ledger_only', 'rail_only', 'amount_mismatch', 'timing_mismatch', 'duplicate']),
  ledger_entry_id: id('ltx').nullable(),
  rail_entry_id: id('ren').nullable(),
  expected_amount: money.nullable(),
  actual_amount: money.nullable(),
  currency,
  delta_cents: z.int(),
  detected_at: time,
});

export const { events, emit, event } = declareEvents({
  'reconciliation.completed': {
    description: 'reconciliation run finished',
    data: reportData,
    subject: 'report_id',
    example: {
      report_id: exampleId('rec'),
      rail: 'ach',
      period: { from: '2026-03-01', to: '2026-03-02' },
      totals: { matched: 118, unmatched_ledger: 1, unmatched_rail: 1, discrepancies: 1 },
    },
  },
  'reconciliation.discrepancy': {
    description: 'discrepancy detected',
    data: discrepancyData,
    subject: 'discrepancy_id',
    example: {
      discrepancy_id: exampleId('disc'),
      report_id: exampleId('rec'),
      rail: 'ach',
      type: 'amount_mismatch',
      ledger_entry_id: exampleId('ltx'),
      rail_entry_id: exampleId('ren'),
      expected_amount: '100.00',
      actual_amount: '99.00',
      currency: 'USD',
      delta_cents: -100,
      detected_at: exampleTime,
    },
  },
});

/** The day of a date, as the wire has it. */
export function dayText(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** Data of reconciliation.completed. */
export function completedData(report: ReconciliationReport): z.infer<typeof reportData> {
  const { id: reportId, rail, dateFrom, dateTo, matched, unmatchedLedger, unmatchedRail, discrepancies } = report;
  return {
    report_id: printId('report', reportId),
    rail,
    period: { from: dayText(dateFrom), to: dayText(dateTo) },
    totals: { matched, unmatched_ledger: unmatchedLedger, unmatched_rail: unmatchedRail, discrepancies },
  };
}

const mostSafe = BigInt(Number.MAX_SAFE_INTEGER);

/** Two sides of a discrepancy, minor units. */
interface Sides {
  expected: bigint | null;
  actual: bigint | null;
  currency: string;
}

// Gap G-188: `delta_cents` is what the statement has more than the ledger, in hundredths of the currency, at most 2^53.
/** Cents that the statement has more than the ledger, as far as a number can say it. A line that is missing counts nothing. */
export function deltaOf({ expected, actual, currency }: Sides): number {
  const delta = centsOfMinor((actual ?? 0n) - (expected ?? 0n), currency);
  return Number(delta > mostSafe ? mostSafe : delta < -mostSafe ? -mostSafe : delta);
}

/** Data of reconciliation.discrepancy. */
export function discrepancyDataOf(found: Identified, { reportId, rail, currency, at }: NewFindings): z.infer<typeof discrepancyData> {
  const { type, ledger, rail: booked } = found;
  const [expected, actual] = [found.expected, found.actual].map((minor) => (minor === null ? null : BigInt(minor))) as [
    bigint | null,
    bigint | null,
  ];
  const print = (minor: bigint | null) => (minor === null ? null : formatMinor(minor, currency));
  return {
    discrepancy_id: printId('discrepancy', found.id),
    report_id: printId('report', reportId),
    rail,
    type,
    ledger_entry_id: ledger === null ? null : printId('ledgerTransaction', ledger),
    rail_entry_id: booked === null ? null : printId('railEntry', booked),
    expected_amount: print(expected),
    actual_amount: print(actual),
    currency,
    delta_cents: deltaOf({ expected, actual, currency }),
    detected_at: at.toISOString(),
  };
}
