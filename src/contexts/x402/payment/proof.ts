// The proof of a payment: an ES256 JWS that anybody can check with /.well-known/jwks.json. Whether it was used up its payment says.
import { errors, jwtVerify, SignJWT } from 'jose';
import type { X402Payment } from '../../../generated/prisma/client.js';
import type { Platform } from '../../../platform/ctx.js';
import { formatMinor } from '../../../platform/money.js';
import { parseId, printId } from '../../../platform/schema/id.js';
import { issuerOf } from '../../identity/jwt.js';
import { longestTtlSeconds, signingAlg, signingKey, verificationKey } from '../../identity/signing-key.js';

const audience = 'x402';
/** Its own type, so that no other JWS of ours is taken for a proof. */
const type = 'x402-proof+jwt';

/** Characters of the longest proof, with room. */
export const mostProofLength = 2_048;

type Proven = Pick<X402Payment, 'id' | 'endpointId' | 'amount' | 'currency' | 'payerWallet' | 'nonce' | 'expiresAt'>;

/** Signs what a payment proves. */
export async function signProof(platform: Platform, proven: Proven): Promise<string> {
  const { id, endpointId, amount, currency, payerWallet, nonce, expiresAt } = proven;
  const { kid, privateKey } = await signingKey(platform);
  return new SignJWT({
    payment_id: printId('x402Payment', id),
    endpoint_id: endpointId === null ? null : printId('x402Endpoint', endpointId),
    amount: formatMinor(amount, currency),
    currency,
    payer: payerWallet,
    nonce,
  })
    .setProtectedHeader({ alg: signingAlg, kid, typ: type })
    .setIssuer(issuerOf(platform))
    .setAudience(audience)
    .setExpirationTime(Math.floor(expiresAt.getTime() / 1000))
    .sign(privateKey);
}

/** The payment that a proof of ours names; null for what is none. When it ends its row says, in the time of its workspace. */
export async function paymentOfProof(platform: Platform, proof: string): Promise<string | null> {
  try {
    const { payload } = await jwtVerify(proof, ({ kid }) => publicKey(platform, kid), {
      algorithms: [signingAlg],
      typ: type,
      issuer: issuerOf(platform),
      audience,
      requiredClaims: ['exp', 'payment_id'],
      currentDate: new Date(0),
    });
    return parseId('x402Payment', payload['payment_id']);
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}

async function publicKey(platform: Platform, kid: string | undefined) {
  const key = kid === undefined ? null : await verificationKey(platform, kid, longestTtlSeconds);
  if (key === null) throw new errors.JWKSNoMatchingKey();
  return key;
}
