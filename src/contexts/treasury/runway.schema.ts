// The GraphQL face of the runway.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';
import { rest } from './rest.js';
import { mostRunwayDays, type Runway, runway } from './runway.js';

const TreasuryRunway = builder.objectRef<Runway>('TreasuryRunway').implement({
  description: 'How long the money lasts if it goes on leaving as it did.',
  fields: (t) => ({
    runwayDays: t.exposeInt('runwayDays', { wire: { orNull: true }, nullable: true, description: 'Null when nothing is burned.' }),
    burnRateCentsPerDay: t.field({
      type: 'Cents',
      description: 'Cents of USD: what left the platform in the window, less what came in, by its days. Never below 0.',
      resolve: ({ burnRateCentsPerDay }) => Number(burnRateCentsPerDay),
    }),
    depletionDate: t.expose('depletionDate', {
      wire: { orNull: true },
      type: 'DateTime',
      nullable: true,
      description: 'Null when nothing is burned.',
    }),
  }),
});

const window = z.int().min(1).max(mostRunwayDays);

builder.queryField('treasuryRunway', (t) =>
  t.field({
    route: rest('GET /v1/treasury/runway', 'Forecast when what is available is used up, by what was burned in the last days, in USD.', {
      body: true,
    }),
    type: TreasuryRunway,
    description: 'Says when what is available now is used up, by what was burned in the last days.',
    authScopes: { audience: 'operator' },
    args: {
      days: t.arg.int({ required: false, description: `Days to look back, 1 to ${mostRunwayDays}; 30 without it.`, validate: window }),
      windowDays: t.arg.int({ required: false, description: 'Another name for `days`; only one of them is sent.', validate: window }),
    },
    resolve: (_root, args, ctx) => runway(ctx, args),
  }),
);
