// The rates that every workspace begins with (CONTRACT.md 2 "Rates"). Decisions name them by id for ever: a row of this table is never
// changed or taken out. A newer figure is a new row, with an id and a date of its own.
import type { Currency } from '../../platform/money.js';

/** A rate of the table: units of `to` for one unit of `from`. */
export interface BuiltinRate {
  /** A UUID that no database gives out: its time is the date of the figure, and the rest is a number within the table. */
  id: string;
  from: Currency;
  to: Currency;
  rate: string;
  asOf: Date;
}

const newYear2026 = new Date('2026-01-02T00:00:00.000Z');

/** Tokens stand at 1 to the money that they stand for; the others at round figures of about what was paid on their date. */
export const builtinRates: readonly BuiltinRate[] = [
  { id: '019b7c01-0400-7000-8000-000000000001', from: 'USDC', to: 'USD', rate: '1', asOf: newYear2026 },
  { id: '019b7c01-0400-7000-8000-000000000002', from: 'USDT', to: 'USD', rate: '1', asOf: newYear2026 },
  { id: '019b7c01-0400-7000-8000-000000000003', from: 'EURC', to: 'EUR', rate: '1', asOf: newYear2026 },
  { id: '019b7c01-0400-7000-8000-000000000004', from: 'EUR', to: 'USD', rate: '1.172', asOf: newYear2026 },
  { id: '019b7c01-0400-7000-8000-000000000005', from: 'USD', to: 'BRL', rate: '5.48', asOf: newYear2026 },
  { id: '019b7c01-0400-7000-8000-000000000006', from: 'USD', to: 'MXN', rate: '17.95', asOf: newYear2026 },
  { id: '019b7c01-0400-7000-8000-000000000007', from: 'USD', to: 'JPY', rate: '156.7', asOf: newYear2026 },
];
