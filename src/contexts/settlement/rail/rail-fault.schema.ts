// The GraphQL face of the simulated rails: their faults, and results that are forced upon them. The sandbox only.
import { NotFound, StateConflict, TestModeOnly } from '../../../platform/errors.js';
import { once } from '../../../platform/idempotency.js';
import { builder, facts, listed, pageOf } from '../../../platform/schema/builder.js';
import { Transfer } from '../../transfers/transfer.schema.js';
import { transfer } from '../../transfers/transfer-list.js';
import { payout } from '../payout/payout.js';
import { Payout } from '../payout/payout.schema.js';
import { rest } from '../rest.js';
import { returnPayout, settleTransfer } from './forced-result.js';
import { CreateRailFaultInput, RailFaultKindEnum, ReturnPayoutInput, SettleTransferInput } from './rail-fault.input.js';
import { certain, createRailFault, deleteRailFaults, matchAmountOf, railFault, railFaults } from './rail-fault.js';

const RailFault = builder.prismaObject('RailFault', {
  description: 'What befalls orders of a simulated rail.',
  fields: (t) => ({
    id: t.expose('id', { type: 'RailFaultId' }),
    rail: t.exposeString('rail'),
    kind: t.expose('kind', { type: RailFaultKindEnum }),
    probability: t.field({
      type: 'Fraction',
      nullable: true,
      resolve: ({ probability }) => (probability === null ? null : String(probability / certain)),
    }),
    remaining: t.exposeInt('remaining', { nullable: true, description: 'Orders that it is still to befall.' }),
    applied: t.exposeInt('applied', { description: 'Orders that it has befallen.' }),
    matchAmount: t.field({ type: 'Amount', nullable: true, resolve: matchAmountOf }),
    matchDestination: t.exposeString('matchDestination', { nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});
const RailFaultPage = pageOf(RailFault, 'RailFault');

const DeletedRailFaults = builder.objectRef<{ id: string }>('DeletedRailFaults').implement({
  fields: (t) => ({ id: t.exposeString('id', { description: 'The rail.' }), deleted: t.boolean({ resolve: () => true }) }),
});

builder.queryField('railFaults', (t) =>
  t.field({
    route: rest('GET /v1/test/rails/{rail}/faults', 'List the faults of a simulated rail.'),
    type: RailFaultPage,
    authScopes: { audience: 'operator' },
    ...facts({ errors: [NotFound, TestModeOnly] }),
    ...listed(t, railFaults, { rail: t.arg.string() }),
  }),
);

builder.mutationFields((t) => ({
  createRailFault: t.field({
    route: rest('POST /v1/test/rails/{rail}/faults', 'Let a fault befall orders of a simulated rail (sandbox only).', { status: 201 }),
    type: RailFault,
    authScopes: { audience: 'operator' },
    args: { rail: t.arg.string(), input: t.arg({ type: CreateRailFaultInput }) },
    ...facts({ errors: [NotFound, TestModeOnly] }),
    resolve: once((ctx, { rail, input }) => createRailFault(ctx, rail, input), railFault),
  }),
  deleteRailFaults: t.field({
    route: rest('DELETE /v1/test/rails/{rail}/faults', 'Take all faults off a simulated rail.'),
    type: DeletedRailFaults,
    authScopes: { audience: 'operator' },
    args: { rail: t.arg.string() },
    ...facts({ errors: [NotFound, TestModeOnly] }),
    resolve: once(
      (ctx, { rail }) => deleteRailFaults(ctx, rail),
      async (_ctx, reference) => ({ id: reference }),
    ),
  }),
  settleTransfer: t.field({
    route: rest('POST /v1/test/transfers/{id}/settle', 'Settle or reject the payout of a transfer now (sandbox only).'),
    type: Transfer,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'TransferId' }), input: t.arg({ type: SettleTransferInput }) },
    ...facts({ errors: [NotFound, StateConflict, TestModeOnly] }),
    resolve: once((ctx, { id, input }) => settleTransfer(ctx, id, input.outcome, input.code ?? null), transfer),
  }),
  returnPayout: t.field({
    route: rest('POST /v1/test/payouts/{id}/return', 'Send a payout back now (sandbox only).'),
    type: Payout,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'PayoutId' }), input: t.arg({ type: ReturnPayoutInput }) },
    ...facts({ errors: [NotFound, StateConflict, TestModeOnly] }),
    resolve: once((ctx, { id, input }) => returnPayout(ctx, id, input.code ?? null), payout),
  }),
}));
