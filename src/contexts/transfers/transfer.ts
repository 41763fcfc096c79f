// Transfers: money from one wallet to another, now, on capture, or at a set time (CONTRACT.md 2).
import type { Transfer, TransferStatus } from '../../generated/prisma/client.js';
import { referenceTaken } from '../../ledger/errors.js';
import { postGrouped } from '../../ledger/group-commit.js';
import { move, type Posting, posting, spenderOf } from '../../ledger/posting.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { isUniqueViolation, type Tx } from '../../platform/database.js';
import { CurrencyMismatch, NotFound, ValidationFailed } from '../../platform/errors.js';
import { event, writeEvents } from '../../platform/events.js';
import { transact } from '../../platform/idempotency.js';
import { newId } from '../../platform/ids.js';
import type { Lifecycle } from '../../platform/lifecycle.js';
import { type Currency, parseMinor } from '../../platform/money.js';
import { defaultPurse, type Purse, purse } from '../accounts/purse.js';
import { SameWallet } from './errors.js';
import { transferData, transferSides } from './events.js';
import { type Spend, spend } from './spend.js';

/** Completed, failed and cancelled are final. */
export const transferLifecycle: Lifecycle<TransferStatus> = {
  pending: ['processing', 'completed', 'failed', 'cancelled'],
  processing: ['completed', 'failed'],
  completed: [],
  failed: [],
  cancelled: [],
};

export interface CreateTransferInput {
  type: 'internal' | 'wrap' | 'unwrap';
  fromWalletId?: string | null | undefined;
  fromAccountId?: string | null | undefined;
  toWalletId?: string | null | undefined;
  toAccountId?: string | null | undefined;
  amount: string;
  currency: Currency;
  capture?: 'automatic' | 'manual' | null | undefined;
  holdExpiresIn?: number | null | undefined;
  description?: string | null | undefined;
  reference?: string | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
  agentId?: string | null | undefined;
  scheduledFor?: Date | null | undefined;
}

/**
 * Creates a transfer: posted at once (completed), held until captured, or kept until its time (both pending). The whole
 * pipeline runs inside the posting; refusals are 403 or 422 and leave nothing behind.
 */
export async function createTransfer(ctx: Ctx, input: CreateTransferInput): Promise<Transfer> {
  const draft = await draftTransfer(ctx, input);
  if (draft.posting === null) return scheduleTransfer(ctx, draft.transfer);
  const { transfer } = draft;
  const claim = ctx.idempotency;
  await postGrouped(
    ctx.platform.database,
    claim === undefined ? draft.posting : { ...draft.posting, claim: { key: claim, reference: transfer.id } },
  );
  return transfer;
}

export interface MoveWithinWalletInput {
  id: string;
  type: 'wrap' | 'unwrap';
  amount: string;
  metadata?: Record<string, unknown> | null | undefined;
}

/** Moves money between a wallet's spendable and its stream-ready bucket. 404 for an unknown wallet. */
export async function moveWithinWallet(ctx: Ctx, { id, ...input }: MoveWithinWalletInput): Promise<Transfer> {
  const found = await purse(ctx, id);
  if (found === null) throw new NotFound();
  return createTransfer(ctx, { ...input, fromWalletId: id, currency: found.currency as Currency });
}

function scheduleTransfer(ctx: Ctx, transfer: Transfer): Promise<Transfer> {
  return transact(ctx, async (tx) => {
    await insertScheduled(tx, transfer);
    return transfer;
  });
}

/** Writes a transfer whose time has not come, and what is told of it. 409 for a reference that another has. */
export async function insertScheduled(tx: Tx, transfer: Transfer): Promise<void> {
  const { workspaceId, ...row } = transfer;
  const about = { objectId: transfer.id, agentId: transfer.agentId };
  try {
    await tx.transfer.create({ data: { ...row, metadata: transfer.metadata as object } });
  } catch (error) {
    // Its id is new, so what it shares with another transfer is its reference.
    throw isUniqueViolation(error) ? referenceTaken(transfer.reference) : error;
  }
  await writeEvents(tx, workspaceId, [event(transfer.createdAt, 'transfer.created', transferData(transfer), about)]);
}

/** A transfer and the posting that makes it so; no posting while its time has not come. */
export interface Draft {
  transfer: Transfer;
  posting: Posting | null;
}

/** Everything that can be said of a transfer before the ledger is asked. */
export async function draftTransfer(ctx: Ctx, input: CreateTransferInput): Promise<Draft> {
  checkParties(input);
  const amount = parseMinor(input.amount, input.currency, ['amount']);
  const [from, to] = await parties(ctx, input);
  const at = ctx.clock.now();
  const later = input.scheduledFor != null && input.scheduledFor > at;
  const spending = await spend(ctx, {
    from,
    agentId: input.agentId ?? undefined,
    currency: input.currency,
    amount,
    at,
    external: input.type === 'internal',
  });
  const transfer = newTransfer(ctx, input, { from, to, amount, at, later, agentId: spending.agentId });
  return { transfer, posting: later ? null : transferPosting(ctx, transfer, from, to, spending) };
}

