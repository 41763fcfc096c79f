// After the payment: the merchant delivers, or gives money back (CONTRACT.md 8, 13).
import { writeEvents } from '../../events/event.js';
import type { Checkout, Prisma, Refund, Transfer } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { transact } from '../../platform/idempotency.js';
import { checkStep, wrongStatus } from '../../platform/lifecycle.js';
import type { Tx } from '../../platform/postgres/database.js';
import { rowKey } from '../../platform/postgres/row.js';
import { walletRef } from '../accounts/wallet-ref.js';
import { createRefund } from '../refunds/refund.js';
import type { RefundFollower } from '../refunds/refund-follower.js';
import { refundableOf } from '../refunds/refundable.js';
import { type CheckoutProtocol, checkout, isMerchantSide, lifecycleOf, lockCheckout, printCheckoutId } from './checkout.js';
import type { FulfillCheckoutInput, RefundCheckoutInput } from './completion.input.js';
import { NotYourCheckout } from './errors.js';
import { orderEvents } from './events.js';

/** Says that what was paid was delivered. For the side that sells; 409 for a checkout that is not paid. */
export function fulfillCheckout(ctx: Ctx, protocol: CheckoutProtocol, id: string, input: FulfillCheckoutInput): Promise<Checkout> {
  return transact(ctx, async (tx) => {
    const row = await lockCheckout(ctx, tx, protocol, id);
    if (!isMerchantSide(ctx, row)) throw new NotYourCheckout('Only its merchant can fulfil a checkout.');
    checkStep(lifecycleOf(row), printCheckoutId(row), row.status, 'fulfilled');
    const at = ctx.clock.now();
    const { tracking = null, deliveredAt = null } = input;
    const done = await tx.checkout.update({
      where: rowKey(ctx, id),
      data: { status: 'fulfilled', fulfilledAt: at, updatedAt: at, tracking, deliveredAt },
    });
    await tellOrder(ctx, tx, 'fulfilled', done);
    return done;
  });
}

/**
 * Sends money of a paid checkout back: a refund of its transfer. 404, 409 for one that is not paid, 403 for an agent whose own wallet was
 * not paid, else as a refund.
 */
export async function refundCheckout(ctx: Ctx, protocol: CheckoutProtocol, id: string, input: RefundCheckoutInput): Promise<Refund> {
  const row = await checkout(ctx, protocol, id);
  if (row.paidAt === null || row.transferId === null) {
    const message = `Only a paid checkout can be refunded; this one is ${row.status}.`;
    throw wrongStatus(lifecycleOf(row), printCheckoutId(row), row.status, ['paid', 'fulfilled'], message);
  }
  if (!isMerchantSide(ctx, row)) throw new NotYourCheckout('Only its merchant can refund a checkout.');
  // An agent does not see a transfer that has paid its account: that would be a 404 for a transfer which the request does not name.
  if (!(await isPaidTo(ctx, row.transferId))) throw new NotYourCheckout('An agent can refund only what its own wallet received.');
  return createRefund(ctx, { ...input, originalTransferId: row.transferId });
}

/** False for an agent whose own wallet the transfer did not pay. */
async function isPaidTo(ctx: Ctx, transferId: string): Promise<boolean> {
  const { agent } = ctx.actor;
  if (agent === undefined) return true;
  const { toWalletId } = await ctx.db.transfer.findFirstOrThrow({ where: { id: transferId }, select: { toWalletId: true } });
  return (await walletRef(ctx, toWalletId ?? ''))?.agentId === agent.id;
}

// Gap G-251: `metadata.refunded` is true once all was given back; a request that sets it is 400.
/** A checkout whose payment was given back in full keeps its status and says so, however the refund was asked for. */
export const followCheckoutRefund: RefundFollower = async (ctx, tx, transfer) => {
  const found = await paidBy(tx, transfer);
  if (found === null) return;
  await tellOrder(ctx, tx, 'refunded', found);
  if (transfer.refundedAmount < refundableOf(transfer)) return;
  const marked = { ...(found.metadata as Prisma.JsonObject), refunded: true };
  await tx.checkout.update({ where: rowKey(ctx, found.id), data: { metadata: marked, updatedAt: ctx.clock.now() } });
};

async function tellOrder(ctx: Ctx, tx: Tx, change: 'fulfilled' | 'refunded', row: Paid): Promise<void> {
  const events = orderEvents(ctx, change, row, ctx.clock.now());
  if (events.length > 0) await writeEvents(tx, ctx.workspace.id, events);
}

type Paid = Pick<Checkout, 'id' | 'metadata' | 'protocol' | 'orderWebhook'>;

/** The checkout that a transfer has paid. An x402 payment knew of none when it was made. */
async function paidBy(tx: Tx, { id: transferId, subjectType, subjectId }: Transfer): Promise<Paid | null> {
  const select = { id: true, metadata: true, protocol: true, orderWebhook: true } as const;
  if (subjectType === 'acp_checkout' || subjectType === 'ucp_checkout') {
    return tx.checkout.findFirstOrThrow({ where: { id: subjectId ?? '' }, select });
  }
  if (subjectType === 'card_charge') {
    const charge = await tx.cardCharge.findFirstOrThrow({ where: { id: subjectId ?? '' }, select: { subjectId: true } });
    return tx.checkout.findFirst({ where: { id: charge.subjectId }, select });
  }
  const isCall = subjectType === 'x402_payment' || subjectType === 'mpp_payment';
  return isCall ? tx.checkout.findFirst({ where: { transferId, paidBy: 'x402' }, select }) : null;
}
