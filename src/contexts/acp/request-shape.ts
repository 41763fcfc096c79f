// What agents send by ACP: the requests of the version that is served, with our own bounds (docs/protocols.md "ACP"). What nobody here
// would read is understood and not kept.
import { z } from 'zod';
import { maxJsonLength } from '../../platform/schema/scalar.js';
import { mostItems } from '../checkouts/item.js';

// Gap G-280: Consents, risk signals and billing addresses are accepted and not kept; what would change the order is 400 `unsupported`.
const text = (most: number) => z.string().trim().min(1).max(most);
/** Agents send what they have: an empty text is none. */
const maybeText = (most: number) => z.string().trim().max(most).optional();
const isShort = (value: unknown): boolean => JSON.stringify(value).length <= maxJsonLength;
const email = z.email().max(320);
const at = z.iso.datetime({ offset: true });

export const acpAddress = z
  .strictObject({
    name: text(200).describe('Name of who gets it.'),
    line_one: text(200).describe('Street and number.'),
    line_two: maybeText(200).describe('Second line of the address.'),
    city: text(100).describe('City.'),
    state: text(100).describe('State or region.'),
    country: z
      .string()
      .regex(/^[A-Za-z]{2}$/, 'must be a country of two letters')
      .describe('Country, as an ISO 3166-1 alpha-2 code.'),
    postal_code: text(20).describe('Postal code.'),
    company: maybeText(200).describe('Company at the address.'),
  })
  .meta({ id: 'AcpAddress' });

const company = z.strictObject({
  name: text(200).describe('Name of the company.'),
  tax_id: maybeText(64).describe('Its tax number.'),
  department: maybeText(200).describe('Department that buys.'),
  cost_center: maybeText(64).describe('Cost center that pays.'),
});
const loyalty = z.strictObject({
  tier: maybeText(64).describe('Tier of the membership.'),
  points_balance: z.int().optional().describe('Points that the buyer has.'),
  member_since: at.optional().describe('When the membership began, RFC 3339.'),
});
const taxExemption = z.strictObject({
  certificate_id: text(64).describe('Number of the certificate.'),
  certificate_type: z.enum(['resale', 'exempt_organization', 'government']).describe('Why no tax is due.'),
  exempt_regions: z.array(text(64)).max(100).optional().describe('Regions where no tax is due.'),
  expires_at: at.optional().describe('When the certificate ends, RFC 3339.'),
});

export const acpBuyer = z
  .strictObject({
    first_name: maybeText(100).describe('First name of the buyer.'),
    last_name: maybeText(100).describe('Last name of the buyer.'),
    full_name: maybeText(200).describe('Whole name of the buyer.'),
    email: email.describe('E-mail address of the buyer.'),
    phone_number: maybeText(40).describe('Phone number of the buyer.'),
    customer_id: maybeText(100).describe('Id of the buyer at the merchant.'),
    account_type: z.enum(['guest', 'registered', 'business']).optional().describe('Kind of account that the buyer has at the merchant.'),
    authentication_status: z
      .enum(['authenticated', 'guest', 'requires_signin'])
      .optional()
      .describe('Whether the buyer has signed in at the merchant.'),
    company: company.optional().describe('Company that the buyer buys for.'),
    loyalty: loyalty.optional().describe('Loyalty membership of the buyer.'),
    tax_exemption: taxExemption.optional().describe('Certificate by which no tax is due.'),
  })
  .meta({ id: 'AcpBuyer' });

export const acpFulfillmentDetails = z
  .strictObject({
    name: maybeText(200).describe('Name of who gets it.'),
    phone_number: maybeText(40).describe('Phone number of who gets it.'),
    email: email.optional().describe('E-mail address of who gets it.'),
    address: acpAddress.optional().describe('Where it is delivered.'),
  })
  .meta({ id: 'AcpFulfillmentDetails' });

