// Transfers that wait for an approval: how they are carried out once it is given, and how they end otherwise (CONTRACT.md 6).
import { eventRecords } from '../../events/event.js';
import type { Approval, Transfer } from '../../generated/prisma/client.js';
import { resolve } from '../../ledger/hold.js';
import { joinRecords } from '../../ledger/record.js';
import type { ApprovalSubject, Ending } from '../../manifest/approval-subject.js';
import { addSeconds } from '../../platform/clock.js';
import { type Ctx, within } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { approveHeld, authorizeAgain, type HeldMoney, type HeldSpend } from '../spending/approval/approved-spend.js';
import { completedEvents, transferRoles } from './events.js';
import { captureLegs } from './exchange.js';
import { endTransfer, payerGuards } from './hold.js';
import { transferOperation } from './operation.js';
import { defaultHoldSeconds, partiesOf, transferEventSubject, type WalletParties } from './transfer.js';
import { lessWithheldAt } from './withholding.js';

/** How a transfer is approved and ended; that of another thing, whose id is the transfer's, is the same under another name. */
export const transferSubject: ApprovalSubject = {
  kind: 'transfer',
  lock: (_ctx, tx, id) => lockRow(tx.transfer, id),
  approve: approveTransfer,
  end: async (ctx, tx, { subjectId }, ending: Ending) => endTransfer(ctx, tx, await waiting(tx, subjectId), ending),
};

/** A transfer whose approval is given. */
export interface Approved extends WalletParties, HeldSpend {
  transfer: Transfer;
}

async function approveTransfer(ctx: Ctx, tx: Tx, approval: Approval): Promise<(() => void) | undefined> {
  const approved = await reauthorize(ctx, tx, approval, approval.subjectId);
  if (approved.transfer.capture === 'manual') return startHold(ctx, tx, approved);
  await approveHeld(ctx, tx, approved, (decisionId) => captureApproved(ctx, tx, approved, decisionId));
  return undefined;
}

/** Authorizes an approved spend again: its transfer, whose lock is held, and the rules as they are now. */
export async function reauthorize(ctx: Ctx, tx: Tx, approval: Approval, transferId: string): Promise<Approved> {
  const transfer = await waiting(tx, transferId);
  const parties = await partiesOf(within(ctx, tx), transfer);
  const authority = await authorizeAgain(ctx, tx, approval, transfer, parties);
  return { ...parties, approval, transfer, authority, id: transfer.id, guards: payerGuards(ctx, transfer) };
}

/** What is held goes to the payee, or wherever it was meant for. */
export async function captureApproved(
  ctx: Ctx,
  tx: Tx,
  { transfer, from, to, authority }: Approved,
  decisionId: string,
): Promise<HeldMoney> {
  const { at } = authority;
  const { rates, mandate } = authority.rules;
  const hold = await tx.hold.findFirstOrThrow({ where: { id: transfer.holdId ?? '' } });
  const { legs, limits: givenBack } = await resolve(tx, hold, { capture: hold.amount, at, usesAnew: true });
  const done = await tx.transfer.update({
    where: rowKey(ctx, transfer.id),
    data: { status: 'completed', capturedAmount: hold.amount, decisionId, completedAt: at, updatedAt: at },
  });
  const reader = within(ctx, tx);
  const paid = await lessWithheldAt(reader, done, [...legs, ...(await captureLegs(reader, done))], at);
  const completed = completedEvents(ctx, done, { at, ...transferEventSubject(done), roles: transferRoles(done, from, to), mandate });
  const operation = transferOperation(ctx, done, hold.amount, at, rates);
  const records = joinRecords(eventRecords(ctx.workspace.id, completed), operation, paid.records);
  return { legs: paid.legs, records, givenBack, isPaid: true };
}

/** What is held stays so until it is captured; its time begins now. */
async function startHold(ctx: Ctx, tx: Tx, approved: Approved): Promise<() => void> {
  const { approval, transfer, authority } = approved;
  const { hold_seconds: seconds = defaultHoldSeconds } = approval.execution as { hold_seconds?: number };
  const { at } = authority;
  const expiresAt = addSeconds(at, seconds);
  await approveHeld(ctx, tx, approved, async (decisionId) => {
    const data = { decisionId, holdExpiresAt: expiresAt, dueAt: expiresAt, updatedAt: at };
    await tx.transfer.update({ where: rowKey(ctx, transfer.id), data });
    return {};
  });
  return () => ringAt(ctx, 'transfer', expiresAt);
}

/** The transfer behind an approval, whose lock is held. It waits as long as its approval does. */
async function waiting(tx: Tx, id: string): Promise<Transfer> {
  const transfer = await tx.transfer.findFirstOrThrow({ where: { id } });
  if (transfer.status !== 'pending') throw new Error(`transfer ${id} is ${transfer.status} while its approval was pending`);
  return transfer;
}
