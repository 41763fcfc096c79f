// What an order webhook sends: the order as it was when it changed, signed (RFC 9421) by a key of the profile of the merchant.

import type { Checkout, Refund } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { contentDigest, derivedOf } from '../../platform/http-signature.js';
import { parseId, printId } from '../../platform/schema/id.js';
import type { Dress, Sender } from '../webhooks/sender.js';
import { signParts } from './message-signature.js';
import { printOrder } from './order-view.js';
import type { OrderWebhook } from './order-webhook.js';

/** Writes the deliveries of orders. */
export const sendOrders: Sender = async (ctx, rows, events) => {
  const wanted = new Map<string, { checkoutId: string; at: Date }>();
  for (const { id, eventId } of rows) {
    const event = events.get(eventId);
    if (event?.type !== '_ucp.order.changed') continue;
    const { checkout_id: text } = JSON.parse(event.data) as { checkout_id: string };
    const checkoutId = parseId('ucpCheckout', text);
    if (checkoutId !== null) wanted.set(id, { checkoutId, at: event.createdAt });
  }
  const ids = [...new Set([...wanted.values()].map(({ checkoutId }) => checkoutId))];
  const checkouts = new Map((await ctx.db.checkout.findMany({ where: { id: { in: ids } } })).map((row) => [row.id, row]));
  const transferIds = [...checkouts.values()].flatMap(({ transferId }) => transferId ?? []);
  const refunds = await ctx.db.refund.findMany({ where: { originalTransferId: { in: transferIds } }, orderBy: { id: 'asc' } });
  return new Map(
    rows.flatMap(({ id, eventId }): [string, Dress][] => {
      const { checkoutId = '', at } = wanted.get(id) ?? {};
      const row = checkouts.get(checkoutId);
      const told = row?.orderWebhook as unknown as OrderWebhook | null | undefined;
      if (row === undefined || at === undefined || told == null) return [];
      const body = Buffer.from(JSON.stringify(orderThen(row, refunds, told, at)));
      return [[id, { body, headers: (url, now) => headersOf(ctx, { url, now, body, eventId, profile: told.profile }) }]];
    }),
  );
};

/** The order as it was at an instant: every send of an event has the same bytes. */
function orderThen(row: Checkout, refunds: readonly Refund[], { version, active, origin }: OrderWebhook, at: Date): object {
  const isLater = row.fulfilledAt !== null && row.fulfilledAt > at;
  const then = isLater ? { ...row, fulfilledAt: null, deliveredAt: null, tracking: null } : row;
  const made = refunds.filter(({ originalTransferId, createdAt }) => originalTransferId === row.transferId && createdAt <= at);
  return printOrder({ row: then, refunds: made, version, active, origin });
}

interface Message {
  url: string;
  now: Date;
  body: Buffer;
  eventId: string;
  profile: string;
}

async function headersOf({ platform }: Ctx, { url, now, body, eventId, profile }: Message): Promise<Record<string, string>> {
  const { host, pathname, search } = new URL(url);
  const target = derivedOf('POST', host, pathname + search);
  const fields = {
    'Content-Digest': contentDigest(body),
    'UCP-Agent': `profile="${profile}"`,
    'Webhook-Id': printId('event', eventId),
    'Webhook-Timestamp': String(Math.floor(now.getTime() / 1000)),
  };
  const covered = ['@method', '@authority', '@path', ...(search === '' ? [] : ['@query'])].map((name): [string, string] => [
    name,
    target[name] ?? '',
  ]);
  const signed = [...Object.entries(fields).map(([name, value]): [string, string] => [name.toLowerCase(), value])];
  return { ...fields, ...(await signParts(platform, [...covered, ['content-type', 'application/json'], ...signed])) };
}