const item = z
  .strictObject({
    id: text(64).describe('Id of the product in the offer of the merchant.'),
    name: maybeText(200).describe('The merchant knows its name: this is not used.'),
    unit_amount: z.int().optional().describe('The merchant knows its price: this is not used.'),
    // Gap G-271: A repeated ACP item counts once more; `quantity` is understood too.
    quantity: z.int().min(1).max(1_000_000).default(1).describe('ACP repeats an item instead; both are understood.'),
  })
  .meta({ id: 'AcpItem' });
const lineItems = z.array(item).min(1).max(mostItems);

export const acpSelection = z
  .strictObject({
    type: z.enum(['shipping', 'digital', 'pickup', 'local_delivery']).describe('Kind of delivery.'),
    option_id: text(64).describe('The chosen option.'),
    item_ids: z.array(text(64)).max(mostItems).describe('Line items that it is for.'),
  })
  .meta({ id: 'AcpSelectedFulfillmentOption' });

const interventions = z.strictObject({
  supported: z
    .array(z.enum(['3ds', 'biometric', 'address_verification']))
    .max(10)
    .optional()
    .describe('Interventions that the agent can show.'),
  required: z
    .array(z.enum(['3ds', 'biometric']))
    .max(10)
    .optional()
    .describe('Interventions that are needed.'),
  enforcement: z.enum(['always', 'conditional', 'optional']).optional().describe('When an intervention is needed.'),
  display_context: z.enum(['native', 'webview', 'modal', 'redirect']).optional().describe('Where the agent can show one.'),
  redirect_context: z.enum(['in_app', 'external_browser', 'none']).optional().describe('Where the agent can send the buyer.'),
  max_redirects: z.int().min(0).optional().describe('Most redirects that the agent follows.'),
  max_interaction_depth: z.int().min(1).optional().describe('Most steps that the agent takes.'),
});
const extension = z.union([text(200), z.looseObject({ name: text(200).describe('Name of the extension.') })]);
const capabilities = z.strictObject({
  payment: z
    .strictObject({ handlers: z.array(z.looseObject({})).max(50).optional().describe('Handlers that the agent knows.') })
    .optional()
    .describe('How the agent can pay.'),
  interventions: interventions.optional().describe('What the agent can show to the buyer.'),
  extensions: z.array(extension).max(50).optional().describe('Extensions that the agent knows.'),
});

const attribution = z
  .looseObject({
    provider: text(200).describe('Who is credited.'),
    token: maybeText(1_000).describe('Token of the provider.'),
    publisher_id: maybeText(200).describe('Id of the publisher.'),
  })
  .refine(({ token, publisher_id: publisher }) => token !== undefined || publisher !== undefined, 'needs a token or a publisher_id');
const codes = z.array(text(64)).max(20);
const shared = {
  buyer: acpBuyer.optional().describe('Who buys.'),
  fulfillment_details: acpFulfillmentDetails.optional().describe('Where it is delivered, and to whom.'),
  fulfillment_groups: z.array(z.looseObject({})).max(20).optional().describe('Not supported: 400 unless empty.'),
  coupons: codes.optional().describe('Discount codes of the buyer.'),
  discounts: z
    .strictObject({ codes: codes.optional().describe('Discount codes of the buyer.') })
    .optional()
    .describe('Discounts that are asked for.'),
  order_notes: z.string().max(5_000).optional().describe('Notes of the buyer for the merchant.'),
};

/** The body of a new session. */
export const createSessionShape = z
  .strictObject({
    ...shared,
    line_items: lineItems.describe('What is bought.'),
    currency: z
      .string()
      .regex(/^[A-Za-z]{3,8}$/, 'must be a currency such as usd')
      .describe('Currency of the session, such as usd.'),
    capabilities: capabilities.describe('What the agent can do.'),
    affiliate_attribution: attribution.optional().describe('Accepted, and not kept.'),
    locale: maybeText(35).describe('Language of the buyer, such as en-US.'),
    timezone: maybeText(64).describe('Time zone of the buyer, such as Europe/Berlin.'),
    quote_id: maybeText(200).describe('Not supported: 400.'),
    metadata: z
      .record(z.string(), z.unknown())
      .refine(isShort, `must have at most ${maxJsonLength} characters`)
      .optional()
      .describe('JSON object of the agent, stored and answered as it is.'),
  })
  .meta({ id: 'AcpCreateSession' });
