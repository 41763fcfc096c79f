// Tasks whose money waits for an approval: held in the wallet, it goes into escrow when it is given, and the task is offered then; it goes back otherwise
// (CONTRACT.md 0 "Approval interplay").
import type { Approval, Task } from '../../generated/prisma/client.js';
import { type ApprovalSubject, type Ending, SubjectRefused } from '../../manifest/approval-subject.js';
import type { Ctx } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow } from '../../platform/postgres/row.js';
import { approveHeld, authorizeAgain } from '../spending/approval/approved-spend.js';
import { lockEligibility } from '../spending/pipeline/eligibility.sql.js';
import { intoEscrow } from '../transfers/escrowed.js';
import { endTransfer, payerGuards } from '../transfers/hold.js';
import { noteEnd } from './ending.js';
import { notifyAssigned } from './notice.js';
import { namePayee, partiesOfTask } from './payment.js';
import { changeTask, offeredTo, refuseTask, revokedReason, shownTo, task } from './task.js';

/** How a task is approved and ended. */
export const taskSubject: ApprovalSubject = { kind: 'task', lock: lockWithSides, approve: approveTask, end };

/** The lock of a task, after those that keep the standing of its payer and of its worker. */
async function lockWithSides(_ctx: Ctx, tx: Tx, id: string): Promise<Task> {
  const { workspaceId, walletId, fromAgentId, toAgentId } = await tx.task.findFirstOrThrow({ where: { id } });
  const { accountId, agentId } = await tx.wallet.findFirstOrThrow({ where: { id: walletId ?? '' } });
  await lockEligibility(tx, { workspaceId, accountId, walletId, agentIds: [agentId, fromAgentId, toAgentId] });
  return lockRow(tx.task, id);
}

async function approveTask(ctx: Ctx, tx: Tx, approval: Approval): Promise<() => void> {
  const row = await waiting(tx, approval);
  const { deadline, statusReason, open } = row;
  const isLate = deadline !== null && deadline <= ctx.clock.now();
  if (isLate || statusReason === revokedReason) {
    const message = isLate ? 'The deadline of the task has passed.' : 'An agent of the task was revoked.';
    throw new SubjectRefused(refuseTask({ id: row.id, status: isLate ? 'expired' : 'cancelled' }, ['pending'], message));
  }
  await fundEscrow(ctx, tx, approval, row);
  const ready = await changeTask(ctx, tx, row, { paymentStatus: 'reserved', ...(open ? offeredTo(row) : shownTo('worker')) });
  await notifyAssigned(ctx, tx, ready);
  return () => {
    if (ready.dueAt !== null) ringAt(ctx, 'task', ready.dueAt);
  };
}

/** Runs the pipeline again; the money goes into escrow, and uses limits in the windows of now. */
async function fundEscrow(ctx: Ctx, tx: Tx, approval: Approval, row: Task): Promise<void> {
  const transfer = await tx.transfer.findFirstOrThrow({ where: { id: row.transferId ?? '' } });
  const parties = await partiesOfTask(ctx, tx, row);
  const authority = await authorizeAgain(ctx, tx, approval, transfer, parties);
  const { id: escrowAccountId } = await tx.ledgerAccount.findFirstOrThrow({ where: { ownerId: row.id, kind: 'task.escrow' } });
  const held = { approval, authority, id: transfer.id, guards: payerGuards(ctx, transfer) };
  await approveHeld(ctx, tx, held, async (decisionId) => {
    if (parties.to !== null) await namePayee(tx, row, parties.to);
    return intoEscrow(tx, transfer, escrowAccountId, { decisionId, at: authority.at });
  });
}

/** It was never offered: what it holds goes back. */
async function end(ctx: Ctx, tx: Tx, approval: Approval, ending: Ending): Promise<void> {
  const row = await waiting(tx, approval);
  await endTransfer(ctx, tx, await lockRow(tx.transfer, row.transferId ?? ''), ending);
  await noteEnd(ctx, tx, row, ending.status, ending.code, { paymentStatus: 'refunded', released: 0n });
}

/** The task behind an approval, whose lock is held. It waits as long as its approval does. */
async function waiting(tx: Tx, { subjectId }: Approval): Promise<Task> {
  const row = await tx.task.findFirstOrThrow({ where: { id: subjectId } });
  if (row.paymentStatus !== 'awaiting_approval')
    throw new Error(`task ${subjectId} is ${row.paymentStatus} while its approval was pending`);
  return row;
}

/** The task that an approval was about; null for another subject. */
export async function approvedTask(ctx: Ctx, { subjectType, subjectId }: Approval): Promise<Task | null> {
  return subjectType === 'task' ? task(ctx, subjectId) : null;
}
