// Orders on their way to their rails.
import type { Ctx } from '../../../platform/ctx.js';
import type { RowStep } from '../../../platform/due/step.js';
import { transact } from '../../../platform/idempotency.js';
import { rowKey } from '../../../platform/postgres/row.js';
import { lockOrder, type Ordered, type OrderFailure, type OrderKind } from './order-kind.js';
import { type RailAnswer, type RailOrder, railOf } from './rail.js';
import { type SubmissionKind, submission } from './submission.js';
import { assignReference } from './submission.sql.js';

/**
 * What happens to orders of a kind by themselves: one is submitted, or its rail is asked what became of it. A rail that hangs holds up its own
 * orders alone: each is a lane.
 */
export function orderDue<Row extends Ordered>(kind: OrderKind<Row>): Omit<RowStep, 'table'> {
  return { concurrency: 128, run: submission(submissionOf(kind)), lane: { column: 'lane', concurrency: 8 } };
}

function submissionOf<Row extends Ordered>(kind: OrderKind<Row>): SubmissionKind<Row, RailOrder, RailAnswer> {
  const { table, prefix, open, direction } = kind;
  return {
    table,
    prefix,
    find: ({ db }, id) => kind.rows(db).findFirst({ where: { id } }),
    isOpen: ({ status }) => open.includes(status),
    referenceOf: ({ railReference }) => railReference,
    carrierOf: (ctx, { rail }) => railOf(ctx, rail),
    async messageOf(ctx, row) {
      const end = await kind.endOf(ctx, row);
      if (!('code' in end)) return { ...end, id: row.id, amount: row.amount, currency: row.currency, direction };
      await giveUp(ctx, kind, row, end);
      return null;
    },
    giveReference: (ctx, { id }, reference, at) => assignReference(ctx, { table, id, open }, reference, at),
    lock: (ctx, tx, row) => lockOrder(ctx, kind, tx, row),
    follow: kind.follow,
    wait: (ctx, tx, { id }, { reference, ...next }) => {
      const data = { ...next, ...(reference === null && { railReference: null }), leaseUntil: null };
      return kind.rows(tx).update({ where: rowKey(ctx, id), data });
    },
    lose: (ctx, tx, row) =>
      kind.fail(ctx, tx, row, { code: 'not_received', message: `The rail has not received the ${kind.lifecycle.noun}.` }),
  };
}

/** Ends an order whose bank account (see G-157) or card is gone, unless somebody has taken it meanwhile. */
async function giveUp<Row extends Ordered>(ctx: Ctx, kind: OrderKind<Row>, found: Row, failure: OrderFailure): Promise<void> {
  await transact(ctx, async (tx) => {
    const row = await lockOrder(ctx, kind, tx, found);
    if (!kind.open.includes(row.status) || row.railReference !== null) return row;
    return kind.fail(ctx, tx, row, failure);
  });
}
