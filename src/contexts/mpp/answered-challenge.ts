// The challenge that a payment answers: one of our own paid door, which pays its endpoint, or that of a service that keeps its own.
import type { X402Endpoint } from '../../generated/prisma/client.js';
import { sha256 } from '../../platform/crypto.js';
import type { Ctx } from '../../platform/ctx.js';
import { ValidationFailed } from '../../platform/errors.js';
import { parseId } from '../../platform/schema/id.js';
import type { WalletRef } from '../accounts/wallet-ref.js';
import { isAddressOf, payableEndpoint } from '../x402/endpoint/endpoint.js';
import { PaymentInvalid } from '../x402/errors.js';
import type { ByMpp } from '../x402/payment/ledger-payment.js';
import { type Challenge, decodeMember, isOverdue, readChallenges } from './challenge.js';
import { chargeFor, endpointOfChallenge } from './charge.js';
import { byOwnChallenge } from './paid-call.js';
import { PaymentProblem } from './problem.js';

/** A challenge that a payment may answer. */
export interface AnsweredChallenge {
  challenge: Challenge;
  /** The endpoint of ours that has made it; null for another service's. */
  endpoint: X402Endpoint | null;
}

// Gap G-318: `challenge` is a WWW-Authenticate header; amount, currency and recipient must match the method `ledger` in it.
/**
 * The challenge in the WWW-Authenticate header of a 402, of which the method `ledger` is answered. 400 where there is none, 404 and 409 for
 * an endpoint that is not there or not paid, 422 `payment_invalid` for one that cannot be answered any more, or not from a wallet.
 */
export async function answeredChallenge(ctx: Ctx, header: string): Promise<AnsweredChallenge> {
  const found = readChallenges(header);
  if (found.length === 0) throw wrong('challenge', 'is no challenge of the scheme Payment');
  const challenge = found.find(({ method, intent }) => method === 'ledger' && intent === 'charge');
  if (challenge === undefined)
    throw new PaymentInvalid('method_unsupported', 'A wallet pays by the method ledger only, which this challenge does not accept.');
  const endpointId = endpointOfChallenge(ctx, challenge);
  if (endpointId === null) {
    if (isOverdue(challenge, ctx.platform.clock.now())) throw new PaymentInvalid('payment_expired', 'The challenge has expired.');
    return { challenge, endpoint: null };
  }
  const endpoint = await payableEndpoint(ctx, endpointId, 'challenge');
  try {
    await chargeFor(ctx, endpoint, challenge);
  } catch (error) {
    throw error instanceof PaymentProblem ? new PaymentInvalid(error.type.replace('-', '_'), error.message) : error;
  }
  return { challenge, endpoint };
}

/** What a payment says that answers a challenge: it must be what is asked for. */
export interface ChallengeTerms {
  serviceUrl: string;
  to: WalletRef;
  /** Minor units. */
  amount: bigint;
  currency: string;
}

/** 400 at the member that is not what the challenge asks for. */
export function checkTerms(
  ctx: Ctx,
  { challenge, endpoint }: AnsweredChallenge,
  { serviceUrl, to, amount, currency }: ChallengeTerms,
): void {
  const asked = decodeMember(challenge.request) ?? {};
  if (asked['amount'] !== amount.toString()) throw wrong('amount', 'is not the amount of the challenge');
  if (String(asked['currency']).toUpperCase() !== currency) throw wrong('currency', 'is not the currency of the challenge');
  const { recipient } = asked;
  if (recipient !== undefined && parseId('wallet', recipient) !== to.walletId)
    throw wrong('payeeWalletId', 'is not the recipient of the challenge');
  if (endpoint !== null && !isAddressOf(ctx, endpoint, serviceUrl))
    throw wrong('serviceUrl', 'is not the address of the endpoint that has made the challenge');
}

/** What answering a challenge uses up. Of another service's only the payer can have answered it: somebody else may not take it away. */
export function byChallenge({ challenge, endpoint }: AnsweredChallenge, from: WalletRef): ByMpp {
  const own = byOwnChallenge(challenge);
  if (endpoint !== null) return own;
  const { id, realm } = challenge;
  const key = `${from.walletId} ${sha256(JSON.stringify([realm, id])).toString('hex')}`;
  return { claim: { kind: 'mpp_challenge', key }, metadata: { challenge_id: id.slice(0, 200) } };
}

function wrong(member: string, message: string): ValidationFailed {
  return new ValidationFailed([{ path: [member], message, rule: 'challenge' }]);
}
