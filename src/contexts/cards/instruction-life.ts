// The steps of an instruction, each taken once under the lock of its row and, before it, of the authorization that it is about. Its
// reference is committed before the network hears of it; from then on the network is asked.
import type { CardInstruction, CardInstructionStatus } from '../../generated/prisma/client.js';
import { giveBackReserved, givenBack, useReserved, usesOf } from '../../ledger/hold.js';
import { type LimitUse, posting } from '../../ledger/posting.js';
import { addSeconds } from '../../platform/clock.js';
import { type Ctx, within } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { transact } from '../../platform/idempotency.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { newId } from '../../platform/schema/id.js';
import { answered, mostSubmissions, nextInquiry, orderSeconds } from '../settlement/submission.js';
import { withdrawApproval } from '../spending/approval.js';
import { post } from '../spending/posting.js';
import { rulebook } from '../spending/rulebook.js';
import { operationRecord, writeOperation } from '../usage/operation.js';
import { openStatuses } from './instruction.js';
import { type NetworkAnswer, type NetworkOrder, networkOf } from './network.js';

/** Why an instruction was not carried out. */
export interface InstructionFailure {
  code: string;
  message: string;
}

const isOpen = ({ status }: Pick<CardInstruction, 'status'>) => openStatuses.includes(status);
const ended = { dueAt: null, leaseUntil: null } as const;

/** The due step: an instruction is sent, or its network is asked what became of it. */
export async function stepInstruction(ctx: Ctx, id: string): Promise<void> {
  const found = await ctx.db.cardInstruction.findFirst({ where: { id } });
  if (found === null || !isOpen(found) || found.dueAt === null || found.dueAt > ctx.clock.now()) return;
  if (found.type === 'cancel' && (await cancelUnsent(ctx, found))) return;
  const network = networkOf(ctx, found.network);
  if (found.reference !== null) {
    const { reference } = found;
    const answer = network === undefined ? unknown : await answered(ctx, () => network.status(ctx, reference));
    return record(ctx, found, answer);
  }
  const sent = await giveReference(ctx, found);
  if (sent === null) return;
  const order = await orderOf(ctx, sent);
  await record(ctx, sent, network === undefined ? unknown : await answered(ctx, () => network.submit(ctx, order)));
}

const unknown: NetworkAnswer = { state: 'unknown' };

/** Commits the reference of an instruction. Null when somebody has taken it meanwhile. */
async function giveReference(ctx: Ctx, { id }: CardInstruction): Promise<CardInstruction | null> {
  const at = ctx.clock.now();
  const row = await transact(
    ctx,
    async (tx) => {
      const before = await lockRow(tx.cardInstruction, id);
      if (!isOpen(before) || before.reference !== null || before.dueAt === null || before.dueAt > at) return null;
      const reference = `ins${newId(at).replaceAll('-', '')}`;
      const data = {
        status: 'submitted',
        reference,
        submittedAt: at,
        submissions: before.submissions + 1,
        asked: 0,
        updatedAt: at,
      } as const;
      return tx.cardInstruction.update({ where: rowKey(ctx, id), data });
    },
    () => id,
  );
  return row;
}

async function orderOf(ctx: Ctx, row: CardInstruction): Promise<NetworkOrder> {
  const { type, reference, amount, currency, merchantRef, payload, submittedAt, originalId } = row;
  const original = originalId === null ? null : await ctx.db.cardInstruction.findFirst({ where: { id: originalId } });
  return {
    type,
    reference: reference ?? '',
    original: original?.reference ?? null,
    amount,
    currency,
    merchantRef,
    payload: payload as Record<string, unknown>,
    expiresAt: addSeconds(submittedAt ?? ctx.clock.now(), orderSeconds),
  };
}

/** Calls off what no network has heard of. False where the network has to be told. */
async function cancelUnsent(ctx: Ctx, { id, originalId }: CardInstruction): Promise<boolean> {
  const row = await transact(ctx, async (tx) => {
    const { row: cancel, original } = await lockBoth(tx, { id, originalId });
    if (original === null || !isOpen(cancel) || cancel.reference !== null) return cancel;
    if (!isOpen(original) || original.reference !== null) return cancel;
    if (original.approvalId !== null) await withdrawApproval(ctx, tx, original.approvalId);
    return approveCancel(ctx, tx, cancel, original, null);
  });
  return !isOpen(row);
}

async function lockBoth(tx: Tx, { id, originalId }: Pick<CardInstruction, 'id' | 'originalId'>) {
  const original = originalId === null ? null : await lockRow(tx.cardInstruction, originalId);
  return { original, row: await lockRow(tx.cardInstruction, id) };
}

/** Follows an answer about the reference that the network was asked for, and says when it is asked again. */
async function record(ctx: Ctx, asked: CardInstruction, answer: NetworkAnswer): Promise<void> {
  const row = await transact(ctx, async (tx) => {
    const { row: before, original } = await lockBoth(tx, asked);
    if (before.reference !== asked.reference || !isOpen(before)) return before;
    return follow(ctx, tx, { row: before, original }, answer);
  });
  if (row.dueAt !== null) ringAt(ctx, 'card_instruction', row.dueAt);
}

interface Locked {
  row: CardInstruction;
  original: CardInstruction | null;
}

