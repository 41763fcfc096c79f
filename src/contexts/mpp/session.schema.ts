// The GraphQL face of MPP sessions and their vouchers.
import type { MppSession } from '../../generated/prisma/client.js';
import { MppSessionStatus } from '../../generated/prisma/enums.js';
import { CurrencyMismatch, NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts, pageArgs, pageOf } from '../../platform/schema/builder.js';
import { pendingApproval } from '../spending/approval/approval.schema.js';
import { postingErrors } from '../spending/pipeline/refusal.js';
import { DryRunType } from '../transfers/dry-run.schema.js';
import { SameWallet } from '../transfers/errors.js';
import { closeMppSession } from './closing.js';
import { topUpSessionMutation } from './deposit.js';
import { OtherSide, RequestIdReused } from './errors.js';
import { rest } from './rest.js';
import {
  CloseMppSessionInput,
  CreateMppSessionInput,
  CreateMppVoucherInput,
  TopUpMppSessionInput,
  VerifyMppVoucherInput,
} from './session.input.js';
import { mppSession, mppSessions, type SessionChange } from './session.js';
import { sessionMutation } from './session-request.js';
import { type VoucherVerification, verifyVoucher } from './verification.js';
import { createVoucher, lastVouchers, mostVouchers, storedVoucher, type VoucherView } from './voucher.js';
import { signVoucher } from './voucher-token.js';

const MppSessionStatusEnum = builder.enumType(MppSessionStatus, { name: 'MppSessionStatus' });

const MppVoucher = builder.objectRef<VoucherView>('MppVoucher').implement({
  description: 'A promise to the payee of so much of the deposit in all.',
  fields: (t) => ({
    id: t.field({ type: 'MppVoucherId', resolve: ({ voucher }) => voucher.id }),
    sessionId: t.field({ type: 'MppSessionId', resolve: ({ voucher }) => voucher.sessionId }),
    sequence: t.int({ resolve: ({ voucher }) => voucher.sequence }),
    amount: t.field({
      type: 'Amount',
      description: 'What it added.',
      resolve: ({ voucher, session }) => formatMinor(voucher.amount, session.currency),
    }),
    cumulativeAmount: t.field({
      type: 'Amount',
      description: 'What the vouchers promise in all.',
      resolve: ({ voucher, session }) => formatMinor(voucher.cumulativeAmount, session.currency),
    }),
    description: t.string({ nullable: true, resolve: ({ voucher }) => voucher.description }),
    requestId: t.string({ nullable: true, resolve: ({ voucher }) => voucher.requestId }),
    signedVoucher: t.string({
      description: 'A JWS (EdDSA) by the key of the session.',
      resolve: ({ voucher, session }, _args, ctx) => signVoucher(ctx.platform, session, voucher),
    }),
    createdAt: t.field({ type: 'DateTime', resolve: ({ voucher }) => voucher.createdAt }),
  }),
});

