// What an agent sends: the members of UCP that are read here, bounded. Others are left alone, as an extension that both sides did not
// agree on is; so are prices and titles, which are the merchant's to say (Gap G-285).
import { z } from 'zod';
import { mostItems } from '../checkouts/item.js';

const text = (most: number) => z.string().min(1).max(most);
const name = text(100).optional();
/** What both sides call a line, a destination or an instrument. */
const label = text(64);

const line = z
  .looseObject({ id: label.optional(), item: z.looseObject({ id: label }), quantity: z.int().min(1).max(1_000_000) })
  .meta({ id: 'UCPLineItemRequest' });

const buyer = z
  .object({ first_name: name, last_name: name, email: text(254).optional(), phone_number: text(32).optional() })
  .meta({ id: 'UCPBuyer', description: 'Who buys. Kept with the checkout and shown in it.' });

const addressParts = {
  street_address: text(200).optional(),
  extended_address: text(200).optional(),
  address_locality: text(100).optional(),
  address_region: text(100).optional(),
  postal_code: text(20).optional(),
  address_country: text(60).optional(),
  first_name: name,
  last_name: name,
  phone_number: text(32).optional(),
};

const destination = z.object({ id: label.optional(), ...addressParts }).meta({ id: 'UCPShippingDestination' });

const method = z
  .object({
    type: z.enum(['shipping', 'pickup']).optional(),
    id: label.optional(),
    line_item_ids: z.array(label).max(mostItems).optional(),
    destinations: z.array(destination).max(10).optional(),
    selected_destination_id: label.nullable().optional(),
    groups: z
      .array(z.object({ id: label.optional(), selected_option_id: label.nullable().optional() }))
      .max(1, 'must be one group: all items of a method go together')
      .optional(),
  })
  .meta({ id: 'UCPFulfillmentMethodRequest' });

const fulfillment = z
  .object({ methods: z.array(method).max(2).optional() })
  .meta({ id: 'UCPFulfillmentRequest', description: 'How the goods are to be delivered: one method of each type at most.' });

const lines = z.array(line).min(1).max(mostItems);

/** A checkout to be. */
export const createRequest = z
  .looseObject({ line_items: lines, buyer: buyer.optional(), fulfillment: fulfillment.optional() })
  .meta({ id: 'UCPCheckoutCreateRequest' });

/** A checkout as it shall be: an optional member that is left out stays as it was, and `null` is no value. */
export const updateRequest = z
  .looseObject({ id: text(80).optional(), line_items: lines, buyer: buyer.optional(), fulfillment: fulfillment.optional() })
  .meta({ id: 'UCPCheckoutUpdateRequest' });

const instrument = z
  .looseObject({
    id: label,
    handler_id: label,
    type: label,
    selected: z.boolean().optional(),
    credential: z.looseObject({ type: label, token: text(8_192) }).optional(),
  })
  .meta({ id: 'UCPPaymentInstrument' });

/** The payment of a checkout. */
export const completeRequest = z
  .looseObject({
    payment: z.looseObject({ instruments: z.array(instrument).max(10) }),
    ap2: z.looseObject({ checkout_mandate: text(64 * 1024).optional() }).optional(),
  })
  .meta({ id: 'UCPCheckoutCompleteRequest' });

/** Calling a checkout off takes no member. */
export const cancelRequest = z.looseObject({});

export type LineRequest = z.output<typeof line>;
export type BuyerShape = z.output<typeof buyer>;
export type Destination = z.output<typeof destination>;
export type FulfillmentRequest = z.output<typeof fulfillment>;
export type MethodRequest = z.output<typeof method>;
export type CheckoutRequest = z.output<typeof updateRequest>;
export type InstrumentRequest = z.output<typeof instrument>;
export type CompleteRequest = z.output<typeof completeRequest>;
