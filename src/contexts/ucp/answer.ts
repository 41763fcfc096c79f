// What UCP answers, as schemas for openapi.json. The published schemas of the protocol say more; the tests hold every answer to those.
import { z } from 'zod';

const said = (text: string) => z.string().describe(text);

export const message = z
  .looseObject({
    type: z.enum(['error', 'warning']).describe('`error`, or `warning` for something to know.'),
    code: said('What it is about, as a word for programs.'),
    severity: z
      .enum(['recoverable', 'requires_buyer_input', 'requires_buyer_review', 'unrecoverable'])
      .describe('Who can go on: the agent by another request, the buyer, or nobody. Left out of warnings.')
      .optional(),
    content: said('What is wrong, in words for people.'),
    path: said('JSONPath into the checkout.').optional(),
    reason: said('The code of the platform for a payment that was refused.').optional(),
  })
  .meta({ id: 'UCPMessage', description: 'Something that is in the way of the checkout.' });

export const total = z
  .looseObject({
    type: said('What it is a total of, such as `subtotal`, `tax` or `total`.'),
    display_text: said('Its name, as buyers read it.').optional(),
    amount: z.int().describe('In minor units of the currency.'),
  })
  .meta({ id: 'UCPTotal', description: 'One of the sums of a checkout or of a line.' });

const entry = z.looseObject({ version: said('Its version, which is a date.') });
const entries = (text: string) => z.record(z.string(), z.array(entry)).describe(text);
const handler = z.looseObject({ id: said('Its id, which an instrument names.'), version: said('Its version, which is a date.') });

export const envelope = z
  .looseObject({
    version: said('The version of UCP that is spoken, which is a date.'),
    status: z.enum(['success', 'error']).describe('Whether the answer has what was asked for.'),
    capabilities: entries('What both sides can do, by name.').optional(),
    payment_handlers: z.record(z.string(), z.array(handler)).describe('How the checkout can be paid, by name.').optional(),
  })
  .meta({ id: 'UCPEnvelope', description: 'The version that is spoken, and what both sides can do.' });

const item = z.looseObject({
  id: said("The merchant's id of the item."),
  title: said('Its name, as buyers read it.'),
  price: z.int().describe('Price of one, in minor units of the currency.'),
  image_url: said('Address of a picture of it.').optional(),
});

export const line = z
  .looseObject({
    id: said('What both sides call the line.'),
    item: item.describe('What is bought.'),
    quantity: z.int().describe('How many.'),
    totals: z.array(total).describe('The sums of the line.'),
  })
  .meta({ id: 'UCPLineItem', description: 'A line of a checkout.' });

const method = z.looseObject({ id: said('What both sides call the method.'), type: said('`shipping` or `pickup`.') });
export const link = z.looseObject({ type: said('What the page is.'), url: said('Its address.') });

const checkout = z
  .looseObject({
    ucp: envelope.describe('The version that is spoken; its status is `success`.'),
    id: said('Its identifier: `ucp_chk_` and a UUID.'),
    status: z
      .enum(['incomplete', 'requires_escalation', 'ready_for_complete', 'complete_in_progress', 'completed', 'canceled'])
      .describe('How far it is: something is missing, a person has to act, it can be paid, is being paid, is paid, or was called off.'),
    currency: said('The currency of all amounts, such as `USD`.'),
    line_items: z.array(line).describe('What is bought, by line.'),
    buyer: z.looseObject({}).describe('Who buys, as it was sent.').optional(),
    totals: z.array(total).describe('The sums of the checkout; that of the type `total` is what is paid.'),
    messages: z.array(message).describe('What is in the way, if anything is.').optional(),
    links: z.array(link).describe('Pages of the merchant, such as its terms.'),
    expires_at: z.iso.datetime().describe('Until when it can be paid. RFC 3339 in UTC.'),
    continue_url: said('Where a person can go on with it.').optional(),
    fulfillment: z
      .looseObject({ methods: z.array(method).describe('One method of each type at most.') })
      .describe('How the goods are delivered.')
      .optional(),
    order: z
      .looseObject({ id: said('Its identifier.'), permalink_url: said('Address of its page.') })
      .describe('The order, once the checkout is completed.')
      .optional(),
    ap2: z
      .looseObject({ merchant_authorization: said('Signature of the merchant over the checkout: a JWS without its payload.') })
      .describe('What AP2 adds, where both sides speak it.')
      .optional(),
  })
  .meta({ id: 'UCPWireCheckout', description: 'A checkout on the wire of UCP.' });

export const refused = z
  .strictObject({
    ucp: envelope.describe('The version that is spoken; its status is `error`.'),
    messages: z.array(message).describe('What was refused, and why.'),
  })
  .meta({ id: 'UCPErrorResponse', description: 'What the merchant refused, where there is no checkout to show.' });

/** A checkout, or why there is none. */
export const checkoutAnswer = z.union([checkout, refused]);
/** A checkout that was made. */
export const createdAnswer = checkout;

/** A failure of the request as such. */
export const failure = z
  .looseObject({
    code: said('What is wrong, as a word for programs.'),
    content: said('What is wrong, in words for people.'),
    details: z.looseObject({}).describe('What the code adds, as in errors of `/v1`.').optional(),
    request_id: said('Names this request in logs.').optional(),
  })
  .meta({ id: 'UCPFailure', description: 'Why a request was not taken.' });

const signingKey = z.looseObject({
  kid: said('Names the key in signatures.'),
  kty: said('Its kind; the other members are those of a JWK.'),
});

/** The profile of a platform or of a merchant. */
export const profileAnswer = z
  .looseObject({
    ucp: z
      .looseObject({
        version: said('The version of UCP, which is a date.'),
        supported_versions: z.record(z.string(), z.string()).describe('The addresses of the profiles of the versions before.').optional(),
        services: entries('Where it is spoken, by the name of the service.'),
        capabilities: entries('What can be done, by name.'),
        payment_handlers: entries('How checkouts can be paid, by name.'),
      })
      .describe('What of UCP is spoken here.'),
    keys: z.array(signingKey).describe('The public keys that signatures are checked with, as JWKs; since 2026-08-25.').optional(),
    signing_keys: z.array(signingKey).describe('The same keys by their name in 2026-04-08.'),
  })
  .meta({ id: 'UCPProfile', description: 'What a platform or a merchant says of itself to agents.' });
