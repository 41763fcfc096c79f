// What UCP answers, as schemas for openapi.json. The published schemas of the protocol say more; the tests hold every answer to those.
import { z } from 'zod';

const message = z
  .looseObject({
    type: z.literal('error'),
    code: z.string(),
    severity: z.enum(['recoverable', 'requires_buyer_input', 'requires_buyer_review', 'unrecoverable']),
    content: z.string(),
    path: z.string().optional().describe('JSONPath into the checkout.'),
    reason: z.string().optional().describe('The code of the platform for a payment that was refused.'),
  })
  .meta({ id: 'UCPMessage' });

const total = z
  .looseObject({ type: z.string(), display_text: z.string().optional(), amount: z.int().describe('In minor units of the currency.') })
  .meta({ id: 'UCPTotal' });

const envelope = z
  .looseObject({
    version: z.string(),
    status: z.enum(['success', 'error']),
    capabilities: z.record(z.string(), z.array(z.looseObject({ version: z.string() }))).optional(),
    payment_handlers: z.record(z.string(), z.array(z.looseObject({ id: z.string(), version: z.string() }))).optional(),
  })
  .meta({ id: 'UCPEnvelope', description: 'The version that is spoken, and what both sides can do.' });

const line = z
  .looseObject({
    id: z.string(),
    item: z.looseObject({ id: z.string(), title: z.string(), price: z.int(), image_url: z.string().optional() }),
    quantity: z.int(),
    totals: z.array(total),
  })
  .meta({ id: 'UCPLineItem' });

const checkout = z
  .looseObject({
    ucp: envelope,
    id: z.string(),
    status: z.enum(['incomplete', 'requires_escalation', 'ready_for_complete', 'complete_in_progress', 'completed', 'canceled']),
    currency: z.string(),
    line_items: z.array(line),
    buyer: z.looseObject({}).optional(),
    totals: z.array(total),
    messages: z.array(message).optional(),
    links: z.array(z.looseObject({ type: z.string(), url: z.string() })),
    expires_at: z.iso.datetime(),
    continue_url: z.string().optional(),
    fulfillment: z.looseObject({ methods: z.array(z.looseObject({ id: z.string(), type: z.string() })) }).optional(),
    order: z.looseObject({ id: z.string(), permalink_url: z.string() }).optional(),
    ap2: z.looseObject({ merchant_authorization: z.string() }).optional(),
  })
  .meta({ id: 'UCPWireCheckout', description: 'A checkout on the wire of UCP 2026-04-08.' });

const refused = z
  .strictObject({ ucp: envelope, messages: z.array(message) })
  .meta({ id: 'UCPErrorResponse', description: 'What the merchant refused, where there is no checkout to show.' });

/** A checkout, or why there is none. */
export const checkoutAnswer = z.union([checkout, refused]);
/** A checkout that was made. */
export const createdAnswer = checkout;

/** A failure of the request as such. */
export const failure = z
  .looseObject({ code: z.string(), content: z.string(), details: z.looseObject({}).optional(), request_id: z.string().optional() })
  .meta({ id: 'UCPFailure' });

const entry = z.looseObject({ version: z.string() });

/** The profile of a platform or of a merchant. */
export const profileAnswer = z
  .looseObject({
    ucp: z.looseObject({
      version: z.string(),
      services: z.record(z.string(), z.array(entry)),
      capabilities: z.record(z.string(), z.array(entry)),
      payment_handlers: z.record(z.string(), z.array(entry)),
    }),
    signing_keys: z.array(z.looseObject({ kid: z.string(), kty: z.string() })),
  })
  .meta({ id: 'UCPProfile' });
