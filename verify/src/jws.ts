// Signed statements of the platform: compact JWS with ES256.
import { p256 } from '@noble/curves/nist';
import { bytesOf, fromBase64url, sha256, textOf } from './bytes.js';
import { type Json, type JsonObject, isObject, listIn, member, textIn } from './json.js';

// As in note.ts: few signatures, a small table.
p256.utils.precompute(4);

/** What a statement says, and which key signed it. */
export interface Statement {
  kid: string;
  type: string | undefined;
  claims: JsonObject;
}

/** Reads and checks a statement by the keys of a JWK Set. The answer is a sentence where something is wrong. */
export function readStatement(jws: Json | undefined, jwks: Json | undefined): Statement | string {
  const [head = '', payload = '', signature = '', ...rest] = typeof jws === 'string' ? jws.split('.') : [];
  const [header, claims] = [objectIn(head), objectIn(payload)];
  const signed = fromBase64url(signature);
  if (rest.length > 0 || header === undefined || claims === undefined || signed === undefined) return 'cannot be read';
  const kid = textIn(header, 'kid');
  if (textIn(header, 'alg') !== 'ES256' || kid === undefined || member(header, 'crit') !== undefined) return 'is not signed with ES256 by a named key';
  const key = listIn(jwks, 'keys').find((one) => textIn(one, 'kid') === kid);
  const [x, y] = [fromBase64url(textIn(key, 'x')), fromBase64url(textIn(key, 'y'))];
  const isEs256 = textIn(key, 'kty') === 'EC' && textIn(key, 'crv') === 'P-256' && textIn(key, 'alg') === 'ES256' && textIn(key, 'use') === 'sig';
  if (!isEs256 || x?.length !== 32 || y?.length !== 32) return `is signed by a key that is not there (${kid})`;
  const publicKey = Uint8Array.of(4, ...x, ...y);
  return isSigned(`${head}.${payload}`, signed, publicKey) ? { kid, type: textIn(header, 'typ'), claims } : 'has a wrong signature';
}

function isSigned(text: string, signature: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    return signature.length === 64 && p256.verify(signature, sha256(bytesOf(text)), publicKey, { prehash: false, lowS: false });
  } catch {
    return false;
  }
}

function objectIn(part: string): JsonObject | undefined {
  const text = textOf(fromBase64url(part) ?? new Uint8Array());
  try {
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
