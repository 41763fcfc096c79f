// The GraphQL face of x402 payments.

import type { X402Payment } from '../../../generated/prisma/client.js';
import { X402PaymentStatus } from '../../../generated/prisma/enums.js';
import type { Ctx } from '../../../platform/ctx.js';
import { CurrencyMismatch, Forbidden, NotFound, StateConflict } from '../../../platform/errors.js';
import { once } from '../../../platform/idempotency.js';
import { formatMinor } from '../../../platform/money.js';
import { builder, facts, pageArgs, pageOf } from '../../../platform/schema/builder.js';
import { byId, rowsOf } from '../../../platform/schema/relation.js';
import { awaitedApproval } from '../../spending/approval/approval.js';
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
import { confirmationsOf, creditedAt } from './chain-outcome.js';
import type { MadePayment } from './ledger-payment.js';
import { dryRunPay, type PaymentQuote, PaymentRequestExpired, pay, quoteAgain, quotePayment } from './pay.js';
import { ConsumeX402PaymentInput, PayX402Input, QuoteX402PaymentInput, VerifyX402PaymentInput } from './payment.input.js';
import { payment, payments, visiblePayments } from './payment.js';
import { consumePayment } from './payment-life.js';
import { receiptOf } from './receipt.js';
import { type PaymentVerification, verifyPayment } from './verification.js';

const PaymentStatusEnum = builder.enumType(X402PaymentStatus, {
  name: 'X402PaymentStatus',
  description: '`pending`: held, waits for an approval or for a chain. `settled`: paid. `failed`: not paid.',
});

