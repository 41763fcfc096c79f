// Sessions and top-ups that wait for an approval: their money is held in the wallet, goes into escrow when it is given, and back otherwise (CONTRACT.md 0
// "Approval interplay").
import type { Approval, MppSession } from '../../generated/prisma/client.js';
import { type ApprovalSubject, type Ending, SubjectRefused } from '../../manifest/approval-subject.js';
import type { Ctx } from '../../platform/ctx.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { approveHeld } from '../spending/approval/approved-spend.js';
import { lockEligibility } from '../spending/pipeline/eligibility.sql.js';
import { reauthorize } from '../transfers/approval.js';
import { intoEscrow } from '../transfers/escrowed.js';
import { endTransfer } from '../transfers/hold.js';
import { endSession } from './closing.js';
import { addToSession } from './deposit.js';
import { mppSession, notOpen } from './session.js';

/** How the deposit of a session is approved and ended. */
export const sessionSubject: ApprovalSubject = {
  kind: 'mppSession',
  lock: lockWithPayer,
  approve: approveSession,
  end: endPending,
};

/** How a top-up is approved and ended. */
export const sessionTopUpSubject: ApprovalSubject = {
  kind: 'transfer',
  lock: async (ctx, tx, id) => {
    await lockWithPayer(ctx, tx, await sessionOf(tx, id));
    return lockRow(tx.transfer, id);
  },
  approve: approveTopUp,
  end: async (ctx, tx, { subjectId }, ending: Ending) =>
    endTransfer(ctx, tx, await tx.transfer.findFirstOrThrow({ where: { id: subjectId } }), ending),
};

/** The lock of a session, after those that keep the standing of its payer. */
async function lockWithPayer(_ctx: Ctx, tx: Tx, id: string): Promise<MppSession> {
  const { workspaceId, accountId, walletId, walletAgentId, agentId } = await tx.mppSession.findFirstOrThrow({ where: { id } });
  await lockEligibility(tx, { workspaceId, accountId, walletId, agentIds: [walletAgentId, agentId] });
  return lockRow(tx.mppSession, id);
}

async function sessionOf(tx: Tx, transferId: string): Promise<string> {
  return (await tx.mppDeposit.findFirstOrThrow({ where: { transferId } })).sessionId;
}

async function approveSession(ctx: Ctx, tx: Tx, approval: Approval): Promise<undefined> {
  const row = await tx.mppSession.findFirstOrThrow({ where: { id: approval.subjectId } });
  if (row.status !== 'pending' || row.expiresAt <= ctx.clock.now()) throw new SubjectRefused(notOpen(row.id, 'open'));
  await fundEscrow(ctx, tx, approval, row);
  await tx.mppSession.update({ where: rowKey(ctx, row.id), data: { status: 'open', updatedAt: ctx.clock.now() } });
}

async function approveTopUp(ctx: Ctx, tx: Tx, approval: Approval): Promise<undefined> {
  const row = await tx.mppSession.findFirstOrThrow({ where: { id: await sessionOf(tx, approval.subjectId) } });
  if (row.status !== 'open' || row.expiresAt <= ctx.clock.now()) throw new SubjectRefused(notOpen(row.id, row.status));
  await addToSession(ctx, tx, row.id, await fundEscrow(ctx, tx, approval, row));
}

/** Runs the pipeline again; the money goes into escrow, and uses limits in the windows of now. Answers how much it is. */
async function fundEscrow(ctx: Ctx, tx: Tx, approval: Approval, { escrowAccountId }: MppSession): Promise<bigint> {
  const approved = await reauthorize(ctx, tx, approval, approval.transferId ?? '');
  const { transfer, authority } = approved;
  await approveHeld(ctx, tx, approved, (decisionId) => intoEscrow(tx, transfer, escrowAccountId, { decisionId, at: authority.at }));
  return transfer.amount;
}

/** It never opened: what it holds goes back. */
async function endPending(ctx: Ctx, tx: Tx, { subjectId, transferId }: Approval, ending: Ending): Promise<void> {
  const row = await tx.mppSession.findFirstOrThrow({ where: { id: subjectId } });
  await endTransfer(ctx, tx, await tx.transfer.findFirstOrThrow({ where: { id: transferId ?? '' } }), ending);
  await endSession(ctx, tx, row, 'closed', ending.code);
}

/** The session that an approval was about; null for another subject. */
export async function approvedSession(ctx: Ctx, { subjectType, subjectId }: Approval): Promise<MppSession | null> {
  if (subjectType === 'mpp_session') return mppSession(ctx, subjectId);
  if (subjectType !== 'mpp_top_up') return null;
  const found = await ctx.db.mppDeposit.findFirst({ where: { transferId: subjectId } });
  return found === null ? null : mppSession(ctx, found.sessionId);
}