async function follow(ctx: Ctx, tx: Tx, { row, original }: Locked, answer: NetworkAnswer): Promise<CardInstruction> {
  const at = ctx.clock.now();
  const later = (dueAt: Date, data: object = {}) =>
    tx.cardInstruction.update({ where: rowKey(ctx, row.id), data: { dueAt, leaseUntil: null, updatedAt: at, ...data } });
  switch (answer.state) {
    case 'approved':
      return approve(ctx, tx, { row, original }, answer.code);
    case 'declined':
    case 'failed':
      return endInstruction(ctx, tx, row, answer.state, { code: answer.code, message: answer.reason });
    case 'cancelled':
      return endInstruction(ctx, tx, row, 'cancelled', calledOff);
    case 'missing':
      return sendAgain(ctx, tx, row, later);
    case 'received':
      if (answer.expectedAt > at) return later(answer.expectedAt);
  }
  return later(nextInquiry(at, row.asked), { asked: row.asked + 1 });
}

const calledOff: InstructionFailure = { code: 'cancelled', message: 'The authorization was called off.' };

/** The network has no such message. Until it has expired it may still be on its way; then it is certain that it was never taken. */
async function sendAgain(
  ctx: Ctx,
  tx: Tx,
  row: CardInstruction,
  later: (dueAt: Date, data?: object) => Promise<CardInstruction>,
): Promise<CardInstruction> {
  const at = ctx.clock.now();
  const certainAt = addSeconds(row.submittedAt ?? at, orderSeconds);
  if (at <= certainAt) return later(addSeconds(certainAt, 1));
  if (row.submissions < mostSubmissions) return later(at, { reference: null });
  return endInstruction(ctx, tx, row, 'failed', { code: 'not_received', message: 'The network has not received the instruction.' });
}

async function approve(ctx: Ctx, tx: Tx, { row, original }: Locked, code: string): Promise<CardInstruction> {
  if (row.type === 'cancel') return approveCancel(ctx, tx, row, original as CardInstruction, code);
  const workspaceId = ctx.workspace.id;
  if (row.type === 'authorize') {
    const approved = await close(ctx, tx, row, { status: 'approved', authorizationCode: code });
    await postEnd(ctx, tx, approved, await useReserved(tx, workspaceId, row.id));
    return approved;
  }
  const { id, amount, refunded } = original as CardInstruction;
  const part = row.amount ?? 0n;
  await tx.cardInstruction.update({ where: rowKey(ctx, id), data: { refunded: refunded + part, updatedAt: ctx.clock.now() } });
  const approved = await close(ctx, tx, row, { status: 'approved', authorizationCode: code });
  await postEnd(ctx, tx, approved, givenBack(await usesOf(tx, workspaceId, id), { part, whole: amount ?? part, before: refunded }));
  return approved;
}

/** Calls the authorization off, whether or not it was approved already, and gives back what it has used of limits. */
async function approveCancel(
  ctx: Ctx,
  tx: Tx,
  cancel: CardInstruction,
  original: CardInstruction,
  code: string | null,
): Promise<CardInstruction> {
  if (isOpen(original)) await endInstruction(ctx, tx, original, 'cancelled', calledOff);
  const limits = original.status === 'approved' ? givenBack(await usesOf(tx, ctx.workspace.id, original.id), { part: 1n, whole: 1n }) : [];
  if (original.status === 'approved') {
    const at = ctx.clock.now();
    const reason = { reasonCode: calledOff.code, reasonMessage: calledOff.message };
    await tx.cardInstruction.update({ where: rowKey(ctx, original.id), data: { status: 'cancelled', ...reason, updatedAt: at } });
  }
  const approved = await close(ctx, tx, cancel, { status: 'approved', authorizationCode: code });
  await postEnd(ctx, tx, approved, limits);
  return approved;
}

/** Ends an instruction that was not carried out: limits get back what it has reserved. The lock of its row is held. */
export async function endInstruction(
  ctx: Ctx,
  tx: Tx,
  row: CardInstruction,
  status: Extract<CardInstructionStatus, 'declined' | 'failed' | 'cancelled'>,
  { code, message }: InstructionFailure,
): Promise<CardInstruction> {
  const closed = await close(ctx, tx, row, { status, reasonCode: code, reasonMessage: message });
  await postEnd(ctx, tx, closed, row.type === 'authorize' ? await giveBackReserved(tx, ctx.workspace.id, row.id) : []);
  return closed;
}

type End = Pick<CardInstruction, 'status'> & Partial<Pick<CardInstruction, 'authorizationCode' | 'reasonCode' | 'reasonMessage'>>;

function close(ctx: Ctx, tx: Tx, { id }: CardInstruction, end: End): Promise<CardInstruction> {
  return tx.cardInstruction.update({ where: rowKey(ctx, id), data: { ...end, ...ended, updatedAt: ctx.clock.now() } });
}

/**
 * The posting of an end: no money, what becomes of limits, and the operation. It is one of this instruction, so what refunds have given
 * back is not counted among the uses of their authorization. What the network has done is done.
 */
async function postEnd(ctx: Ctx, tx: Tx, row: CardInstruction, limits: LimitUse[]): Promise<void> {
  const { type, status, amount, currency, requestedByType, requestedById, agentId, accountId, id, traceId } = row;
  const at = ctx.clock.now();
  const { rates } = await rulebook(within(ctx, tx));
  const success = status === 'approved';
  const operation = {
    at,
    category: 'card_instruction' as const,
    operation: `card.${type}`,
    protocol: 'internal' as const,
    success,
    amount: success ? (amount ?? 0n) : 0n,
    currency: currency ?? 'USD',
    actorType: requestedByType,
    actorId: requestedById,
    agentId,
    accountId,
    counterpartyId: null,
    subjectId: id,
    traceId,
  };
  if (limits.length === 0) return writeOperation(tx, operation, rates);
  const records = { operation: [operationRecord(ctx, operation, rates)] };
  await post(ctx, posting(ctx, { at, transferId: id, legs: [], limits, records }), { in: tx });
}
