// What agents are answered by ACP: a session with everything that is known of it, as the published schema of the version has it.
import { z } from 'zod';
import { acpAddress, acpBuyer, acpFulfillmentDetails, acpSelection } from './request-shape.js';

const minor = z.int().describe('Minor units of the currency.');
const at = z.iso.datetime();

export const total = z
  .strictObject({
    type: z.enum(['items_base_amount', 'subtotal', 'fulfillment', 'tax', 'total', 'amount_refunded']),
    display_text: z.string(),
    amount: minor,
    description: z.string().optional(),
  })
  .meta({ id: 'AcpTotal' });
export type AcpTotal = z.infer<typeof total>;

export const lineItem = z
  .strictObject({
    id: z.string(),
    item: z.strictObject({ id: z.string(), name: z.string(), unit_amount: minor }),
    quantity: z.int(),
    name: z.string(),
    description: z.string().optional(),
    images: z.array(z.string()).optional(),
    unit_amount: minor,
    availability_status: z.enum(['in_stock', 'out_of_stock']).optional(),
    available_quantity: z.int().optional(),
    max_quantity_per_order: z.int().optional(),
    totals: z.array(total),
  })
  .meta({ id: 'AcpLineItem' });
export type AcpLineItem = z.infer<typeof lineItem>;

export const fulfillmentOption = z
  .strictObject({
    type: z.enum(['shipping', 'digital', 'pickup']),
    id: z.string(),
    title: z.string(),
    description: z.string().optional(),
    carrier: z.string().optional(),
    earliest_delivery_time: at.optional(),
    latest_delivery_time: at.optional(),
    location: z.strictObject({ name: z.string(), address: acpAddress }).optional(),
    totals: z.array(total),
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
    type: z.enum(['info', 'warning', 'error']),
    code: z.enum(codes).optional(),
    resolution: z.enum(['recoverable', 'requires_buyer_input', 'requires_buyer_review']).optional(),
    param: z.string().optional(),
    content_type: z.literal('plain'),
    content: z.string(),
  })
  .meta({ id: 'AcpMessage' });
export type AcpMessage = z.infer<typeof message>;

const handler = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    display_name: z.string(),
    version: z.string(),
    spec: z.string(),
    requires_delegate_payment: z.literal(false),
    requires_pci_compliance: z.literal(false),
    psp: z.string(),
    config_schema: z.string(),
    instrument_schemas: z.array(z.string()),
    config: z.strictObject({ merchant_id: z.string(), environment: z.enum(['test', 'live']), credential_type: z.string() }),
    display_order: z.int(),
  })
  .meta({ id: 'AcpPaymentHandler' });
export type AcpHandler = z.infer<typeof handler>;

export const order = z
  .strictObject({
    type: z.literal('order'),
    id: z.string(),
    checkout_session_id: z.string(),
    permalink_url: z.string(),
    status: z.enum(['confirmed', 'completed']),
    confirmation: z.strictObject({ confirmation_number: z.string(), order_notes: z.string().optional() }),
    line_items: z.array(
      z.strictObject({
        id: z.string(),
        title: z.string(),
        product_id: z.string(),
        quantity: z.strictObject({ ordered: z.int(), current: z.int(), fulfilled: z.int() }),
        unit_price: minor,
        subtotal: minor,
        status: z.enum(['confirmed', 'fulfilled']),
      }),
    ),
    fulfillments: z.array(
      z.strictObject({
        id: z.string(),
        type: z.enum(['shipping', 'digital', 'pickup']),
        status: z.enum(['processing', 'delivered']),
        tracking_number: z.string().optional(),
      }),
    ),
    totals: z.array(total),
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
    id: z.string(),
    protocol: z.strictObject({ version: z.string() }),
    capabilities: z.strictObject({
      payment: z.strictObject({ handlers: z.array(handler) }),
      interventions: z.strictObject({ supported: z.array(z.never()), required: z.array(z.never()), enforcement: z.literal('optional') }),
    }),
    buyer: acpBuyer.optional(),
    status: z.enum(statuses),
    currency: z.string(),
    locale: z.string().optional(),
    timezone: z.string().optional(),
    line_items: z.array(lineItem),
    fulfillment_details: acpFulfillmentDetails.optional(),
    fulfillment_options: z.array(fulfillmentOption),
    selected_fulfillment_options: z.array(acpSelection).optional(),
    totals: z.array(total),
    messages: z.array(message),
    links: z.array(z.strictObject({ type: z.string(), url: z.string() })),
    created_at: at,
    updated_at: at,
    expires_at: at,
    metadata: z.record(z.string(), z.unknown()),
    order: order.optional(),
  })
  .meta({ id: 'AcpCheckoutSession' });
export type AcpSession = z.infer<typeof sessionShape>;
