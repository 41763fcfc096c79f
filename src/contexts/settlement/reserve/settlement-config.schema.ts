// The GraphQL face of the settlement config.
import { once } from '../../../platform/idempotency.js';
import { builder } from '../../../platform/schema/builder.js';
import { rest } from '../rest.js';
import { SettlementScheduleEnum, UpdateSettlementConfigInput } from './settlement-config.input.js';
import { reserveAmount, type SettlementConfig, settlementConfig, updateConfig } from './settlement-config.js';

const Config = builder.objectRef<SettlementConfig>('SettlementConfig').implement({
  description: 'Fees and reserves on what protocols pay, and when wallets are paid out by themselves.',
  fields: (t) => ({
    x402FeePercentage: t.float({ description: 'Fee on what x402 pays, in percent.', resolve: ({ x402Fee }) => x402Fee / 100 }),
    autoSettlementEnabled: t.exposeBoolean('autoSettlementEnabled', {
      description: 'True: wallets without a settlement rule are paid out by themselves.',
    }),
    settlementSchedule: t.expose('settlementSchedule', {
      type: SettlementScheduleEnum,
      description: 'How often wallets that no enabled settlement rule covers are paid out.',
    }),
    holdbackPercentage: t.float({
      description: 'Part of what x402, ACP, UCP, AP2 and MPP pay that is held back, in percent.',
      resolve: ({ holdback }) => holdback / 100,
    }),
    holdbackReleaseDays: t.exposeInt('holdbackReleaseDays', { description: 'Days after which what was held back is released.' }),
    reserveAmount: t.field({
      type: 'Amount',
      description: 'What is held back now, in all currencies together, in US dollars.',
      resolve: (_, __, ctx) => reserveAmount(ctx),
    }),
  }),
});

builder.queryField('settlementConfig', (t) =>
  t.field({
    route: rest(
      'GET /v1/settlement/config',
      'Read the settlement config of the workspace. Without changes there is no fee, no reserve and no automatic settlement.',
    ),
    type: Config,
    authScopes: { audience: 'operator', scope: 'settlement:read' },
    resolve: (_root, _args, ctx) => settlementConfig(ctx),
  }),
);

builder.mutationField('updateSettlementConfig', (t) =>
  t.field({
    route: rest(
      'PATCH /v1/settlement/config',
      'Change fees, reserves and automatic settlement. What is left out stays as it is; what was held back before keeps its release date.',
    ),
    type: Config,
    authScopes: { audience: 'operator', scope: 'settlement:write' },
    args: { input: t.arg({ type: UpdateSettlementConfigInput }) },
    resolve: once((ctx, { input }) => updateConfig(ctx, input), settlementConfig),
  }),
);