/** What the input's shape cannot say: who must be named for which type, and which options go together. */
function checkParties(input: CreateTransferInput): void {
  const fail = (path: string, message: string): never => {
    throw new ValidationFailed([{ path: [path], message }]);
  };
  if (!input.fromWalletId === !input.fromAccountId) fail('fromWalletId', 'name exactly one of from_wallet_id and from_account_id');
  if (input.type !== 'internal') {
    if (input.toWalletId || input.toAccountId)
      fail('toWalletId', `a ${input.type} moves money inside one wallet: leave the destination out`);
    if (input.capture === 'manual') fail('capture', `a ${input.type} is always captured at once`);
  } else if (!input.toWalletId === !input.toAccountId) fail('toWalletId', 'name exactly one of to_wallet_id and to_account_id');
  if (input.holdExpiresIn != null && input.capture !== 'manual') fail('holdExpiresIn', 'goes with capture: manual');
  if (input.scheduledFor != null && input.capture === 'manual')
    fail('scheduledFor', 'a scheduled transfer is captured when its time comes: leave capture out');
}

async function parties(ctx: Ctx, input: CreateTransferInput): Promise<[Purse, Purse]> {
  const from = await party(ctx, 'from', input.fromWalletId, input.fromAccountId, input.currency);
  const to = input.type === 'internal' ? await party(ctx, 'to', input.toWalletId, input.toAccountId, input.currency) : from;
  if (input.type === 'internal' && from.walletId === to.walletId) throw new SameWallet('The payer and the payee are the same wallet.');
  return [from, to];
}

async function party(
  ctx: Ctx,
  side: 'from' | 'to',
  walletId: string | null | undefined,
  accountId: string | null | undefined,
  currency: string,
): Promise<Purse> {
  const found = walletId ? await purse(ctx, walletId) : await defaultPurse(ctx, accountId ?? '', currency);
  if (found === null) throw new NotFound(walletId ? `${side}WalletId` : `${side}AccountId`);
  if (found.currency !== currency) {
    throw new CurrencyMismatch(`The wallet ${found.walletId} holds ${found.currency}, not ${currency}.`, {
      details: { wallet_id: found.walletId, wallet_currency: found.currency, currency },
    });
  }
  return found;
}

interface Parts {
  from: Purse | null;
  to: Purse;
  amount: bigint;
  at: Date;
  later: boolean;
  agentId: string | undefined;
}

const defaultHoldSeconds = 86_400;

/** The row of a transfer that has just been asked for. */
export function newTransfer(ctx: Ctx, input: CreateTransferInput, { from, to, amount, at, later, agentId }: Parts): Transfer {
  const held = input.capture === 'manual';
  const holdExpiresAt = held ? addSeconds(at, input.holdExpiresIn ?? defaultHoldSeconds) : null;
  const pending = held || later;
  return {
    workspaceId: ctx.workspace.id,
    id: newId(at),
    type: input.type,
    status: pending ? 'pending' : 'completed',
    amount,
    currency: input.currency,
    fromAccountId: from?.accountId ?? null,
    toAccountId: to.accountId,
    fromWalletId: from?.walletId ?? null,
    toWalletId: to.walletId,
    protocol: 'internal',
    description: input.description ?? null,
    reference: input.reference ?? null,
    capture: held ? 'manual' : 'automatic',
    holdId: held ? newId(at) : null,
    capturedAmount: held ? 0n : null,
    holdExpiresAt,
    scheduledFor: later ? (input.scheduledFor ?? null) : null,
    refundedAmount: 0n,
    initiatedByType: ctx.actor.type === 'user' || ctx.actor.type === 'agent' || ctx.actor.type === 'system' ? ctx.actor.type : 'api_key',
    initiatedById: ctx.actor.id,
    agentId: agentId ?? null,
    failureCode: null,
    failureMessage: null,
    metadata: (input.metadata ?? {}) as Transfer['metadata'],
    dueAt: holdExpiresAt ?? (later ? (input.scheduledFor ?? null) : null),
    leaseUntil: null,
    createdAt: at,
    updatedAt: at,
    completedAt: pending ? null : at,
  };
}

/** The posting of a transfer whose row is new (Gap G-34): the money moves, or moves into the payer's held account. */
export function transferPosting(ctx: Ctx, transfer: Transfer, from: Purse, to: Purse, spending: Spend): Posting {
  const { amount, currency } = transfer;
  const about = { objectId: transfer.id, agentId: transfer.agentId };
  const data = transferData(transfer);
  const created = event(transfer.createdAt, 'transfer.created', data, about);
  const head = {
    id: transfer.id,
    at: transfer.createdAt,
    transferId: transfer.id,
    transfer,
    spender: spenderOf(ctx.actor, spending.agentId),
  };
  if (transfer.holdId === null) {
    return posting(ctx, {
      ...head,
      legs: move(currency, amount, ...route(transfer, from, to)),
      limits: spending.limits,
      events: [created, event(transfer.createdAt, 'transfer.completed', data, { ...about, sides: transferSides(transfer, from, to) })],
    });
  }
  const limits = spending.limits.map((use) => ({ ...use, used: 0n, reserved: use.used }));
  const { available: fromAccountId, held: heldAccountId } = from.ledger;
  return posting(ctx, {
    ...head,
    legs: move(currency, amount, fromAccountId, heldAccountId),
    limits,
    hold: { id: transfer.holdId, fromAccountId, heldAccountId, toAccountId: to.ledger.available, currency, amount, limits },
    events: [created],
  });
}

/** Ledger accounts that the money of a transfer goes from and to. */
export function route({ type }: Pick<Transfer, 'type'>, from: Purse, to: Purse): [string, string] {
  if (type === 'wrap') return [from.ledger.available, from.ledger.wrapped];
  if (type === 'unwrap') return [from.ledger.wrapped, from.ledger.available];
  return [from.ledger.available, to.ledger.available];
}
