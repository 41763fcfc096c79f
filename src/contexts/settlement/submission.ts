// How an order reaches its rail, exactly once. Its reference is committed before the rail hears of it; from then on the rail is asked, and
// nothing is sent again under that reference. A reference that the rail has not, and will never take any more, is replaced.
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import type { RowStep } from '../../platform/due/step.js';
import { transact } from '../../platform/idempotency.js';
import type { Tx } from '../../platform/postgres/database.js';
import { rowKey } from '../../platform/postgres/row.js';
import { newId } from '../../platform/schema/id.js';
import { type Failure, lockOrder, type Ordered, type OrderKind } from './order-kind.js';
import { type RailAnswer, railOf } from './rail.js';
import { giveReference } from './submission.sql.js';

/** An order that has not reached its rail by then is not carried out any more. */
export const orderSeconds = 60;
/** A rail that does not answer for so long has not answered: less than the lease of the row. */
const answerMs = 10_000;
/** References that one thing is submitted under at most: then it has failed. */
export const mostSubmissions = 3;
/** Seconds until the rail is asked again, doubled each time up to an hour. */
const askSeconds = 30;
const longestAskSeconds = 3_600;

const unknown = { state: 'unknown' } as const;

/**
 * What happens to orders of a kind by themselves: one is submitted, or its rail is asked what became of it. A rail that hangs holds up its own
 * orders alone: each is a lane.
 */
export function orderDue<Row extends Ordered>(kind: OrderKind<Row>): Omit<RowStep, 'table'> {
  return { concurrency: 128, run: (ctx, id) => step(ctx, kind, id), lane: { column: 'lane', concurrency: 8 } };
}

async function step<Row extends Ordered>(ctx: Ctx, kind: OrderKind<Row>, id: string): Promise<void> {
  const found = await kind.rows(ctx.db).findFirst({ where: { id } });
  if (found === null || !isOpen(kind, found) || found.dueAt === null || found.dueAt > ctx.clock.now()) return;
  const rail = railOf(ctx, found.rail);
  if (found.railReference !== null) {
    const { railReference } = found;
    return record(ctx, kind, found, rail === undefined ? unknown : await answered(ctx, () => rail.status(ctx, railReference)));
  }
  const end = await kind.endOf(ctx, found);
  if ('code' in end) return giveUp(ctx, kind, found, end);
  const at = ctx.clock.now();
  const railReference = `${kind.prefix}${newId(at).replaceAll('-', '')}`;
  // Whoever has taken it meanwhile goes on with it: it has a reference.
  if (!(await giveReference(ctx, { table: kind.table, id, open: kind.open }, railReference, at))) return;
  const { amount, currency } = found;
  const order = { reference: railReference, amount, currency, ...end, direction: kind.direction, expiresAt: addSeconds(at, orderSeconds) };
  const answer = rail === undefined ? unknown : await answered(ctx, () => rail.submit(ctx, order));
  await record(ctx, kind, { ...found, railReference }, answer);
}

function isOpen<Row extends Ordered>({ open }: OrderKind<Row>, { status }: Row): boolean {
  return open.includes(status);
}

/** Ends an order whose bank account (Gap G-157) or card is gone, unless somebody has taken it meanwhile. */
async function giveUp<Row extends Ordered>(ctx: Ctx, kind: OrderKind<Row>, found: Row, failure: Failure): Promise<void> {
  await transact(ctx, async (tx) => {
    const row = await lockOrder(ctx, kind, tx, found);
    if (!isOpen(kind, row) || row.railReference !== null) return row;
    return kind.fail(ctx, tx, row, failure);
  });
}

/** What a rail or a network answers; one that fails or is silent for too long has said nothing. */
export async function answered<Answer extends { state: string }>(
  ctx: Ctx,
  ask: () => Promise<Answer>,
): Promise<Answer | { state: 'unknown' }> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<typeof unknown>((resolve) => {
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
async function record<Row extends Ordered>(ctx: Ctx, kind: OrderKind<Row>, asked: Row, answer: RailAnswer): Promise<void> {
  const row = await transact(ctx, async (tx) => {
    const before = await lockOrder(ctx, kind, tx, asked);
    if (before.railReference !== asked.railReference || !isOpen(kind, before)) return before;
    if (answer.state === 'missing' && before.confirmedAt === null) return replace(ctx, tx, kind, before);
    const after = await kind.follow(ctx, tx, before, answer);
    return after === before ? askLater(ctx, tx, kind, after) : after;
  });
  if (row.dueAt !== null) ringAt(ctx, kind.table, row.dueAt);
}

/** The rail has no such order. Until it has expired it may still be on its way; then it is certain that it was never carried out. */
async function replace<Row extends Ordered>(ctx: Ctx, tx: Tx, kind: OrderKind<Row>, row: Row): Promise<Row> {
  const { id, submittedAt, submissions } = row;
  const at = ctx.clock.now();
  const certainAt = addSeconds(submittedAt ?? at, orderSeconds);
  const where = rowKey(ctx, id);
  if (at <= certainAt) return kind.rows(tx).update({ where, data: { dueAt: addSeconds(certainAt, 1), leaseUntil: null } });
  if (submissions >= mostSubmissions)
    return kind.fail(ctx, tx, row, { code: 'not_received', message: `The rail has not received the ${kind.lifecycle.noun}.` });
  return kind.rows(tx).update({ where, data: { railReference: null, dueAt: at, leaseUntil: null } });
}

/** When it is asked again that was asked so often already. */
export function nextInquiry(now: Date, asked: number): Date {
  return addSeconds(now, Math.min(longestAskSeconds, askSeconds * 2 ** Math.min(asked, 10)));
}

async function askLater<Row extends Ordered>(ctx: Ctx, tx: Tx, kind: OrderKind<Row>, { id, asked }: Row): Promise<Row> {
  const data = { asked: asked + 1, dueAt: nextInquiry(ctx.clock.now(), asked), leaseUntil: null };
  return kind.rows(tx).update({ where: rowKey(ctx, id), data });
}
