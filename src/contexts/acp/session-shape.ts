// What agents are answered by ACP: a session with everything that is known of it, as the published schema of the version has it.
import { z } from 'zod';
import { acpAddress, acpBuyer, acpFulfillmentDetails, acpSelection } from './request-shape.js';

const minor = z.int().describe('Minor units of the currency.');
const at = z.iso.datetime();

export const total = z
  .strictObject({
    type: z.enum(['items_base_amount', 'subtotal', 'fulfillment', 'tax', 'total', 'amount_refunded']).describe('What it is a total of.'),
    display_text: z.string().describe('Name of the total, for people.'),
    amount: minor,
    description: z.string().optional().describe('More about it, for people.'),
  })
  .meta({ id: 'AcpTotal' });
export type AcpTotal = z.infer<typeof total>;

export const lineItem = z
  .strictObject({
    id: z.string().describe('Id of the line.'),
    item: z
      .strictObject({
        id: z.string().describe('Id of the product in the offer of the merchant.'),
        name: z.string().describe('Name of the product.'),
        unit_amount: minor,
      })
      .describe('The product.'),
    quantity: z.int().describe('How many.'),
    name: z.string().describe('Name of the product.'),
    description: z.string().optional().describe('What the product is.'),
    images: z.array(z.string()).optional().describe('Addresses of pictures.'),
    unit_amount: minor,
    availability_status: z.enum(['in_stock', 'out_of_stock']).optional().describe('Whether it can be bought.'),
    available_quantity: z.int().optional().describe('How many can be bought.'),
    max_quantity_per_order: z.int().optional().describe('How many can be bought at once.'),
    totals: z.array(total).describe('What the line comes to.'),
  })
  .meta({ id: 'AcpLineItem' });
export type AcpLineItem = z.infer<typeof lineItem>;

export const fulfillmentOption = z
  .strictObject({
    type: z.enum(['shipping', 'digital', 'pickup']).describe('Kind of delivery.'),
    id: z.string().describe('Id of the option.'),
    title: z.string().describe('Name of the option.'),
    description: z.string().optional().describe('What the option is.'),
    carrier: z.string().optional().describe('Who delivers.'),
    earliest_delivery_time: at.optional().describe('When it arrives at the earliest, RFC 3339 in UTC.'),
    latest_delivery_time: at.optional().describe('When it arrives at the latest, RFC 3339 in UTC.'),
    location: z
      .strictObject({ name: z.string().describe('Name of the place.'), address: acpAddress.describe('Its address.') })
      .optional()
      .describe('Where it is picked up.'),
    totals: z.array(total).describe('What the option costs.'),
  })
  .meta({ id: 'AcpFulfillmentOption' });
export type AcpFulfillmentOption = z.infer<typeof fulfillmentOption>;

const codes = [
  'missing',
  'out_of_stock',
  'payment_declined',
  'quantity_exceeded',
  'region_restricted',
  'unsupported',
  'not_found',
  'discount_code_invalid',
] as const;
export const message = z
  .strictObject({
    type: z.enum(['info', 'warning', 'error']).describe('How grave it is.'),
    code: z.enum(codes).optional().describe('What it is about, as a word for programs.'),
    resolution: z.enum(['recoverable', 'requires_buyer_input', 'requires_buyer_review']).optional().describe('Who can mend it.'),
    param: z.string().optional().describe('Member of the session that it is about, as a JSONPath.'),
    content_type: z.literal('plain').describe('Form of the content.'),
    content: z.string().describe('The message, for people.'),
  })
  .meta({ id: 'AcpMessage' });
export type AcpMessage = z.infer<typeof message>;

const handler = z
  .strictObject({
    id: z.string().describe('Id of the handler.'),
    name: z.string().describe('Name of the handler, for programs.'),
    display_name: z.string().describe('Name of the handler, for people.'),
    version: z.string().describe('Version of the handler.'),
    spec: z.string().describe('Where the handler is specified.'),
    requires_delegate_payment: z.literal(false).describe('Always false: no card number is sent.'),
    requires_pci_compliance: z.literal(false).describe('Always false: no card number is sent.'),
    psp: z.string().describe('Who carries the payment out.'),
    config_schema: z.string().describe('Where the schema of its config is.'),
    instrument_schemas: z.array(z.string()).describe('Where the schemas of its instruments are.'),
    config: z
      .strictObject({
        merchant_id: z.string().describe('The merchant that is paid.'),
        environment: z.enum(['test', 'live']).describe('The environment.'),
        credential_type: z.string().describe('What the token of a credential is.'),
      })
      .describe('What the agent needs to pay by it.'),
    display_order: z.int().describe('Place among the handlers, from 0.'),
  })
  .meta({ id: 'AcpPaymentHandler' });
