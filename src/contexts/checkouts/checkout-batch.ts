// Many checkouts begun with one request, and answered at once (CONTRACT.md 4). What can be known of an item by itself refuses the whole
// request; whatever else goes wrong is the error of that item. All of it is one transaction: each item is made once, or none is.
import type { Batch, Checkout, Merchant } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { ApiError, type FieldIssue, ValidationFailed } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { newId } from '../../platform/schema/id.js';
import { itemsOf, namedBatch } from '../batches/batch.js';
import { type ItemError, itemErrorOf } from '../batches/batch-item.sql.js';
import { completeBatch, insertBatch, newBatch } from '../batches/batch-row.js';
import { type BatchTotal, totalInAll } from '../batches/batch-total.js';
import type { CreateUcpCheckoutInput } from './checkout.input.js';
import type { CheckoutProtocol } from './checkout.js';
import { type IssuedCheckout, insertCheckouts, type NewCheckout, planCheckout, readMerchant } from './checkout-request.js';
import { checkoutTotalOf } from './item.js';
import { priceByMerchant } from './merchant-price.js';
import { newCheckout } from './requested-checkout.js';

/** Gap G-252: A batch of checkouts is one transaction; its answer is not wrapped. */
export const mostCheckouts = 100;
/** Most issues that one answer lists. */
const mostIssues = 50;

/** What an item has failed for. */
export interface CheckoutError {
  index: number;
  code: string;
  error: string;
  details: Readonly<Record<string, unknown>>;
}

/** What a batch of checkouts has made: those that were made, in order, and why the others were not. */
export interface CheckoutBatch {
  batch: Batch;
  checkouts: readonly (Checkout | IssuedCheckout)[];
  errors: readonly CheckoutError[];
}

/** Begins many checkouts. 400 with the faults of shape of every item; an item that is refused does not stop the others. */
export async function createCheckoutBatch(
  ctx: Ctx,
  protocol: CheckoutProtocol,
  inputs: readonly CreateUcpCheckoutInput[],
): Promise<CheckoutBatch> {
  const values = readAll(ctx, protocol, inputs);
  const planned = await planAll(ctx, values);
  const total = await totalOfBaskets(ctx, values, planned);
  const made = planned.filter((one): one is IssuedCheckout => !(one instanceof ApiError));
  const row = newBatch(ctx, { kind: `${protocol}_checkouts`, totalCount: inputs.length, total });
  const items = planned.map((one, index) => ({
    madeId: one instanceof ApiError ? newId(row.createdAt) : one.id,
    input: { ...inputs[index] },
  }));
  const outcomes = planned.map((one, index) => ({
    index,
    error: one instanceof ApiError ? itemErrorOf(one) : null,
  }));
  const done = await transact(ctx, async (tx) => {
    await insertBatch(ctx, tx, row, items);
    if (made.length > 0)
      await insertCheckouts(
        ctx,
        tx,
        made.map((one) => ({ ...one, batchId: row.id })),
      );
    return completeBatch(ctx, tx, row.id, outcomes);
  });
  for (const { expiresAt } of made) ringAt(ctx, 'checkout', expiresAt);
  return { batch: done, checkouts: made, errors: outcomes.flatMap(({ index, error }) => errorOf(index, error)) };
}

/** What a batch of checkouts has made, read again. 404 for another kind of batch. */
export async function checkoutBatch(ctx: Ctx, id: string): Promise<CheckoutBatch> {
  const found = await namedBatch(ctx, id);
  const items = await itemsOf(ctx, found, null);
  const ids = items.filter(({ status }) => status === 'succeeded').map(({ madeId }) => madeId);
  const checkouts = await ctx.db.checkout.findMany({ where: { id: { in: ids } }, orderBy: { id: 'asc' } });
  const errors = items.flatMap(({ index, errorCode, errorMessage, errorDetails }) =>
    errorOf(
      index,
      errorCode === null ? null : { code: errorCode, message: errorMessage ?? '', details: (errorDetails ?? {}) as ItemError['details'] },
    ),
  );
  return { batch: found, checkouts, errors };
}

function errorOf(index: number, error: ItemError | null): CheckoutError[] {
  return error === null ? [] : [{ index, code: error.code, error: error.message, details: error.details }];
}

/** Every item as the rules take it, with what it comes to. Throws 400 with all that is wrong with any of them. */
function readAll(ctx: Ctx, protocol: CheckoutProtocol, inputs: readonly CreateUcpCheckoutInput[]): NewCheckout[] {
  const issues: FieldIssue[] = [];
  const values = inputs.flatMap((input, index): NewCheckout[] => {
    try {
      return [newCheckout(ctx, protocol, input)];
    } catch (error) {
      if (!(error instanceof ApiError) || error.fields === undefined) throw error;
      issues.push(...error.fields.map((issue): FieldIssue => ({ ...issue, path: ['checkouts', index, ...issue.path] })));
      return [];
    }
  });
  if (issues.length > 0) throw new ValidationFailed(issues.slice(0, mostIssues));
  return values;
}

/** What all come to together; those that are refused count as they were asked for. */
async function totalOfBaskets(
  ctx: Ctx,
  values: readonly NewCheckout[],
  planned: readonly (IssuedCheckout | ApiError)[],
): Promise<BatchTotal> {
  const sums = values.map(({ items, currency, charges }, index) => {
    const made = planned[index];
    return { currency, minor: made === undefined || made instanceof ApiError ? checkoutTotalOf(items, currency, charges) : made.total };
  });
  return totalInAll(ctx, sums, 'checkouts');
}

/** The rows of the items, or why there is none. Merchants are read once. */
async function planAll(ctx: Ctx, values: readonly NewCheckout[]): Promise<(IssuedCheckout | ApiError)[]> {
  const merchants = new Map<string, Promise<Merchant | null>>();
  const named: typeof readMerchant = (from, id) => {
    const found = merchants.get(id) ?? readMerchant(from, id);
    merchants.set(id, found);
    return found;
  };
  const planned: (IssuedCheckout | ApiError)[] = [];
  for (const value of values) {
    try {
      const merchant = await named(ctx, value.merchantId);
      planned.push(await planCheckout(ctx, merchant === null ? value : priceByMerchant(merchant, value), named));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      planned.push(error);
    }
  }
  return planned;
}
