// What agents send by ACP: the requests of the version that is served, with our own bounds (docs/protocols.md "ACP"). What nobody here
// would read is understood and not kept (Gap G-280).
import { z } from 'zod';
import { maxJsonLength } from '../../platform/schema/scalar.js';
import { mostItems } from '../checkouts/item.js';

const text = (most: number) => z.string().trim().min(1).max(most);
/** Agents send what they have: an empty text is none. */
const maybeText = (most: number) => z.string().trim().max(most).optional();
const isShort = (value: unknown): boolean => JSON.stringify(value).length <= maxJsonLength;
const email = z.email().max(320);
const at = z.iso.datetime({ offset: true });

export const acpAddress = z
  .strictObject({
    name: text(200),
    line_one: text(200),
    line_two: maybeText(200),
    city: text(100),
    state: text(100),
    country: z.string().regex(/^[A-Za-z]{2}$/, 'must be a country of two letters'),
    postal_code: text(20),
    company: maybeText(200),
  })
  .meta({ id: 'AcpAddress' });

const company = z.strictObject({ name: text(200), tax_id: maybeText(64), department: maybeText(200), cost_center: maybeText(64) });
const loyalty = z.strictObject({ tier: maybeText(64), points_balance: z.int().optional(), member_since: at.optional() });
const taxExemption = z.strictObject({
  certificate_id: text(64),
  certificate_type: z.enum(['resale', 'exempt_organization', 'government']),
  exempt_regions: z.array(text(64)).max(100).optional(),
  expires_at: at.optional(),
});

export const acpBuyer = z
  .strictObject({
    first_name: maybeText(100),
    last_name: maybeText(100),
    full_name: maybeText(200),
    email,
    phone_number: maybeText(40),
    customer_id: maybeText(100),
    account_type: z.enum(['guest', 'registered', 'business']).optional(),
    authentication_status: z.enum(['authenticated', 'guest', 'requires_signin']).optional(),
    company: company.optional(),
    loyalty: loyalty.optional(),
    tax_exemption: taxExemption.optional(),
  })
  .meta({ id: 'AcpBuyer' });

export const acpFulfillmentDetails = z
  .strictObject({
    name: maybeText(200),
    phone_number: maybeText(40),
    email: email.optional(),
    address: acpAddress.optional(),
  })
  .meta({ id: 'AcpFulfillmentDetails' });

const item = z
  .strictObject({
    id: text(64),
    name: maybeText(200).describe('The merchant knows its name: this is not used.'),
    unit_amount: z.int().optional().describe('The merchant knows its price: this is not used.'),
    quantity: z.int().min(1).max(1_000_000).default(1).describe('ACP repeats an item instead; both are understood.'), // Gap G-271
  })
  .meta({ id: 'AcpItem' });
const lineItems = z.array(item).min(1).max(mostItems);

export const acpSelection = z
  .strictObject({
    type: z.enum(['shipping', 'digital', 'pickup', 'local_delivery']),
    option_id: text(64),
    item_ids: z.array(text(64)).max(mostItems),
  })
  .meta({ id: 'AcpSelectedFulfillmentOption' });

const interventions = z.strictObject({
  supported: z
    .array(z.enum(['3ds', 'biometric', 'address_verification']))
    .max(10)
    .optional(),
  required: z
    .array(z.enum(['3ds', 'biometric']))
    .max(10)
    .optional(),
  enforcement: z.enum(['always', 'conditional', 'optional']).optional(),
  display_context: z.enum(['native', 'webview', 'modal', 'redirect']).optional(),
  redirect_context: z.enum(['in_app', 'external_browser', 'none']).optional(),
  max_redirects: z.int().min(0).optional(),
  max_interaction_depth: z.int().min(1).optional(),
});
const extension = z.union([text(200), z.looseObject({ name: text(200) })]);
const capabilities = z.strictObject({
  payment: z.strictObject({ handlers: z.array(z.looseObject({})).max(50).optional() }).optional(),
  interventions: interventions.optional(),
  extensions: z.array(extension).max(50).optional(),
});

const attribution = z
  .looseObject({ provider: text(200), token: maybeText(1_000), publisher_id: maybeText(200) })
  .refine(({ token, publisher_id: publisher }) => token !== undefined || publisher !== undefined, 'needs a token or a publisher_id');
