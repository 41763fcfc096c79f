// The signature of the terms of a checkout, `ap2.merchant_authorization`: a detached JWS over the canonical JSON (RFC 8785) of the
// checkout without `ap2`, by the key of the platform, which signs for its merchants.
import canonicalize from 'canonicalize';
import { CompactSign, compactVerify, errors } from 'jose';
import type { Platform } from '../../platform/ctx.js';
import { signingAlg, signingKey, verificationKey } from '../identity/signing-key.js';

/** A checkout lives for hours; its terms are not taken back later than this. */
const termsTtlSeconds = 7 * 86_400;

function payloadOf(checkout: Readonly<Record<string, unknown>>): Uint8Array {
  const { ap2: _, ...terms } = checkout;
  return new TextEncoder().encode(canonicalize(terms) ?? '');
}

/** `header..signature` over the checkout as it is printed. */
export async function authorizeTerms(platform: Platform, checkout: Readonly<Record<string, unknown>>): Promise<string> {
  const { kid, privateKey } = await signingKey(platform);
  const jws = await new CompactSign(payloadOf(checkout)).setProtectedHeader({ alg: signingAlg, kid }).sign(privateKey);
  const [header, , signature] = jws.split('.');
  return `${header}..${signature}`;
}

/** True when a checkout carries our own signature of its terms. */
export async function isAuthorized(
  platform: Platform,
  checkout: Readonly<Record<string, unknown>>,
  authorization: string,
): Promise<boolean> {
  const [header, empty, signature, ...more] = authorization.split('.');
  if (empty !== '' || signature === undefined || more.length > 0) return false;
  const payload = Buffer.from(payloadOf(checkout)).toString('base64url');
  try {
    await compactVerify(`${header}.${payload}.${signature}`, ({ kid }) => ourKey(platform, kid), { algorithms: [signingAlg] });
    return true;
  } catch (error) {
    if (error instanceof errors.JOSEError) return false;
    throw error;
  }
}

async function ourKey(platform: Platform, kid: string | undefined) {
  const key = kid === undefined ? null : await verificationKey(platform, kid, termsTtlSeconds);
  if (key === null) throw new errors.JWKSNoMatchingKey();
  return key;
}