export type CreateSession = z.output<typeof createSessionShape>;

/** The body of a change. What is left out stays as it is; null is refused. */
export const updateSessionShape = z
  .strictObject({
    ...shared,
    line_items: lineItems.optional().describe('New items, which replace those before.'),
    selected_fulfillment_options: z.array(acpSelection).max(mostItems).optional().describe('How it is delivered.'),
  })
  .meta({ id: 'AcpUpdateSession' });
export type UpdateSession = z.output<typeof updateSessionShape>;

const instrument = z.looseObject({
  type: text(64).describe('Kind of the instrument.'),
  credential: z
    .looseObject({
      type: text(64).describe('`wallet_id`, `mandate_jwt` or `card_id`.'),
      token: text(8_192).describe('The wallet, the JWT of the mandate, or the vaulted card.'),
    })
    .describe('What pays.'),
});
const paymentData = z
  .strictObject({
    handler_id: text(64).optional().describe('The handler of the session that is used.'),
    instrument: instrument.optional().describe('What pays.'),
    billing_address: acpAddress.optional().describe('Accepted, and not kept.'),
    purchase_order_number: maybeText(200).describe('Not supported: 400.'),
    payment_terms: z.enum(['immediate', 'net_15', 'net_30', 'net_60', 'net_90']).optional().describe('Only `immediate`.'),
    due_date: at.optional().describe('Not supported: 400.'),
    approval_required: z.boolean().optional().describe('Only false: who must approve is said by policies.'),
  })
  .meta({ id: 'AcpPaymentData' });
const authenticationResult = z.strictObject({
  outcome: z
    .enum([
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
    ])
    .describe('What the authentication came to.'),
  outcome_details: z
    .strictObject({
      three_ds_cryptogram: text(200).describe('Cryptogram of 3-D Secure.'),
      electronic_commerce_indicator: z.enum(['01', '02', '05', '06', '07']).describe('Indicator of 3-D Secure.'),
      transaction_id: text(200).describe('Id of the authentication.'),
      version: text(20).describe('Version of 3-D Secure.'),
    })
    .optional()
    .describe('Facts of the authentication.'),
});

/** The body of a completion. */
export const completeSessionShape = z
  .strictObject({
    buyer: acpBuyer.optional().describe('Who buys.'),
    payment_data: paymentData.describe('How it is paid.'),
    authentication_result: authenticationResult.optional().describe('Accepted, and not used: nothing here asks for it.'),
    affiliate_attribution: attribution.optional().describe('Accepted, and not kept.'),
    risk_signals: z.looseObject({}).optional().describe('Accepted, and not kept.'),
    marketing_consents: z
      .array(
        z.strictObject({
          channel: text(64).describe('Channel, such as email.'),
          opted_in: z.boolean().describe('True where the buyer agrees.'),
        }),
      )
      .max(20)
      .optional()
      .describe('Accepted, and not kept.'),
    order_notes: z.string().max(5_000).optional().describe('Notes of the buyer for the merchant.'),
  })
  .meta({ id: 'AcpCompleteSession' });
export type CompleteSession = z.output<typeof completeSessionShape>;

/** The body of a cancellation, which may be left out. */
export const cancelSessionShape = z
  .looseObject({
    intent_trace: z
      .looseObject({
        reason_code: z
          .enum([
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
          ])
          .describe('Why, as a word.'),
        trace_summary: z.string().max(500).optional().describe('Why, in a sentence.'),
        metadata: z
          .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
          .optional()
          .describe('Further facts.'),
      })
      .optional()
      .describe('Why the buyer left.'),
  })
  .meta({ id: 'AcpCancelSession' });
export type CancelSession = z.output<typeof cancelSessionShape>;
