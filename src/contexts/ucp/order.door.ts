// The wire of orders, since UCP 2026-08-25.
import { z } from 'zod';
import type { Ctx } from '../../platform/ctx.js';
import type { DoorRequest, GuardedDoor } from '../../platform/door.js';
import { envelope, line, refused, total } from './answer.js';
import { converse, type Talk } from './conversation.js';
import { shared } from './door-facts.js';
import { NoSession } from './errors.js';
import { endpointPath } from './merchant-place.js';
import { signAnswer } from './message-signature.js';
import { getOrder, refundsOf } from './order.js';
import { printOrder } from './order-view.js';
import { errorAnswer, ucpMessagesOf } from './refusal.js';
import { merchantNamed } from './session.js';
import { orderCapability } from './version.js';

const said = (text: string) => z.string().describe(text);
const at = z.iso.datetime().describe('When it happened. RFC 3339 in UTC.');
const lines = z.array(z.looseObject({ id: said('The line.'), quantity: z.int().describe('How many of it.') }));

const orderLine = line
  .extend({
    quantity: z
      .looseObject({
        original: z.int().describe('As it was bought.'),
        total: z.int().describe('As it is now.'),
        fulfilled: z.int().describe('How many were delivered.'),
      })
      .describe('How many.'),
    status: z.enum(['processing', 'partial', 'fulfilled', 'removed']).describe('How far the line is.'),
  })
  .meta({ id: 'UCPOrderLine', description: 'A line of an order.' });

const expectation = z.looseObject({
  id: said('Its identifier.'),
  line_items: lines.describe('What goes this way.'),
  method_type: said('`shipping` or `pickup`.'),
  destination: z.looseObject({}).describe('Where it goes, or where it is picked up.'),
});
const event = z.looseObject({
  id: said('Its identifier.'),
  occurred_at: at,
  type: said('`shipped` or `delivered`.'),
  line_items: lines.describe('What it is about.'),
  tracking_number: said('What the carrier calls it.').optional(),
});
const adjustment = z.looseObject({
  id: said('Its identifier.'),
  type: said('`refund`.'),
  occurred_at: at,
  status: z.enum(['pending', 'completed', 'failed']).describe('How far it is.'),
  totals: z.array(total).describe('What was given back, below zero.').optional(),
});

const order = z
  .looseObject({
    ucp: envelope.describe('The version that is spoken; its status is `success`.'),
    id: said('Its identifier: `ord_` and a UUID.'),
    checkout_id: said('The checkout that was paid.'),
    permalink_url: said('Address of its page.'),
    line_items: z.array(orderLine).describe('What was bought, by line.'),
    fulfillment: z
      .looseObject({
        expectations: z.array(expectation).describe('How it is to be delivered.'),
        events: z.array(event).describe('What was delivered.'),
      })
      .describe('How the goods are delivered.'),
    adjustments: z.array(adjustment).describe('What was given back, if anything was.').optional(),
    currency: said('The currency of all amounts, such as `USD`.'),
    totals: z.array(total).describe('What was paid.'),
  })
  .meta({ id: 'UCPOrder', description: 'An order on the wire of UCP.' });

async function admit(ctx: Ctx, request: DoorRequest): Promise<Talk> {
  const merchant = await merchantNamed(ctx, request.params['merchant_id'] ?? '');
  if (merchant === null) throw new NoSession();
  return converse(ctx, request, merchant, orderCapability);
}

export const readOrderDoor: GuardedDoor<unknown, Talk> = {
  ...shared,
  scope: 'checkouts:read',
  id: 'getUcpOrder',
  method: 'GET',
  path: `${endpointPath}/orders/{id}`,
  summary: 'Read an order by UCP',
  description:
    'What was bought, delivered and given back, for who made the checkout and for the tenant. 200 with `not_found` in its messages for anybody else. The answer is signed. Since version 2026-08-25.',
  answers: { 200: { schema: z.union([order, refused]) } },
  failures: [400, 401, 422, 424, 503],
  admit,
  take: async (ctx, { admission, params }) => {
    const row = await getOrder(ctx, admission, params['id'] ?? '');
    const { codec, active, origin } = admission;
    return { body: printOrder({ row, refunds: await refundsOf(ctx, row), version: codec.version, active, origin }) };
  },
  refused: async (_ctx, { admission }, error) => {
    const messages = ucpMessagesOf(error, 'request');
    return messages && errorAnswer(messages, admission.codec.version);
  },
  seal: signAnswer,
};
