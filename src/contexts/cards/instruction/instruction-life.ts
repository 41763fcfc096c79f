// The steps of an instruction, each taken once under the lock of its row and, before it, of the authorization that it is about. Its
// reference is committed before the network hears of it; from then on the network is asked.
import type { CardInstruction, CardInstructionStatus } from '../../../generated/prisma/client.js';
import { giveBackReserved, givenBack, useReserved, usesOf } from '../../../ledger/hold.js';
import { type LimitUse, posting } from '../../../ledger/posting.js';
import { type Ctx, within } from '../../../platform/ctx.js';
import { transact } from '../../../platform/idempotency.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../../platform/postgres/row.js';
import { type OrderMessage, type SubmissionKind, submission } from '../../settlement/rail/submission.js';
import { withdrawApproval } from '../../spending/approval/approval.js';
import { postSpend } from '../../spending/pipeline/posting.js';
import { rulebook } from '../../spending/pipeline/rulebook.js';
import { operationRecord, writeOperation } from '../../usage/operation.js';
import { openInstructionStatuses } from './instruction.js';
import { cardNetworkOf, type NetworkAnswer, type NetworkOrder } from './network.js';

/** Why an instruction was not carried out. */
export interface InstructionFailure {
  code: string;
  message: string;
}

const isOpen = ({ status }: Pick<CardInstruction, 'status'>) => openInstructionStatuses.includes(status);
const ended = { dueAt: null, leaseUntil: null } as const;

/** Instructions on their way to their networks. */
const instructions: SubmissionKind<CardInstruction, NetworkOrder, NetworkAnswer> = {
  table: 'card_instruction',
  prefix: 'ins',
  find: ({ db }, id) => db.cardInstruction.findFirst({ where: { id } }),
  isOpen,
  referenceOf: ({ reference }) => reference,
  carrierOf: (ctx, { network }) => cardNetworkOf(ctx, network),
  messageOf,
  giveReference,
  lock: async (_ctx, tx, row) => (await lockBoth(tx, row)).row,
  follow,
  wait: (ctx, tx, { id }, waiting) =>
    tx.cardInstruction.update({ where: rowKey(ctx, id), data: { ...waiting, leaseUntil: null, updatedAt: ctx.clock.now() } }),
  lose: (ctx, tx, row) =>
    endInstruction(ctx, tx, row, 'failed', { code: 'not_received', message: 'The network has not received the instruction.' }),
};

/** The due step: an instruction is sent, or its network is asked what became of it. */
export const stepInstruction = submission(instructions);

async function messageOf(ctx: Ctx, row: CardInstruction): Promise<Omit<NetworkOrder, keyof OrderMessage> | null> {
  if (row.type === 'cancel' && (await cancelUnsent(ctx, row))) return null;
  const { type, amount, currency, merchantRef, originalId } = row;
  const original = originalId === null ? null : await ctx.db.cardInstruction.findFirst({ where: { id: originalId } });
  return { type, original: original?.reference ?? null, amount, currency, merchantRef, payload: row.payload as Record<string, unknown> };
}

async function giveReference(ctx: Ctx, { id }: CardInstruction, reference: string, at: Date): Promise<boolean> {
  const { count } = await ctx.db.cardInstruction.updateMany({
    where: { id, status: { in: [...openInstructionStatuses] }, reference: null, dueAt: { lte: at } },
    data: { status: 'submitted', reference, submittedAt: at, submissions: { increment: 1 }, asked: 0, updatedAt: at },
  });
  return count === 1;
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

async function follow(ctx: Ctx, tx: Tx, row: CardInstruction, answer: NetworkAnswer): Promise<CardInstruction> {
  const at = ctx.clock.now();
  switch (answer.state) {
    case 'approved':
      return authorizeInstruction(ctx, tx, row, answer.code);
    case 'declined':
    case 'failed':
      return endInstruction(ctx, tx, row, answer.state, { code: answer.code, message: answer.reason });
    case 'cancelled':
      return endInstruction(ctx, tx, row, 'cancelled', calledOff);
    case 'received':
      return answer.expectedAt > at ? instructions.wait(ctx, tx, row, { dueAt: answer.expectedAt }) : row;
    default:
      return row;
  }
}

const calledOff: InstructionFailure = { code: 'cancelled', message: 'The authorization was cancelled.' };

async function authorizeInstruction(ctx: Ctx, tx: Tx, row: CardInstruction, code: string): Promise<CardInstruction> {
  const workspaceId = ctx.workspace.id;
  if (row.type === 'authorize') {
    const approved = await close(ctx, tx, row, { status: 'approved', authorizationCode: code });
    await postEnd(ctx, tx, approved, await useReserved(tx, workspaceId, row.id));
    return approved;
  }
  const original = await tx.cardInstruction.findFirstOrThrow({ where: { id: row.originalId ?? '' } });
  if (row.type === 'cancel') return approveCancel(ctx, tx, row, original, code);
  const { id, amount, refunded } = original;
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
  await postSpend(ctx, posting(ctx, { at, transferId: id, legs: [], limits, records }), { in: tx });
}
