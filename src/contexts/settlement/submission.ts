// How a payout reaches its rail, exactly once. Its reference is committed before the rail hears of it; from then on the rail is asked, and
// nothing is sent again under that reference. A reference that the rail has not, and will never take any more, is replaced.
import type { Payout } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { transact } from '../../platform/idempotency.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { newId } from '../../platform/schema/id.js';
import { isOpen } from './payout.js';
import { fail, follow } from './payout-life.js';
import { type RailAnswer, type RailOrder, railOf } from './rail.js';

/** An order that has not reached its rail by then is not carried out any more. */
const orderSeconds = 60;
/** A rail that does not answer for so long has not answered: less than the lease of the row. */
const answerMs = 10_000;
/** References that a payout is submitted under at most: then it has failed. */
const mostSubmissions = 3;
/** Seconds until the rail is asked again, doubled each time up to an hour. */
const askSeconds = 30;
const longestAskSeconds = 3_600;

const unknown: RailAnswer = { state: 'unknown' };

/** The due step of a payout: it is submitted, or its rail is asked what became of it. */
export async function stepPayout(ctx: Ctx, id: string): Promise<void> {
  const found = await ctx.db.payout.findFirst({ where: { id } });
  if (found === null || !isOpen(found) || found.dueAt === null || found.dueAt > ctx.clock.now()) return;
  const rail = railOf(ctx, found.rail);
  if (found.railReference !== null) {
    const { railReference } = found;
    return record(ctx, found, rail === undefined ? unknown : await answered(ctx, () => rail.status(ctx, railReference)));
  }
  const destination = await destinationOf(ctx, found);
  const submitted = await transact(ctx, (tx) => begin(ctx, tx, id, destination !== null));
  if (submitted.railReference === null || destination === null) return;
  const order = orderOf(submitted, submitted.railReference, destination);
  await record(ctx, submitted, rail === undefined ? unknown : await answered(ctx, () => rail.submit(ctx, order)));
}

/** Gives the payout its reference, once. One whose destination is gone fails instead (Gap G-157). */
async function begin(ctx: Ctx, tx: Tx, id: string, hasDestination: boolean): Promise<Payout> {
  const payout = await lockRow(tx.payout, id);
  const at = ctx.clock.now();
  const isDue = payout.status === 'pending' && payout.railReference === null && payout.dueAt !== null && payout.dueAt <= at;
  // Whoever has taken it meanwhile goes on with it: it has no reference to give away here.
  if (!isDue) return { ...payout, railReference: null };
  if (!hasDestination) return fail(ctx, tx, payout, { code: 'destination_gone', message: 'The bank account was deleted.' });
  await tx.transfer.updateMany({ where: { id: payout.transferId, status: 'pending' }, data: { status: 'processing', updatedAt: at } });
  return tx.payout.update({
    where: rowKey(ctx, id),
    data: { railReference: `po${newId(at).replaceAll('-', '')}`, submittedAt: at, submissions: payout.submissions + 1, asked: 0 },
  });
}

function orderOf(
  { submittedAt, amount, currency, destinationRef }: Payout,
  reference: string,
  destination: RailOrder['destination'],
): RailOrder {
  if (submittedAt === null) throw new Error(`${reference} was not submitted`);
  return { reference, amount, currency, destination, destinationRef, expiresAt: addSeconds(submittedAt, orderSeconds) };
}

/** The whole destination; null for a bank account that was deleted. */
async function destinationOf(ctx: Ctx, { id, bankAccountId, sealedDestination }: Payout): Promise<Record<string, string> | null> {
  const open = (sealed: Uint8Array, rowId: string) => JSON.parse(ctx.platform.vault.open(sealed, rowId)) as Record<string, string>;
  if (sealedDestination !== null) return open(sealedDestination, id);
  const account = await ctx.db.bankAccount.findFirst({ where: { id: bankAccountId ?? '' } });
  if (account?.sealedDetails == null) return null;
  return { holder_name: account.holderName, ...open(account.sealedDetails, account.id) };
}

/** What a rail answers; one that fails or is silent for too long has said nothing. */
async function answered(ctx: Ctx, ask: () => Promise<RailAnswer>): Promise<RailAnswer> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<RailAnswer>((resolve) => {
    timer = setTimeout(() => resolve(unknown), answerMs);
  });
  try {
    return await Promise.race([ask(), silence]);
  } catch (error) {
    ctx.log.warn({ err: error }, 'a rail failed; what became of the order is asked for later');
    return unknown;
  } finally {
    clearTimeout(timer);
  }
}

/** Follows an answer about the reference that it was asked for, and says when the rail is asked again. */
async function record(ctx: Ctx, { id, railReference }: Payout, answer: RailAnswer): Promise<void> {
  const payout = await transact(ctx, async (tx) => {
    const before = await lockRow(tx.payout, id);
    if (before.railReference !== railReference || !isOpen(before)) return before;
    if (answer.state === 'missing' && before.status === 'pending') return replace(ctx, tx, before);
    const after = await follow(ctx, tx, before, answer);
    return after.status === before.status ? askLater(ctx, tx, after) : after;
  });
  if (payout.dueAt !== null) ringAt(ctx, 'payout', payout.dueAt);
}

/** The rail has no such order. Until it has expired it may still be on its way; then it is certain that it was never carried out. */
async function replace(ctx: Ctx, tx: Tx, payout: Payout): Promise<Payout> {
  const { id, submittedAt, submissions } = payout;
  const at = ctx.clock.now();
  const certainAt = addSeconds(submittedAt ?? at, orderSeconds);
  const where = rowKey(ctx, id);
  if (at <= certainAt) return tx.payout.update({ where, data: { dueAt: addSeconds(certainAt, 1), leaseUntil: null } });
  if (submissions >= mostSubmissions)
    return fail(ctx, tx, payout, { code: 'not_received', message: 'The rail has not received the payout.' });
  return tx.payout.update({ where, data: { railReference: null, dueAt: at, leaseUntil: null } });
}

async function askLater(ctx: Ctx, tx: Tx, { id, asked }: Payout): Promise<Payout> {
  const seconds = Math.min(longestAskSeconds, askSeconds * 2 ** Math.min(asked, 10));
  const data = { asked: asked + 1, dueAt: addSeconds(ctx.clock.now(), seconds), leaseUntil: null };
  return tx.payout.update({ where: rowKey(ctx, id), data });
}
