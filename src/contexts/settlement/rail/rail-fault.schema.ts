// The GraphQL face of the simulated rails: their faults, and results that are forced upon them. The sandbox only.
import { NotFound, StateConflict, TestModeOnly } from '../../../platform/errors.js';
import { once } from '../../../platform/idempotency.js';
import { builder, facts, listed, pageOf } from '../../../platform/schema/builder.js';
import { Transfer } from '../../transfers/transfer.schema.js';
import { namedTransfer } from '../../transfers/transfer-list.js';
import { namedPayout } from '../payout/payout.js';
import { Payout } from '../payout/payout.schema.js';
import { rest } from '../rest.js';
import { returnPayout, settleTransfer } from './forced-result.js';
import { CreateRailFaultInput, RailFaultKindEnum, ReturnPayoutInput, SettleTransferInput } from './rail-fault.input.js';
import { certain, createRailFault, deleteRailFaults, matchAmountOf, railFault, railFaults } from './rail-fault.js';

const RailFault = builder.prismaObject('RailFault', {
  description: 'A fault that affects orders of a simulated rail.',
  fields: (t) => ({
    id: t.expose('id', { type: 'RailFaultId' }),
    rail: t.exposeString('rail', { description: 'The simulated rail.' }),
    kind: t.expose('kind', { type: RailFaultKindEnum }),
    probability: t.field({
      type: 'Fraction',
      nullable: true,
      description: 'Chance that an order which matches is affected; null for always.',
      resolve: ({ probability }) => (probability === null ? null : String(probability / certain)),
    }),
    remaining: t.exposeInt('remaining', {
      nullable: true,
      description: 'Number of orders that it will still affect; null for all until it is deleted.',
    }),
    applied: t.exposeInt('applied', { description: 'Number of orders that it has affected.' }),
    matchAmount: t.field({
      type: 'Amount',
      nullable: true,
      description: 'Only orders of this amount; null for any.',
      resolve: matchAmountOf,
    }),
    matchDestination: t.exposeString('matchDestination', { nullable: true, description: 'Only orders to this destination; null for any.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});
const RailFaultPage = pageOf(RailFault, 'RailFault');

const DeletedRailFaults = builder.objectRef<{ id: string }>('DeletedRailFaults').implement({
  description: 'A simulated rail whose faults were removed.',
  fields: (t) => ({ id: t.exposeString('id', { description: 'The rail.' }), deleted: t.boolean({ resolve: () => true }) }),
});

builder.queryField('railFaults', (t) =>
  t.field({
    route: rest(
      'GET /v1/test/rails/{rail}/faults',
      'List the faults of a simulated rail, newest first. Sandbox only; those that are used up are included.',
    ),
    type: RailFaultPage,
    authScopes: { audience: 'operator', scope: 'sandbox:write' },
    ...facts({ errors: [NotFound, TestModeOnly] }),
    ...listed(t, railFaults, { rail: t.arg.string({ description: 'The simulated rail, such as `ach`.' }) }),
  }),
);

builder.mutationFields((t) => ({
  createRailFault: t.field({
    route: rest(
      'POST /v1/test/rails/{rail}/faults',
      'Add a fault to a simulated rail, to test how you handle it. Sandbox only: in production it is 403 `test_mode_only`. It affects the next `next_n` orders that match, or all until it is deleted.',
      { status: 201 },
    ),
    type: RailFault,
    authScopes: { audience: 'operator', scope: 'sandbox:write' },
    args: { rail: t.arg.string({ description: 'The simulated rail, such as `ach`.' }), input: t.arg({ type: CreateRailFaultInput }) },
    ...facts({ errors: [NotFound, TestModeOnly] }),
    resolve: once((ctx, { rail, input }) => createRailFault(ctx, rail, input), railFault),
  }),
  deleteRailFaults: t.field({
    route: rest(
      'DELETE /v1/test/rails/{rail}/faults',
      'Remove all faults of a simulated rail. Sandbox only; orders that it has already keep theirs.',
    ),
    type: DeletedRailFaults,
    authScopes: { audience: 'operator', scope: 'sandbox:write' },
    args: { rail: t.arg.string({ description: 'The simulated rail, such as `ach`.' }) },
    ...facts({ errors: [NotFound, TestModeOnly] }),
    resolve: once(
      (ctx, { rail }) => deleteRailFaults(ctx, rail),
      async (_ctx, reference) => ({ id: reference }),
    ),
  }),
  settleTransfer: t.field({
    route: rest(
      'POST /v1/test/transfers/{id}/settle',
      'Settle or reject the payout of a transfer now, without waiting for the simulated rail. Sandbox only. A transfer without an order at a rail, or whose order has ended, is 409 `state_conflict`.',
    ),
    type: Transfer,
    authScopes: { audience: 'operator', scope: 'sandbox:write' },
    args: { id: t.arg({ type: 'TransferId' }), input: t.arg({ type: SettleTransferInput }) },
    ...facts({ errors: [NotFound, StateConflict, TestModeOnly] }),
    resolve: once((ctx, { id, input }) => settleTransfer(ctx, id, input.outcome, input.code ?? null), namedTransfer),
  }),
  returnPayout: t.field({
    route: rest(
      'POST /v1/test/payouts/{id}/return',
      'Return a payout now, whether or not it was paid. Sandbox only; the money goes back to the wallet less the fee. Emits `settlement.returned`.',
    ),
    type: Payout,
    authScopes: { audience: 'operator', scope: 'sandbox:write' },
    args: { id: t.arg({ type: 'PayoutId' }), input: t.arg({ type: ReturnPayoutInput }) },
    ...facts({ errors: [NotFound, StateConflict, TestModeOnly] }),
    resolve: once((ctx, { id, input }) => returnPayout(ctx, id, input.code ?? null), namedPayout),
  }),
}));
