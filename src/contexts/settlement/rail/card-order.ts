// What orders over the rails of card processors have in common, charges and refunds alike: which step an answer of the rail means.
import { addSeconds } from '../../../platform/clock.js';
import type { Ctx } from '../../../platform/ctx.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { rowKey } from '../../../platform/postgres/row.js';
import type { Ordered, OrderFailure, OrderKind } from './order-kind.js';
import { patienceSeconds, type RailAnswer, type RailReason } from './rail.js';
import { errorCodeOf } from './rail-code.js';

/** What the rows of such orders have. */
interface CardOrdered extends Ordered {
  /** When the money was taken back that had been paid. */
  returnedAt: Date | null;
}

/** The steps of a kind, each taken under the lock of its row. */
interface CardOrderSteps<Row> {
  rows: OrderKind<Row & Ordered>['rows'];
  pay(ctx: Ctx, tx: Tx, row: Row): Promise<Row>;
  fail(ctx: Ctx, tx: Tx, row: Row, failure: OrderFailure): Promise<Row>;
  reverse(ctx: Ctx, tx: Tx, row: Row, reason: RailReason): Promise<Row>;
}

/** Makes the function that takes the steps which an answer of the rail means. */
export function followCard<Row extends CardOrdered>({ rows, pay, fail, reverse }: CardOrderSteps<Row>): OrderKind<Row>['follow'] {
  return async (ctx, tx, row, answer: RailAnswer) => {
    const isPending = row.status === 'pending';
    switch (answer.state) {
      case 'accepted':
        return isPending && row.confirmedAt === null ? confirm(ctx, rows(tx), row, answer.expectedAt) : row;
      case 'settled':
        return isPending ? pay(ctx, tx, row) : row;
      case 'rejected':
        return isPending ? fail(ctx, tx, row, failureOf(answer)) : row;
      case 'returned':
        if (isPending && !answer.wasPaid) return fail(ctx, tx, row, failureOf(answer));
        // What was taken back had been paid, whether or not we heard of it.
        if (isPending) return reverse(ctx, tx, await pay(ctx, tx, row), answer);
        return row.status === 'paid' && row.returnedAt === null ? reverse(ctx, tx, row, answer) : row;
      default:
        return row;
    }
  };
}

function failureOf(reason: RailReason): OrderFailure {
  return { code: errorCodeOf(reason.code), message: reason.reason, reason };
}

async function confirm<Row extends CardOrdered>(
  ctx: Ctx,
  rows: ReturnType<OrderKind<Row>['rows']>,
  { id }: Row,
  expectedAt: Date,
): Promise<Row> {
  const at = ctx.clock.now();
  const dueAt = addSeconds(expectedAt > at ? expectedAt : at, patienceSeconds);
  return rows.update({ where: rowKey(ctx, id), data: { confirmedAt: at, asked: 0, dueAt, leaseUntil: null } });
}
