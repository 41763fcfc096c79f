// Streams and top-ups that wait for an approval: how they begin once it is given, and how they end otherwise (CONTRACT.md 0 "Approval
// interplay").
import type { Approval, Stream, Transfer } from '../../generated/prisma/client.js';
import { type ApprovalSubject, type Ending, SubjectRefused } from '../../manifest/approval-subject.js';
import type { Ctx } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { wrongStatus } from '../../platform/lifecycle.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow } from '../../platform/postgres/row.js';
import { printId } from '../../platform/schema/id.js';
import { approveHeld } from '../spending/approval/approved-spend.js';
import { lockEligibility } from '../spending/pipeline/eligibility.sql.js';
import { captureApproved, reauthorize } from '../transfers/approval.js';
import { endTransfer } from '../transfers/hold.js';
import { checkpointed, endedAt, isOpenFlow } from './accrual.js';
import { saveFlow, settleStream } from './checkpoint.js';
import { flowOf, type StreamView, stream, streamLifecycle } from './stream.js';
import { addToStream } from './top-up.js';

/** How the deposit of a new stream is approved and ended. */
export const streamSubject: ApprovalSubject = {
  kind: 'stream',
  lock: lockWithPayer,
  approve: approveStream,
  end: endPending,
};
// Gap G-136: A waiting top-up has the subject `stream_top_up` with the transfer's id; the end of the stream cancels it.
/** How a top-up is approved and ended. */
export const streamTopUpSubject: ApprovalSubject = {
  kind: 'transfer',
  lock: async (ctx, tx, id) => {
    const { subjectId: streamId } = await tx.transfer.findFirstOrThrow({ where: { id }, select: { subjectId: true } });
    await lockWithPayer(ctx, tx, streamId ?? '');
    return lockRow(tx.transfer, id);
  },
  approve: approveTopUp,
  end: async (ctx, tx, { subjectId }, ending: Ending) => endTransfer(ctx, tx, await deposit(tx, subjectId), ending),
};

/** The lock of a stream, after those that keep the standing of its payer. */
async function lockWithPayer(_ctx: Ctx, tx: Tx, id: string): Promise<Stream> {
  const found = await tx.stream.findFirstOrThrow({ where: { id } });
  const { workspaceId, fromAccountId: accountId, fromWalletId: walletId, fromAgentId, agentId } = found;
  await lockEligibility(tx, { workspaceId, accountId, walletId, agentIds: [fromAgentId, agentId] });
  return lockRow(tx.stream, id);
}

/** The money is put in, and flows from now on. */
async function approveStream(ctx: Ctx, tx: Tx, approval: Approval): Promise<() => void> {
  const row = await tx.stream.findFirstOrThrow({ where: { id: approval.subjectId } });
  const now = ctx.clock.now();
  if (row.endsAt !== null && row.endsAt <= now) throw over(row, `The stream would have ended at ${row.endsAt.toISOString()}.`);
  await payIn(ctx, tx, approval);
  const saved = await saveFlow(ctx, tx, row, checkpointed(flowOf(row), now, { status: 'active' }));
  return () => saved.dueAt !== null && ringAt(ctx, 'stream', saved.dueAt);
}

async function approveTopUp(ctx: Ctx, tx: Tx, approval: Approval): Promise<() => void> {
  const { subjectId: streamId, amount } = await deposit(tx, approval.subjectId);
  const { row, end } = await settleStream(ctx, tx, await tx.stream.findFirstOrThrow({ where: { id: streamId ?? '' } }));
  if (end !== null || !isOpenFlow(row)) throw over(row, 'The stream has ended.');
  await payIn(ctx, tx, approval);
  const saved = await addToStream(ctx, tx, { row, flow: flowOf(row), at: ctx.clock.now() }, amount);
  return () => saved.dueAt !== null && ringAt(ctx, 'stream', saved.dueAt);
}

/** Runs the pipeline again and puts the money in that is held. */
async function payIn(ctx: Ctx, tx: Tx, approval: Approval): Promise<void> {
  const approved = await reauthorize(ctx, tx, approval, approval.transferId ?? '');
  await approveHeld(ctx, tx, approved, (decisionId) => captureApproved(ctx, tx, approved, decisionId));
}

/** It never began: what it holds goes back. */
async function endPending(ctx: Ctx, tx: Tx, { subjectId, transferId }: Approval, ending: Ending): Promise<void> {
  const row = await tx.stream.findFirstOrThrow({ where: { id: subjectId } });
  await endTransfer(ctx, tx, await deposit(tx, transferId ?? ''), ending);
  await saveFlow(ctx, tx, row, endedAt(flowOf(row), ctx.clock.now(), 'cancelled'), { statusReason: ending.code });
}

function over({ id, status }: Stream, message: string): SubjectRefused {
  return new SubjectRefused(wrongStatus(streamLifecycle, printId('stream', id), status, ['active'], message));
}

/** The transfer of a deposit that waits. */
async function deposit(tx: Tx, id: string): Promise<Transfer> {
  return tx.transfer.findFirstOrThrow({ where: { id, type: 'stream_start' } });
}

/** The stream that an approval was about; null for another subject. */
export async function approvedStream(ctx: Ctx, { subjectType, subjectId }: Approval): Promise<StreamView | null> {
  if (subjectType === 'stream') return stream(ctx, subjectId);
  if (subjectType !== 'stream_top_up') return null;
  const { subjectId: streamId } = await ctx.db.transfer.findFirstOrThrow({ where: { id: subjectId }, select: { subjectId: true } });
  return streamId === null ? null : stream(ctx, streamId);
}