export type AcpHandler = z.infer<typeof handler>;

export const order = z
  .strictObject({
    type: z.literal('order').describe('Always `order`.'),
    id: z.string().describe('Id of the order.'),
    checkout_session_id: z.string().describe('The session that it came from.'),
    permalink_url: z.string().describe('Where the order can be seen.'),
    status: z.enum(['confirmed', 'completed']).describe('`completed` once all was delivered.'),
    confirmation: z
      .strictObject({
        confirmation_number: z.string().describe('Number of the confirmation.'),
        order_notes: z.string().optional().describe('Notes of the buyer.'),
      })
      .describe('The confirmation of the merchant.'),
    line_items: z
      .array(
        z.strictObject({
          id: z.string().describe('Id of the line.'),
          title: z.string().describe('Name of the product.'),
          product_id: z.string().describe('Id of the product in the offer of the merchant.'),
          quantity: z
            .strictObject({
              ordered: z.int().describe('How many were ordered.'),
              current: z.int().describe('How many are still ordered.'),
              fulfilled: z.int().describe('How many were delivered.'),
            })
            .describe('How many.'),
          unit_price: minor,
          subtotal: minor,
          status: z.enum(['confirmed', 'fulfilled']).describe('`fulfilled` once it was delivered.'),
        }),
      )
      .describe('What was ordered.'),
    fulfillments: z
      .array(
        z.strictObject({
          id: z.string().describe('Id of the delivery.'),
          type: z.enum(['shipping', 'digital', 'pickup']).describe('Kind of delivery.'),
          status: z.enum(['processing', 'delivered']).describe('How far it is.'),
          tracking_number: z.string().optional().describe('Number of the parcel.'),
        }),
      )
      .describe('How it is delivered.'),
    totals: z.array(total).describe('What the order comes to.'),
  })
  .meta({ id: 'AcpOrder' });
export type AcpOrder = z.infer<typeof order>;

export const statuses = [
  'not_ready_for_payment',
  'ready_for_payment',
  'pending_approval',
  'complete_in_progress',
  'completed',
  'canceled',
  'expired',
] as const;
export type AcpStatus = (typeof statuses)[number];

export const sessionShape = z
  .strictObject({
    id: z.string().describe('Id of the session.'),
    protocol: z.strictObject({ version: z.string().describe('Version of ACP.') }).describe('The protocol that is spoken.'),
    capabilities: z
      .strictObject({
        payment: z.strictObject({ handlers: z.array(handler).describe('Handlers that pay here.') }).describe('How it can be paid.'),
        interventions: z
          .strictObject({
            supported: z.array(z.never()).describe('Always empty.'),
            required: z.array(z.never()).describe('Always empty.'),
            enforcement: z.literal('optional').describe('None is needed.'),
          })
          .describe('What the buyer is asked for.'),
      })
      .describe('What can be done with the session.'),
    buyer: acpBuyer.optional().describe('Who buys.'),
    status: z.enum(statuses).describe('How far the session is.'),
    currency: z.string().describe('Currency of the session, such as usd.'),
    locale: z.string().optional().describe('Language of the buyer.'),
    timezone: z.string().optional().describe('Time zone of the buyer.'),
    line_items: z.array(lineItem).describe('What is bought.'),
    fulfillment_details: acpFulfillmentDetails.optional().describe('Where it is delivered, and to whom.'),
    fulfillment_options: z.array(fulfillmentOption).describe('Ways of delivery.'),
    selected_fulfillment_options: z.array(acpSelection).optional().describe('How it is delivered.'),
    totals: z.array(total).describe('What it comes to.'),
    messages: z.array(message).describe('What is to be known or mended.'),
    links: z
      .array(z.strictObject({ type: z.string().describe('What the page is.'), url: z.string().describe('Its address.') }))
      .describe('Pages of the merchant.'),
    created_at: at.describe('When it was created, RFC 3339 in UTC.'),
    updated_at: at.describe('When it last changed, RFC 3339 in UTC.'),
    expires_at: at.describe('When it expires unpaid, RFC 3339 in UTC.'),
    metadata: z.record(z.string(), z.unknown()).describe('JSON object of the agent, stored and answered as it is.'),
    order: order.optional().describe('The order, once it is paid.'),
  })
  .meta({ id: 'AcpCheckoutSession' });
export type AcpSession = z.infer<typeof sessionShape>;
