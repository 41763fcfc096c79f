// Order webhooks: a platform whose profile names an address for orders is sent the whole order when it is placed, delivered or refunded, as
// deliveries like any other (contexts/webhooks).
import { isDeepStrictEqual } from 'node:util';
import { type Checkout, Prisma, type Webhook } from '../../generated/prisma/client.js';
import { newToken } from '../../platform/crypto.js';
import type { Ctx } from '../../platform/ctx.js';
import { egressProblem } from '../../platform/outbound/guard.js';
import { newId } from '../../platform/schema/id.js';
import type { Talk } from './conversation.js';
import { remark, type UcpMessage } from './message.js';
import { orderCapability } from './version.js';

/** The name of those who are sent orders, among the senders of deliveries. */
export const orderSender = 'ucp_order';

/** Addresses that a workspace sends orders to, at most. */
const mostAddresses = 100;

/** What a checkout keeps of who wants to hear of its order. */
export interface OrderWebhook {
  webhookId: string;
  /** What both sides could do when it was paid, and in which version. */
  version: string;
  active: readonly string[];
  /** Where we were reached, and the profile of the merchant there. */
  origin: string;
  profile: string;
}

// Gap G-745: An order webhook is at the host and port of the profile; another one, and a private address, gets none and a warning.
/** The address for orders in the profile of a platform, or why it is none; undefined where it names none. */
function addressOf({ platform, workspace }: Ctx, { profile, active }: Talk): { url: string } | { refused: UcpMessage } | undefined {
  const url = active.includes(orderCapability) ? profile.orderWebhook : undefined;
  if (url === undefined) return undefined;
  const problem = egressProblem(url, workspace.environment === 'test' ? platform.config.webhookAllowHosts : []);
  if (problem !== undefined)
    return { refused: remark('webhook_url_refused', `Nothing is sent to the webhook_url of your profile: it ${problem}.`) };
  if (new URL(url).host === new URL(profile.url).host) return { url };
  const content = 'Nothing is sent to the webhook_url of your profile: it must be on the host of the profile.';
  return { refused: remark('webhook_host_mismatch', content) };
}

/** What there is to say about the order webhook of a profile. */
export function orderWebhookRemarks(ctx: Ctx, talk: Talk): UcpMessage[] {
  const address = addressOf(ctx, talk);
  return address !== undefined && 'refused' in address ? [address.refused] : [];
}

/** Notes with a checkout, before it is paid, who wants to hear of its order. */
export async function noteOrderWebhook(ctx: Ctx, talk: Talk, row: Checkout): Promise<void> {
  const address = addressOf(ctx, talk);
  const webhook = address !== undefined && 'url' in address ? await webhookFor(ctx, address.url, talk.profile.url) : null;
  const { codec, active, origin, place } = talk;
  const noted: OrderWebhook | null = webhook && { webhookId: webhook.id, version: codec.version, active, origin, profile: place.profile };
  if (isDeepStrictEqual(row.orderWebhook, noted)) return;
  const data = { orderWebhook: noted === null ? Prisma.DbNull : (noted as unknown as Prisma.InputJsonObject) };
  await ctx.db.checkout.updateMany({ where: { id: row.id, paidAt: null }, data });
}

/** The subscription of an address; null where a workspace has too many. Its host has proved itself by the profile that was fetched there. */
async function webhookFor(ctx: Ctx, url: string, profile: string): Promise<Webhook | null> {
  const known = { sender: orderSender, deletedAt: null };
  const found = await ctx.db.webhook.findFirst({ where: { ...known, url } });
  if (found !== null) return found;
  if ((await ctx.db.webhook.count({ where: known })) >= mostAddresses) return null;
  const at = ctx.clock.now();
  const id = newId(at);
  return ctx.db.webhook.create({
    data: {
      id,
      url,
      events: ['_ucp.order.changed'],
      sender: orderSender,
      description: `Orders of UCP for ${profile}`.slice(0, 255),
      sealedSecret: ctx.platform.vault.seal(newToken('whsec_'), id),
      verifiedAt: ctx.platform.clock.now(),
      dueAt: null,
      createdAt: at,
      updatedAt: at,
    },
  });
}
