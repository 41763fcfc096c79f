// The GraphQL face of quotes.

import { NotFound } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { byId, rowsOf } from '../../platform/schema/relation.js';
import { inverse, printDecimal } from '../rates/fraction.js';
import { AmountSideEnum, CreateQuoteInput } from './quote.input.js';
import { createQuote, NoRate, type QuoteStatus, quote, quotedRate, quoteStatus, visibleQuotes } from './quote.js';
import { RailUnavailable, UnsupportedRail } from './rail.js';
import { rest } from './rest.js';
import { TransferFee } from './transfer.schema.js';

const QuoteStatusEnum = builder.enumType('QuoteStatus', {
  description: '`open`: can be used. `used`: a transfer used it. `expired`: its 30 seconds have passed.',
  values: ['open', 'used', 'expired'] as const satisfies QuoteStatus[],
});

const Quote = builder.prismaObject('Quote', {
  ...byId(rowsOf('quote', visibleQuotes)),
  description: 'An exchange rate with its fee, guaranteed for 30 seconds and one transfer.',
  fields: (t) => ({
    id: t.expose('id', { type: 'QuoteId' }),
    fromCurrency: t.expose('fromCurrency', { type: 'Currency', description: 'The currency that the payer sends.' }),
    toCurrency: t.expose('toCurrency', { type: 'Currency', description: 'The currency that the payee receives.' }),
    rate: t.field({
      type: 'ExchangeRate',
      description: 'Units of `to_currency` for one of `from_currency`, to ten digits; the amounts follow from the exact rate.',
      resolve: (row) => printDecimal(quotedRate(row)),
    }),
    inverseRate: t.field({
      type: 'ExchangeRate',
      description: 'Units of `from_currency` for one of `to_currency`, to ten digits.',
      resolve: (row) => printDecimal(inverse(quotedRate(row))),
    }),
    amountSide: t.expose('amountSide', { type: AmountSideEnum }),
    sendAmount: t.field({
      type: 'Amount',
      description: 'What leaves the payer in `from_currency`, fee included.',
      resolve: (row) => formatMinor(row.sendAmount, row.fromCurrency),
    }),
    receiveAmount: t.field({
      type: 'Amount',
      description: 'What reaches the payee, in `to_currency`.',
      resolve: (row) => formatMinor(row.receiveAmount, row.toCurrency),
    }),
    rail: t.exposeString('rail', {
      nullable: true,
      description: 'The rail whose fee is included; null where the money stays on the platform.',
    }),
    fee: t.field({
      type: TransferFee,
      description: 'Fee in `from_currency`, part of `send_amount`; 0.5 % of the send side by default.',
      resolve: (row) => ({ amount: row.feeAmount, currency: row.fromCurrency }),
    }),
    status: t.field({ type: QuoteStatusEnum, resolve: (row, _args, ctx) => quoteStatus(ctx, row) }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'Until when a transfer can use the quote: 30 seconds after it was created.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});

builder.queryField('quote', (t) =>
  t.prismaField({
    route: rest('GET /v1/quotes/{id}', 'Read a quote with its status. An agent reads quotes that it requested; any other is 404.'),
    type: Quote,
    authScopes: { audience: 'any', scope: 'transfers:read' },
    args: { id: t.arg({ type: 'QuoteId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_query, _root, { id }, ctx) => quote(ctx, id),
  }),
);

builder.mutationField('createQuote', (t) =>
  t.field({
    route: rest(
      'POST /v1/quotes',
      'Get an exchange rate, guaranteed for 30 seconds and one transfer. It fixes what is sent, the fee and what is received; give its id to `POST /v1/transfers`. A pair without a rate is 422.',
      { status: 201 },
    ),
    type: Quote,
    authScopes: { audience: 'any', scope: 'transfers:write' },
    args: { input: t.arg({ type: CreateQuoteInput }) },
    ...facts({ errors: [NoRate, UnsupportedRail, RailUnavailable] }),
    resolve: once((ctx, { input }) => createQuote(ctx, input), quote),
  }),
);
