// A quote is an offer of a rate that holds for 30 seconds and one transfer. The fee is part of what is sent (CONTRACT.md 2 "Fees").
import { type AmountSide, Prisma, type Quote } from '../../generated/prisma/client.js';
import { loadTogether } from '../../platform/batch.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { declareError, NotFound, ValidationFailed } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { formatMinor, maxAmountMinor, parseMinor } from '../../platform/money.js';
import { newId } from '../../platform/schema/id.js';
import { Visibility } from '../../platform/visibility.js';
import { type Fraction, inverse, timesDown, timesUp } from '../rates/fraction.js';
import { inMinorUnits, rateBook } from '../rates/rate.js';
import { QuoteUsed } from '../spending/errors.js';
import { externalOf } from './external-transfer.js';
import type { CreateQuoteInput } from './quote.input.js';

/** How long a quote holds. */
const quoteSeconds = 30;
/** Our fee for a change of currency: so many thousandths of what is sent. */
const feePerMille = 5n;

export type QuoteStatus = 'open' | 'used' | 'expired';

/** 409: the rate held for 30 seconds. */
export class QuoteExpired extends declareError(409, 'quote_expired') {
  constructor(row: Quote) {
    const body = requestOf(row);
    super('The quote has expired. Ask for a new one.', {
      details: { next_actions: [{ rel: 'quote', actor: 'any', method: 'POST', path: '/v1/quotes', body }] },
    });
  }
}

/** What asks for another quote of the same amount. */
function requestOf({ fromCurrency, toCurrency, amountSide, sendAmount, receiveAmount, rail }: Quote): Record<string, unknown> {
  const amount = amountSide === 'send' ? formatMinor(sendAmount, fromCurrency) : formatMinor(receiveAmount, toCurrency);
  const asked = { from_currency: fromCurrency, to_currency: toCurrency, amount, amount_side: amountSide };
  return rail === null ? asked : { ...asked, rail };
}

/** 422: there is no rate between the two currencies. */
export class NoRate extends declareError(422, 'currency_mismatch') {
  constructor(from: string, to: string) {
    super(`There is no rate from ${from} to ${to}.`, {
      details: { reason: 'no_rate', next_actions: [{ rel: 'rates', actor: 'any', method: 'GET', path: '/v1/rates' }] },
    });
  }
}

/** Offers the rate of this moment for 30 seconds. 400 for one currency, 422 without a rate. */
export async function createQuote(ctx: Ctx, input: CreateQuoteInput): Promise<Quote> {
  const { fromCurrency, toCurrency, amountSide, rail } = input;
  if (fromCurrency === toCurrency) {
    throw new ValidationFailed([{ path: ['toCurrency'], message: 'is the same as from_currency: such a transfer needs no quote' }]);
  }
  const railFee = rail == null ? 0n : await externalOf(ctx).feeOf(ctx, rail, toCurrency);
  const amount = parseMinor(input.amount, amountSide === 'send' ? fromCurrency : toCurrency, ['amount']);
  const rate = (await rateBook(ctx)).rateOf(fromCurrency, toCurrency);
  if (rate === null) throw new NoRate(fromCurrency, toCurrency);
  const minorRate = inMinorUnits(rate, fromCurrency, toCurrency);
  const amounts = quoteAmounts(amountSide, amount, minorRate, timesUp(railFee, inverse(minorRate)));
  checkAmounts(amounts, fromCurrency, toCurrency);
  const at = ctx.clock.now();
  return transact(ctx, (tx) =>
    tx.quote.create({
      data: {
        id: newId(at),
        fromCurrency,
        toCurrency,
        rateNum: new Prisma.Decimal(rate.num.toString()),
        rateDen: new Prisma.Decimal(rate.den.toString()),
        rateIds: [...rate.rateIds],
        amountSide,
        ...amounts,
        rail: rail ?? null,
        agentId: ctx.actor.agent?.id ?? null,
        createdAt: at,
        expiresAt: addSeconds(at, quoteSeconds),
      },
    }),
  );
}

export type QuoteAmounts = Pick<Quote, 'sendAmount' | 'receiveAmount' | 'feeAmount'>;

