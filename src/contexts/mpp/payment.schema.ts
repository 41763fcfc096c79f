// The GraphQL face of one-off payments by MPP.

import type { Transfer } from '../../generated/prisma/client.js';
import { CurrencyMismatch, NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { byId, rowsOf } from '../../platform/schema/relation.js';
import { ApproveApprovalPayload, pendingApproval } from '../spending/approval/approval.schema.js';
import { ChallengeUsed } from '../spending/errors.js';
import { postingErrors } from '../spending/pipeline/refusal.js';
import { DryRunType } from '../transfers/dry-run.schema.js';
import { SameWallet } from '../transfers/errors.js';
import { TransferStatusEnum } from '../transfers/transfer.input.js';
import { visibleTransfers } from '../transfers/transfer-list.js';
import { PaymentInvalid } from '../x402/errors.js';
import { PayMppInput } from './payment.input.js';
import { approvedPayment, mppPayment, type PaymentChange, paymentFacts, storedPayment } from './payment.js';
import { signPaymentReceipt } from './payment-receipt.js';
import { dryRunMppPayment, payByMpp } from './payment-request.js';
import { rest } from './rest.js';

export const MppPaymentType = builder.objectRef<Transfer>('MppPayment').implement({
  ...byId(
    rowsOf<Transfer>('transfer', (ctx) => visibleTransfers(ctx, 'mpp:read'), {
      values: (_ctx, rows) => rows.map((row) => (paymentFacts(row) === null ? null : row)),
    }),
  ),
  description: 'A one-off payment of a service.',
  fields: (t) => ({
    id: t.expose('id', { type: 'MppPaymentId' }),
    serviceUrl: t.string({ description: 'Address of the service.', resolve: (row) => paymentFacts(row)?.service_url ?? '' }),
    payeeWalletId: t.expose('toWalletId', {
      type: 'WalletId',
      nullable: true,
      description: 'The wallet that is paid; null where it is not shown to you.',
    }),
    agentId: t.expose('agentId', {
      type: 'AgentUuid',
      nullable: true,
      description: 'The agent that spends; null where it is not shown to you.',
    }),
    walletId: t.expose('fromWalletId', {
      type: 'WalletId',
      nullable: true,
      description: 'The wallet that pays; null where it is not shown to you.',
    }),
    status: t.expose('status', { type: TransferStatusEnum }),
    amount: t.field({
      type: 'Amount',
      description: 'What is paid, in `currency`.',
      resolve: ({ amount, currency }) => formatMinor(amount, currency),
    }),
    currency: t.expose('currency', { type: 'Currency' }),
    description: t.exposeString('description', { nullable: true, description: 'Text for people; null where none was given.' }),
    transferId: t.expose('id', { type: 'TransferId', description: 'The transfer that carries it out.' }),
    challengeId: t.string({
      nullable: true,
      description: 'The challenge that it answers; null without one.',
      resolve: (row) => paymentFacts(row)?.challenge_id,
    }),
    x402PaymentId: t.field({
      type: 'X402PaymentId',
      nullable: true,
      description: 'What the seller verifies and consumes, where a challenge of its paid endpoint was answered; else null.',
      resolve: (row) => paymentFacts(row)?.payment_id?.slice('pay_'.length),
    }),
    receipt: t.string({
      nullable: true,
      description: 'Receipt for the service, a JWS (ES256); null until it was paid. `POST /v1/mpp/receipts/verify` verifies it.',
      resolve: (row, _args, { platform }) => signPaymentReceipt(platform, row),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});

const MppPaymentPayload = builder.objectRef<PaymentChange>('MppPaymentPayload').implement({
  description: 'A payment, and the approval that it waits for, if any.',
  fields: (t) => ({
    payment: t.field({ type: MppPaymentType, description: 'The payment as it was created.', resolve: ({ transfer }) => transfer }),
    approval: t.expose('approval', pendingApproval),
  }),
});

builder.queryField('mppPayment', (t) =>
  t.field({
    type: MppPaymentType,
    authScopes: { audience: 'any', scope: 'mpp:read' },
    description: 'Read a one-off payment of a service, with its receipt. It is the transfer of the payment in another form.',
    args: { id: t.arg({ type: 'MppPaymentId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id }, ctx) => mppPayment(ctx, id),
  }),
);

const payErrors = [NotFound, CurrencyMismatch, SameWallet, StateConflict, PaymentInvalid];

builder.mutationFields((t) => ({
  payMpp: t.field({
    route: rest(
      'POST /v1/mpp/pay',
      'Pay a service once, by the Machine Payments Protocol. The money moves at once, or is held until it is approved (202); the answer has a receipt for the service. A challenge that was answered before is refused.',
      { status: 201, body: 'payment', accepted: 'approval' },
    ),
    type: MppPaymentPayload,
    authScopes: { audience: 'any', scope: 'mpp:write' },
    args: { input: t.arg({ type: PayMppInput }) },
    ...facts({ errors: [...payErrors, ChallengeUsed, ...postingErrors] }),
    resolve: once((ctx, { input }) => payByMpp(ctx, input), storedPayment),
  }),
  dryRunPayMpp: t.field({
    route: rest(
      'POST /v1/mpp/pay',
      'Show what `POST /v1/mpp/pay` would do, without doing it. A refusal by the spend pipeline is part of the answer; a faulty request is an error.',
      { when: 'dry_run' },
    ),
    type: DryRunType,
    authScopes: { audience: 'any', scope: 'mpp:write' },
    args: { input: t.arg({ type: PayMppInput }) },
    ...facts({ effect: 'none', errors: [...payErrors, ChallengeUsed] }),
    resolve: (_root, { input }, ctx) => dryRunMppPayment(ctx, input),
  }),
}));

builder.objectField(ApproveApprovalPayload, 'mppPayment', (t) =>
  t.field({
    type: MppPaymentType,
    nullable: true,
    description: 'The MPP payment that was approved; else null.',
    deprecationReason: 'Read transfer.',
    resolve: ({ approval }, _args, ctx) => approvedPayment(ctx, approval),
  }),
);
