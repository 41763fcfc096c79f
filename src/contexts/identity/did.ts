// The platform as an issuer that others know by its address (did:web). Its document lists the keys of /.well-known/jwks.json, under which
// they are looked up by whoever verifies what was signed.
import type { Platform } from '../../platform/ctx.js';
import { jwks } from './signing-key.js';

/** Where the document of a DID is: beside the key set, and at the address itself where that has a path. */
export const didPaths = ['/.well-known/did.json', '/did.json'] as const;
export const didMedia = 'application/did+json';

/** The DID of the platform at an origin: its host, with the port encoded, and its path. */
export function didOf(origin: string): string {
  const { host, pathname } = new URL(origin);
  return ['did:web', encodeURIComponent(host), ...pathname.split('/').filter((part) => part !== '')].join(':');
}

/** The DID document of an origin. A key that was retired is in it until what it signed has expired. */
export async function didDocument(platform: Platform, origin: string) {
  const id = didOf(origin);
  const { keys } = await jwks(platform);
  const verificationMethod = keys.map((publicKeyJwk) => ({
    id: `${id}#${publicKeyJwk.kid}`,
    type: 'JsonWebKey2020',
    controller: id,
    publicKeyJwk,
  }));
  return {
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'],
    id,
    verificationMethod,
    assertionMethod: verificationMethod.map((method) => method.id),
  };
}
