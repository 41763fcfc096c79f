// The GraphQL face of rates. Everybody reads them; they are a setting, so only an API key writes them.

import { NotFound } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { currencies } from '../../platform/money.js';
import { PeopleOnly } from '../../platform/person.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { byId } from '../../platform/schema/relation.js';
import { mostAtOnce, SetRatesInput } from './rate.input.js';
import { type Rate, type RateSource, rate, rates, ratesById } from './rate.js';
import { ratesSetWith, setRates } from './rate-setting.js';
import { rest } from './rest.js';

/** Each currency in each other one. */
const mostInForce = currencies.length * (currencies.length - 1);
const RateSourceEnum = builder.enumType('RateSource', {
  description: '`builtin`: the table that comes with the platform. `workspace`: a rate that you have set.',
  values: ['builtin', 'workspace'] as const satisfies RateSource[],
});

const RateType = builder.objectRef<Rate>('Rate').implement({
  ...byId(ratesById),
  description: 'What one currency is worth in another. A newer rate replaces it, and it stays readable by its id.',
  fields: (t) => ({
    id: t.expose('id', { type: 'RateId' }),
    from: t.expose('from', { type: 'Currency', description: 'The currency that is changed.' }),
    to: t.expose('to', { type: 'Currency', description: 'The currency that it is changed to.' }),
    rate: t.expose('rate', { type: 'ExchangeRate', description: 'Units of `to` for one unit of `from`, a decimal string.' }),
    asOf: t.expose('asOf', { type: 'DateTime', description: 'The date of the figure.' }),
    source: t.expose('source', { type: RateSourceEnum }),
  }),
});

builder.queryFields((t) => ({
  rate: t.field({
    route: rest(
      'GET /v1/rates/{id}',
      'Read a rate by its id. Rates that were replaced stay readable, because decisions and quotes name them.',
    ),
    type: RateType,
    authScopes: { audience: 'any', scope: 'policies:read' },
    args: { id: t.arg({ type: 'RateId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id }, ctx) => rate(ctx, id),
  }),
  rates: t.field({
    route: rest(
      'GET /v1/rates',
      'List the rates in force. A pair that is not listed is the inverse of the opposite pair, or the cross by USD.',
    ),
    type: [RateType],
    authScopes: { audience: 'any', scope: 'policies:read' },
    args: {
      from: t.arg({ type: 'Currency', required: false, description: 'Only rates from this currency.' }),
      to: t.arg({ type: 'Currency', required: false, description: 'Only rates to this currency.' }),
    },
    ...facts({ most: mostInForce }),
    resolve: (_root, filter, ctx) => rates(ctx, filter),
  }),
}));

builder.mutationFields((t) => ({
  setRates: t.field({
    route: rest(
      'PUT /v1/rates',
      'Set exchange rates of the workspace. Each replaces what was set for its two currencies before and holds at once, for quotes and for limits. Needs an API key, or a person where a policy in force asks people; a pair given twice is 400.',
    ),
    type: [RateType],
    authScopes: { audience: 'api_key', scope: 'policies:write' },
    args: { input: t.arg({ type: SetRatesInput }) },
    ...facts({ most: mostAtOnce, errors: [PeopleOnly] }),
    resolve: once((ctx, { input }) => setRates(ctx, input), ratesSetWith),
  }),
}));
