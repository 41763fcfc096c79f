// The requests of UCP 2026-08-25, as far as they differ from those of the version before.
import { z } from 'zod';
import {
  addressParts,
  anyLinesOf,
  buyer,
  checkoutId,
  choiceParts,
  fulfillmentBy,
  label,
  lineIds,
  lineOf,
  linesOf,
  partsOf,
} from './request.js';

/** What a quantity counts, as a platform asserts it. */
export const quantityUnit = z
  .looseObject({
    unit: label.describe('The unit by its code of UN/CEFACT Rec 20.'),
    scale: z.int().min(0).max(15).optional().describe('How many decimals of the unit a step has.'),
  })
  .meta({ id: 'UCPQuantityUnit', description: 'What a quantity counts: pieces, `C62`, and nothing else here.' });

const destination = z
  .object({
    id: label.optional().describe('What both sides call the destination.'),
    type: label.optional().describe('`shipping_address`.'),
    ...addressParts,
  })
  .meta({ id: 'UCPTypedDestination', description: 'Where goods are sent to.' });

/** As many as an offer has places: they come back with the answer that is sent back. */
const mostDestinations = 20;

const choices = {
  id: label.optional().describe('What both sides call the method.'),
  destinations: z.array(destination).max(mostDestinations).optional().describe('Where goods may be sent to; not read for a pickup.'),
  ...choiceParts,
};
const kind = label.describe('Kind of delivery, such as `shipping` or `pickup`.');

const createdMethod = z
  .object({ type: kind, ...choices })
  .meta({ id: 'UCPFulfillmentMethodCreate', description: 'A way in which the goods are to be delivered.' });
const namedMethod = z
  .object({ type: kind.optional(), line_item_ids: lineIds.describe('The lines that are delivered by it.'), ...choices })
  .refine(({ type, destinations }) => type !== undefined || destinations === undefined, {
    path: ['type'],
    message: 'is required beside destinations',
  })
  .meta({ id: 'UCPFulfillmentMethodUpdate', description: 'A way in which goods are delivered, with the lines that go by it.' });

const unit = { quantity_unit: quantityUnit.optional().describe('What the quantity counts, where it is asserted.') };
const line = lineOf('UCPAssertedLineItem', unit);

/** A checkout to be. */
export const createRequest = z
  .looseObject({
    cart_id: z.string().min(1).max(80).optional().describe('The cart that becomes a checkout: its lines and its buyer count.'),
    ...partsOf(anyLinesOf(line), fulfillmentBy('UCPFulfillmentCreate', createdMethod)),
  })
  .refine(({ cart_id: cart, line_items: lines }) => cart !== undefined || lines.length > 0, {
    path: ['line_items'],
    message: 'must have at least one line where there is no cart_id',
  })
  .meta({ id: 'UCPCheckoutCreate', description: 'A checkout to be, by UCP 2026-08-25.' });

/** A checkout as it shall be. */
export const updateRequest = z
  .looseObject({ id: checkoutId, ...partsOf(linesOf(line), fulfillmentBy('UCPFulfillmentUpdate', namedMethod)) })
  .meta({ id: 'UCPCheckoutUpdate', description: 'A checkout as it shall be, by UCP 2026-08-25.' });

/** A cart as it shall be: what is left out is taken away. */
export const cartRequest = z
  .looseObject({ line_items: anyLinesOf(line), buyer: buyer.optional().describe('Who buys.') })
  .meta({ id: 'UCPCartRequest', description: 'A cart as it shall be: what is left out is taken away.' });

export type CreatedMethod = z.output<typeof createdMethod>;
export type NamedMethod = z.output<typeof namedMethod>;
