// Beginning a checkout, and changing one that nobody has begun to pay (CONTRACT.md 8). What it comes to is worked out here, never told.
import { writeEvents } from '../../events/event.js';
import { type Checkout, type CheckoutPaymentMethod, type Merchant, Prisma } from '../../generated/prisma/client.js';
import { newToken, sha256 } from '../../platform/crypto.js';
import type { Ctx } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { NotFound, ValidationFailed } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { wrongStatus } from '../../platform/lifecycle.js';
import type { Tx } from '../../platform/postgres/database.js';
import { rowKey } from '../../platform/postgres/row.js';
import { newId } from '../../platform/schema/id.js';
import { noWalletWords, payeeOfMerchant } from '../accounts/merchant.js';
import { actingAgent } from '../agents/agent.js';
import { initiatorOf } from '../spending/approval/approval-request.js';
import { MerchantBlocked } from '../spending/errors.js';
import {
  type CheckoutProtocol,
  isBuyerSide,
  lifecycleOf,
  lockCheckout,
  type PostalAddress,
  printCheckoutId,
  refuseExpired,
} from './checkout.js';
import { NotYourCheckout } from './errors.js';
import { checkoutEvents } from './events.js';
import { followCheckout } from './follower.js';
import { type Charges, type CheckoutItem, chargesOf, checkoutTotalOf, itemsOf, storedItems } from './item.js';

/** A checkout before it is written. */
export interface NewCheckout {
  protocol: CheckoutProtocol;
  merchantId: string;
  items: readonly CheckoutItem[];
  /** That of every item. */
  currency: string;
  /** Minor units. */
  charges: Charges;
  shippingAddress?: PostalAddress | null | undefined;
  paymentMethod?: CheckoutPaymentMethod | null | undefined;
  /** The agent that an API key acts for: paying is a spend of that agent. */
  agentId?: string | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
  expiresAt: Date;
  /** What only the wire knows of it; it is kept as it is. */
  details?: Record<string, unknown> | null | undefined;
  successUrl?: string | null | undefined;
  cancelUrl?: string | null | undefined;
  batchId?: string | undefined;
  /** How the request calls its items; `items` by default. */
  member?: string | undefined;
}

/** A checkout with its client secret, which only the answer that made it carries. */
export interface IssuedCheckout extends Checkout {
  clientSecret: string;
}

/**
 * Begins a checkout. 404 for a merchant or an agent that is none of this workspace, 403 `merchant_blocked` for one that is not active,
 * 400 for items in several currencies, a total that is too large, and a merchant without a wallet in the currency.
 */
export async function createCheckout(ctx: Ctx, value: NewCheckout, merchantNamed = readMerchant): Promise<IssuedCheckout> {
  const planned = await planCheckout(ctx, value, merchantNamed);
  await transact(ctx, async (tx) => {
    await insertCheckouts(ctx, tx, [planned]);
    return planned;
  });
  ringAt(ctx, 'checkout', planned.expiresAt);
  return planned;
}

/**
 * Begins a checkout of something that becomes one at a time. `claim` takes that, in the transaction that writes the checkout; what it answers
 * with is there already, and is returned instead. Otherwise as `createCheckout`.
 */
export async function createClaimed(ctx: Ctx, value: NewCheckout, claim: Claim): Promise<Checkout> {
  const planned = await planCheckout(ctx, value);
  const made = await transact(ctx, async (tx): Promise<Checkout> => {
    const before = await claim(tx, planned);
    if (before !== null) return before;
    await insertCheckouts(ctx, tx, [planned]);
    return planned;
  });
  if (made === planned) ringAt(ctx, 'checkout', planned.expiresAt);
  return made;
}

/** Takes what a checkout is made of; the checkout that was made of it before, while that is open. */
export type Claim = (tx: Tx, planned: Checkout) => Promise<Checkout | null>;

/** 400 for metadata that say what the platform says in them: that all of the payment was given back. */
export function checkMetadata(metadata: Record<string, unknown> | null | undefined): void {
  if (metadata?.['refunded'] === undefined) return;
  throw new ValidationFailed([{ path: ['metadata', 'refunded'], message: 'is set by the platform alone', rule: 'reserved' }]);
}

