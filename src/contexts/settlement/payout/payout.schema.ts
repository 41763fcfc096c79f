// The GraphQL face of payouts.
import type { Approval, Payout as PayoutRow } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import { CurrencyMismatch, NotFound, StateConflict } from '../../../platform/errors.js';
import { once } from '../../../platform/idempotency.js';
import { formatMinor } from '../../../platform/money.js';
import { builder, facts, listed, pageOf } from '../../../platform/schema/builder.js';
import { approval } from '../../spending/approval/approval.js';
import { ApproveApprovalPayload, pendingApproval } from '../../spending/approval/approval.schema.js';
import { postingErrors } from '../../spending/pipeline/refusal.js';
import { DryRunType } from '../../transfers/dry-run.schema.js';
import { RailUnavailable, UnsupportedRail } from '../../transfers/rail.js';
import { transfer } from '../../transfers/transfer-list.js';
import { rest } from '../rest.js';
import { expectedAt } from '../window/window.js';
import { CreatePayoutInput, PayoutDestinationEnum, PayoutStatusEnum } from './payout.input.js';
import { payout, payouts } from './payout.js';
import { cancelPayout } from './payout-approval.js';
import { createPayout, dryRunPayout } from './payout-request.js';

const PayoutDestinationType = builder.objectRef<PayoutRow>('PayoutDestination').implement({
  description: 'Where the money goes. Of a key or an account number the end alone is shown.',
  fields: (t) => ({
    type: t.expose('destinationType', { type: PayoutDestinationEnum }),
    ref: t.exposeString('destinationRef'),
  }),
});
const PayoutReturn = builder.objectRef<PayoutRow>('PayoutReturn').implement({
  description: 'Why the rail rejected or returned it.',
  fields: (t) => ({
    reason: t.string({ resolve: (row) => row.returnReason ?? '' }),
    code: t.string({ resolve: (row) => row.returnCode ?? '' }),
  }),
});

/** A payout, as the faces show it. */
export const Payout = builder.prismaObject('Payout', {
  description: 'Money of a wallet that leaves the platform over a rail.',
  fields: (t) => ({
    id: t.expose('id', { type: 'PayoutId' }),
    transferId: t.expose('transferId', { type: 'TransferId', description: 'The transfer that holds its money.' }),
    walletId: t.expose('walletId', { type: 'WalletId' }),
    agentId: t.expose('agentId', { type: 'AgentUuid', nullable: true }),
    amount: t.field({ type: 'Amount', description: 'What arrives.', resolve: (row) => formatMinor(row.amount, row.currency) }),
    currency: t.expose('currency', { type: 'Currency' }),
    fee: t.field({ type: 'Amount', description: 'What the rail takes for it.', resolve: (row) => formatMinor(row.fee, row.currency) }),
    rail: t.exposeString('rail'),
    destination: t.field({ type: PayoutDestinationType, resolve: (row) => row }),
    status: t.expose('status', { type: PayoutStatusEnum }),
    description: t.exposeString('description', { nullable: true }),
    railReference: t.exposeString('railReference', { nullable: true, description: 'Its name at the rail, once it was submitted.' }),
    return: t.field({ type: PayoutReturn, nullable: true, resolve: (row) => (row.returnCode === null ? null : row) }),
    errorCode: t.exposeString('errorCode', {
      nullable: true,
      description: 'Why it failed or came back; `cancelled` when it was called off.',
    }),
    windowId: t.expose('windowId', { type: 'SettlementWindowId', nullable: true, description: 'The settlement window that it joined.' }),
    batchReference: t.exposeString('batchReference', {
      nullable: true,
      description: 'What the payouts have in common that its window submitted together.',
    }),
    expectedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'As the rail has said; of one that waits for its window counted from the next closing.',
      resolve: (row, _args, ctx) => expectedAt(ctx, row),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    confirmedAt: t.expose('confirmedAt', { type: 'DateTime', nullable: true }),
    completedAt: t.expose('completedAt', { type: 'DateTime', nullable: true }),
  }),
});
const PayoutPage = pageOf(Payout, 'Payout');

/** A payout that a spend made, and the approval that it waits for. */
interface PayoutPayload {
  payout: PayoutRow;
  approval: Approval | null;
}
const PayoutPayloadType = builder.objectRef<PayoutPayload>('PayoutPayload').implement({
  description: 'A payout, and the approval that it waits for, if it does.',
  fields: (t) => ({
    payout: t.field({ type: Payout, resolve: ({ payout: row }) => row }),
    approval: t.expose('approval', pendingApproval),
  }),
});

/** The payload of a keyed request that is repeated. */
async function payoutPayload(ctx: Ctx, id: string): Promise<PayoutPayload> {
  const made = await payout(ctx, id);
  const { approvalId } = await transfer(ctx, made.transferId);
  return { payout: made, approval: approvalId === null ? null : await approval(ctx, approvalId) };
}

builder.queryFields((t) => ({
  payout: t.prismaField({
    route: rest('GET /v1/payouts/{id}', 'Read a payout.'),
    type: Payout,
    args: { id: t.arg({ type: 'PayoutId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_query, _root, { id }, ctx) => payout(ctx, id),
  }),
  payouts: t.field({
    route: rest('GET /v1/payouts', 'List payouts.'),
    type: PayoutPage,
    ...listed(t, payouts, {
      status: t.arg({ type: PayoutStatusEnum, required: false }),
      walletId: t.arg({ type: 'WalletId', required: false }),
      rail: t.arg.string({ required: false }),
    }),
  }),
}));

builder.mutationFields((t) => ({
  createPayout: t.field({
    route: rest('POST /v1/payouts', 'Pay out of a wallet to a bank account or the address of a chain.', {
      status: 201,
      body: 'payout',
      accepted: 'approval',
    }),
    type: PayoutPayloadType,
    args: { input: t.arg({ type: CreatePayoutInput }) },
    ...facts({ errors: [NotFound, CurrencyMismatch, UnsupportedRail, RailUnavailable, ...postingErrors] }),
    resolve: once((ctx, { input }) => createPayout(ctx, input), payoutPayload),
  }),
  dryRunPayout: t.field({
    route: rest('POST /v1/payouts', 'Try a payout: the decision of the spend pipeline, and what would be posted. Nothing is changed.', {
      when: 'dry_run',
    }),
    type: DryRunType,
    args: { input: t.arg({ type: CreatePayoutInput }) },
    ...facts({ effect: 'none', errors: [NotFound, CurrencyMismatch, UnsupportedRail, RailUnavailable] }),
    resolve: (_root, { input }, ctx) => dryRunPayout(ctx, input),
  }),
  cancelPayout: t.field({
    route: rest('POST /v1/payouts/{id}/cancel', 'Call a payout off that was not submitted yet.'),
    type: Payout,
    args: { id: t.arg({ type: 'PayoutId' }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { id }) => cancelPayout(ctx, id), payout),
  }),
}));

builder.objectField(ApproveApprovalPayload, 'payout', (t) =>
  t.field({
    type: Payout,
    nullable: true,
    resolve: ({ approval: { subjectType, subjectId } }, _args, ctx) => (subjectType === 'payout' ? payout(ctx, subjectId) : null),
  }),
);
