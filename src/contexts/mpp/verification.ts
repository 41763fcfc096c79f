// Whether a voucher, or the receipt of a one-off payment, is good: asked by the service that was handed one, which may have no credential
// (CONTRACT.md 10).
import type { MppSession, Transfer } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound, ValidationFailed } from '../../platform/errors.js';
import { createCtx } from '../../platform/request.js';
import { placeOfAgent } from '../agents/agent.js';
import { paymentFacts } from './payment.js';
import { namedByReceipt, paidAmount, receiptEnd } from './payment-receipt.js';
import type { VerifyMppVoucherInput } from './session.input.js';
import { mppSession } from './session.js';
import { storedVoucher } from './voucher.js';
import { isSignedBy, namedByToken } from './voucher-token.js';

/** What was promised, or paid. */
export interface Promised {
  sessionId: string | null;
  /** The one-off payment. */
  paymentId: string | null;
  /** Minor units. */
  amount: bigint;
  cumulativeAmount: bigint;
  currency: string;
  issuedAt: Date;
  expiresAt: Date;
}

// Gap G-312: Whoever holds a signed voucher may ask about it; it is valid while its session is open.
/** Whether a voucher or a receipt is good now. What it says is told to who holds it signed, or may read its session. */
export interface VoucherVerification {
  valid: boolean;
  /** Why not: `unknown_voucher`, `session_closed`, `session_expired`, `refunded`, `expired`. */
  reason: string | null;
  promised: Promised | null;
}

const unknown: VoucherVerification = { valid: false, reason: 'unknown_voucher', promised: null };

/** Asks whether one is good. What we have not signed as it is says nothing. Changes nothing. 400 unless it names one. */
export async function verifyVoucher(ctx: Ctx, { voucherId, signedVoucher }: VerifyMppVoucherInput): Promise<VoucherVerification> {
  if ((voucherId == null) === (signedVoucher == null)) {
    throw new ValidationFailed([{ path: ['voucherId'], message: 'name one of voucher_id and signed_voucher', rule: 'one_of' }]);
  }
  if (voucherId != null) return readVoucher(ctx, voucherId);
  return (await heldVoucher(ctx, signedVoucher ?? '')) ?? (await heldReceipt(ctx, signedVoucher ?? '')) ?? unknown;
}

/** A ctx of the workspace of an agent, in the environment of the listener; null for none. */
async function readerOf(ctx: Ctx, agentId: string): Promise<Ctx | null> {
  const place = await placeOfAgent(ctx.platform, agentId, ctx.workspace.environment);
  return place === null ? null : createCtx(place.platform, { actor: ctx.actor, workspace: place.workspace }, ctx);
}

/** The voucher that a text is the signature of; null for a text that is none. */
async function heldVoucher(ctx: Ctx, token: string): Promise<VoucherVerification | null> {
  const named = namedByToken(token);
  const reader = named && (await readerOf(ctx, named.agentId));
  if (named === null || reader === null) return null;
  const session = await reader.db.mppSession.findFirst({ where: { id: named.sessionId } });
  if (session === null || !isSignedBy(session, token)) return null;
  const voucher = await reader.db.mppVoucher.findFirst({ where: { id: named.voucherId, sessionId: session.id } });
  return voucher && judge(reader, session, voucher);
}

/** The voucher of a session that the actor may read. */
async function readVoucher(ctx: Ctx, id: string): Promise<VoucherVerification> {
  if (ctx.actor.type === 'anonymous') return unknown;
  try {
    const { voucher } = await storedVoucher(ctx, id);
    return judge(ctx, await mppSession(ctx, voucher.sessionId), voucher);
  } catch (error) {
    if (error instanceof NotFound) return unknown;
    throw error;
  }
}

interface Voucher {
  amount: bigint;
  cumulativeAmount: bigint;
  createdAt: Date;
}

function judge({ clock }: Ctx, session: MppSession, { amount, cumulativeAmount, createdAt }: Voucher): VoucherVerification {
  const { id, currency, expiresAt, status } = session;
  const isOver = status === 'expired' || expiresAt <= clock.now();
  const reason = status === 'closed' ? 'session_closed' : isOver ? 'session_expired' : null;
  const promised = { sessionId: id, paymentId: null, amount, cumulativeAmount, currency, issuedAt: createdAt, expiresAt };
  return { valid: reason === null, reason, promised };
}

// Gap G-319: A receipt is a JWS (ES256), valid for 366 days and until all was refunded.
/** The payment that a text is the receipt of. It is good until all of it was given back, or its time is over. */
async function heldReceipt(ctx: Ctx, receipt: string): Promise<VoucherVerification | null> {
  const named = await namedByReceipt(ctx.platform, receipt);
  const reader = named && (await readerOf(ctx, named.agentId));
  const paid = named && reader && (await reader.db.transfer.findFirst({ where: { id: named.paymentId, status: 'completed' } }));
  if (reader === null || !paid || paymentFacts(paid) === null || paid.completedAt === null) return null;
  const promised = promisedBy(paid, paid.completedAt);
  const isOver = promised.expiresAt <= reader.clock.now();
  const reason = paid.refundedAmount >= promised.amount ? 'refunded' : isOver ? 'expired' : null;
  return { valid: reason === null, reason, promised };
}

function promisedBy(paid: Transfer, issuedAt: Date): Promised {
  const amount = paidAmount(paid);
  const { id: paymentId, currency } = paid;
  return { sessionId: null, paymentId, amount, cumulativeAmount: amount, currency, issuedAt, expiresAt: receiptEnd(issuedAt) };
}
