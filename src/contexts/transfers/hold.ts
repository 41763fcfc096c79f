// What becomes of a transfer that is pending: captured, cancelled, expired, or carried out at its time (CONTRACT.md 2).
import type { Hold, Transfer } from '../../generated/prisma/client.js';
import { WalletFrozen } from '../../ledger/errors.js';
import { type Leg, type LimitUse, move, post, posting, spenderOf } from '../../ledger/posting.js';
import type { Ctx } from '../../platform/ctx.js';
import type { Tx } from '../../platform/database.js';
import { ApiError, NotFound, StateConflict, ValidationFailed } from '../../platform/errors.js';
import { type EventRow, emit, event } from '../../platform/events.js';
import { transact } from '../../platform/idempotency.js';
import { conflict } from '../../platform/lifecycle.js';
import { formatMinor, parseMinor } from '../../platform/money.js';
import { purse } from '../accounts/purse.js';
import { HoldExpired } from './errors.js';
import { transferData, transferSides } from './events.js';
import { spend } from './spend.js';
import { route, transferLifecycle } from './transfer.js';
import { visibleTransfers } from './transfer-list.js';

/**
 * Pays out what was held, all of it or `amount`; the rest goes back. Only a manual hold that is pending.
 * 409 `state_conflict` or `hold_expired`, 400 for more than is held, 403 `wallet_frozen` while the payer may not spend (Gap G-35).
 */
export function captureTransfer(ctx: Ctx, id: string, amount: string | null): Promise<Transfer> {
  return transact(ctx, async (tx) => {
    const transfer = await lockTransfer(ctx, tx, id);
    if (transfer.status !== 'pending') throw conflict(transferLifecycle, 'transfer', transfer.status, 'completed');
    const hold = await openHold(tx, transfer);
    const now = ctx.clock.now();
    if (transfer.holdExpiresAt !== null && transfer.holdExpiresAt <= now)
      throw new HoldExpired('The hold has expired; the money goes back to the payer.');
    await checkPayerSpends(tx, transfer);
    const captured = amount === null ? hold.amount : parseMinor(amount, hold.currency, ['amount']);
    if (captured > hold.amount) {
      throw new ValidationFailed([
        { path: ['amount'], message: `is more than the ${formatMinor(hold.amount, hold.currency)} held`, rule: 'max' },
      ]);
    }
    const done = await tx.transfer.update({
      where: { workspaceId_id: { workspaceId: ctx.workspace.id, id } },
      data: { status: 'completed', capturedAmount: captured, completedAt: now, updatedAt: now, dueAt: null, leaseUntil: null },
    });
    await resolveHold(ctx, tx, done, hold, captured, event(now, 'transfer.completed', transferData(done), await captureOf(tx, done)));
    return done;
  });
}

/** Calls a pending transfer off; what was held goes back (Gap G-38). 409 `state_conflict` when it is no longer pending. */
export function cancelTransfer(ctx: Ctx, id: string, reason: string | null): Promise<Transfer> {
  return transact(ctx, async (tx) => {
    const transfer = await lockTransfer(ctx, tx, id);
    if (transfer.status !== 'pending') throw conflict(transferLifecycle, 'transfer', transfer.status, 'cancelled');
    return release(ctx, tx, transfer, reason === null ? null : { code: 'cancelled', message: reason });
  });
}

async function release(ctx: Ctx, tx: Tx, transfer: Transfer, failure: { code: string; message: string } | null): Promise<Transfer> {
  const now = ctx.clock.now();
  const done = await tx.transfer.update({
    where: { workspaceId_id: { workspaceId: ctx.workspace.id, id: transfer.id } },
    data: {
      status: 'cancelled',
      failureCode: failure?.code ?? null,
      failureMessage: failure?.message ?? null,
      updatedAt: now,
      dueAt: null,
      leaseUntil: null,
    },
  });
  if (transfer.holdId !== null) await resolveHold(ctx, tx, done, await openHold(tx, transfer), 0n);
  return done;
}

/** The due step of a pending transfer: a hold expires, a scheduled transfer is carried out or fails. */
export async function stepTransfer(ctx: Ctx, id: string): Promise<void> {
  try {
    await transact(ctx, async (tx) => {
      const transfer = await lockTransfer(ctx, tx, id);
      if (transfer.status !== 'pending' || transfer.dueAt === null || transfer.dueAt > ctx.clock.now()) return transfer;
      if (transfer.holdId !== null)
        return release(ctx, tx, transfer, { code: 'hold_expired', message: 'The hold expired before it was captured.' });
      return carryOut(ctx, tx, transfer);
    });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    await transact(ctx, (tx) => fail(ctx, tx, id, error));
  }
}

/** Posts a scheduled transfer, with everything checked as of now (Gap G-39). */
async function carryOut(ctx: Ctx, tx: Tx, transfer: Transfer): Promise<Transfer> {
  const [from, to] = await Promise.all([purse(ctx, transfer.fromWalletId ?? ''), purse(ctx, transfer.toWalletId ?? '')]);
  if (from === null || to === null) throw new Error(`transfer ${transfer.id} has no wallets`);
  const { amount, currency, agentId } = transfer;
  const now = ctx.clock.now();
  const spending = await spend(ctx, {
    from,
    agentId: agentId ?? undefined,
    currency,
    amount,
    at: now,
    external: transfer.type === 'internal',
  });
  const done = await tx.transfer.update({
    where: { workspaceId_id: { workspaceId: ctx.workspace.id, id: transfer.id } },
    data: { status: 'completed', completedAt: now, updatedAt: now, dueAt: null, leaseUntil: null },
  });
  await post(
    tx,
    posting(ctx, {
      at: now,
      transferId: transfer.id,
      legs: move(currency, amount, ...route(transfer, from, to)),
      limits: spending.limits,
      spender: { agentId: agentId ?? undefined },
      events: [event(now, 'transfer.completed', transferData(done), { ...about(done), sides: transferSides(done, from, to) })],
    }),
  );
  return done;
}

