// The GraphQL face of x402 payments.
import type { X402Payment } from '../../../generated/prisma/client.js';
import { X402PaymentStatus } from '../../../generated/prisma/enums.js';
import type { Ctx } from '../../../platform/ctx.js';
import { CurrencyMismatch, Forbidden, NotFound, StateConflict } from '../../../platform/errors.js';
import { once } from '../../../platform/idempotency.js';
import { formatMinor } from '../../../platform/money.js';
import { builder, facts, pageArgs, pageOf } from '../../../platform/schema/builder.js';
import { approval } from '../../spending/approval/approval.js';
import { ApproveApprovalPayload, pendingApproval } from '../../spending/approval/approval.schema.js';
import { NonceUsed } from '../../spending/errors.js';
import { DecisionType } from '../../spending/pipeline/decision.schema.js';
import { postingErrors } from '../../spending/pipeline/refusal.js';
import { DryRunType } from '../../transfers/dry-run.schema.js';
import { SameWallet } from '../../transfers/errors.js';
import { SchemeEnum } from '../endpoint/endpoint.input.js';
import { payToOf } from '../endpoint/offer.js';
import { PaymentInvalid, UnsupportedNetwork } from '../errors.js';
import { rest } from '../rest.js';
import type { MadePayment } from './ledger-payment.js';
import { dryRunPay, type PaymentQuote, PaymentRequestExpired, pay, quoteAgain, quotePayment } from './pay.js';
import { ConsumeX402PaymentInput, PayX402Input, QuoteX402PaymentInput, VerifyX402PaymentInput } from './payment.input.js';
import { payment, payments } from './payment.js';
import { consumePayment } from './payment-life.js';
import { type PaymentVerification, verifyPayment } from './verification.js';

const PaymentStatusEnum = builder.enumType(X402PaymentStatus, { name: 'X402PaymentStatus' });

