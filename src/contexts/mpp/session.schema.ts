// The GraphQL face of MPP sessions and their vouchers.
import type { MppSession } from '../../generated/prisma/client.js';
import { MppSessionStatus } from '../../generated/prisma/enums.js';
import { CurrencyMismatch, NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts, pageArgs, pageOf } from '../../platform/schema/builder.js';
import { byId, rowsOf } from '../../platform/schema/relation.js';
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
import { mppSession, mppSessions, type SessionChange, visibleSessions } from './session.js';
import { sessionMutation } from './session-request.js';
import { type VoucherVerification, verifyVoucher } from './verification.js';
import { createVoucher, lastVouchers, mostVouchers, storedVoucher, type VoucherView } from './voucher.js';
import { signVoucher } from './voucher-token.js';

const MppSessionStatusEnum = builder.enumType(MppSessionStatus, {
  name: 'MppSessionStatus',
  description: '`pending`: waits for an approval. `open`: takes vouchers. `closing`: being settled. `closed` and `expired`: final.',
});

const MppVoucher = builder.objectRef<VoucherView>('MppVoucher').implement({
  description: 'A promise to the payee of a part of the deposit; each adds to those before.',
  fields: (t) => ({
    id: t.field({ type: 'MppVoucherId', resolve: ({ voucher }) => voucher.id }),
    sessionId: t.field({ type: 'MppSessionId', description: 'The session.', resolve: ({ voucher }) => voucher.sessionId }),
    sequence: t.int({ description: 'Number of the voucher in its session, from 1.', resolve: ({ voucher }) => voucher.sequence }),
    amount: t.field({
      type: 'Amount',
      description: 'What it added, in the currency of the session.',
      resolve: ({ voucher, session }) => formatMinor(voucher.amount, session.currency),
    }),
    cumulativeAmount: t.field({
      type: 'Amount',
      description: 'What all vouchers up to this one promise together.',
      resolve: ({ voucher, session }) => formatMinor(voucher.cumulativeAmount, session.currency),
    }),
    description: t.string({
      nullable: true,
      description: 'Text for people; null where none was given.',
      resolve: ({ voucher }) => voucher.description,
    }),
    requestId: t.string({
      nullable: true,
      description: 'Your own id of it; null where none was given.',
      resolve: ({ voucher }) => voucher.requestId,
    }),
    signedVoucher: t.string({
      description: 'The voucher as a JWS (EdDSA), signed by the key of the session.',
      resolve: ({ voucher, session }, _args, ctx) => signVoucher(ctx.platform, session, voucher),
    }),
    createdAt: t.field({ type: 'DateTime', resolve: ({ voucher }) => voucher.createdAt }),
  }),
});

export const MppSessionType = builder.objectRef<MppSession>('MppSession').implement({
  ...byId(rowsOf('mppSession', visibleSessions)),
  description: 'A deposit in escrow that vouchers promise to the payee, bit by bit, until it is settled.',
  fields: (t) => {
    const money = (description: string, of: (row: MppSession) => bigint) =>
      t.field({ type: 'Amount', description, resolve: (row) => formatMinor(of(row), row.currency) });
    return {
      id: t.expose('id', { type: 'MppSessionId' }),
      serviceUrl: t.exposeString('serviceUrl', { description: 'Address of the service that is paid.' }),
      payeeWalletId: t.expose('payeeWalletId', { type: 'WalletId', description: 'The wallet that is paid.' }),
      agentId: t.expose('agentId', { type: 'AgentUuid', description: 'The agent that spends.' }),
      walletId: t.expose('walletId', { type: 'WalletId', description: 'The wallet that pays.' }),
      depositAmount: money('What was put in, top-ups included.', ({ deposited }) => deposited),
      currency: t.expose('currency', { type: 'Currency' }),
      acceptedCumulative: money('What vouchers promise the payee so far.', ({ accepted }) => accepted),
      settledAmount: money('What the payee was paid at the end; 0.00 before.', ({ settled }) => settled),
      budgetRemaining: money('What vouchers may still promise.', ({ status, deposited, accepted }) =>
        status === 'closed' || status === 'expired' ? 0n : deposited - accepted,
      ),
      budgetUsed: money('What vouchers have promised so far; the same as `accepted_cumulative`.', ({ accepted }) => accepted),
      maxVoucherAmount: t.field({
        type: 'Amount',
        nullable: true,
        description: 'The most that one voucher may add; null for no limit.',
        resolve: ({ maxVoucher, currency }) => (maxVoucher === null ? null : formatMinor(maxVoucher, currency)),
      }),
      status: t.expose('status', { type: MppSessionStatusEnum }),
      statusReason: t.exposeString('statusReason', { nullable: true, description: 'Why it has ended; null while it has not.' }),
      voucherKey: t.string({
        description: 'Public key of its vouchers: Ed25519, base64 of 32 bytes.',
        resolve: ({ voucherKey }) => Buffer.from(voucherKey).toString('base64'),
      }),
      expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When it is settled by itself.' }),
      createdAt: t.expose('createdAt', { type: 'DateTime' }),
      updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
      vouchers: t.field({
        wire: { shown: false },
        type: [MppVoucher],
        description: 'The last 100 vouchers, newest first.',
        ...facts({ most: mostVouchers }),
        resolve: (row, _args, ctx) => lastVouchers(ctx, row),
      }),
    };
  },
});
const MppSessionPage = pageOf(MppSessionType, 'MppSession');

