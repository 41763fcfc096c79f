// The end of a session: what vouchers have promised is paid to the payee, the rest of the deposits goes back (CONTRACT.md 10). It was a
// spend when it was put in, so no rule is asked, and a payer that was frozen meanwhile keeps nothing from the payee.
import type { MppSession, MppSessionStatus, Transfer } from '../../generated/prisma/client.js';
import type { Ending } from '../../manifest/approval-subject.js';
import { type Ctx, within } from '../../platform/ctx.js';
import { ValidationFailed } from '../../platform/errors.js';
import type { Frozen } from '../../platform/freeze.js';
import { transact } from '../../platform/idempotency.js';
import { checkStep } from '../../platform/lifecycle.js';
import { parseMinor } from '../../platform/money.js';
import { runIn, type Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { printId } from '../../platform/schema/id.js';
import { withdrawApproval } from '../spending/approval/approval.js';
import { settleEscrowed } from '../transfers/escrowed.js';
import { endTransfer } from '../transfers/hold.js';
import type { CloseMppSessionInput } from './session.input.js';
import { isPayer, lockSession, mppSessionLifecycle } from './session.js';
import { addVoucher } from './voucher.js';

// Gap G-310: Either side closes; the payer's amount is a last voucher if higher, the payee may name no more than was accepted.
/**
 * Closes a session, for either side. The payer's `cumulativeAmount` is a last voucher where it is more than what was accepted; the payee's
 * may not be. 400, 404, 409 for one that has ended, 422 for more than the deposit.
 */
export function closeMppSession(ctx: Ctx, { id, cumulativeAmount }: CloseMppSessionInput & { id: string }): Promise<MppSession> {
  return transact(ctx, async (tx) => {
    const row = await lockSession(ctx, tx, id);
    checkStep(mppSessionLifecycle, printId('mppSession', id), row.status, 'closed');
    const wanted = cumulativeAmount == null ? 0n : parseMinor(cumulativeAmount, row.currency, ['cumulativeAmount']);
    if (wanted <= row.accepted) return settleSession(ctx, tx, row, { status: 'closed', reason: null });
    if (!isPayer(ctx, row)) {
      const message = 'is more than the vouchers have promised, and only the payer can promise more';
      throw new ValidationFailed([{ path: ['cumulativeAmount'], message, rule: 'max' }]);
    }
    await addVoucher(within(ctx, tx), tx, { id, cumulativeAmount });
    return settleSession(ctx, tx, await lockSession(ctx, tx, id), { status: 'closed', reason: null });
  });
}

/** The due step of a session: its time is over, or it is to be closed because its agent was revoked. */
export async function stepMppSession(ctx: Ctx, id: string): Promise<void> {
  await transact(ctx, async (tx) => {
    const row = await lockRow(tx.mppSession, id);
    if (row.dueAt === null || row.dueAt > ctx.clock.now()) {
      return tx.mppSession.update({ where: rowKey(ctx, id), data: { leaseUntil: null } });
    }
    if (row.status === 'open') return settleSession(ctx, tx, row, { status: 'expired', reason: 'expired' });
    return settleSession(ctx, tx, row, { status: 'closed', reason: row.statusReason ?? 'expired' });
  });
}

/** $2 is the instant. What waits for an approval, or is open, is closed soon: the due step of each does it. */
const closeText = `
  UPDATE mpp_session s SET status = CASE WHEN s.status = 'open' THEN 'closing'::mpp_session_status ELSE s.status END,
    status_reason = $4, due_at = $2::timestamptz, lease_until = NULL, updated_at = $2::timestamptz
  WHERE s.workspace_id = $1::uuid AND s.status IN ('pending', 'open') AND (s.agent_id = $3::uuid OR s.wallet_agent_id = $3::uuid)`;

/** Closes the sessions that a revoked agent pays. Whoever is only frozen keeps them: guards of each voucher refuse it meanwhile. */
export async function closeSessions(ctx: Ctx, tx: Tx, { id, reason }: Frozen): Promise<void> {
  if (reason !== 'agent_revoked') return;
  await runIn(tx, { name: 'close-mpp-sessions', text: closeText }, [ctx.workspace.id, ctx.clock.now(), id, reason]);
}

interface End {
  status: Extract<MppSessionStatus, 'closed' | 'expired'>;
  reason: string | null;
}

/** Pays what was accepted and returns the rest, under the lock of the session. What waits for an approval is called off. */
export async function settleSession(ctx: Ctx, tx: Tx, row: MppSession, { status, reason }: End): Promise<MppSession> {
  const ending: Ending = { status: 'cancelled', code: 'session_ended', message: `The session was ${status}.` };
  const deposits = await depositsOf(tx, row.id);
  const waiting = await waitingAmong(tx, deposits);
  let rest = row.status === 'pending' ? 0n : row.accepted;
  for (const transfer of deposits) {
    if (waiting.has(transfer.approvalId)) {
      await withdrawApproval(ctx, tx, transfer.approvalId ?? '');
      await endTransfer(ctx, tx, transfer, ending);
      continue;
    }
    // Vouchers are paid out of the oldest deposits.
    const captured = transfer.amount < rest ? transfer.amount : rest;
    rest -= captured;
    await settleEscrowed(ctx, tx, transfer, captured, ending);
  }
  return endSession(ctx, tx, row, status, reason);
}

/** Writes that a session has ended, and that its money was paid and returned. */
export function endSession(ctx: Ctx, tx: Tx, row: MppSession, status: End['status'], reason: string | null): Promise<MppSession> {
  return tx.mppSession.update({
    where: rowKey(ctx, row.id),
    data: {
      status,
      statusReason: reason,
      settled: row.accepted,
      returned: row.deposited - row.accepted,
      updatedAt: ctx.clock.now(),
      dueAt: null,
      leaseUntil: null,
    },
  });
}

/** The deposits whose money is still held, oldest first. */
async function depositsOf(tx: Tx, sessionId: string): Promise<Transfer[]> {
  const deposits = await tx.mppDeposit.findMany({ where: { sessionId }, orderBy: { transferId: 'asc' }, select: { transferId: true } });
  const ids = deposits.map(({ transferId }) => transferId);
  return tx.transfer.findMany({ where: { id: { in: ids }, status: 'pending' }, orderBy: { id: 'asc' } });
}

/** The approvals that deposits still wait for. */
async function waitingAmong(tx: Tx, deposits: readonly Transfer[]): Promise<ReadonlySet<string | null>> {
  const ids = deposits.map(({ approvalId }) => approvalId).filter((id) => id !== null);
  if (ids.length === 0) return new Set();
  const found = await tx.approval.findMany({ where: { id: { in: ids }, status: 'pending' }, select: { id: true } });
  return new Set(found.map(({ id }) => id));
}
