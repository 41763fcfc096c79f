// What is done with sessions of ACP: the checkouts of a merchant's offer, in the words of the protocol (CONTRACT.md 8).
import type { Checkout } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { ApiError, NotFound, StateConflict, ValidationFailed } from '../../platform/errors.js';
import { parseId } from '../../platform/schema/id.js';
import { offerOf, paymentHandlers } from '../accounts/offer.js';
import { checkout } from '../checkouts/checkout.js';
import { readMerchant } from '../checkouts/checkout-request.js';
import { completeCheckout } from '../checkouts/completion.js';
import { cancelCheckout } from '../checkouts/ending.js';
import { createOffered, isOffered, type OfferedRequest, type Seller, sellerOf, updateOffered } from '../checkouts/offered.js';
import { acpPaymentOf } from './payment-handler.js';
import type { CancelSession, CompleteSession, CreateSession, UpdateSession } from './request-shape.js';
import { mergeDetails, readAcpAddress, type SessionDetails, sessionDetailsOf } from './session-details.js';

/** Gap G-281: A session lasts 30 minutes, as every checkout by default. */
const lifetimeSeconds = 1_800;

/** Where a request was sent: ids as the path has them. */
export interface SessionPath {
  merchantId: string;
  sessionId?: string;
}

/** The bare ids of a path. 404 for what can be none. */
function idsOf({ merchantId, sessionId }: SessionPath): { merchant: string; session: string } {
  const merchant = parseId('merchant', merchantId);
  const session = sessionId === undefined ? '' : parseId('acpCheckout', sessionId);
  if (merchant === null || session === null) throw new NotFound();
  return { merchant, session };
}

/** The checkout of a session. 404 for one that the actor does not see, and at another merchant. */
export async function findSession(ctx: Ctx, path: SessionPath): Promise<Checkout> {
  const { merchant, session } = idsOf(path);
  const row = await checkout(ctx, 'acp', session);
  if (row.merchantId !== merchant) throw new NotFound();
  return row;
}

async function sellerNamed(ctx: Ctx, id: string): Promise<Seller> {
  const merchant = await readMerchant(ctx, id);
  if (merchant === null) throw new NotFound();
  return sellerOf(merchant);
}

/**
 * Begins a session. 404 for a merchant of nobody here, 422 `no_offer` for one without an offer; 400 for items that it does not have, another currency and what is not
 * supported. What is sold out or still to be chosen is told in the session.
 */
export async function createAcpSession(ctx: Ctx, path: SessionPath, body: CreateSession): Promise<Checkout> {
  const seller = await sellerNamed(ctx, idsOf(path).merchant);
  refuseUnsupported(body);
  const { currency, line_items: items, fulfillment_details: details, metadata } = body;
  if (currency.toUpperCase() !== seller.offer.currency) {
    const message = `is not that of the merchant, ${seller.offer.currency.toLowerCase()}`;
    throw new ValidationFailed([{ path: ['currency'], message, rule: 'unsupported' }]);
  }
  return createOffered(ctx, seller, {
    protocol: 'acp',
    lines: items.map(({ id, quantity }) => ({ id, quantity })),
    selections: [],
    shippingAddress: details?.address === undefined ? null : readAcpAddress(details.address),
    wire: { ...mergeDetails({}, body) },
    metadata,
    expiresAt: new Date(ctx.clock.now().getTime() + lifetimeSeconds * 1_000),
  });
}

/**
 * Changes a session that nobody has begun to pay; what a request leaves out stays as it is. Refuses as `createSession`; 409 once it is
 * paid.
 */
export async function updateAcpSession(ctx: Ctx, path: SessionPath, body: UpdateSession): Promise<Checkout> {
  const { merchant, session } = idsOf(path);
  const seller = await sellerNamed(ctx, merchant);
  refuseUnsupported(body);
  const { line_items: items, fulfillment_details: details, selected_fulfillment_options: selected } = body;
  refuseLocalDelivery(selected);
  return updateOffered(
    ctx,
    seller,
    'acp',
    session,
    ({ wire }): Partial<OfferedRequest> => ({
      ...(items !== undefined && { lines: items.map(({ id, quantity }) => ({ id, quantity })) }),
      ...(selected !== undefined && {
        selections: selected.map(({ option_id: optionId, item_ids: itemIds }) => ({ optionId, itemIds })),
      }),
      ...(details?.address !== undefined && { shippingAddress: readAcpAddress(details.address) }),
      wire: { ...mergeDetails(wire as SessionDetails, body) },
    }),
  );
}

/** Pays a session. Refuses as `completeCheckout`; 400 for a payment that is none of the session's handlers. */
export async function completeAcpSession(ctx: Ctx, path: SessionPath, body: CompleteSession): Promise<Checkout> {
  const row = await findSession(ctx, path);
  const merchant = await readMerchant(ctx, row.merchantId);
  const allowed = (merchant === null ? null : offerOf(merchant))?.paymentHandlers ?? paymentHandlers;
  const payment = acpPaymentOf(body.payment_data, allowed);
  const details = (held: Checkout) =>
    isOffered(held) ? { ...(held.details as Record<string, unknown>), wire: mergeDetails(sessionDetailsOf(held), body) } : undefined;
  const completed = await completeCheckout(ctx, 'acp', row.id, { payment, details });
  return completed.checkout;
}

// Gap G-275: Cancelling a session that has expired or is being paid is 409.
/** 405: a session that is completed or canceled is not canceled any more. */
class NotCancelable extends ApiError {
  constructor(cause: StateConflict) {
    super(405, 'not_cancelable', cause.message, { headers: { Allow: 'GET' }, cause });
  }
}

const final = ['paid', 'fulfilled', 'cancelled'];

/** Calls a session off. 405 for one that is completed or canceled, 409 for one that has expired or whose payment is under way. */
export async function cancelAcpSession(ctx: Ctx, path: SessionPath, { intent_trace: trace }: CancelSession): Promise<Checkout> {
  const { id } = await findSession(ctx, path);
  const intentTrace = trace === undefined ? undefined : { reasonCode: trace.reason_code, traceSummary: trace.trace_summary };
  try {
    return await cancelCheckout(ctx, 'acp', id, { intentTrace });
  } catch (error) {
    const isFinal = error instanceof StateConflict && final.includes(String(error.details?.current_status));
    throw isFinal ? new NotCancelable(error) : error;
  }
}

function refuseUnsupported(body: Pick<CreateSession, 'fulfillment_groups'> & { quote_id?: string | undefined }): void {
  const asked = {
    fulfillment_groups: (body.fulfillment_groups ?? []).length > 0,
    quote_id: body.quote_id !== undefined && body.quote_id !== '',
  };
  const found = Object.entries(asked).flatMap(([name, isAsked]) => (isAsked ? [name] : []));
  if (found.length === 0) return;
  throw new ValidationFailed(found.map((name) => ({ path: [name], message: 'is not supported', rule: 'unsupported' })));
}

function refuseLocalDelivery(selected: UpdateSession['selected_fulfillment_options'] = []): void {
  const index = selected.findIndex(({ type }) => type === 'local_delivery');
  if (index < 0) return;
  const path = ['selected_fulfillment_options', index, 'type'];
  throw new ValidationFailed([{ path, message: 'is not offered', rule: 'unsupported' }]);
}
