// Payouts that wait for an approval, and payouts that are called off before they are submitted (CONTRACT.md 6, 12).
import { eventRecords } from '../../../events/event.js';
import type { Approval, Payout } from '../../../generated/prisma/client.js';
import type { ApprovalSubject, Ending } from '../../../manifest/approval-subject.js';
import { type Ctx, within } from '../../../platform/ctx.js';
import { ringAt } from '../../../platform/due/due-bell.js';
import { StateConflict } from '../../../platform/errors.js';
import { transact } from '../../../platform/idempotency.js';
import { conflict } from '../../../platform/lifecycle.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../../platform/postgres/row.js';
import { printId } from '../../../platform/schema/id.js';
import { walletRef } from '../../accounts/wallet-ref.js';
import { withdrawApproval } from '../../spending/approval/approval.js';
import { approveHeld, authorizeAgain } from '../../spending/approval/approved-spend.js';
import { leavingOf } from '../../transfers/exchange.js';
import { payerGuards } from '../../transfers/hold.js';
import { aboutPayout, event, payoutData } from '../events.js';
import { joinWindow, startOf } from '../window/window.js';
import { payoutLifecycle, visiblePayouts } from './payout.js';
import { failPayout } from './payout-life.js';

/** How a payout is approved and ended. */
export const payoutSubject: ApprovalSubject = {
  kind: 'payout',
  lock: (_ctx, tx, id) => lockRow(tx.payout, id),
  approve: approvePayout,
  end: async (ctx, tx, { subjectId }, { status, code, message }: Ending) => {
    const payout = await tx.payout.findFirstOrThrow({ where: { id: subjectId } });
    return failPayout(ctx, tx, payout, { code, message, isCalledOff: status === 'cancelled' });
  },
};

/** What was held stays so, and the payout goes its way. */
async function approvePayout(ctx: Ctx, tx: Tx, approval: Approval): Promise<() => void> {
  const payout = await tx.payout.findFirstOrThrow({ where: { id: approval.subjectId } });
  const transfer = await lockRow(tx.transfer, payout.transferId);
  const from = await walletRef(within(ctx, tx), payout.walletId);
  if (from === null) throw new Error(`payout ${payout.id} has no wallet`);
  const spend = { ...transfer, amount: leavingOf(transfer) };
  const authority = await authorizeAgain(ctx, tx, approval, spend, { from, to: null });
  const { at } = authority;
  const held = { approval, authority, id: transfer.id, guards: payerGuards(ctx, transfer) };
  await approveHeld(ctx, tx, held, async (decisionId) => {
    await tx.transfer.update({ where: rowKey(ctx, transfer.id), data: { decisionId, updatedAt: at } });
    const start = startOf(await joinWindow(ctx, tx, payout.rail, payout.currency), at);
    const begun = await tx.payout.update({ where: rowKey(ctx, payout.id), data: start });
    const initiated = event(ctx, 'settlement.initiated', payoutData(begun), { at, ...aboutPayout(begun) });
    return { records: eventRecords(ctx.workspace.id, [initiated]) };
  });
  return () => ringAt(ctx, 'payout', at);
}

/** Calls a payout off that was not submitted, with its approval; what was held goes back. 409 otherwise. */
export function cancelPayout(ctx: Ctx, id: string): Promise<Payout> {
  return transact(ctx, async (tx) => {
    const payout = await lockRow(tx.payout, id, { where: visiblePayouts.where(ctx) });
    const printed = printId('payout', id);
    if (payout.status !== 'pending') throw conflict(payoutLifecycle, printed, payout.status, 'failed');
    if (payout.submittedAt !== null) throw submitted(printed);
    const { approvalId } = await lockRow(tx.transfer, payout.transferId);
    if (approvalId !== null) await withdrawApproval(ctx, tx, approvalId);
    return failPayout(ctx, tx, payout, {
      code: 'cancelled',
      message: 'The payout was cancelled before it was submitted.',
      isCalledOff: true,
    });
  });
}

function submitted(id: string): StateConflict {
  return new StateConflict('The payout was sent to the rail, which decides its outcome.', 'pending', [], {
    reason: 'submitted',
    next_actions: [{ rel: 'read', actor: 'any', method: 'GET', path: `/v1/payouts/${id}` }],
  });
}
