// The GraphQL face of the limits of requests.
import { budgetOwners, rateClasses, windowSeconds } from '../../platform/rate-limit.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { type RateLimit, rateLimits } from './rate-limit.js';
import { rest } from './rest.js';

const RateClassEnum = builder.enumType('RateClass', {
  description:
    '`auth`: signing in with keys, `/v1/auth/*`, challenge and authenticate. `login`: where people sign in, `/v1/login/*`. `general`: everything else.',
  values: rateClasses,
});

const BudgetOwnerEnum = builder.enumType('RateLimitOwner', {
  description:
    'Whose requests are counted together. `address`: all from your address. `actor`: yours, by whatever address. `workspace`: those of all actors of your workspace.',
  values: budgetOwners,
});

const RateLimitObject = builder.objectRef<RateLimit>('RateLimit').implement({
  description: 'How many requests are taken in a window. GraphQL costs a request for each root field.',
  fields: (t) => ({
    class: t.expose('rateClass', { type: RateClassEnum, description: 'The requests that it is about.' }),
    per: t.expose('owner', { type: BudgetOwnerEnum, description: 'Whose requests are counted together.' }),
    limit: t.exposeInt('limit', { description: 'Requests in a window.' }),
    windowSeconds: t.int({ description: 'Seconds of a window.', resolve: () => windowSeconds }),
    used: t.exposeInt('used', {
      nullable: true,
      description: 'Requests of this window, this one included; null where this one does not count.',
    }),
    remaining: t.exposeInt('remaining', {
      nullable: true,
      description: 'Requests that are left in this window; null where it is not known.',
    }),
    resetAt: t.expose('resetAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the next window begins, by real time; null where it is not known.',
    }),
  }),
});

builder.queryField('rateLimits', (t) =>
  t.field({
    route: rest(
      'GET /v1/rate-limits',
      'List the limits of requests that bind you: of your address, of you, and of your workspace. The tightest is in the headers of every answer. Where the operator has given your tenant other numbers, those are shown.',
    ),
    type: [RateLimitObject],
    authScopes: { audience: 'any', scope: 'self' },
    ...facts({ most: rateClasses.length * budgetOwners.length }),
    resolve: (_root, _args, ctx) => rateLimits(ctx),
  }),
);
