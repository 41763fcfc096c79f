// Whether a voucher is good: asked by the service that was handed one, which may have no credential (CONTRACT.md 10).
import type { Ctx } from '../../platform/ctx.js';
import { NotFound, ValidationFailed } from '../../platform/errors.js';
import { createCtx } from '../../platform/request.js';
import { workspaceOfAgent } from '../agents/agent.js';
import { mppSession } from './session.js';
import { storedVoucher, type VoucherView } from './voucher.js';
import { isSignedBy, namedByToken } from './voucher-token.js';

export interface VerifyVoucherInput {
  voucherId?: string | null | undefined;
  signedVoucher?: string | null | undefined;
}

/** Whether a voucher is good now. What it says is told to who holds it signed, or may read its session (Gap G-298). */
export interface VoucherVerification {
  valid: boolean;
  /** Why not: `unknown_voucher`, `session_closed`, `session_expired`. */
  reason: string | null;
  view: VoucherView | null;
}

const unknown: VoucherVerification = { valid: false, reason: 'unknown_voucher', view: null };

/** Asks whether a voucher is good. One that we have not signed as it is says nothing. Changes nothing. 400 unless it names one voucher. */
export async function verifyVoucher(ctx: Ctx, { voucherId, signedVoucher }: VerifyVoucherInput): Promise<VoucherVerification> {
  if ((voucherId == null) === (signedVoucher == null)) {
    throw new ValidationFailed([{ path: ['voucherId'], message: 'name one of voucher_id and signed_voucher', rule: 'one_of' }]);
  }
  const view = voucherId == null ? await heldVoucher(ctx, signedVoucher ?? '') : await readVoucher(ctx, voucherId);
  if (view === null) return unknown;
  const { voucher } = view;
  const reader = await readerOf(ctx, view);
  const session = reader === null ? null : await reader.db.mppSession.findFirst({ where: { id: voucher.sessionId } });
  if (reader === null || session === null) return unknown;
  const isOver = session.status === 'expired' || session.expiresAt <= reader.clock.now();
  const reason = session.status === 'closed' ? 'session_closed' : isOver ? 'session_expired' : null;
  return { valid: reason === null, reason, view };
}

/** The voucher that a text is the signature of. */
async function heldVoucher(ctx: Ctx, token: string): Promise<VoucherView | null> {
  const named = namedByToken(token);
  const workspace = named && (await workspaceOfAgent(ctx.platform, named.agentId, ctx.workspace.environment));
  if (named === null || workspace === null) return null;
  const reader = createCtx(ctx.platform, { actor: ctx.actor, workspace }, ctx);
  const session = await reader.db.mppSession.findFirst({ where: { id: named.sessionId } });
  if (session === null || !isSignedBy(session, token)) return null;
  const voucher = await reader.db.mppVoucher.findFirst({ where: { id: named.voucherId, sessionId: session.id } });
  return voucher === null ? null : { voucher, session, isRepeated: true };
}

/** The voucher of a session that the actor may read. */
async function readVoucher(ctx: Ctx, id: string): Promise<VoucherView | null> {
  if (ctx.actor.type === 'anonymous') return null;
  try {
    const view = await storedVoucher(ctx, id);
    await mppSession(ctx, view.voucher.sessionId);
    return view;
  } catch (error) {
    if (error instanceof NotFound) return null;
    throw error;
  }
}

/** A ctx of the workspace of a voucher. */
async function readerOf(ctx: Ctx, { session }: VoucherView): Promise<Ctx | null> {
  const workspace = await workspaceOfAgent(ctx.platform, session.agentId, ctx.workspace.environment);
  return workspace === null ? null : createCtx(ctx.platform, { actor: ctx.actor, workspace }, ctx);
}
