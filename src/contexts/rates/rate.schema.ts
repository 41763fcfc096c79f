// The GraphQL face of rates. Everybody reads them; they are a setting, so only an API key writes them.
import { NotFound } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { currencies } from '../../platform/money.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { mostAtOnce, SetRatesInput } from './rate.input.js';
import { type Rate, type RateSource, rate, rates } from './rate.js';
import { ratesSetWith, setRates } from './rate-setting.js';
import { rest } from './rest.js';

/** Each currency in each other one. */
const mostInForce = currencies.length * (currencies.length - 1);
const RateSourceEnum = builder.enumType('RateSource', {
  description: 'Who said it: the built-in table, or the workspace.',
  values: ['builtin', 'workspace'] as const satisfies RateSource[],
});

const RateType = builder.objectRef<Rate>('Rate').implement({
  description: 'What one currency is worth in another, as it was said once. A newer rate takes its place; it stays readable by its id.',
  fields: (t) => ({
    id: t.expose('id', { type: 'RateId' }),
    from: t.expose('from', { type: 'Currency' }),
    to: t.expose('to', { type: 'Currency' }),
    rate: t.expose('rate', { type: 'ExchangeRate', description: 'Units of `to` for one unit of `from`.' }),
    asOf: t.expose('asOf', { type: 'DateTime', description: 'The date of the figure.' }),
    source: t.expose('source', { type: RateSourceEnum }),
  }),
});

builder.queryFields((t) => ({
  rate: t.field({
    route: rest('GET /v1/rates/{id}', 'Read a rate, also one that another has replaced.'),
    type: RateType,
    description: 'Any rate that ever was in force.',
    args: { id: t.arg({ type: 'RateId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id }, ctx) => rate(ctx, id),
  }),
  rates: t.field({
    route: rest(
      'GET /v1/rates',
      'List the rates in force. A pair that is not listed is the inverse of the opposite one, or the cross by USD.',
    ),
    type: [RateType],
    description: 'The rates in force. A pair that is not among them is the inverse of the opposite one, or the cross by USD.',
    args: { from: t.arg({ type: 'Currency', required: false }), to: t.arg({ type: 'Currency', required: false }) },
    ...facts({ most: mostInForce }),
    resolve: (_root, filter, ctx) => rates(ctx, filter),
  }),
}));

builder.mutationFields((t) => ({
  setRates: t.field({
    route: rest('PUT /v1/rates', 'Set rates of the workspace. They replace those of the same two currencies.'),
    type: [RateType],
    authScopes: { audience: 'api_key' },
    args: { input: t.arg({ type: SetRatesInput }) },
    ...facts({ most: mostAtOnce }),
    resolve: once((ctx, { input }) => setRates(ctx, input), ratesSetWith),
  }),
}));