export const MppSessionType = builder.objectRef<MppSession>('MppSession').implement({
  description: 'A deposit in escrow, of which vouchers promise the payee more and more until it is settled.',
  fields: (t) => {
    const money = (description: string, of: (row: MppSession) => bigint) =>
      t.field({ type: 'Amount', description, resolve: (row) => formatMinor(of(row), row.currency) });
    return {
      id: t.expose('id', { type: 'MppSessionId' }),
      serviceUrl: t.exposeString('serviceUrl'),
      payeeWalletId: t.expose('payeeWalletId', { type: 'WalletId' }),
      agentId: t.expose('agentId', { type: 'AgentUuid' }),
      walletId: t.expose('walletId', { type: 'WalletId' }),
      depositAmount: money('What was put in, with top-ups.', ({ deposited }) => deposited),
      currency: t.expose('currency', { type: 'Currency' }),
      acceptedCumulative: money('What vouchers promise the payee.', ({ accepted }) => accepted),
      settledAmount: money('What the payee was paid when it ended.', ({ settled }) => settled),
      budgetRemaining: money('What vouchers may still promise.', ({ status, deposited, accepted }) =>
        status === 'closed' || status === 'expired' ? 0n : deposited - accepted,
      ),
      budgetUsed: money('What vouchers have promised.', ({ accepted }) => accepted),
      maxVoucherAmount: t.field({
        type: 'Amount',
        nullable: true,
        description: 'The most that one voucher adds.',
        resolve: ({ maxVoucher, currency }) => (maxVoucher === null ? null : formatMinor(maxVoucher, currency)),
      }),
      status: t.expose('status', { type: MppSessionStatusEnum }),
      statusReason: t.exposeString('statusReason', { nullable: true, description: 'Why it has ended.' }),
      voucherKey: t.string({
        description: 'The public key of its vouchers: base64 of 32 bytes, Ed25519.',
        resolve: ({ voucherKey }) => Buffer.from(voucherKey).toString('base64'),
      }),
      expiresAt: t.expose('expiresAt', { type: 'DateTime' }),
      createdAt: t.expose('createdAt', { type: 'DateTime' }),
      updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
      vouchers: t.field({
        wire: { shown: false },
        type: [MppVoucher],
        description: 'The last vouchers, newest first.',
        ...facts({ most: mostVouchers }),
        resolve: (row, _args, ctx) => lastVouchers(ctx, row),
      }),
    };
  },
});
const MppSessionPage = pageOf(MppSessionType, 'MppSession');

const MppSessionPayload = builder.objectRef<SessionChange>('MppSessionPayload').implement({
  description: 'A session, and the approval that its deposit waits for, if it does.',
  fields: (t) => ({
    session: t.field({ type: MppSessionType, resolve: ({ session }) => session }),
    approval: t.expose('approval', pendingApproval),
  }),
});

const MppVoucherPayload = builder.objectRef<VoucherView>('MppVoucherPayload').implement({
  description: 'A voucher, and whether it was there before.',
  fields: (t) => ({
    voucher: t.field({ type: MppVoucher, resolve: (view) => view }),
    repeated: t.boolean({
      nullable: true,
      description: 'True for a voucher that was there before: no more was asked for.',
      resolve: ({ isRepeated }) => (isRepeated ? true : null),
    }),
  }),
});

const VerificationType = builder.objectRef<VoucherVerification>('MppVoucherVerification').implement({
  description: 'Whether a voucher, or the receipt of a one-off payment, is good now.',
  fields: (t) => ({
    valid: t.exposeBoolean('valid'),
    sessionId: t.field({ type: 'MppSessionId', nullable: true, resolve: ({ promised }) => promised?.sessionId }),
    paymentId: t.field({
      type: 'MppPaymentId',
      nullable: true,
      description: 'The one-off payment of a receipt.',
      resolve: ({ promised }) => promised?.paymentId,
    }),
    amount: t.field({
      type: 'Amount',
      nullable: true,
      resolve: ({ promised }) => promised && formatMinor(promised.amount, promised.currency),
    }),
    cumulativeAmount: t.field({
      type: 'Amount',
      nullable: true,
      resolve: ({ promised }) => promised && formatMinor(promised.cumulativeAmount, promised.currency),
    }),
    issuedAt: t.field({ type: 'DateTime', nullable: true, resolve: ({ promised }) => promised?.issuedAt }),
    expiresAt: t.field({ type: 'DateTime', nullable: true, resolve: ({ promised }) => promised?.expiresAt }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why it is not: unknown_voucher, session_closed, session_expired, refunded, expired.',
    }),
  }),
});

