// What can be refunded of a transfer, and what each side of a refund comes to (CONTRACT.md 13).
import type { Transfer } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { StateConflict } from '../../platform/errors.js';
import { wrongStatus } from '../../platform/lifecycle.js';
import { type WalletRef, walletRef } from '../accounts/wallet-ref.js';
import { transferLifecycle } from '../transfers/transfer.js';
import { escrowOf } from './escrow.js';
import { tooMuchRefunded } from './overpayment.js';
import type { RefundRequest } from './refund-row.js';

const types: readonly Transfer['type'][] = ['internal', 'cross_border', 'stream_withdraw'];

// Gap G-127: A refund is a transfer with `refund_id` from payee to payer, completed at once; what cannot be refunded is 409.
/** Throws 409 unless money of the transfer may be sent back: it was completed, between wallets or by card, and is no refund itself. */
export function checkRefundable(ctx: Pick<Ctx, 'platform'>, transfer: Transfer): void {
  const { id, status, type, subjectType, fromWalletId, toWalletId } = transfer;
  const isPaid = toWalletId !== null && (fromWalletId !== null || subjectType === 'card_charge');
  if (!types.includes(type) || subjectType === 'refund' || !isPaid) {
    throw new StateConflict('Only wallet-to-wallet and card payments can be refunded; a refund cannot.', status, [], {
      reason: 'not_refundable',
      terminal: true,
    });
  }
  const escrow = escrowOf(ctx, transfer);
  if (escrow !== undefined) throw escrow.refusal(transfer);
  if (status !== 'completed') {
    throw wrongStatus(transferLifecycle, id, status, ['completed'], 'Only a completed transfer can be refunded.');
  }
}

// Gap G-262: A dispute of a payment by card is 409 with `reason: card_payment`: the holder disputes with the issuer.
/** Throws 409 for a payment by card, which its holder disputes with the issuer of the card. */
export function refuseCard({ id, status, subjectType }: Transfer): void {
  if (subjectType !== 'card_charge') return;
  const message = 'A payment by card is disputed with the issuer of the card. It can be refunded here.';
  const body = { original_transfer_id: id, reason: 'customer_request' };
  throw new StateConflict(message, status, [], {
    reason: 'card_payment',
    next_actions: [{ rel: 'refund', actor: 'any', method: 'POST', path: '/v1/refunds', body }],
  });
}

/** The wallet that a payment went to. */
export async function refundPayeeOf(ctx: Ctx, { id, toWalletId }: Transfer): Promise<WalletRef> {
  const wallet = await walletRef(ctx, toWalletId ?? '');
  if (wallet === null) throw new Error(`transfer ${id} has paid no wallet`);
  return wallet;
}

// Gap G-261: All that the buyer paid by card can be refunded; the processor keeps its fee, so the merchant makes up for it.
/**
 * What was paid of a transfer and can be refunded, minor units of the currency that it was sent in: what was captured, less the fee. That
 * of a payment by card is the merchant's, so all of it can be.
 */
export function refundableOf({ amount, capturedAmount, feeAmount, subjectType }: Transfer): bigint {
  return (capturedAmount ?? amount) - (subjectType === 'card_charge' ? 0n : feeAmount);
}

/** How much is to be refunded, minor units. 422 for more than is left. */
export function sumOf({ original, amount, reason }: RefundRequest): bigint {
  const rest = restOf(original);
  const sum = amount ?? rest;
  if (sum > rest || sum <= 0n) throw tooMuchRefunded(original, rest, reason);
  return sum;
}

/** What is left of it. */
export function restOf(transfer: Transfer): bigint {
  return refundableOf(transfer) - transfer.refundedAmount;
}

/**
 * What the payee gives when `amount` more is refunded, in the currency that it was paid in: rounded up over all refunds together, so
 * that all of them come to what it got.
 */
export function payeeShare(transfer: Transfer, amount: bigint): bigint {
  const { destinationAmount, refundedAmount } = transfer;
  if (destinationAmount === null) return amount;
  const whole = refundableOf(transfer);
  const share = (refunded: bigint) => (destinationAmount * refunded + whole - 1n) / whole;
  return share(refundedAmount + amount) - share(refundedAmount);
}
