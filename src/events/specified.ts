// Types of SPEC.md "Event types and data" that no context emits yet. Each moves to contexts/<name>/events.ts with the context that
// emits it.
import { z } from 'zod';
import { currency, exampleId, id, money } from './data.js';
import type { Definition } from './definition.js';

/** The same data and subject for each type of a family. */
function family<S extends z.ZodType>(data: S, subject: string) {
  return (description: string, example: z.infer<S>): Definition<S> => ({ description, data, subject, example });
}

const checkoutData = z.strictObject({
  checkout_id: id('acp_chk'),
  merchant_id: z.string(),
  status: z.enum(['created', 'pending_payment', 'paid', 'fulfilled', 'expired']),
  total: money,
  currency,
  items: z.array(z.strictObject({ sku: z.string(), quantity: z.int().positive(), unit_price: money })),
});
const checkout = family(checkoutData, 'checkout_id');
const basket: z.infer<typeof checkoutData> = {
  checkout_id: exampleId('acp_chk'),
  merchant_id: exampleId('mer'),
  status: 'created',
  total: '59.98',
  currency: 'USD',
  items: [{ sku: 'SKU-1', quantity: 2, unit_price: '29.99' }],
};

/** Each type by its name. */
export const specified: Readonly<Record<string, Definition>> = {
  'acp.checkout.created': checkout('checkout session created', basket),
  'acp.checkout.completed': checkout('checkout completed with payment', { ...basket, status: 'paid' }),
  'acp.checkout.expired': checkout('session expired without completion', { ...basket, status: 'expired' }),
};
