// The signatures of an agent card: JWS over its canonical JSON without the signatures (A2A 1.0 section 8.4), by the platform's key.
import canonicalize from 'canonicalize';
import { FlattenedSign } from 'jose';
import type { Platform } from '../../platform/ctx.js';
import { signingAlg, signingKey } from '../identity/signing-key.js';
import type { AgentCard, SignedCard } from './card.js';

// Gap G-342: A card has two signatures where readings of the canonical form differ; one that verifies is enough.
/**
 * Signs a card. Readers differ in what they leave out before they verify: the specification keeps members that are required although they
 * are empty, and the SDKs drop everything that is empty. There is a signature for each reading, and one that verifies is enough.
 */
export async function signCard(platform: Platform, card: AgentCard, origin: string): Promise<SignedCard> {
  const { kid, privateKey } = await signingKey(platform);
  const header = { alg: signingAlg, typ: 'JOSE', kid, jku: `${origin}/.well-known/jwks.json` };
  const readings = new Set([canonicalize(card) ?? '', canonicalize(withoutEmpty(card)) ?? '']);
  const signatures = await Promise.all(
    [...readings].map(async (text) => {
      const jws = await new FlattenedSign(new TextEncoder().encode(text)).setProtectedHeader(header).sign(privateKey);
      return { protected: jws.protected ?? '', signature: jws.signature };
    }),
  );
  return { ...card, signatures };
}

/** A value without empty texts, lists and objects at any depth; undefined where nothing is left. */
function withoutEmpty(value: unknown): unknown {
  if (value === '' || value === null || value === undefined) return undefined;
  if (Array.isArray(value)) {
    const kept = value.map(withoutEmpty).filter((one) => one !== undefined);
    return kept.length > 0 ? kept : undefined;
  }
  if (typeof value !== 'object') return value;
  const kept = Object.entries(value).flatMap(([name, member]) => {
    const left = withoutEmpty(member);
    return left === undefined ? [] : [[name, left] as const];
  });
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}