/**
 * What is sent, what of it is the fee, and what arrives, minor units; `rate` is between minor units. By the send side what arrives is
 * rounded down; by the receive side what is sent is rounded up. The fee is rounded up; `railFee`, in the currency that is sent, is added.
 */
export function quoteAmounts(side: AmountSide, amount: bigint, rate: Fraction, railFee = 0n): QuoteAmounts {
  if (side === 'send') {
    const feeAmount = feeOf(amount) + railFee;
    const receiveAmount = feeAmount < amount ? timesDown(amount - feeAmount, rate) : 0n;
    return { sendAmount: amount, feeAmount, receiveAmount };
  }
  // The least amount that leaves enough when its fees are taken off.
  const sendAmount = timesUp(timesUp(amount, inverse(rate)) + railFee, { num: 1000n, den: 1000n - feePerMille });
  return { sendAmount, feeAmount: feeOf(sendAmount) + railFee, receiveAmount: amount };
}

function feeOf(sendAmount: bigint): bigint {
  return timesUp(sendAmount, { num: feePerMille, den: 1000n });
}

/** Either side has to be an amount: not less than a minor unit, and not more than one transfer moves. */
function checkAmounts({ sendAmount, receiveAmount }: QuoteAmounts, from: string, to: string): void {
  const refuse = (message: string): never => {
    throw new ValidationFailed([{ path: ['amount'], message, rule: 'amount' }]);
  };
  if (receiveAmount < 1n) refuse(`is too little: after the fee it comes to nothing in ${to}`);
  if (sendAmount > maxAmountMinor) refuse(`is too much: more ${from} than one transfer moves`);
  if (receiveAmount > maxAmountMinor) refuse(`is too much: more ${to} than one transfer moves`);
}

// Gap G-125: The tenant and the agent that asked for a quote read it, until 30 days after its expiry; only that agent may use it.
/** An agent sees the quotes that it asked for. */
export const visibleQuotes = new Visibility<Prisma.QuoteWhereInput>({ scope: 'transfers:read', agent: ({ id }) => ({ agentId: id }) });

/** A quote, as far as the actor may see it. 404 otherwise, with the member of the input that named it. */
export async function quote(ctx: Ctx, id: string, field?: string): Promise<Quote> {
  const found = await ctx.db.quote.findFirst({ where: { AND: [{ id }, visibleQuotes.where(ctx)] } });
  if (found === null) throw field === undefined ? new NotFound() : new NotFound(field);
  return found;
}

/** Those of the quotes that the actor may see, by id. */
export async function quotesNamed(ctx: Ctx, ids: readonly string[]): Promise<Map<string, Quote>> {
  if (ids.length === 0) return new Map();
  const found = await ctx.db.quote.findMany({ where: { AND: [{ id: { in: [...ids] } }, visibleQuotes.where(ctx)] } });
  return new Map(found.map((one) => [one.id, one]));
}

/** Whether a quote can still be used. Its claim says that it was. */
export async function quoteStatus(ctx: Ctx, { id, expiresAt }: Quote): Promise<QuoteStatus> {
  const used = await loadTogether(ctx, 'quote_used', id, async (ids) => {
    const claims = await ctx.db.claim.findMany({ where: { kind: 'quote', key: { in: [...ids] } }, select: { key: true } });
    return new Map(claims.map(({ key }) => [key, true]));
  });
  if (used === true) return 'used';
  return expiresAt <= ctx.clock.now() ? 'expired' : 'open';
}

/** A quote that a transfer may use now. 409 `quote_used` or `quote_expired`; that it is used once is up to its claim. */
export async function openQuote(ctx: Ctx, id: string): Promise<Quote> {
  const found = await quote(ctx, id, 'quoteId');
  const status = await quoteStatus(ctx, found);
  if (status === 'used') throw new QuoteUsed(id, requestOf(found));
  if (status === 'expired') throw new QuoteExpired(found);
  return found;
}

/** The rate of a quote, units of the one currency for one of the other. Amounts follow from the exact one, which may have more digits. */
export function quotedRate({ rateNum, rateDen }: Quote): Fraction {
  return { num: BigInt(rateNum.toFixed(0)), den: BigInt(rateDen.toFixed(0)) };
}
