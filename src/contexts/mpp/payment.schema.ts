// The GraphQL face of one-off payments by MPP.
import type { Transfer } from '../../generated/prisma/client.js';
import { CurrencyMismatch, NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { ApproveApprovalPayload, pendingApproval } from '../spending/approval/approval.schema.js';
import { ChallengeUsed } from '../spending/errors.js';
import { postingErrors } from '../spending/pipeline/refusal.js';
import { DryRunType } from '../transfers/dry-run.schema.js';
import { SameWallet } from '../transfers/errors.js';
import { TransferStatusEnum } from '../transfers/transfer.input.js';
import { PaymentInvalid } from '../x402/errors.js';
import { PayMppInput } from './payment.input.js';
import { approvedPayment, mppPayment, type PaymentChange, paymentFacts, storedPayment } from './payment.js';
import { signPaymentReceipt } from './payment-receipt.js';
import { dryRunMppPayment, payByMpp } from './payment-request.js';
import { rest } from './rest.js';

export const MppPaymentType = builder.objectRef<Transfer>('MppPayment').implement({
  description: 'A one-off payment of a service.',
  fields: (t) => ({
    id: t.expose('id', { type: 'MppPaymentId' }),
    serviceUrl: t.string({ resolve: (row) => paymentFacts(row)?.service_url ?? '' }),
    payeeWalletId: t.expose('toWalletId', { type: 'WalletId', nullable: true }),
    agentId: t.expose('agentId', { type: 'AgentUuid', nullable: true }),
    walletId: t.expose('fromWalletId', { type: 'WalletId', nullable: true }),
    status: t.expose('status', { type: TransferStatusEnum }),
    amount: t.field({ type: 'Amount', resolve: ({ amount, currency }) => formatMinor(amount, currency) }),
    currency: t.expose('currency', { type: 'Currency' }),
    description: t.exposeString('description', { nullable: true }),
    transferId: t.expose('id', { type: 'TransferId' }),
    challengeId: t.string({
      nullable: true,
      description: 'The challenge that it answers.',
      resolve: (row) => paymentFacts(row)?.challenge_id,
    }),
    x402PaymentId: t.field({
      type: 'X402PaymentId',
      nullable: true,
      description: 'What the seller of an endpoint verifies and consumes, where a challenge of its paid door was answered.',
      resolve: (row) => paymentFacts(row)?.payment_id?.slice('pay_'.length),
    }),
    receipt: t.string({
      nullable: true,
      description: 'A JWS (ES256) for the service, once it was paid. POST /v1/mpp/receipts/verify says whether it is good.',
      resolve: (row, _args, { platform }) => signPaymentReceipt(platform, row),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});

const MppPaymentPayload = builder.objectRef<PaymentChange>('MppPaymentPayload').implement({
  description: 'A payment, and the approval that it waits for, if it does.',
  fields: (t) => ({
    payment: t.field({ type: MppPaymentType, resolve: ({ transfer }) => transfer }),
    approval: t.expose('approval', pendingApproval),
  }),
});

builder.queryField('mppPayment', (t) =>
  t.field({
    type: MppPaymentType,
    args: { id: t.arg({ type: 'MppPaymentId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id }, ctx) => mppPayment(ctx, id),
  }),
);

const payErrors = [NotFound, CurrencyMismatch, SameWallet, StateConflict, PaymentInvalid];

builder.mutationFields((t) => ({
  payMpp: t.field({
    route: rest('POST /v1/mpp/pay', 'Pay a service once.', { status: 201, body: 'payment', accepted: 'approval' }),
    type: MppPaymentPayload,
    args: { input: t.arg({ type: PayMppInput }) },
    ...facts({ errors: [...payErrors, ChallengeUsed, ...postingErrors] }),
    resolve: once((ctx, { input }) => payByMpp(ctx, input), storedPayment),
  }),
  dryRunPayMpp: t.field({
    route: rest('POST /v1/mpp/pay', 'Say what a payment would do, and change nothing.', { when: 'dry_run' }),
    type: DryRunType,
    args: { input: t.arg({ type: PayMppInput }) },
    ...facts({ effect: 'none', errors: [...payErrors, ChallengeUsed] }),
    resolve: (_root, { input }, ctx) => dryRunMppPayment(ctx, input),
  }),
}));

builder.objectField(ApproveApprovalPayload, 'mppPayment', (t) =>
  t.field({
    type: MppPaymentType,
    nullable: true,
    deprecationReason: 'Read transfer.',
    resolve: ({ approval }, _args, ctx) => approvedPayment(ctx, approval),
  }),
);
