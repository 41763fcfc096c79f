// The GraphQL face of payouts.

import type { Approval, Payout as PayoutRow } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import { CurrencyMismatch, NotFound, StateConflict } from '../../../platform/errors.js';
import { once } from '../../../platform/idempotency.js';
import { formatMinor } from '../../../platform/money.js';
import { builder, facts, listed, pageOf } from '../../../platform/schema/builder.js';
import { byId, rowsOf } from '../../../platform/schema/relation.js';
import { awaitedApproval } from '../../spending/approval/approval.js';
import { ApproveApprovalPayload, pendingApproval } from '../../spending/approval/approval.schema.js';
import { postingErrors } from '../../spending/pipeline/refusal.js';
import { DryRunType } from '../../transfers/dry-run.schema.js';
import { RailLimitExceeded, RailUnavailable, UnsupportedRail } from '../../transfers/rail.js';
import { transfer } from '../../transfers/transfer-list.js';
import { detailsOf } from '../rail/rail-details.js';
import { RailDetailsType } from '../rail/rail-details.schema.js';
import { rest } from '../rest.js';
import { expectedAt } from '../window/window.js';
import { CreatePayoutInput, PayoutDestinationEnum, PayoutStatusEnum } from './payout.input.js';
import { payout, payouts, visiblePayouts } from './payout.js';
import { cancelPayout } from './payout-approval.js';
import { createPayout, dryRunPayout } from './payout-request.js';

const PayoutDestinationType = builder.objectRef<PayoutRow>('PayoutDestination').implement({
  description: 'Where a payout goes. Of a key or an account number only the end is shown.',
  fields: (t) => ({
    type: t.expose('destinationType', { type: PayoutDestinationEnum }),
    ref: t.exposeString('destinationRef', { description: 'The bank account or address; of a number or key only the end is shown.' }),
  }),
});
const PayoutReturn = builder.objectRef<PayoutRow>('PayoutReturn').implement({
  description: 'Why the rail rejected or returned a payout.',
  fields: (t) => ({
    reason: t.string({ description: 'Why, as a sentence for people.', resolve: (row) => row.returnReason ?? '' }),
    code: t.string({ description: 'Code of the rail, such as R03.', resolve: (row) => row.returnCode ?? '' }),
  }),
});

/** A payout, as the faces show it. */
export const Payout = builder.prismaObject('Payout', {
  ...byId(rowsOf('payout', visiblePayouts)),
  description: 'Money of a wallet that leaves the platform over a rail.',
  fields: (t) => ({
    id: t.expose('id', { type: 'PayoutId' }),
    transferId: t.expose('transferId', { type: 'TransferId', description: 'The transfer that holds and pays its money.' }),
    walletId: t.expose('walletId', { type: 'WalletId', description: 'The wallet that pays.' }),
    agentId: t.expose('agentId', { type: 'AgentUuid', nullable: true, description: 'The agent that spends; null where none does.' }),
    amount: t.field({
      type: 'Amount',
      description: 'What arrives, in `currency`.',
      resolve: (row) => formatMinor(row.amount, row.currency),
    }),
    currency: t.expose('currency', { type: 'Currency' }),
    fee: t.field({
      type: 'Amount',
      description: 'What the rail takes, on top of the amount, in `currency`.',
      resolve: (row) => formatMinor(row.fee, row.currency),
    }),
    rail: t.exposeString('rail', { description: 'The rail that carries it, such as `ach`.' }),
    destination: t.field({ type: PayoutDestinationType, description: 'Where the money goes.', resolve: (row) => row }),
    status: t.expose('status', { type: PayoutStatusEnum }),
    description: t.exposeString('description', { nullable: true, description: 'Text for people; null where none was given.' }),
    railReference: t.exposeString('railReference', {
      nullable: true,
      description: 'Its reference at the rail; null before it was submitted.',
    }),
    railDetails: t.field({
      type: RailDetailsType,
      nullable: true,
      description: 'Where it is on the chain that carries it; null for others, and before its rail has it.',
      resolve: (row, _args, ctx) => detailsOf(ctx, 'payout', row),
    }),
    return: t.field({
      type: PayoutReturn,
      nullable: true,
      description: 'Why it was rejected or returned; null for others.',
      resolve: (row) => (row.returnCode === null ? null : row),
    }),
    errorCode: t.exposeString('errorCode', {
      nullable: true,
      description: 'Why it failed or came back, as a word for programs; `cancelled` when it was cancelled. Null for others.',
    }),
    windowId: t.expose('windowId', {
      type: 'SettlementWindowId',
      nullable: true,
      description: 'The settlement window in which it was grouped; null without one.',
    }),
    batchReference: t.exposeString('batchReference', {
      nullable: true,
      description: 'Reference that it shares with the payouts submitted together by its window; null without a window.',
    }),
    expectedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'When it should arrive, as the rail says; for one that waits for its window counted from the next closing. Null where unknown.',
      resolve: (row, _args, ctx) => expectedAt(ctx, row),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    confirmedAt: t.expose('confirmedAt', { type: 'DateTime', nullable: true, description: 'When the rail accepted it; null before.' }),
    completedAt: t.expose('completedAt', { type: 'DateTime', nullable: true, description: 'When it was paid; null before.' }),
  }),
});
const PayoutPage = pageOf(Payout, 'Payout');

