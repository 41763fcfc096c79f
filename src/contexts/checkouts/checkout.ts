// A checkout: a basket at a merchant that is to be paid before its time is over, by the protocol ACP or UCP (CONTRACT.md 8). What both
// have in common is all there is; a face or a door spells it.
import type { Checkout, CheckoutStatus, Prisma } from '../../generated/prisma/client.js';
import { sha256 } from '../../platform/crypto.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import type { Lifecycle } from '../../platform/lifecycle.js';
import { formatMinor } from '../../platform/money.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow } from '../../platform/postgres/row.js';
import { type IdKind, printId } from '../../platform/schema/id.js';
import { listOf } from '../../platform/schema/list.js';
import { Visibility } from '../../platform/visibility.js';
import type { CheckoutAddressInput } from './checkout.input.js';
import { CheckoutExpired } from './errors.js';
import { itemsOf } from './item.js';

/** Where the goods go (SPEC.md "ACP address"). */
export type PostalAddress = CheckoutAddressInput;

export const checkoutProtocols = ['acp', 'ucp'] as const;
/** By which protocol a checkout was made: its id, its path and its face are those of the protocol. */
export type CheckoutProtocol = (typeof checkoutProtocols)[number];

/** Gap G-247: A failed checkout can become paid; a payment that is refused at once leaves the checkout as it was. */
export const checkoutLifecycle: Lifecycle<CheckoutStatus> = {
  noun: 'checkout',
  path: '/v1/acp/checkouts/{id}',
  steps: {
    created: ['pending_payment', 'paid', 'cancelled', 'expired'],
    pending_payment: ['paid', 'failed', 'cancelled', 'expired'],
    paid: ['fulfilled'],
    fulfilled: [],
    failed: ['pending_payment', 'paid', 'cancelled', 'expired'],
    expired: [],
    cancelled: [],
  },
  requests: [
    { to: 'paid', from: ['created', 'failed'], rel: 'complete', actor: 'any', method: 'POST', path: '/complete' },
    { to: 'fulfilled', rel: 'fulfill', actor: 'any', method: 'POST', path: '/fulfill' },
    { to: 'cancelled', rel: 'cancel', actor: 'any', method: 'POST', path: '/cancel' },
  ],
};

const lifecycles: Record<CheckoutProtocol, Lifecycle<CheckoutStatus>> = {
  acp: checkoutLifecycle,
  ucp: { ...checkoutLifecycle, path: '/v1/ucp/checkouts/{id}' },
};

/** The lifecycle with the requests of the protocol. */
export function lifecycleOf({ protocol }: Pick<Checkout, 'protocol'>): Lifecycle<CheckoutStatus> {
  return lifecycles[protocol as CheckoutProtocol];
}

const kinds: Record<CheckoutProtocol, IdKind> = { acp: 'acpCheckout', ucp: 'ucpCheckout' };

/** The id as it is printed: `acp_chk_...` or `ucp_chk_...`. */
export function printCheckoutId({ protocol, id }: Pick<Checkout, 'protocol' | 'id'>): string {
  return printId(kinds[protocol as CheckoutProtocol], id);
}

/** Whose prices a checkout has: the merchant's where it was made from its offer. */
export function pricedBy({ details }: Pick<Checkout, 'details'>): 'buyer' | 'merchant' {
  return typeof details === 'object' && details !== null && 'offer' in details ? 'merchant' : 'buyer';
}

/** The path of the checkout under /v1. */
export function checkoutPath(row: Pick<Checkout, 'protocol' | 'id'>): string {
  return `/v1/${row.protocol}/checkouts/${printCheckoutId(row)}`;
}

// Gap G-248: An agent sees checkouts that it created, is named in or pays, and those of merchants of its account.
export const visibleCheckouts = new Visibility<Prisma.CheckoutWhereInput>({
  scope: 'checkouts:read',
  agent: ({ id, parentAccountId }) => ({
    OR: [{ creatorAgentId: id }, { agentId: id }, { payerAgentId: id }, { merchantAccountId: parentAccountId }],
  }),
});

/** True for the side that buys: the tenant, the agent that created the checkout, and the one that is named in it. */
export function isBuyerSide({ actor }: Pick<Ctx, 'actor'>, { creatorAgentId, agentId }: Checkout): boolean {
  return actor.agent === undefined || actor.agent.id === creatorAgentId || actor.agent.id === agentId;
}

