// A credential of the method `evm`: an authorization of EIP-3009 whose nonce is the hash of the challenge (draft-evm-charge). What is asked
// of it, and how it is settled, is that of x402.
import { keccak_256 } from '@noble/hashes/sha3.js';
import { z } from 'zod';
import type { X402Payment } from '../../generated/prisma/client.js';
import { printId } from '../../platform/schema/id.js';
import { chainOf } from '../x402/chain/chain.js';
import { verifyExact } from '../x402/chain/exact.js';
import { payFromChain } from '../x402/payment/chain-payment.js';
import type { ByMpp } from '../x402/payment/ledger-payment.js';
import type { PaidRequest } from '../x402/payment/paid-request.js';
import { printHeader, readRequirements } from '../x402/wire/wire.js';
import type { Credential } from './challenge.js';
import type { Charge } from './charge.js';
import { challengeUsed, PaymentProblem } from './problem.js';

const payloadShape = z.strictObject({
  type: z.literal('authorization'),
  from: z.string(),
  to: z.string(),
  value: z.string(),
  validAfter: z.string(),
  validBefore: z.string(),
  nonce: z.string(),
  signature: z.string(),
});

/** Settles a credential by its chain. Throws PaymentProblem where it is no good, or its chain has not answered. */
export async function payByEvm(
  { ctx, endpoint }: PaidRequest,
  { challenge, payload: given, source }: Credential,
  { offer }: Charge,
  byMpp: ByMpp,
): Promise<X402Payment> {
  const { success, data } = payloadShape.safeParse(given);
  if (!success) throw new PaymentProblem('malformed-credential', 'The payload is not an EIP-3009 authorization.');
  const { type: _, signature, ...authorization } = data;
  const nonce = `0x${Buffer.from(keccak_256(Buffer.from(challenge.id + challenge.realm))).toString('hex')}`;
  if (authorization.nonce.toLowerCase() !== nonce) throw failed('The nonce is not the hash of the challenge.', 'nonce');
  const chain = chainOf(ctx, offer.network);
  if (chain === undefined) throw failed('This network is not supported.', 'invalid_network');
  const did = `did:pkh:${offer.network}:${authorization.from}`;
  if (source !== undefined && source.toLowerCase() !== did.toLowerCase()) throw failed('The source is not the payer.', 'source');
  const payload = { signature, authorization };
  const { network, scheme } = offer;
  const verification = await verifyExact(ctx, chain, { version: 2, scheme, network, payload }, readRequirements(offer));
  if (!verification.isValid) throw problemFor(verification.invalidReason);
  const paymentSignature = printHeader({ x402Version: 2, accepted: offer, payload });
  const paid = await payFromChain(ctx, chain, { ...verification, paymentSignature, endpoint, byMpp });
  if (paid === null) throw challengeUsed();
  const { payment: made, pending } = paid;
  if (made.status === 'failed') throw problemFor(made.failureReason ?? 'unexpected_settle_error');
  if (made.status === 'settled') return made;
  const reason = pending === null ? 'unexpected_settle_error' : 'settlement_pending';
  const facts = { reason, payment_id: printId('x402Payment', made.id) };
  throw new PaymentProblem('verification-failed', 'The chain has not answered yet: the payment is settled when it has.', facts);
}

function failed(detail: string, reason: string): PaymentProblem {
  return new PaymentProblem('verification-failed', detail, { reason });
}

/** The problem behind a reason of x402. */
function problemFor(reason: string): PaymentProblem {
  switch (reason) {
    case 'insufficient_funds':
      return new PaymentProblem('payment-insufficient', 'The address has insufficient funds.', { reason });
    case 'invalid_transaction_state':
      return challengeUsed();
    case 'invalid_exact_evm_payload_authorization_valid_before':
      return new PaymentProblem('payment-expired', 'The authorization has expired.', { reason });
    case 'invalid_payload':
      return new PaymentProblem('malformed-credential', 'The payload is not an EIP-3009 authorization.', { reason });
    default:
      return failed('The authorization does not pay what the challenge asks for.', reason);
  }
}