/** A payout that a spend made, and the approval that it waits for. */
interface PayoutPayload {
  payout: PayoutRow;
  approval: Approval | null;
}
const PayoutPayloadType = builder.objectRef<PayoutPayload>('PayoutPayload').implement({
  description: 'A payout, and the approval that it waits for, if any.',
  fields: (t) => ({
    payout: t.field({ type: Payout, description: 'The payout as it was created.', resolve: ({ payout: row }) => row }),
    approval: t.expose('approval', pendingApproval),
  }),
});

/** The payload of a keyed request that is repeated. */
async function payoutPayload(ctx: Ctx, id: string): Promise<PayoutPayload> {
  const made = await payout(ctx, id);
  const { approvalId } = await transfer(ctx, made.transferId);
  return { payout: made, approval: await awaitedApproval(ctx, approvalId) };
}

builder.queryFields((t) => ({
  payout: t.prismaField({
    route: rest(
      'GET /v1/payouts/{id}',
      'Read a payout with its status at the rail. An agent reads payouts that it made and those of its wallets.',
    ),
    type: Payout,
    authScopes: { audience: 'any', scope: 'settlement:read' },
    args: { id: t.arg({ type: 'PayoutId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_query, _root, { id }, ctx) => payout(ctx, id),
  }),
  payouts: t.field({
    route: rest(
      'GET /v1/payouts',
      'List payouts, newest first. Filter by status, wallet or rail; an agent sees those that it made and those of its wallets.',
    ),
    type: PayoutPage,
    authScopes: { audience: 'any', scope: 'settlement:read' },
    ...listed(t, payouts, {
      status: t.arg({ type: PayoutStatusEnum, required: false }),
      walletId: t.arg({ type: 'WalletId', required: false }),
      rail: t.arg.string({ required: false }),
    }),
  }),
}));

builder.mutationFields((t) => ({
  createPayout: t.field({
    route: rest(
      'POST /v1/payouts',
      "Pay out of a wallet to a bank account or an address of a chain. The spend pipeline checks it, then the amount and the rail's fee are held until the rail has paid. Emits `settlement.initiated`, then `settlement.processing` and `settlement.completed` or `settlement.failed`.",
      {
        status: 201,
        body: 'payout',
        accepted: 'approval',
      },
    ),
    type: PayoutPayloadType,
    authScopes: { audience: 'any', scope: 'settlement:write' },
    args: { input: t.arg({ type: CreatePayoutInput }) },
    ...facts({ errors: [NotFound, CurrencyMismatch, UnsupportedRail, RailUnavailable, RailLimitExceeded, ...postingErrors] }),
    resolve: once((ctx, { input }) => createPayout(ctx, input), payoutPayload),
  }),
  dryRunPayout: t.field({
    route: rest(
      'POST /v1/payouts',
      'Show what `POST /v1/payouts` would do, without doing it. A refusal by the spend pipeline is part of the answer; a faulty request is an error.',
      {
        when: 'dry_run',
      },
    ),
    type: DryRunType,
    authScopes: { audience: 'any', scope: 'settlement:write' },
    args: { input: t.arg({ type: CreatePayoutInput }) },
    ...facts({ effect: 'none', errors: [NotFound, CurrencyMismatch, UnsupportedRail, RailUnavailable, RailLimitExceeded] }),
    resolve: (_root, { input }, ctx) => dryRunPayout(ctx, input),
  }),
  cancelPayout: t.field({
    route: rest(
      'POST /v1/payouts/{id}/cancel',
      'Cancel a payout that was not submitted to its rail. What was held goes back, and its status is `failed` with `error_code: "cancelled"`. One that was submitted is 409 `state_conflict`.',
    ),
    type: Payout,
    authScopes: { audience: 'any', scope: 'settlement:write' },
    args: { id: t.arg({ type: 'PayoutId' }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { id }) => cancelPayout(ctx, id), payout),
  }),
}));

builder.objectField(ApproveApprovalPayload, 'payout', (t) =>
  t.field({
    type: Payout,
    nullable: true,
    description: 'The payout that was approved; else null.',
    resolve: ({ approval: { subjectType, subjectId } }, _args, ctx) => (subjectType === 'payout' ? payout(ctx, subjectId) : null),
  }),
);
