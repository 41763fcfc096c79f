// Whether a payment is good, and whether its proof was used: what a seller asks before it serves a call (CONTRACT.md 9). Asking changes
// nothing.
import type { X402Payment } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import { parseId } from '../../../platform/schema/id.js';
import { endpoint, isAddressOf } from '../endpoint/endpoint.js';
import { printPayload } from '../wire/offer-receipt.js';
import { type PaymentPayload, readPaymentHeader } from '../wire/wire.js';
import type { VerifyX402PaymentInput } from './payment.input.js';
import { isRefunded } from './payment-use.js';
import { paymentOfProof } from './proof.js';
import { withNetwork } from './settlement.js';

export interface PaymentVerification {
  valid: boolean;
  payment: X402Payment | null;
  /** Why it is not: a word. */
  reason: string | null;
}

const unknown: PaymentVerification = { valid: false, payment: null, reason: 'invalid_payload' };

/**
 * Says whether a proof, or the payload that paid, stands for a payment of such an endpoint that was settled and not used yet. 404 for no
 * endpoint.
 */
export async function verifyPayment(ctx: Ctx, input: VerifyX402PaymentInput): Promise<PaymentVerification> {
  if (input.endpointId != null) await endpoint(ctx, input.endpointId, 'endpointId');
  const found = await paymentFor(ctx, input);
  if (found === null) return unknown;
  const reason = await reasonAgainst(ctx, found, input);
  return { valid: reason === null, payment: found, reason };
}

async function paymentFor(ctx: Ctx, { proof, paymentSignature }: VerifyX402PaymentInput): Promise<X402Payment | null> {
  if (proof != null) {
    const id = await paymentOfProof(ctx.platform, proof);
    return id === null ? null : ctx.db.x402Payment.findFirst({ where: { id, proof } });
  }
  const payload = paymentSignature == null ? null : readPaymentHeader(paymentSignature);
  const where = payload === null ? null : signedFacts(payload);
  if (payload === null || where === null) return null;
  // As it is kept: members may be written in any order, and networks in the words of version 1.
  return ctx.db.x402Payment.findFirst({ where: { ...where, paymentSignature: printPayload(withNetwork(ctx, payload)) } });
}

/** By what a payload is found: the payer, and the nonce that it uses once. */
function signedFacts({ payload }: PaymentPayload): { payerWallet: string; nonce: string } | null {
  const authorization = payload['authorization'] as Record<string, unknown> | undefined;
  const payer = authorization?.['payer_wallet'] ?? authorization?.['from'];
  const nonce = authorization?.['nonce'];
  if (typeof payer !== 'string' || typeof nonce !== 'string') return null;
  if (payer.startsWith('0x')) return { payerWallet: payer.toLowerCase(), nonce: nonce.toLowerCase() };
  const walletId = parseId('wallet', payer);
  return walletId === null ? null : { payerWallet: walletId, nonce };
}

async function reasonAgainst(ctx: Ctx, row: X402Payment, { endpointId, resource }: VerifyX402PaymentInput): Promise<string | null> {
  if (endpointId != null && row.endpointId !== endpointId) return 'wrong_endpoint';
  if (resource != null && !(await isResource(ctx, row, resource))) return 'wrong_resource';
  if (row.status !== 'settled') return row.status;
  if (row.consumedAt !== null) return 'consumed';
  if (await wasRefunded(ctx, row)) return 'refunded';
  return row.expiresAt <= ctx.clock.now() ? 'expired' : null;
}

async function wasRefunded({ db }: Ctx, { transferId }: X402Payment): Promise<boolean> {
  return transferId !== null && isRefunded(await db.transfer.findFirst({ where: { id: transferId } }));
}

/** True for an address or the path of the endpoint that was paid: what its 402 names is one. */
async function isResource(ctx: Ctx, { endpointId }: X402Payment, resource: string): Promise<boolean> {
  const row = endpointId === null ? null : await ctx.db.x402Endpoint.findFirst({ where: { id: endpointId } });
  return row !== null && (row.path === resource || isAddressOf(ctx, row, resource));
}