/** Reads what a new checkout needs, and makes its row. `merchantNamed` reads merchants where many are made of few. */
export async function planCheckout(ctx: Ctx, value: NewCheckout, merchantNamed = readMerchant): Promise<IssuedCheckout> {
  const { items, currency, charges } = value;
  const total = checkoutTotalOf(items, currency, charges);
  const merchant = await merchantNamed(ctx, value.merchantId);
  if (merchant === null) throw new NotFound('merchantId');
  await checkPayable(ctx, merchant, currency);
  const at = ctx.clock.now();
  const { actor, traceId = null } = ctx;
  const clientSecret = newToken(`${value.protocol}_chk_secret_`);
  return {
    workspaceId: ctx.workspace.id,
    id: newId(at),
    protocol: value.protocol,
    merchantId: merchant.id,
    merchantAccountId: merchant.accountId,
    status: 'created',
    items: storedItems(items) as Prisma.JsonArray,
    currency,
    fulfillmentAmount: charges.fulfillment,
    taxAmount: charges.tax,
    total,
    shippingAddress: value.shippingAddress == null ? null : (storedAddress(value.shippingAddress) as Prisma.JsonObject),
    paymentMethod: value.paymentMethod ?? 'card',
    secretHash: sha256(clientSecret),
    metadata: (value.metadata ?? {}) as Checkout['metadata'],
    details: (value.details ?? null) as Checkout['details'],
    successUrl: value.successUrl ?? null,
    cancelUrl: value.cancelUrl ?? null,
    createdByType: initiatorOf(actor.type),
    createdById: actor.id,
    creatorAgentId: actor.agent?.id ?? null,
    agentId: await agentNamed(ctx, value.agentId),
    payerAgentId: null,
    batchId: value.batchId ?? null,
    traceId,
    paidBy: null,
    transferId: null,
    approvalId: null,
    failureCode: null,
    failureMessage: null,
    cancelReason: null,
    intentTrace: null,
    tracking: null,
    deliveredAt: null,
    orderWebhook: null,
    createdAt: at,
    updatedAt: at,
    expiresAt: value.expiresAt,
    attemptedAt: null,
    paidAt: null,
    fulfilledAt: null,
    endedAt: null,
    dueAt: value.expiresAt,
    leaseUntil: null,
    clientSecret,
  };
}

/** Writes new checkouts and what is told of them. */
export async function insertCheckouts(ctx: Ctx, tx: Tx, planned: readonly IssuedCheckout[]): Promise<void> {
  const data = planned.map(
    ({ workspaceId: _, clientSecret: __, shippingAddress, details, intentTrace: ___, orderWebhook: ____, ...row }) => ({
      ...row,
      ...(shippingAddress !== null && { shippingAddress }),
      ...(details !== null && { details }),
    }),
  );
  await tx.checkout.createMany({ data: data as Prisma.CheckoutCreateManyInput[] });
  const events = planned.flatMap((row) => checkoutEvents(ctx, 'acp.checkout.created', row, row.createdAt));
  if (events.length > 0) await writeEvents(tx, ctx.workspace.id, events);
}

/** The merchant of an id; null for none of this workspace. */
export function readMerchant({ db }: Pick<Ctx, 'db'>, id: string): Promise<Merchant | null> {
  return db.merchant.findFirst({ where: { id } });
}

// Gap G-258: A merchant that is not active is 403, one without a wallet in the currency 400, at creation and when it is paid.
/** Throws unless the merchant can be paid in the currency. */
async function checkPayable(ctx: Ctx, merchant: Merchant, currency: string): Promise<void> {
  refuseInactive(merchant);
  if ((await payeeOfMerchant(ctx, merchant, currency)) === null) throw noWallet(currency);
}

/** Throws 403 `merchant_blocked` for a merchant that is not active. */
export function refuseInactive({ status }: Pick<Merchant, 'status'>): void {
  if (status !== 'active') throw inactiveMerchant();
}

