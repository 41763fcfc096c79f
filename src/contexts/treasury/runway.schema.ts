// The GraphQL face of the runway.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';
import { rest } from './rest.js';
import { mostRunwayDays, type Runway, runway } from './runway.js';

const TreasuryRunway = builder.objectRef<Runway>('TreasuryRunway').implement({
  description: 'How long the money lasts if it goes on leaving at the rate of the last days.',
  fields: (t) => ({
    runwayDays: t.exposeInt('runwayDays', {
      wire: { orNull: true },
      nullable: true,
      description: 'Days until the available money is used up; null where none is burned.',
    }),
    burnRateCentsPerDay: t.field({
      type: 'Cents',
      description: 'What left the platform per day of the window, less what came in, in USD: a whole number of cents, never below 0.',
      resolve: ({ burnRateCentsPerDay }) => Number(burnRateCentsPerDay),
    }),
    depletionDate: t.expose('depletionDate', {
      wire: { orNull: true },
      type: 'DateTime',
      nullable: true,
      description: 'The day on which the money is used up; null where none is burned.',
    }),
  }),
});

const window = z.int().min(1).max(mostRunwayDays);

builder.queryField('treasuryRunway', (t) =>
  t.field({
    route: rest(
      'GET /v1/treasury/runway',
      'Forecast when the available money is used up, from what was burned in the last days. All currencies are counted in USD by the rates in force; where nothing is burned the forecast is null.',
      {
        body: true,
      },
    ),
    type: TreasuryRunway,
    authScopes: { audience: 'operator', scope: 'treasury:read' },
    args: {
      days: t.arg.int({ required: false, description: 'Days to look back, 1 to 180; 30 by default.', validate: window }),
      windowDays: t.arg.int({ required: false, description: 'Another name for `days`; send only one of them.', validate: window }),
    },
    resolve: (_root, args, ctx) => runway(ctx, args),
  }),
);
