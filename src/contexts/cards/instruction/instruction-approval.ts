// Authorizations that wait for an approval: the network hears of them when it is given (CONTRACT.md 6).
import type { Approval, CardInstruction } from '../../../generated/prisma/client.js';
import { type ApprovalSubject, type Ending, SubjectRefused } from '../../../manifest/approval-subject.js';
import { type Ctx, within } from '../../../platform/ctx.js';
import { ringAt } from '../../../platform/due/due-bell.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../../platform/postgres/row.js';
import { inactiveAccount } from '../../accounts/account.js';
import { approveHeld } from '../../spending/approval/approved-spend.js';
import { lockEligibility } from '../../spending/pipeline/eligibility.sql.js';
import { NetworkNotEnrolled } from '../errors.js';
import { endInstruction } from './instruction-life.js';
import { authorizeInstruction } from './instruction-request.js';
import { cardNetworkOf } from './network.js';

/** How an authorization is approved and ended. */
export const instructionSubject: ApprovalSubject = {
  kind: 'cardInstruction',
  lock: lockWithPayer,
  approve: approveInstruction,
  end: async (ctx, tx, { subjectId }, { status, code, message }: Ending) => {
    const row = await tx.cardInstruction.findFirstOrThrow({ where: { id: subjectId } });
    return endInstruction(ctx, tx, row, status, { code, message });
  },
};

/** The lock of an instruction, after those that keep the standing of who pays. */
async function lockWithPayer(_ctx: Ctx, tx: Tx, id: string): Promise<CardInstruction> {
  const { workspaceId, accountId, agentId } = await tx.cardInstruction.findFirstOrThrow({ where: { id } });
  await lockEligibility(tx, { workspaceId, accountId, walletId: null, agentIds: [agentId] });
  return lockRow(tx.cardInstruction, id);
}

/** The limits are used anew, as of now, and the network is told. What was verified was taken when the approval was asked for. */
async function approveInstruction(ctx: Ctx, tx: Tx, approval: Approval): Promise<() => void> {
  const row = await tx.cardInstruction.findFirstOrThrow({ where: { id: approval.subjectId } });
  const { id, network, agentId, accountId, amount, currency, merchantRef, traceId } = row;
  if (cardNetworkOf(ctx, network) === undefined) throw new SubjectRefused(new NetworkNotEnrolled(network));
  const account = await tx.account.findFirstOrThrow({ where: { id: accountId }, select: { id: true, status: true } });
  if (account.status !== 'active') throw new SubjectRefused(inactiveAccount(account, 'payments by card authorized'));
  const spend = { agentId, accountId, amount: amount ?? 0n, currency: currency ?? '', merchantRef: merchantRef ?? '' };
  const authority = await authorizeInstruction(within(ctx, tx), { ...spend, lifted: approval.lifted, traceId });
  const { at } = authority;
  await approveHeld(ctx, tx, { approval, authority, id }, async (decisionId) => {
    await tx.cardInstruction.update({ where: rowKey(ctx, id), data: { decisionId, dueAt: at, updatedAt: at } });
    return {};
  });
  return () => ringAt(ctx, 'card_instruction', at);
}
