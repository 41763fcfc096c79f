// How long the money lasts if it goes on leaving as it did (SPEC.md "Treasury runway", CONTRACT.md 15).
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { ValidationFailed } from '../../platform/errors.js';
import type { Fraction } from '../rates/fraction.js';
import { inMinorUnits, rateBook } from '../rates/rate.js';
import { readFlows } from './runway.sql.js';

const daySeconds = 86_400;
const defaultDays = 30;
/** The furthest that the window reaches back. */
export const mostRunwayDays = 180;
/** No day after it is written. */
const lastDay = new Date('9999-12-31T00:00:00.000Z');

/** Both null when nothing is burned. */
export interface Runway {
  runwayDays: number | null;
  burnRateCentsPerDay: bigint;
  depletionDate: Date | null;
}

export interface RunwayInput {
  days?: number | null | undefined;
  /** Another name for `days`. */
  windowDays?: number | null | undefined;
}

/** The forecast by the last `days` days, all currencies in USD by the rates in force. */
export async function runway(ctx: Ctx, { days, windowDays }: RunwayInput): Promise<Runway> {
  if (days != null && windowDays != null)
    throw new ValidationFailed([{ path: ['windowDays'], message: 'says the same as days: send one of them', rule: 'exclusive' }]);
  const window = days ?? windowDays ?? defaultDays;
  const now = ctx.clock.now();
  const [rows, book] = await Promise.all([readFlows(ctx, addSeconds(now, -window * daySeconds)), rateBook(ctx)]);
  let [available, burned] = [zero, zero];
  for (const row of rows) {
    const rate = book.rateOf(row.currency, 'USD');
    if (rate === null) throw new Error(`there is no rate from ${row.currency} to USD`);
    const inCents = inMinorUnits(rate, row.currency, 'USD');
    available = sum(available, times(BigInt(row.available), inCents));
    burned = sum(burned, times(BigInt(row.burned), inCents));
  }
  return forecast({ available, burned, days: window, now });
}

/** Cents of USD, exactly. `burned` is below zero where more came in than left. */
export interface Flows {
  available: Fraction;
  burned: Fraction;
  days: number;
  now: Date;
}

// Gap G-195: `runway_days` follows the exact burn; a burn below a cent a day counts as none; `depletion_date` ends with the year 9999.
/**
 * `available` by what is burned in a day, whole days. A burn that rounds to no cent a day is none, and a forecast ends with the year 9999.
 */
export function forecast({ available, burned, days, now }: Flows): Runway {
  const burn = { num: burned.num, den: burned.den * BigInt(days) };
  const cents = nearest(burn);
  if (cents <= 0n) return { runwayDays: null, burnRateCentsPerDay: 0n, depletionDate: null };
  const lasts = (available.num * burn.den) / (available.den * burn.num);
  const most = BigInt(Math.floor((lastDay.getTime() - now.getTime()) / 1000 / daySeconds));
  const runwayDays = Number(lasts < most ? lasts : most);
  return { runwayDays, burnRateCentsPerDay: cents, depletionDate: addSeconds(now, runwayDays * daySeconds) };
}

const zero: Fraction = { num: 0n, den: 1n };

function times(amount: bigint, { num, den }: Fraction): Fraction {
  return { num: amount * num, den };
}

function sum(a: Fraction, b: Fraction): Fraction {
  return { num: a.num * b.den + b.num * a.den, den: a.den * b.den };
}

/** The nearest whole number, a half to the even one; 0 for what is below zero. */
function nearest({ num, den }: Fraction): bigint {
  if (num <= 0n) return 0n;
  const [whole, twice] = [num / den, 2n * (num % den)];
  return twice > den || (twice === den && whole % 2n === 1n) ? whole + 1n : whole;
}