export const PaymentType = builder.objectRef<X402Payment>('X402Payment').implement({
  description: 'A payment for a call of an endpoint.',
  fields: (t) => ({
    id: t.expose('id', { type: 'X402PaymentId' }),
    paymentId: t.expose('id', { type: 'X402PaymentId', description: 'The same.' }),
    endpointId: t.expose('endpointId', { type: 'X402EndpointId', nullable: true }),
    amount: t.field({ type: 'Amount', resolve: ({ amount, currency }) => formatMinor(amount, currency) }),
    currency: t.expose('currency', { type: 'Currency' }),
    payerWallet: t.exposeString('payerWallet', { description: "A wallet's id, or an address of a chain." }),
    payTo: t.exposeString('payTo'),
    network: t.exposeString('network'),
    scheme: t.expose('scheme', { type: SchemeEnum }),
    status: t.expose('status', { type: PaymentStatusEnum }),
    proof: t.exposeString('proof', { nullable: true, description: 'A JWS that the seller verifies and uses up.' }),
    paymentSignature: t.exposeString('paymentSignature', { nullable: true, description: 'The signed PaymentPayload, where one paid.' }),
    txHash: t.exposeString('txHash', { nullable: true }),
    transferId: t.expose('transferId', { type: 'TransferId', nullable: true }),
    failureReason: t.exposeString('failureReason', { nullable: true }),
    consumedAt: t.expose('consumedAt', { type: 'DateTime', nullable: true }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When its proof ends.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});
const PaymentPage = pageOf(PaymentType, 'X402Payment');

const PaymentPayload = builder.objectRef<MadePayment>('X402PaymentPayload').implement({
  description: 'A payment, and the approval that it waits for, if it does.',
  fields: (t) => ({
    payment: t.field({ type: PaymentType, resolve: (made) => made.payment }),
    approval: t.expose('approval', pendingApproval),
  }),
});

/** The payload of a keyed request that is repeated. */
async function x402PaymentPayload(ctx: Ctx, id: string): Promise<MadePayment> {
  const made = await payment(ctx, id);
  const transfer = made.transferId === null ? null : await ctx.db.transfer.findFirst({ where: { id: made.transferId } });
  return { payment: made, approval: transfer?.approvalId == null ? null : await approval(ctx, transfer.approvalId) };
}

const QuoteType = builder.objectRef<PaymentQuote>('X402Quote').implement({
  description: 'The price of a call, promised for a minute and one payment.',
  fields: (t) => ({
    paymentRequestId: t.expose('id', { type: 'X402QuoteId' }),
    amount: t.field({ type: 'Amount', resolve: ({ amount, endpoint }) => formatMinor(amount, endpoint.currency) }),
    currency: t.field({ type: 'Currency', resolve: ({ endpoint }) => endpoint.currency }),
    payTo: t.string({ resolve: ({ endpoint }, _args, ctx) => payToOf(ctx, endpoint) }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime' }),
    discount: t.field({
      type: 'Amount',
      description: 'What the volume discount takes off the base price.',
      resolve: ({ discount, endpoint }) => formatMinor(discount, endpoint.currency),
    }),
    affordable: t.exposeBoolean('affordable', { nullable: true, description: 'Whether the wallet has the money; null without a wallet.' }),
    decision: t.expose('decision', { type: DecisionType, nullable: true, description: 'What the rules say now; null without a wallet.' }),
  }),
});

const VerificationType = builder.objectRef<PaymentVerification>('X402Verification').implement({
  description: 'Whether a payment is good.',
  fields: (t) => ({
    valid: t.exposeBoolean('valid'),
    paymentId: t.field({ type: 'X402PaymentId', nullable: true, resolve: (found) => found.payment?.id }),
    amount: t.field({
      type: 'Amount',
      nullable: true,
      resolve: ({ payment: row }) => (row === null ? null : formatMinor(row.amount, row.currency)),
    }),
    currency: t.field({ type: 'Currency', nullable: true, resolve: (found) => found.payment?.currency }),
    payerWallet: t.string({ nullable: true, resolve: (found) => found.payment?.payerWallet }),
    endpointId: t.field({ type: 'X402EndpointId', nullable: true, resolve: (found) => found.payment?.endpointId }),
    consumed: t.boolean({ nullable: true, resolve: ({ payment: row }) => (row === null ? null : row.consumedAt !== null) }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'invalid_payload, wrong_endpoint, wrong_resource, pending, failed, consumed, refunded or expired.',
    }),
  }),
});

builder.queryFields((t) => ({
  x402Payment: t.field({
    route: rest('GET /v1/x402/payments/{id}', 'Read a payment.'),
    type: PaymentType,
    args: { id: t.arg({ type: 'X402PaymentId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id }, ctx) => payment(ctx, id),
  }),
  x402Payments: t.field({
    route: rest('GET /v1/x402/payments', 'List payments.'),
    type: PaymentPage,
    args: {
      ...pageArgs(t),
      endpointId: t.arg({ type: 'X402EndpointId', required: false }),
      agentId: t.arg({ type: 'AgentUuid', required: false }),
      status: t.arg({ type: PaymentStatusEnum, required: false }),
    },
    resolve: (_root, filter, ctx) => payments(ctx, filter),
  }),
}));

const demandErrors = [NotFound, CurrencyMismatch, SameWallet, StateConflict, PaymentInvalid, UnsupportedNetwork];
const payErrors = [...demandErrors, PaymentRequestExpired, NonceUsed, ...postingErrors];

builder.mutationFields((t) => ({
  quoteX402Payment: t.field({
    route: rest('POST /v1/x402/quote', 'Ask what a call costs, and whether a wallet may and can pay it.'),
    type: QuoteType,
    args: { input: t.arg({ type: QuoteX402PaymentInput }) },
    ...facts({ errors: demandErrors }),
    resolve: once((ctx, { input }) => quotePayment(ctx, input), quoteAgain),
  }),
  payX402: t.field({
    route: rest('POST /v1/x402/pay', 'Pay for a call from a wallet.', { status: 201, body: 'payment', accepted: 'approval' }),
    type: PaymentPayload,
    args: { input: t.arg({ type: PayX402Input }) },
    ...facts({ errors: payErrors }),
    resolve: once((ctx, { input }) => pay(ctx, input), x402PaymentPayload),
  }),
  dryRunPayX402: t.field({
    route: rest('POST /v1/x402/pay', 'Say what a payment would do, and change nothing.', { when: 'dry_run' }),
    type: DryRunType,
    args: { input: t.arg({ type: PayX402Input }) },
    ...facts({ effect: 'none', errors: payErrors }),
    resolve: (_root, { input }, ctx) => dryRunPay(ctx, input),
  }),
  verifyX402Payment: t.field({
    route: rest('POST /v1/x402/verify', 'Ask whether a payment is good and was not used yet.'),
    type: VerificationType,
    args: { input: t.arg({ type: VerifyX402PaymentInput }) },
    ...facts({ effect: 'none', errors: [NotFound] }),
    resolve: (_root, { input }, ctx) => verifyPayment(ctx, input),
  }),
  consumeX402Payment: t.field({
    route: rest(
      'POST /v1/x402/payments/{id}/consume',
      'Use up the proof of a payment, as the seller; settles an upto payment for what was used.',
    ),
    type: PaymentType,
    args: { id: t.arg({ type: 'X402PaymentId' }), input: t.arg({ type: ConsumeX402PaymentInput, required: false }) },
    ...facts({ errors: [NotFound, Forbidden, StateConflict] }),
    resolve: once((ctx, { id, input }) => consumePayment(ctx, id, input?.amount ?? null), payment),
  }),
}));

builder.objectField(ApproveApprovalPayload, 'payment', (t) =>
  t.field({
    type: PaymentType,
    nullable: true,
    resolve: ({ approval: { subjectType, subjectId } }, _args, ctx) => (subjectType === 'x402_payment' ? payment(ctx, subjectId) : null),
  }),
);