/** 403: the merchant is not active. */
export function inactiveMerchant(): MerchantBlocked {
  return new MerchantBlocked('The merchant is not active.', { details: { terminal: true } });
}

/** 400: the merchant cannot be paid in the currency. */
export function noWallet(currency: string): ValidationFailed {
  return new ValidationFailed([{ path: ['merchantId'], message: noWalletWords(currency), rule: 'currency' }]);
}

/** The agent that a checkout is for, where one is named: an agent names itself alone. */
async function agentNamed(ctx: Ctx, agentId: string | null | undefined): Promise<string | null> {
  if (agentId == null) return null;
  const own = ctx.actor.agent;
  const isThere = own === undefined ? (await actingAgent(ctx, agentId)) !== null : own.id === agentId;
  if (!isThere) throw new NotFound('agentId');
  return agentId;
}

/** What is changed of a checkout; undefined leaves it as it is. */
export interface CheckoutChange {
  items?: readonly CheckoutItem[] | undefined;
  charges?: Charges | undefined;
  /** Null takes it away. */
  shippingAddress?: PostalAddress | null | undefined;
  paymentMethod?: CheckoutPaymentMethod | undefined;
  metadata?: Record<string, unknown> | undefined;
  details?: Record<string, unknown> | undefined;
  /** How the request calls its items; `items` by default. */
  member?: string | undefined;
}

// Gap G-255: The tenant may do everything; the buyer's side changes and cancels, the merchant's side cancels, fulfils and refunds.
/**
 * Changes a checkout that nobody has begun to pay; a function works the change out under the lock of the row. 404, 403 for an agent that
 * does not buy, 409 `checkout_expired` and `state_conflict`, 400 as for a new one.
 */
export function updateCheckout(
  ctx: Ctx,
  protocol: CheckoutProtocol,
  id: string,
  change: CheckoutChange | ((row: Checkout) => CheckoutChange),
): Promise<Checkout> {
  return transact(ctx, async (tx) => {
    const row = await lockCheckout(ctx, tx, protocol, id);
    if (!isBuyerSide(ctx, row)) throw new NotYourCheckout('Only whoever created a checkout can change it.');
    refuseExpired(ctx, row);
    if (row.status !== 'created') {
      const message = `Only a checkout without a payment can be changed; this one is ${row.status}.`;
      throw wrongStatus(lifecycleOf(row), printCheckoutId(row), row.status, ['created'], message);
    }
    const made = typeof change === 'function' ? change(row) : change;
    if (made.items !== undefined && made.details === undefined && row.details !== null) throw new PricedByOffer();
    const after = await tx.checkout.update({ where: rowKey(ctx, id), data: { ...changed(row, made), updatedAt: ctx.clock.now() } });
    await followCheckout(ctx, tx, after);
    return after;
  });
}

/** 400: the items have prices of the merchant's offer, which only the wire that made the checkout knows. */
class PricedByOffer extends ValidationFailed {
  constructor() {
    super([{ path: ['items'], message: 'have the prices of the merchant: change them where the checkout was made', rule: 'offer' }]);
  }
}

function changed(row: Checkout, change: CheckoutChange): Prisma.CheckoutUpdateInput {
  const { shippingAddress, paymentMethod, metadata, details } = change;
  const items = change.items ?? itemsOf(row);
  const charges = change.charges ?? chargesOf(row);
  return {
    items: storedItems(items),
    fulfillmentAmount: charges.fulfillment,
    taxAmount: charges.tax,
    total: checkoutTotalOf(items, row.currency, charges),
    ...(shippingAddress !== undefined && { shippingAddress: shippingAddress === null ? Prisma.DbNull : storedAddress(shippingAddress) }),
    ...(paymentMethod !== undefined && { paymentMethod }),
    ...(metadata !== undefined && { metadata: metadata as Prisma.InputJsonObject }),
    ...(details !== undefined && { details: details as Prisma.InputJsonObject }),
  };
}

/** An address as the row keeps it. */
export function storedAddress(address: PostalAddress): Prisma.InputJsonObject {
  return Object.fromEntries(Object.entries(address).filter(([, part]) => part != null));
}
