// What follows an authorization: its cancellation, and refunds of it. Neither spends. Both are asked for under the lock of the
// authorization, so that it is called off once and never gives back more than it was (CONTRACT.md 14).
import type { CardInstruction, CardInstructionType } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import { NotFound, ValidationFailed } from '../../../platform/errors.js';
import { wrongStatus } from '../../../platform/lifecycle.js';
import { formatMinor, parseMinor } from '../../../platform/money.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { lockRow } from '../../../platform/postgres/row.js';
import { newId, parseId, printId } from '../../../platform/schema/id.js';
import { InstructionExceedsOriginal } from '../errors.js';
import { cardInstructionLifecycle, openInstructionStatuses } from './instruction.js';
import { type InstructionFrame, instructionRow } from './instruction-frame.js';

/** Followers of an authorization that are looked at: more refunds of it are refused. */
const mostFollowers = 100;

/**
 * Queues a cancellation, or a refund of `payload.amount` (by default of what is left). 404 for an authorization of nobody, 409 for one
 * that cannot be called off or refunded, 422 for more than is left of it.
 */
export async function followUp(
  ctx: Ctx,
  tx: Tx,
  frame: InstructionFrame,
  type: Exclude<CardInstructionType, 'authorize'>,
): Promise<CardInstruction> {
  const original = await originalOf(tx, frame);
  const followers = await tx.cardInstruction.findMany({
    where: { originalId: original.id, status: { in: [...openInstructionStatuses, 'approved'] } },
    take: mostFollowers,
  });
  if (type === 'cancel') checkCancellable(original, followers);
  const money = type === 'cancel' ? { amount: null, currency: null } : refundOf(frame, original, followers);
  const at = ctx.clock.now();
  const row = instructionRow(ctx, frame, at);
  return tx.cardInstruction.create({ data: { ...row, ...money, id: newId(at), type, originalId: original.id, dueAt: at } });
}

// Gap G-238: A cancellation and a refund name `instruction_id`; a refund's `amount` is by default what is left.
/** The authorization that `payload.instruction_id` names, under its lock. */
async function originalOf(tx: Tx, { agentId, network, payload }: InstructionFrame): Promise<CardInstruction> {
  const path = ['payload', 'instruction_id'];
  const named = payload['instruction_id'];
  if (named === undefined)
    throw new ValidationFailed([{ path, message: 'is required: the authorization that is meant', rule: 'required' }]);
  const id = parseId('cardInstruction', named);
  const found = id === null ? null : await tx.cardInstruction.findFirst({ where: { id, agentId }, select: { id: true } });
  if (found === null) throw new NotFound('payload', 'instruction_id');
  const row = await lockRow(tx.cardInstruction, found.id);
  if (row.type !== 'authorize') throw new ValidationFailed([{ path, message: 'is no authorization', rule: 'type' }]);
  if (row.network !== network) throw new ValidationFailed([{ path, message: `went to the network ${row.network}`, rule: 'network' }]);
  return row;
}

function checkCancellable(original: CardInstruction, followers: readonly CardInstruction[]): void {
  const id = printId('cardInstruction', original.id);
  const wanted = [...openInstructionStatuses, 'approved'] as const;
  const refused = (message: string) => wrongStatus(cardInstructionLifecycle, id, original.status, wanted, message);
  if (!wanted.includes(original.status)) throw refused(`The authorization is ${original.status}: there is nothing to cancel.`);
  if (followers.some(({ type }) => type === 'cancel')) throw refused('The authorization is already being cancelled.');
  if (followers.length > 0) throw refused('Part of the authorization was refunded: refund the rest of it.');
}

function refundOf({ payload }: InstructionFrame, original: CardInstruction, followers: readonly CardInstruction[]) {
  const id = printId('cardInstruction', original.id);
  const refused = (message: string) => wrongStatus(cardInstructionLifecycle, id, original.status, ['approved'], message);
  if (original.status !== 'approved') throw refused(`The authorization is ${original.status}: only an approved one can be refunded.`);
  if (followers.some(({ type }) => type === 'cancel')) throw refused('The authorization is being cancelled.');
  if (followers.length >= mostFollowers) throw refused(`The authorization has ${mostFollowers} refunds already.`);
  const currency = original.currency ?? '';
  const rest = followers.reduce((left, { amount }) => left - (amount ?? 0n), original.amount ?? 0n);
  const asked = payload['amount'] ?? formatMinor(rest, currency);
  const path = ['payload', 'amount'];
  if (typeof asked !== 'string')
    throw new ValidationFailed([{ path, message: 'must be a decimal string such as "42.00"', rule: 'amount' }]);
  if (rest === 0n) throw new InstructionExceedsOriginal(rest, currency);
  const amount = parseMinor(asked, currency, path);
  if (payload['currency'] !== undefined && payload['currency'] !== currency)
    throw new ValidationFailed([
      { path: ['payload', 'currency'], message: `must be ${currency}, that of the authorization`, rule: 'currency' },
    ]);
  if (amount > rest) throw new InstructionExceedsOriginal(rest, currency);
  return { amount, currency };
}
