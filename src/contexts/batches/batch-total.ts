// What the items of a batch come to: by currency, and in all (CONTRACT.md 4).
import type { Ctx } from '../../platform/ctx.js';
import { ValidationFailed } from '../../platform/errors.js';
import { formatMinor, parseMinor } from '../../platform/money.js';
import { type RateBook, rateBook } from '../rates/rate.js';
import { quotesNamed } from '../transfers/quote.js';
import type { CreateTransferInput } from '../transfers/transfer.input.js';

/** Minor units of one currency. */
interface Sum {
  currency: string;
  minor: bigint;
}

export interface BatchTotal {
  /** In order of the currencies. */
  sums: readonly Sum[];
  /** Minor units of `currency`, or of USD where it is null: then each sum at the rate of the day, rounded up. */
  minor: bigint;
  /** Null where there are several. */
  currency: string | null;
}

/** Minor units: as much as one wallet can hold. */
const mostInAll = 9n * 10n ** 17n;

// Gap G-147: An item with a quote counts what the quote sends; a quote that the caller does not see is the error of its item.
/** Adds up transfers that were checked. A quote that nobody knows counts as nothing: it is the error of its item. */
export async function batchTotalOf(ctx: Ctx, transfers: readonly CreateTransferInput[]): Promise<BatchTotal> {
  const quotes = await quotesNamed(
    ctx,
    transfers.flatMap(({ quoteId }) => quoteId ?? []),
  );
  const parts: Sum[] = [];
  for (const { quoteId, amount, currency } of transfers) {
    const quote = quoteId ? quotes.get(quoteId) : undefined;
    if (quote !== undefined) parts.push({ currency: quote.fromCurrency, minor: quote.sendAmount });
    else if (amount && currency) parts.push({ currency, minor: parseMinor(amount, currency, ['amount']) });
  }
  return totalInAll(ctx, parts, 'transfers');
}

/** Adds up what items come to. 400 at `member`, the list of the items, for more than one wallet can hold. */
export async function totalInAll(ctx: Ctx, parts: readonly Sum[], member: string): Promise<BatchTotal> {
  const sums = new Map<string, bigint>();
  for (const { currency, minor } of parts) sums.set(currency, (sums.get(currency) ?? 0n) + minor);
  const sorted = [...sums].map(([currency, minor]): Sum => ({ currency, minor })).sort((a, b) => (a.currency < b.currency ? -1 : 1));
  for (const { currency, minor } of sorted) if (minor > mostInAll) throw tooMuch(currency, member);
  return inAll(sorted, await rateBook(ctx));
}

/** The sums as one. */
export function inAll(sums: readonly Sum[], rates: RateBook): BatchTotal {
  const [first, ...others] = sums;
  if (first !== undefined && others.length === 0) return { sums, minor: first.minor, currency: first.currency };
  const minor = sums.reduce((total, sum) => total + (rates.convertUp(sum.minor, sum.currency, 'USD')?.minor ?? 0n), 0n);
  return { sums, minor, currency: null };
}

function tooMuch(currency: string, member: string): ValidationFailed {
  const message = `come to more than ${formatMinor(mostInAll, currency)} ${currency}`;
  return new ValidationFailed([{ path: [member], message, rule: 'max' }]);
}
