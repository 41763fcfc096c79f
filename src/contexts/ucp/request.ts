// What an agent sends: the members of UCP 2026-04-08 that are read here, bounded, and what other versions share with it. Not so prices and
// titles, which are the merchant's to say.
import { z } from 'zod';
import { mostItems } from '../checkouts/item.js';

const text = (most: number) => z.string().min(1).max(most);
const firstName = text(100).optional().describe('First name.');
const lastName = text(100).optional().describe('Last name.');
const phoneNumber = text(32).optional().describe('Telephone number.');
/** What both sides call a line, a destination or an instrument. */
export const label = text(64);

const lineParts = {
  id: label.optional().describe('What both sides call the line; chosen here where it is left out.'),
  quantity: z.int().min(1).max(1_000_000).describe('How many.'),
};
const itemParts = { id: label.describe("The merchant's id of the item.") };
const lineMeaning = "A line to buy. Its price is the merchant's to say.";

const line = z
  .looseObject({ id: lineParts.id, item: z.looseObject(itemParts).describe('What is bought.'), quantity: lineParts.quantity })
  .meta({ id: 'UCPLineItemRequest', description: lineMeaning });

/** A list of lines; an empty one where something else may say what is to be bought. */
export const anyLinesOf = <Line extends z.ZodType>(one: Line) => z.array(one).max(mostItems).describe('What is to be bought, by line.');
/** A list of lines. */
export const linesOf = <Line extends z.ZodType>(one: Line) => z.array(one).min(1).max(mostItems).describe('What is to be bought, by line.');

/** A line whose item has more members. */
export const lineOf = <More extends z.ZodRawShape>(id: string, more: More) =>
  z
    .looseObject({ ...lineParts, item: z.looseObject({ ...itemParts, ...more }).describe('What is bought.') })
    .meta({ id, description: lineMeaning });

export const buyer = z
  .object({
    first_name: firstName,
    last_name: lastName,
    email: text(254).optional().describe('Its e-mail address.'),
    phone_number: phoneNumber,
  })
  .meta({ id: 'UCPBuyer', description: 'Who buys. Kept with the checkout and shown in it.' });

/** The members of an address. */
export const addressParts = {
  street_address: text(200).optional().describe('Street and number.'),
  extended_address: text(200).optional().describe('Apartment, floor or company.'),
  address_locality: text(100).optional().describe('City.'),
  address_region: text(100).optional().describe('State or province.'),
  postal_code: text(20).optional().describe('Postal code.'),
  address_country: text(60).optional().describe('Country, such as `US`.'),
  first_name: firstName,
  last_name: lastName,
  phone_number: phoneNumber,
};

const destination = z
  .object({ id: label.optional().describe('What both sides call the destination.'), ...addressParts })
  .meta({ id: 'UCPShippingDestination', description: 'Where goods are sent to.' });

const group = z.object({
  id: label.optional().describe('What both sides call the group.'),
  selected_option_id: label.nullable().optional().describe('The option that was chosen; null takes the choice back.'),
});

/** Lines by their names. */
export const lineIds = z.array(label).max(mostItems);

/** What is chosen for a method. */
export const choiceParts = {
  selected_destination_id: label.nullable().optional().describe('The destination that was chosen; null takes the choice back.'),
  groups: z
    .array(group)
    .max(1, 'must be one group: all items of a method go together')
    .optional()
    .describe('What is delivered together, with the option that was chosen for it.'),
};

const method = z
  .object({
    type: z.enum(['shipping', 'pickup']).optional().describe('Kind of delivery.'),
    id: label.optional().describe('What both sides call the method.'),
    line_item_ids: lineIds.optional().describe('The lines that are delivered by it.'),
    destinations: z.array(destination).max(10).optional().describe('Where the goods may be sent to.'),
    ...choiceParts,
  })
  .meta({ id: 'UCPFulfillmentMethodRequest', description: 'A way in which goods are delivered.' });

/** How goods are to be delivered, by methods of a version. */
export const fulfillmentBy = <Method extends z.ZodType>(id: string, one: Method) =>
  z
    .object({ methods: z.array(one).max(2).optional().describe('One method of each type at most.') })
    .meta({ id, description: 'How the goods are to be delivered: one method of each type at most.' });

const fulfillment = fulfillmentBy('UCPFulfillmentRequest', method);

/** The members of a checkout that both requests have, by lines and methods of a version. */
export const partsOf = <Lines extends z.ZodType, Delivery extends z.ZodType>(lines: Lines, delivery: Delivery) => ({
  line_items: lines,
  buyer: buyer.optional().describe('Who buys.'),
  fulfillment: delivery.optional().describe('How the goods are to be delivered.'),
});
const parts = partsOf(linesOf(line), fulfillment);
/** The checkout that is changed. */
export const checkoutId = text(80).optional().describe('The checkout, as in the path.');

// Gap G-285: Unknown members of UCP requests are ignored; `null` is no value, except to take a choice back.
/** A checkout to be. */
export const createRequest = z.looseObject(parts).meta({ id: 'UCPCheckoutCreateRequest', description: 'A checkout to be.' });

/** A checkout as it shall be: an optional member that is left out stays as it was, and `null` is no value. */
export const updateRequest = z
  .looseObject({ id: checkoutId, ...parts })
  .meta({ id: 'UCPCheckoutUpdateRequest', description: 'A checkout as it shall be: an optional member that is left out stays as it was.' });

const instrument = z
  .looseObject({
    id: label.describe('What both sides call the instrument.'),
    handler_id: label.describe('The payment handler that it is for.'),
    type: label.describe('Its kind, as the schema of the handler says.'),
    selected: z.boolean().optional().describe('True for the one that pays.'),
    credential: z
      .looseObject({ type: label.describe('What the token is.'), token: text(8_192).describe('What pays.') })
      .optional()
      .describe('What the handler takes.'),
  })
  .meta({ id: 'UCPPaymentInstrument', description: 'Something to pay with.' });

/** The payment of a checkout. */
export const completeRequest = z
  .looseObject({
    payment: z
      .looseObject({ instruments: z.array(instrument).max(10).describe('What can pay; the one that is selected does.') })
      .describe('How it is paid.'),
    ap2: z
      .looseObject({
        checkout_mandate: text(64 * 1024)
          .optional()
          .describe('The mandate of AP2 for this checkout.'),
      })
      .optional()
      .describe('What AP2 adds, where both sides speak it.'),
  })
  .meta({ id: 'UCPCheckoutCompleteRequest', description: 'How a checkout is paid.' });

/** Calling a checkout off takes no member. */
export const cancelRequest = z.looseObject({});

export type LineRequest = z.output<typeof line>;
export type BuyerShape = z.output<typeof buyer>;
export type Destination = z.output<typeof destination>;
export type FulfillmentRequest = z.output<typeof fulfillment>;
export type MethodRequest = z.output<typeof method>;
/** A request of either kind, in any version: how it writes delivery, its codec knows. */
export interface CheckoutRequest {
  line_items: LineRequest[];
  buyer?: BuyerShape | undefined;
  fulfillment?: unknown;
  /** The cart that it is made of. */
  cart_id?: string | undefined;
}
/** A cart as it shall be. */
export type CartRequest = Pick<CheckoutRequest, 'line_items' | 'buyer'>;
export type InstrumentRequest = z.output<typeof instrument>;
export type CompleteRequest = z.output<typeof completeRequest>;