const MppSessionPayload = builder.objectRef<SessionChange>('MppSessionPayload').implement({
  description: 'A session, and the approval that its deposit waits for, if any.',
  fields: (t) => ({
    session: t.field({ type: MppSessionType, description: 'The session after the change.', resolve: ({ session }) => session }),
    approval: t.expose('approval', pendingApproval),
  }),
});

const MppVoucherPayload = builder.objectRef<VoucherView>('MppVoucherPayload').implement({
  description: 'A voucher, and whether it existed before.',
  fields: (t) => ({
    voucher: t.field({ type: MppVoucher, description: 'The voucher that holds now.', resolve: (view) => view }),
    repeated: t.boolean({
      nullable: true,
      description: 'True for a voucher that existed before, because nothing more was promised; else null.',
      resolve: ({ isRepeated }) => (isRepeated ? true : null),
    }),
  }),
});

const VerificationType = builder.objectRef<VoucherVerification>('MppVoucherVerification').implement({
  description: 'Whether a voucher, or the receipt of a one-off payment, is valid now.',
  fields: (t) => ({
    valid: t.exposeBoolean('valid', { description: 'True where the payee can rely on it.' }),
    sessionId: t.field({
      type: 'MppSessionId',
      nullable: true,
      description: 'The session of a voucher; null for a receipt.',
      resolve: ({ promised }) => promised?.sessionId,
    }),
    paymentId: t.field({
      type: 'MppPaymentId',
      nullable: true,
      description: 'The one-off payment of a receipt; null for a voucher.',
      resolve: ({ promised }) => promised?.paymentId,
    }),
    amount: t.field({
      type: 'Amount',
      nullable: true,
      description: 'What it added or paid; null where it is unknown.',
      resolve: ({ promised }) => promised && formatMinor(promised.amount, promised.currency),
    }),
    cumulativeAmount: t.field({
      type: 'Amount',
      nullable: true,
      description: 'What all vouchers up to it promise; null for a receipt.',
      resolve: ({ promised }) => promised && formatMinor(promised.cumulativeAmount, promised.currency),
    }),
    issuedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was issued; null where it is unknown.',
      resolve: ({ promised }) => promised?.issuedAt,
    }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it ends; null where it is unknown.',
      resolve: ({ promised }) => promised?.expiresAt,
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why it is not valid: unknown_voucher, session_closed, session_expired, refunded or expired. Null where it is.',
    }),
  }),
});

