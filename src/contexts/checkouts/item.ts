// What is in a checkout, and what it comes to: the items, and the charges that a wire may put on top (SPEC.md "ACP item").
import type { Checkout, Prisma } from '../../generated/prisma/client.js';
import { type FieldIssue, ValidationFailed } from '../../platform/errors.js';
import { formatMinor, maxAmountMinor } from '../../platform/money.js';

/** Items in one checkout. */
export const mostItems = 100;

export interface CheckoutItem {
  sku: string;
  /** Only UCP names items. */
  title?: string | null | undefined;
  quantity: number;
  /** Minor units of `currency`. */
  unitPrice: bigint;
  currency: string;
}

/** What comes on top of the items, minor units. */
export interface Charges {
  fulfillment: bigint;
  tax: bigint;
}

export const noCharges: Charges = { fulfillment: 0n, tax: 0n };

/**
 * What a basket comes to, minor units of `currency`. 400 at `member` for items in another currency, for a sum beyond the largest amount,
 * and for one of nothing.
 */
export function checkoutTotalOf(items: readonly CheckoutItem[], currency: string, { fulfillment, tax }: Charges, member = 'items'): bigint {
  const strangers = items.flatMap((item, index): FieldIssue[] =>
    item.currency === currency
      ? []
      : [{ path: [member, index, 'currency'], message: `is not that of the checkout, ${currency}`, rule: 'currency' }],
  );
  if (strangers.length > 0) throw new ValidationFailed(strangers);
  const total = items.reduce((sum, { quantity, unitPrice }) => sum + BigInt(quantity) * unitPrice, fulfillment + tax);
  if (total <= 0n) throw new ValidationFailed([{ path: [member], message: 'come to nothing', rule: 'min' }]);
  if (total > maxAmountMinor) {
    const message = `come to more than ${formatMinor(maxAmountMinor, currency)} ${currency}`;
    throw new ValidationFailed([{ path: [member], message, rule: 'max' }]);
  }
  return total;
}

/** Items as the row keeps them: the currency is that of the checkout. */
export function storedItems(items: readonly CheckoutItem[]): Prisma.InputJsonArray {
  return items.map(({ sku, title, quantity, unitPrice }) => ({
    sku,
    ...(title != null && { title }),
    quantity,
    unitPrice: `${unitPrice}`,
  }));
}

/** The items of a checkout. */
export function itemsOf({ items, currency }: Pick<Checkout, 'items' | 'currency'>): CheckoutItem[] {
  const stored = items as unknown as { sku: string; title?: string; quantity: number; unitPrice: string }[];
  return stored.map(({ unitPrice, ...item }) => ({ ...item, unitPrice: BigInt(unitPrice), currency }));
}

/** The charges of a checkout. */
export function chargesOf({ fulfillmentAmount, taxAmount }: Pick<Checkout, 'fulfillmentAmount' | 'taxAmount'>): Charges {
  return { fulfillment: fulfillmentAmount, tax: taxAmount };
}