builder.queryFields((t) => ({
  mppSession: t.field({
    route: rest('GET /v1/mpp/sessions/{id}', 'Read a payment session with its last vouchers.', { also: ['vouchers'] }),
    type: MppSessionType,
    args: { id: t.arg({ type: 'MppSessionId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id }, ctx) => mppSession(ctx, id),
  }),
  mppSessions: t.field({
    route: rest('GET /v1/mpp/sessions', 'List payment sessions.'),
    type: MppSessionPage,
    args: {
      ...pageArgs(t),
      status: t.arg({ type: MppSessionStatusEnum, required: false }),
      agentId: t.arg({ type: 'AgentUuid', required: false, description: 'The agent that spends.' }),
      walletId: t.arg({ type: 'WalletId', required: false, description: 'On either side.' }),
    },
    resolve: (_root, filter, ctx) => mppSessions(ctx, filter),
  }),
}));

const depositErrors = [NotFound, CurrencyMismatch, SameWallet, StateConflict];
const changeErrors = [NotFound, StateConflict, OtherSide];

builder.mutationFields((t) => ({
  createMppSession: t.field({
    route: rest('POST /v1/mpp/sessions', 'Open a payment session with a deposit.', { status: 201, body: 'session', accepted: 'approval' }),
    type: MppSessionPayload,
    args: { input: t.arg({ type: CreateMppSessionInput }) },
    ...facts({ errors: [...depositErrors, ...postingErrors] }),
    resolve: once((ctx, { input }) => sessionMutation.create(ctx, input), sessionMutation.replay),
  }),
  dryRunMppSession: t.field({
    route: rest('POST /v1/mpp/sessions', 'Say what a session would do, and change nothing.', { when: 'dry_run' }),
    type: DryRunType,
    args: { input: t.arg({ type: CreateMppSessionInput }) },
    ...facts({ effect: 'none', errors: depositErrors }),
    resolve: (_root, { input }, ctx) => sessionMutation.dryRun(ctx, input),
  }),
  topUpMppSession: t.field({
    route: rest('POST /v1/mpp/sessions/{id}/top-up', 'Put more money into a session.', { body: 'session', accepted: 'approval' }),
    type: MppSessionPayload,
    args: { id: t.arg({ type: 'MppSessionId' }), input: t.arg({ type: TopUpMppSessionInput }) },
    ...facts({ errors: [...changeErrors, ...postingErrors] }),
    resolve: once((ctx, { id, input }) => topUpSessionMutation.create(ctx, { ...input, id }), topUpSessionMutation.replay),
  }),
  dryRunMppTopUp: t.field({
    route: rest('POST /v1/mpp/sessions/{id}/top-up', 'Say what a top-up would do, and change nothing.', { when: 'dry_run' }),
    type: DryRunType,
    args: { id: t.arg({ type: 'MppSessionId' }), input: t.arg({ type: TopUpMppSessionInput }) },
    ...facts({ effect: 'none', errors: changeErrors }),
    resolve: (_root, { id, input }, ctx) => topUpSessionMutation.dryRun(ctx, { ...input, id }),
  }),
  closeMppSession: t.field({
    route: rest('POST /v1/mpp/sessions/{id}/close', 'Settle a session: the payee gets what vouchers have promised, the rest goes back.'),
    type: MppSessionType,
    args: { id: t.arg({ type: 'MppSessionId' }), input: t.arg({ type: CloseMppSessionInput }) },
    ...facts({ errors: [NotFound, StateConflict, ...postingErrors] }),
    resolve: once((ctx, { id, input }) => closeMppSession(ctx, { ...input, id }), mppSession),
  }),
  createMppVoucher: t.field({
    route: rest('POST /v1/mpp/sessions/{id}/vouchers', 'Promise the payee more of the deposit.', {
      status: 201,
      body: 'voucher',
      existing: 'repeated',
    }),
    type: MppVoucherPayload,
    args: { id: t.arg({ type: 'MppSessionId' }), input: t.arg({ type: CreateMppVoucherInput }) },
    ...facts({ errors: [...changeErrors, RequestIdReused, ...postingErrors] }),
    resolve: once((ctx, { id, input }) => createVoucher(ctx, { ...input, id }), storedVoucher),
  }),
  verifyMppVoucher: t.field({
    route: rest('POST /v1/mpp/receipts/verify', 'Ask whether a voucher, or a receipt, is good.'),
    type: VerificationType,
    description: 'Ask whether a voucher or a receipt is good. It takes no credential: who holds it signed may ask.',
    skipTypeScopes: true,
    authScopes: { audience: 'public' },
    args: { input: t.arg({ type: VerifyMppVoucherInput }) },
    ...facts({ effect: 'none' }),
    resolve: (_root, { input }, ctx) => verifyVoucher(ctx, input),
  }),
}));