const codes = z.array(text(64)).max(20);
const shared = {
  buyer: acpBuyer.optional(),
  fulfillment_details: acpFulfillmentDetails.optional(),
  fulfillment_groups: z.array(z.looseObject({})).max(20).optional().describe('Not supported: 400 unless empty.'),
  coupons: codes.optional(),
  discounts: z.strictObject({ codes: codes.optional() }).optional(),
  order_notes: z.string().max(5_000).optional(),
};

/** The body of a new session. */
export const createSessionShape = z
  .strictObject({
    ...shared,
    line_items: lineItems,
    currency: z.string().regex(/^[A-Za-z]{3,8}$/, 'must be a currency such as usd'),
    capabilities,
    affiliate_attribution: attribution.optional().describe('Accepted, and not kept.'),
    locale: maybeText(35),
    timezone: maybeText(64),
    quote_id: maybeText(200).describe('Not supported: 400.'),
    metadata: z.record(z.string(), z.unknown()).refine(isShort, `must have at most ${maxJsonLength} characters`).optional(),
  })
  .meta({ id: 'AcpCreateSession' });
export type CreateSession = z.output<typeof createSessionShape>;

/** The body of a change. What is left out stays as it is; null is refused. */
export const updateSessionShape = z
  .strictObject({
    ...shared,
    line_items: lineItems.optional(),
    selected_fulfillment_options: z.array(acpSelection).max(mostItems).optional(),
  })
  .meta({ id: 'AcpUpdateSession' });
export type UpdateSession = z.output<typeof updateSessionShape>;

const instrument = z.looseObject({
  type: text(64),
  credential: z.looseObject({ type: text(64).describe('`wallet_id`, `mandate_jwt` or `card_id`.'), token: text(8_192) }),
});
const paymentData = z
  .strictObject({
    handler_id: text(64).optional(),
    instrument: instrument.optional(),
    billing_address: acpAddress.optional().describe('Accepted, and not kept.'),
    purchase_order_number: maybeText(200).describe('Not supported: 400.'),
    payment_terms: z.enum(['immediate', 'net_15', 'net_30', 'net_60', 'net_90']).optional().describe('Only `immediate`.'),
    due_date: at.optional().describe('Not supported: 400.'),
    approval_required: z.boolean().optional().describe('Only false: who must approve is said by policies.'),
  })
  .meta({ id: 'AcpPaymentData' });
const authenticationResult = z.strictObject({
  outcome: z.enum([
    'abandoned',
    'attempt_acknowledged',
    'authenticated',
    'canceled',
    'denied',
    'informational',
    'internal_error',
    'not_supported',
    'processing_error',
    'rejected',
  ]),
  outcome_details: z
    .strictObject({
      three_ds_cryptogram: text(200),
      electronic_commerce_indicator: z.enum(['01', '02', '05', '06', '07']),
      transaction_id: text(200),
      version: text(20),
    })
    .optional(),
});

/** The body of a completion. */
export const completeSessionShape = z
  .strictObject({
    buyer: acpBuyer.optional(),
    payment_data: paymentData,
    authentication_result: authenticationResult.optional().describe('Accepted, and not used: nothing here asks for it.'),
    affiliate_attribution: attribution.optional().describe('Accepted, and not kept.'),
    risk_signals: z.looseObject({}).optional().describe('Accepted, and not kept.'),
    marketing_consents: z
      .array(z.strictObject({ channel: text(64), opted_in: z.boolean() }))
      .max(20)
      .optional()
      .describe('Accepted, and not kept.'),
    order_notes: z.string().max(5_000).optional(),
  })
  .meta({ id: 'AcpCompleteSession' });
export type CompleteSession = z.output<typeof completeSessionShape>;

/** The body of a cancellation, which may be left out. */
export const cancelSessionShape = z
  .looseObject({
    intent_trace: z
      .looseObject({
        reason_code: z.enum([
          'price_sensitivity',
          'shipping_cost',
          'shipping_speed',
          'product_fit',
          'trust_security',
          'returns_policy',
          'payment_options',
          'comparison',
          'timing_deferred',
          'other',
        ]),
        trace_summary: z.string().max(500).optional(),
        metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
      })
      .optional(),
  })
  .meta({ id: 'AcpCancelSession' });
export type CancelSession = z.output<typeof cancelSessionShape>;
