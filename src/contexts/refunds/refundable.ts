// What can be refunded of a transfer, and what each side of a refund comes to (Gap G-127) (CONTRACT.md 13).
import type { Transfer } from '../../generated/prisma/client.js';
import { StateConflict } from '../../platform/errors.js';
import { wrongStatus } from '../../platform/lifecycle.js';
import { transferLifecycle } from '../transfers/transfer.js';

const types: readonly Transfer['type'][] = ['internal', 'cross_border', 'stream_withdraw'];

/** Throws 409 unless money of the transfer may be sent back: it was completed, between wallets, and is no refund itself. */
export function checkRefundable(transfer: Transfer): void {
  const { id, status, type, refundId, fromWalletId, toWalletId, cardChargeId } = transfer;
  if (cardChargeId !== null) throw cardPayment(status);
  if (!types.includes(type) || refundId !== null || fromWalletId === null || toWalletId === null) {
    throw new StateConflict('Only payments from one wallet to another are refunded, and refunds are not.', status, [], {
      reason: 'not_refundable',
      terminal: true,
    });
  }
  if (status !== 'completed') {
    throw wrongStatus(transferLifecycle, id, status, ['completed'], 'Only a completed transfer is refunded.');
  }
}

/** The money would have to go back to the card, over its processor (Gap G-228). */
function cardPayment(status: string): StateConflict {
  const message = 'A payment by card is given back by the processor of the card alone.';
  return new StateConflict(message, status, [], { reason: 'card_payment', terminal: true });
}

/** What was paid of a transfer and can be refunded, minor units of the currency that it was sent in: what was captured, less the fee. */
export function refundableOf({ amount, capturedAmount, feeAmount }: Transfer): bigint {
  return (capturedAmount ?? amount) - feeAmount;
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