async function fail(ctx: Ctx, tx: Tx, id: string, error: ApiError): Promise<Transfer> {
  const transfer = await lockTransfer(ctx, tx, id);
  if (transfer.status !== 'pending') return transfer;
  const now = ctx.clock.now();
  const done = await tx.transfer.update({
    where: { workspaceId_id: { workspaceId: ctx.workspace.id, id } },
    data: { status: 'failed', failureCode: error.code, failureMessage: error.message, updatedAt: now, dueAt: null, leaseUntil: null },
  });
  await emit(ctx, tx, 'transfer.failed', transferData(done), about(done));
  return done;
}

function about({ id, agentId }: Transfer) {
  return { objectId: id, agentId };
}

/** What the event of a capture is about, and whom it concerns. */
async function captureOf(tx: Tx, transfer: Transfer) {
  const { fromWalletId, toWalletId } = transfer;
  const ids = [fromWalletId, toWalletId].filter((id) => id !== null);
  const wallets = await tx.wallet.findMany({ where: { id: { in: ids } }, select: { id: true, agentId: true } });
  const [from, to] = [fromWalletId, toWalletId].map((id) => wallets.find((wallet) => wallet.id === id) ?? null);
  return { ...about(transfer), sides: transferSides(transfer, from ?? null, to ?? null) };
}

/** The transfer under its row's lock: whoever resolves it, resolves it once (Gap G-36). */
async function lockTransfer(ctx: Ctx, tx: Tx, id: string): Promise<Transfer> {
  const { count } = await tx.transfer.updateMany({ where: { AND: [{ id }, await visibleTransfers(ctx)] }, data: { leaseUntil: null } });
  const transfer = count === 0 ? null : await tx.transfer.findFirst({ where: { id } });
  if (transfer === null) throw new NotFound();
  return transfer;
}

async function openHold(tx: Tx, transfer: Transfer): Promise<Hold> {
  const hold = transfer.holdId === null ? null : await tx.hold.findFirst({ where: { id: transfer.holdId, status: 'held' } });
  if (hold === null) {
    throw new StateConflict('Only a transfer created with capture: manual is captured; this one waits for its time.', transfer.status, [
      'pending',
    ]);
  }
  return hold;
}

async function checkPayerSpends(tx: Tx, { fromWalletId }: Transfer): Promise<void> {
  const payer =
    fromWalletId === null
      ? null
      : await tx.wallet.findFirst({ where: { id: fromWalletId }, include: { account: { select: { status: true } } } });
  if (payer === null || (payer.status === 'active' && payer.account.status === 'active')) return;
  throw new WalletFrozen('The wallet that the money was held in is frozen. Unfreeze it to capture, or cancel the transfer.', {
    details: {
      wallet_id: payer.id,
      next_actions: [{ rel: 'unfreeze', actor: 'api_key', method: 'POST', path: `/v1/wallets/${payer.id}/unfreeze` }],
    },
  });
}

/** Moves the held money on: `captured` to the payee, the rest back, and the limits with it (Gap G-37). */
async function resolveHold(ctx: Ctx, tx: Tx, transfer: Transfer, hold: Hold, captured: bigint, told?: EventRow): Promise<void> {
  const now = ctx.clock.now();
  await tx.hold.update({
    where: { workspaceId_id: { workspaceId: ctx.workspace.id, id: hold.id } },
    data: { status: captured > 0n ? 'captured' : 'released', capturedAmount: captured, resolvedAt: now },
  });
  const rest = hold.amount - captured;
  const legs: Leg[] = [
    ...(captured > 0n ? move(hold.currency, captured, hold.heldAccountId, hold.toAccountId) : []),
    ...(rest > 0n ? move(hold.currency, rest, hold.heldAccountId, hold.fromAccountId) : []),
  ];
  const limits = reservedOf(hold).map(
    (use): LimitUse => ({
      ...use,
      reserved: -use.reserved,
      used: hold.amount === 0n ? 0n : (use.reserved * captured) / hold.amount,
      maximum: null,
    }),
  );
  const spender =
    captured > 0n
      ? { apiKeyId: spenderOf(ctx.actor).apiKeyId, sessionId: spenderOf(ctx.actor).sessionId, agentId: ctx.actor.agent?.id }
      : {};
  await post(tx, posting(ctx, { at: now, transferId: transfer.id, legs, limits, spender, events: told === undefined ? [] : [told] }));
}

/** The limit uses that a hold reserved, as they were written. */
function reservedOf({ limits }: Hold): LimitUse[] {
  const rows = limits as unknown as { counter: string; window: string; reserved: string }[];
  return rows.map(({ counter, window, reserved }) => ({ counter, window, used: 0n, reserved: BigInt(reserved), maximum: null }));
}
