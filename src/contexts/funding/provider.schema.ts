// The GraphQL face of funding providers.
import { z } from 'zod';
import { FundingType } from '../../generated/prisma/enums.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { FundingTypeEnum } from './funding.input.js';
import { type FundingProvider, fundingProviders, mostProviders } from './provider.js';
import { rest } from './rest.js';

const Provider = builder.objectRef<FundingProvider>('FundingProvider').implement({
  description: 'A provider that brings money into wallets.',
  fields: (t) => ({
    provider: t.exposeString('provider', { description: 'Name of the provider, to use as `provider`.' }),
    types: t.expose('types', {
      type: [FundingTypeEnum],
      description: 'How it can bring money in.',
      ...facts({ most: Object.keys(FundingType).length }),
    }),
    regions: t.stringList({
      description: 'Countries (ISO 3166) that it serves, `EU`, or `GLOBAL`.',
      ...facts({ most: 10 }),
      resolve: ({ regions }) => [...regions],
    }),
    active: t.exposeBoolean('active', { description: 'True where it is connected in this environment.' }),
  }),
});

builder.queryField('fundingProviders', (t) =>
  t.field({
    route: rest(
      'GET /v1/funding/providers',
      'List the providers that bring money in. Filter by type or region; a provider that is not `active` is not connected in this environment.',
    ),
    type: [Provider],
    authScopes: { audience: 'any', scope: 'settlement:read' },
    args: {
      type: t.arg({ type: FundingTypeEnum, required: false, description: 'Only providers that bring money in this way.' }),
      region: t.arg.string({
        required: false,
        description: 'Only providers that serve this region, such as US; those of `GLOBAL` serve every region.',
        validate: z.string().regex(/^[A-Z]{2}$|^GLOBAL$/, 'must be a country such as US, or EU, or GLOBAL'),
      }),
    },
    ...facts({ most: mostProviders }),
    resolve: (_root, filter, ctx) => fundingProviders(ctx, filter),
  }),
);
