// The GraphQL face of quotes.
import { NotFound } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { inverse, printDecimal } from '../rates/fraction.js';
import { AmountSideEnum, CreateQuoteInput } from './quote.input.js';
import { createQuote, NoRate, type QuoteStatus, quote, quotedRate, quoteStatus } from './quote.js';
import { RailUnavailable, UnsupportedRail } from './rail.js';
import { rest } from './rest.js';
import { TransferFee } from './transfer.schema.js';

const QuoteStatusEnum = builder.enumType('QuoteStatus', {
  values: ['open', 'used', 'expired'] as const satisfies QuoteStatus[],
});

const Quote = builder.prismaObject('Quote', {
  description: 'An offer of a rate, for 30 seconds and one transfer.',
  fields: (t) => ({
    id: t.expose('id', { type: 'QuoteId' }),
    fromCurrency: t.expose('fromCurrency', { type: 'Currency' }),
    toCurrency: t.expose('toCurrency', { type: 'Currency' }),
    rate: t.field({
      type: 'ExchangeRate',
      description: 'To ten digits; the amounts follow from the exact one.',
      resolve: (row) => printDecimal(quotedRate(row)),
    }),
    inverseRate: t.field({ type: 'ExchangeRate', resolve: (row) => printDecimal(inverse(quotedRate(row))) }),
    amountSide: t.expose('amountSide', { type: AmountSideEnum }),
    sendAmount: t.field({
      type: 'Amount',
      description: 'What leaves the payer, the fee included.',
      resolve: (row) => formatMinor(row.sendAmount, row.fromCurrency),
    }),
    receiveAmount: t.field({ type: 'Amount', resolve: (row) => formatMinor(row.receiveAmount, row.toCurrency) }),
    rail: t.exposeString('rail', { nullable: true, description: 'The rail that it is for; its fee is among the fees.' }),
    fee: t.field({ type: TransferFee, resolve: (row) => ({ amount: row.feeAmount, currency: row.fromCurrency }) }),
    status: t.field({ type: QuoteStatusEnum, resolve: (row, _args, ctx) => quoteStatus(ctx, row) }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});

builder.queryField('quote', (t) =>
  t.prismaField({
    route: rest('GET /v1/quotes/{id}', 'Read a quote.'),
    type: Quote,
    args: { id: t.arg({ type: 'QuoteId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_query, _root, { id }, ctx) => quote(ctx, id),
  }),
);

builder.mutationField('createQuote', (t) =>
  t.field({
    route: rest('POST /v1/quotes', 'Ask for a rate, which holds for 30 seconds and one transfer.', { status: 201 }),
    type: Quote,
    args: { input: t.arg({ type: CreateQuoteInput }) },
    ...facts({ errors: [NoRate, UnsupportedRail, RailUnavailable] }),
    resolve: once((ctx, { input }) => createQuote(ctx, input), quote),
  }),
);