builder.queryFields((t) => ({
  mppSession: t.field({
    route: rest(
      'GET /v1/mpp/sessions/{id}',
      'Read a payment session with its last 100 vouchers. Either side reads it; for others it is 404.',
      { also: ['vouchers'] },
    ),
    type: MppSessionType,
    authScopes: { audience: 'any', scope: 'mpp:read' },
    args: { id: t.arg({ type: 'MppSessionId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id }, ctx) => mppSession(ctx, id),
  }),
  mppSessions: t.field({
    route: rest(
      'GET /v1/mpp/sessions',
      'List payment sessions, newest first. Filter by status, agent or wallet; an agent sees those that it pays or is paid by.',
    ),
    type: MppSessionPage,
    authScopes: { audience: 'any', scope: 'mpp:read' },
    args: {
      ...pageArgs(t),
      status: t.arg({ type: MppSessionStatusEnum, required: false }),
      agentId: t.arg({ type: 'AgentUuid', required: false, description: 'Only sessions that this agent pays.' }),
      walletId: t.arg({ type: 'WalletId', required: false, description: 'Only sessions that this wallet pays or receives.' }),
    },
    resolve: (_root, filter, ctx) => mppSessions(ctx, filter),
  }),
}));

const depositErrors = [NotFound, CurrencyMismatch, SameWallet, StateConflict];
const changeErrors = [NotFound, StateConflict, OtherSide];

builder.mutationFields((t) => ({
  createMppSession: t.field({
    route: rest(
      'POST /v1/mpp/sessions',
      'Open a payment session with a deposit. The deposit is held in escrow and used up by the limits; vouchers then promise parts of it to the payee without further checks of policies. It may need an approval (202).',
      { status: 201, body: 'session', accepted: 'approval' },
    ),
    type: MppSessionPayload,
    authScopes: { audience: 'any', scope: 'mpp:write' },
    args: { input: t.arg({ type: CreateMppSessionInput }) },
    ...facts({ errors: [...depositErrors, ...postingErrors] }),
    resolve: once((ctx, { input }) => sessionMutation.create(ctx, input), sessionMutation.replay),
  }),
  dryRunMppSession: t.field({
    route: rest(
      'POST /v1/mpp/sessions',
      'Show what `POST /v1/mpp/sessions` would do, without doing it. A refusal by the spend pipeline is part of the answer; a faulty request is an error.',
      { when: 'dry_run' },
    ),
    type: DryRunType,
    authScopes: { audience: 'any', scope: 'mpp:write' },
    args: { input: t.arg({ type: CreateMppSessionInput }) },
    ...facts({ effect: 'none', errors: depositErrors }),
    resolve: (_root, { input }, ctx) => sessionMutation.dryRun(ctx, input),
  }),
  topUpMppSession: t.field({
    route: rest(
      'POST /v1/mpp/sessions/{id}/top-up',
      'Add money to an open session, as its payer. The amount uses limits like a new deposit, and may need an approval (202). A session that is not open is 409.',
      { body: 'session', accepted: 'approval' },
    ),
    type: MppSessionPayload,
    authScopes: { audience: 'any', scope: 'mpp:write' },
    args: { id: t.arg({ type: 'MppSessionId' }), input: t.arg({ type: TopUpMppSessionInput }) },
    ...facts({ errors: [...changeErrors, ...postingErrors] }),
    resolve: once((ctx, { id, input }) => topUpSessionMutation.create(ctx, { ...input, id }), topUpSessionMutation.replay),
  }),
  dryRunMppTopUp: t.field({
    route: rest(
      'POST /v1/mpp/sessions/{id}/top-up',
      'Show what a top-up of a session would do, without doing it. A refusal by the spend pipeline is part of the answer; a faulty request is an error.',
      { when: 'dry_run' },
    ),
    type: DryRunType,
    authScopes: { audience: 'any', scope: 'mpp:write' },
    args: { id: t.arg({ type: 'MppSessionId' }), input: t.arg({ type: TopUpMppSessionInput }) },
    ...facts({ effect: 'none', errors: changeErrors }),
    resolve: (_root, { id, input }, ctx) => topUpSessionMutation.dryRun(ctx, { ...input, id }),
  }),
  closeMppSession: t.field({
    route: rest(
      'POST /v1/mpp/sessions/{id}/close',
      'Settle a session for good: the payee gets what vouchers have promised, the rest goes back. Either side may; the payer can add a last promise with `cumulative_amount`. A session that has ended is 409.',
    ),
    type: MppSessionType,
    authScopes: { audience: 'any', scope: 'mpp:write' },
    args: { id: t.arg({ type: 'MppSessionId' }), input: t.arg({ type: CloseMppSessionInput }) },
    ...facts({ errors: [NotFound, StateConflict, ...postingErrors] }),
    resolve: once((ctx, { id, input }) => closeMppSession(ctx, { ...input, id }), mppSession),
  }),
  createMppVoucher: t.field({
    route: rest(
      'POST /v1/mpp/sessions/{id}/vouchers',
      'Issue a voucher that promises the payee more of the deposit, as the payer. A promise that is not higher answers with the highest voucher (200); more than the deposit is 422. The same `request_id` with the same amount is the same voucher.',
      { status: 201, body: 'voucher', existing: 'repeated' },
    ),
    type: MppVoucherPayload,
    authScopes: { audience: 'any', scope: 'mpp:write' },
    args: { id: t.arg({ type: 'MppSessionId' }), input: t.arg({ type: CreateMppVoucherInput }) },
    ...facts({ errors: [...changeErrors, RequestIdReused, ...postingErrors] }),
    resolve: once((ctx, { id, input }) => createVoucher(ctx, { ...input, id }), storedVoucher),
  }),
  verifyMppVoucher: t.field({
    route: rest(
      'POST /v1/mpp/receipts/verify',
      'Verify a voucher or the receipt of a one-off payment. It takes no credential, because whoever holds the signed text may ask, and changes nothing.',
    ),
    type: VerificationType,
    skipTypeScopes: true,
    authScopes: { audience: 'public' },
    args: { input: t.arg({ type: VerifyMppVoucherInput }) },
    ...facts({ effect: 'none' }),
    resolve: (_root, { input }, ctx) => verifyVoucher(ctx, input),
  }),
}));
