// The GraphQL face of the settlement config.
import { once } from '../../../platform/idempotency.js';
import { builder } from '../../../platform/schema/builder.js';
import { rest } from '../rest.js';
import { SettlementScheduleEnum, UpdateSettlementConfigInput } from './settlement-config.input.js';
import { reserveAmount, type SettlementConfig, settlementConfig, updateConfig } from './settlement-config.js';

const Config = builder.objectRef<SettlementConfig>('SettlementConfig').implement({
  description: 'What is taken and kept back of what protocols pay, and when wallets are settled without being asked.',
  fields: (t) => ({
    x402FeePercentage: t.float({ resolve: ({ x402Fee }) => x402Fee / 100 }),
    autoSettlementEnabled: t.exposeBoolean('autoSettlementEnabled'),
    settlementSchedule: t.expose('settlementSchedule', {
      type: SettlementScheduleEnum,
      description: 'Of wallets that no enabled settlement rule covers.',
    }),
    holdbackPercentage: t.float({ resolve: ({ holdback }) => holdback / 100 }),
    holdbackReleaseDays: t.exposeInt('holdbackReleaseDays'),
    reserveAmount: t.field({
      type: 'Amount',
      description: 'What is kept back now, in US dollars.',
      resolve: (_, __, ctx) => reserveAmount(ctx),
    }),
  }),
});

builder.queryField('settlementConfig', (t) =>
  t.field({
    route: rest('GET /v1/settlement/config', 'Read the settlement config.'),
    type: Config,
    authScopes: { audience: 'operator' },
    resolve: (_root, _args, ctx) => settlementConfig(ctx),
  }),
);

builder.mutationField('updateSettlementConfig', (t) =>
  t.field({
    route: rest('PATCH /v1/settlement/config', 'Change the settlement config. What is left out stays.'),
    type: Config,
    authScopes: { audience: 'operator' },
    args: { input: t.arg({ type: UpdateSettlementConfigInput }) },
    resolve: once((ctx, { input }) => updateConfig(ctx, input), settlementConfig),
  }),
);