/** True for the side that sells: the tenant, and the agents of the account whose merchant it is. */
export function isMerchantSide({ actor }: Pick<Ctx, 'actor'>, { merchantAccountId }: Checkout): boolean {
  return actor.agent === undefined || actor.agent.parentAccountId === merchantAccountId;
}

/** The checkout, or 404: also for one of the other protocol. */
export async function checkout(ctx: Ctx, protocol: CheckoutProtocol, id: string, query: object = {}): Promise<Checkout> {
  const found = await ctx.db.checkout.findFirst({ ...query, where: { AND: [{ id, protocol }, visibleCheckouts.where(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

/** Checkouts of each protocol, newest first. */
export const checkouts = {
  acp: listOf('checkout', { visible: visibleCheckouts, where: { protocol: 'acp' }, kind: kinds.acp }),
  ucp: listOf('checkout', { visible: visibleCheckouts, where: { protocol: 'ucp' }, kind: kinds.ucp }),
};

/** The checkout under its lock, or 404. Who presents its client secret sees it too. */
export function lockCheckout(ctx: Ctx, tx: Tx, protocol: CheckoutProtocol, id: string, clientSecret?: string | null): Promise<Checkout> {
  return lockRow(tx.checkout, id, { where: { AND: [{ protocol }, visibleWith(ctx, clientSecret)] } });
}

/** What the actor sees, and what the client secret opens to whoever has it. */
export function visibleWith(ctx: Pick<Ctx, 'actor'>, clientSecret: string | null | undefined): Prisma.CheckoutWhereInput {
  const visible = visibleCheckouts.where(ctx);
  return clientSecret == null ? visible : { OR: [visible, { secretHash: sha256(clientSecret) }] };
}

/** The same of a row that was read. */
export function isVisibleWith(ctx: Pick<Ctx, 'actor'>, row: Checkout, clientSecret: string | null | undefined): boolean {
  return visibleCheckouts.sees(ctx, row) || (clientSecret != null && sha256(clientSecret).equals(row.secretHash));
}

const open: readonly CheckoutStatus[] = ['created', 'pending_payment', 'failed'];

/** True while it may still be paid, cancelled or expire. */
export function isOpenCheckout({ status }: Pick<Checkout, 'status'>): boolean {
  return open.includes(status);
}

/** Throws 409 `checkout_expired` for a checkout whose time is over, whether or not that was written yet. */
export function refuseExpired({ clock }: Pick<Ctx, 'clock'>, row: Checkout): void {
  if (row.status === 'expired' || (isOpenCheckout(row) && row.expiresAt <= clock.now())) throw expiryOf(row);
}

/** The 409 for a checkout whose time is over, with the request that would begin it anew. */
export function expiryOf(row: Checkout): CheckoutExpired {
  return new CheckoutExpired({ path: `/v1/${row.protocol}/checkouts`, body: requestAnew(row) });
}

/** What a request of a checkout is printed from. */
type Requested = Pick<Checkout, 'protocol' | 'merchantId' | 'currency'> & {
  items: unknown;
  shippingAddress?: unknown;
  paymentMethod?: string | null | undefined;
  agentId?: string | null | undefined;
  metadata?: unknown;
  successUrl?: string | null | undefined;
  cancelUrl?: string | null | undefined;
};

/** The request that would make the same checkout, in names of the wire. */
export function requestAnew(row: Requested): Record<string, unknown> {
  const isUcp = row.protocol === 'ucp';
  const body = {
    merchant_id: printId('merchant', row.merchantId),
    items: itemsOf({ items: row.items as Checkout['items'], currency: row.currency }).map(
      ({ sku, title, quantity, unitPrice, currency }) => ({
        sku,
        ...(isUcp && title != null && { title }),
        quantity,
        unit_price: formatMinor(unitPrice, currency),
        currency,
      }),
    ),
    shipping_address: row.shippingAddress == null ? undefined : wireAddress(row.shippingAddress as unknown as PostalAddress),
    payment_method: row.paymentMethod,
    agent_id: row.agentId,
    metadata: row.metadata,
    success_url: isUcp ? row.successUrl : undefined,
    cancel_url: isUcp ? row.cancelUrl : undefined,
  };
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value != null));
}

/** An address in names of the wire. */
export function wireAddress({ postalCode, ...rest }: PostalAddress): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...rest, postal_code: postalCode }).filter(([, value]) => value != null));
}