export const PaymentType = builder.objectRef<X402Payment>('X402Payment').implement({
  ...byId(rowsOf('x402Payment', visiblePayments)),
  description: 'A payment for a call of an endpoint.',
  fields: (t) => ({
    id: t.expose('id', { type: 'X402PaymentId' }),
    paymentId: t.expose('id', { type: 'X402PaymentId', description: 'The same as `id`.', extensions: { relation: false } }),
    endpointId: t.expose('endpointId', {
      type: 'X402EndpointId',
      nullable: true,
      description: 'The endpoint that was paid; null where it is not one of ours.',
    }),
    amount: t.field({
      type: 'Amount',
      description: 'What is paid, in `currency`.',
      resolve: ({ amount, currency }) => formatMinor(amount, currency),
    }),
    currency: t.expose('currency', { type: 'Currency' }),
    payerWallet: t.exposeString('payerWallet', { description: "Who pays: a wallet's id, or an address of a chain." }),
    payTo: t.exposeString('payTo', { description: "Who is paid: a wallet's id, or an address of a chain." }),
    network: t.exposeString('network', { description: 'The network on which it is paid.' }),
    scheme: t.expose('scheme', { type: SchemeEnum }),
    status: t.expose('status', { type: PaymentStatusEnum }),
    proof: t.exposeString('proof', {
      nullable: true,
      description: 'A JWS with which the buyer proves the payment; the seller verifies and consumes it. Null until it is settled.',
    }),
    receipt: t.string({
      nullable: true,
      wire: { shown: false },
      description:
        'A JWS that says who paid for which address, by the extension `offer-receipt` of x402. Null until it is settled, and for an endpoint that is not one of ours.',
      resolve: (row, _args, ctx) => receiptOf(ctx, row),
    }),
    paymentSignature: t.exposeString('paymentSignature', {
      nullable: true,
      description: 'The signed PaymentPayload, where one paid; else null.',
    }),
    txHash: t.exposeString('txHash', {
      nullable: true,
      description: 'Hash of the ledger or chain transaction that settled it; null before.',
    }),
    transferId: t.expose('transferId', {
      type: 'TransferId',
      nullable: true,
      description: 'The transfer that carries it out; null while there is none.',
    }),
    confirmations: t.int({
      nullable: true,
      description: 'How many blocks confirm its transaction; null where it is in none, and where blocks do not count.',
      resolve: (row, _args, ctx) => confirmationsOf(ctx, row),
    }),
    creditedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When its money reached the wallet: on a chain later than it was settled. Null before.',
      resolve: creditedAt,
    }),
    failureReason: t.exposeString('failureReason', { nullable: true, description: 'Why it failed; null where it did not.' }),
    consumedAt: t.expose('consumedAt', { type: 'DateTime', nullable: true, description: 'When the seller consumed it; null before.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When its proof expires.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});
const PaymentPage = pageOf(PaymentType, 'X402Payment');

const PaymentPayload = builder.objectRef<MadePayment>('X402PaymentPayload').implement({
  description: 'A payment, and the approval that it waits for, if any.',
  fields: (t) => ({
    payment: t.field({ type: PaymentType, description: 'The payment as it was created.', resolve: (made) => made.payment }),
    approval: t.expose('approval', pendingApproval),
  }),
});

/** The payload of a keyed request that is repeated. */
async function x402PaymentPayload(ctx: Ctx, id: string): Promise<MadePayment> {
  const made = await payment(ctx, id);
  const transfer = made.transferId === null ? null : await ctx.db.transfer.findFirst({ where: { id: made.transferId } });
  return { payment: made, approval: await awaitedApproval(ctx, transfer?.approvalId) };
}

const QuoteType = builder.objectRef<PaymentQuote>('X402Quote').implement({
  description: 'The price of a call, guaranteed for a minute and one payment.',
  fields: (t) => ({
    paymentRequestId: t.expose('id', { type: 'X402QuoteId', description: 'The id to pay by, with `POST /v1/x402/pay`.' }),
    amount: t.field({
      type: 'Amount',
      description: 'What the call costs, in `currency`, discount taken off.',
      resolve: ({ amount, endpoint }) => formatMinor(amount, endpoint.currency),
    }),
    currency: t.field({ type: 'Currency', resolve: ({ endpoint }) => endpoint.currency }),
    payTo: t.string({
      description: "Who is paid: a wallet's id, or an address of a chain.",
      resolve: ({ endpoint }, _args, ctx) => payToOf(ctx, endpoint),
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Until when the price holds.' }),
    discount: t.field({
      type: 'Amount',
      description: 'What the volume discount takes off the base price, in `currency`.',
      resolve: ({ discount, endpoint }) => formatMinor(discount, endpoint.currency),
    }),
    affordable: t.exposeBoolean('affordable', {
      nullable: true,
      description: 'True where the wallet has the money; null without a wallet.',
    }),
    decision: t.expose('decision', {
      type: DecisionType,
      nullable: true,
      description: 'What the spend pipeline would decide now; null without a wallet.',
    }),
  }),
});

const VerificationType = builder.objectRef<PaymentVerification>('X402Verification').implement({
  description: 'Whether a payment is valid.',
  fields: (t) => ({
    valid: t.exposeBoolean('valid', { description: 'True where it was settled for this endpoint and was not consumed.' }),
    paymentId: t.field({
      type: 'X402PaymentId',
      nullable: true,
      description: 'The payment; null where it is unknown.',
      resolve: (found) => found.payment?.id,
    }),
    amount: t.field({
      type: 'Amount',
      nullable: true,
      description: 'What was paid, in `currency`; null where it is unknown.',
      resolve: ({ payment: row }) => (row === null ? null : formatMinor(row.amount, row.currency)),
    }),
    currency: t.field({ type: 'Currency', nullable: true, resolve: (found) => found.payment?.currency }),
    payerWallet: t.string({
      nullable: true,
      description: "Who paid: a wallet's id, or an address of a chain; null where it is unknown.",
      resolve: (found) => found.payment?.payerWallet,
    }),
    endpointId: t.field({
      type: 'X402EndpointId',
      nullable: true,
      description: 'The endpoint that was paid; null where it is unknown.',
      resolve: (found) => found.payment?.endpointId,
    }),
    consumed: t.boolean({
      nullable: true,
      description: 'True where it was consumed before; null where it is unknown.',
      resolve: ({ payment: row }) => (row === null ? null : row.consumedAt !== null),
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description:
        'Why it is not valid: invalid_payload, wrong_endpoint, wrong_resource, pending, failed, consumed, refunded or expired. Null where it is.',
    }),
  }),
});

builder.queryFields((t) => ({
  x402Payment: t.field({
    route: rest(
      'GET /v1/x402/payments/{id}',
      'Read an x402 payment with its proof and its receipt. An agent reads the payments that it makes and those that its wallets get.',
      { also: ['receipt'] },
    ),
    type: PaymentType,
    authScopes: { audience: 'any', scope: 'x402:read' },
    args: { id: t.arg({ type: 'X402PaymentId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id }, ctx) => payment(ctx, id),
  }),
  x402Payments: t.field({
    route: rest(
      'GET /v1/x402/payments',
      'List x402 payments, newest first. Filter by endpoint, agent or status; an agent sees those that it makes and those that its wallets get.',
    ),
    type: PaymentPage,
    authScopes: { audience: 'any', scope: 'x402:read' },
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
    route: rest(
      'POST /v1/x402/quote',
      'Price a call, and check whether a wallet may and can pay it. The price holds for a minute and one payment; nothing is reserved. An endpoint that takes no payments is 409.',
    ),
    type: QuoteType,
    authScopes: { audience: 'any', scope: 'x402:write' },
    args: { input: t.arg({ type: QuoteX402PaymentInput }) },
    ...facts({ errors: demandErrors }),
    resolve: once((ctx, { input }) => quotePayment(ctx, input), quoteAgain),
  }),
  payX402: t.field({
    route: rest(
      'POST /v1/x402/pay',
      'Pay for a call from a wallet. The spend pipeline checks it; the money moves at once, or is held until it is approved (202). The answer has the proof to send to the seller. Emits `x402.payment.completed`.',
      { status: 201, body: 'payment', accepted: 'approval' },
    ),
    type: PaymentPayload,
    authScopes: { audience: 'any', scope: 'x402:write' },
    args: { input: t.arg({ type: PayX402Input }) },
    ...facts({ errors: payErrors }),
    resolve: once((ctx, { input }) => pay(ctx, input), x402PaymentPayload),
  }),
  dryRunPayX402: t.field({
    route: rest(
      'POST /v1/x402/pay',
      'Show what `POST /v1/x402/pay` would do, without doing it. A refusal by the spend pipeline is part of the answer; a faulty request is an error.',
      { when: 'dry_run' },
    ),
    type: DryRunType,
    authScopes: { audience: 'any', scope: 'x402:write' },
    args: { input: t.arg({ type: PayX402Input }) },
    ...facts({ effect: 'none', errors: payErrors }),
    resolve: (_root, { input }, ctx) => dryRunPay(ctx, input),
  }),
  verifyX402Payment: t.field({
    route: rest(
      'POST /v1/x402/verify',
      'Verify that a payment was settled for an endpoint and not consumed yet. Nothing is changed: consume it to use it up.',
    ),
    type: VerificationType,
    authScopes: { audience: 'any', scope: 'x402:read' },
    args: { input: t.arg({ type: VerifyX402PaymentInput }) },
    ...facts({ effect: 'none', errors: [NotFound] }),
    resolve: (_root, { input }, ctx) => verifyPayment(ctx, input),
  }),
  consumeX402Payment: t.field({
    route: rest(
      'POST /v1/x402/payments/{id}/consume',
      'Consume a payment, as the seller, once the call was served. A payment is consumed once: the second time is 409. An `upto` payment is settled with it, for what was used. With `response_sha256` the answer is part of what proves the payment.',
    ),
    type: PaymentType,
    authScopes: { audience: 'any', scope: 'x402:write' },
    args: { id: t.arg({ type: 'X402PaymentId' }), input: t.arg({ type: ConsumeX402PaymentInput, required: false }) },
    ...facts({ errors: [NotFound, Forbidden, StateConflict] }),
    resolve: once((ctx, { id, input }) => consumePayment(ctx, id, input ?? {}), payment),
  }),
}));

builder.objectField(ApproveApprovalPayload, 'payment', (t) =>
  t.field({
    type: PaymentType,
    nullable: true,
    description: 'The x402 payment that was approved; else null.',
    resolve: ({ approval: { subjectType, subjectId } }, _args, ctx) => (subjectType === 'x402_payment' ? payment(ctx, subjectId) : null),
  }),
);
