// The receipt of a one-off payment: an ES256 JWS that anybody can check with /.well-known/jwks.json. It is signed when it is shown; whether
// it is good its transfer says.
import { errors, jwtVerify, SignJWT } from 'jose';
import type { Transfer } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import type { Platform } from '../../platform/ctx.js';
import { formatMinor } from '../../platform/money.js';
import { parseId, printId } from '../../platform/schema/id.js';
import { issuerOf } from '../identity/jwt.js';
import { longestTtlSeconds, signingAlg, signingKey, verificationKey } from '../identity/signing-key.js';
import { paymentFacts } from './payment.js';

/** Its own type, so that no other JWS of ours is taken for a receipt. */
const type = 'mpp-receipt+jwt';

/** Minor units that a payment has moved. */
export function paidAmount({ amount, capturedAmount }: Transfer): bigint {
  return capturedAmount ?? amount;
}

/** When a receipt ends: as long as its key is listed at least. */
export function receiptEnd(paidAt: Date): Date {
  return addSeconds(paidAt, longestTtlSeconds);
}

/** Signs what was paid; null for a payment that has not been made. */
export async function signPaymentReceipt(platform: Platform, paid: Transfer): Promise<string | null> {
  const { id, agentId, currency, completedAt, fromWalletId, toWalletId } = paid;
  const facts = paymentFacts(paid);
  if (facts === null || completedAt === null || agentId === null || paid.status !== 'completed') return null;
  const { kid, privateKey } = await signingKey(platform);
  return new SignJWT({
    agent_id: printId('agent', agentId),
    transfer_id: id,
    payer_wallet_id: fromWalletId,
    payee_wallet_id: toWalletId,
    amount: formatMinor(paidAmount(paid), currency),
    currency,
    ...(facts.challenge_id !== undefined && { challenge_id: facts.challenge_id }),
    ...(facts.payment_id !== undefined && { payment_id: facts.payment_id }),
  })
    .setProtectedHeader({ alg: signingAlg, kid, typ: type })
    .setIssuer(issuerOf(platform))
    .setSubject(printId('mppPayment', id))
    .setAudience(facts.service_url)
    .setIssuedAt(completedAt)
    .setExpirationTime(receiptEnd(completedAt))
    .sign(privateKey);
}

/** What a receipt of ours is about. */
export interface NamedPayment {
  paymentId: string;
  agentId: string;
}

/** The payment that a receipt names; null for what is no receipt of ours. When it ends its transfer says, in the time of its workspace. */
export async function namedByReceipt(platform: Platform, receipt: string): Promise<NamedPayment | null> {
  try {
    const { payload } = await jwtVerify(
      receipt,
      async ({ kid }) => {
        const key = kid === undefined ? null : await verificationKey(platform, kid, longestTtlSeconds);
        if (key === null) throw new errors.JWKSNoMatchingKey();
        return key;
      },
      {
        algorithms: [signingAlg],
        typ: type,
        issuer: issuerOf(platform),
        requiredClaims: ['sub', 'agent_id'],
        currentDate: new Date(0),
      },
    );
    const [paymentId, agentId] = [parseId('mppPayment', payload.sub), parseId('agent', payload['agent_id'])];
    return paymentId === null || agentId === null ? null : { paymentId, agentId };
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}
