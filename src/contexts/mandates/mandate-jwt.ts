// The JWT of a mandate: an ES256 JWS that others can check with /.well-known/jwks.json (CONTRACT.md 7). It is good for something only
// as long as it is the one that its mandate has; see presentation.ts.
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { Mandate } from '../../generated/prisma/client.js';
import { sha256 } from '../../platform/crypto.js';
import type { Ctx, Platform } from '../../platform/ctx.js';
import { parseId, printId } from '../../platform/schema/id.js';
import { issuerOf } from '../identity/jwt.js';
import { longestTtlSeconds, signingAlg, signingKey, verificationKey } from '../identity/signing-key.js';
import { type MandateScope, printScope } from './scope.js';

const audience = 'ap2';
/** Its own type, so that no other JWT of ours is taken for a mandate. */
const type = 'mandate+jwt';

/** What is signed of a mandate. */
export type SignedMandate = MandateScope & Pick<Mandate, 'id' | 'agentId' | 'version' | 'expiresAt'>;

/** The public key of an agent as a JWK, by which AP2 binds a mandate to its holder. */
export interface AgentJwk {
  kty: 'OKP';
  crv: 'Ed25519';
  x: string;
}

/** The JWK of an agent's Ed25519 key. */
export function agentJwk(publicKey: Uint8Array): AgentJwk {
  return { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') };
}

// Gap G-212: An agent without a key has no `cnf`.
/** Signs a mandate as of now. */
export async function signMandate({ platform, clock }: Ctx, mandate: SignedMandate, jwk: AgentJwk | null): Promise<string> {
  const { id, agentId, version, expiresAt } = mandate;
  const { kid, privateKey } = await signingKey(platform);
  return new SignJWT({ ver: version, scope: printScope(mandate), ...(jwk !== null && { cnf: { jwk } }) })
    .setProtectedHeader({ alg: signingAlg, kid, typ: type })
    .setIssuer(issuerOf(platform))
    .setSubject(printId('agent', agentId))
    .setAudience(audience)
    .setJti(printId('mandate', id))
    .setIssuedAt(clock.now())
    .setExpirationTime(Math.floor(expiresAt.getTime() / 1000))
    .sign(privateKey);
}

/** What a JWT says that we have signed. */
export interface MandateClaims {
  mandateId: string;
  agentId: string;
}

/**
 * What a JWT says, if it is a mandate that we have signed: ES256 and nothing else, whatever it says of itself; null for any other. One
 * that was checked is kept by its hash until its mandate changes, so it costs no signature check twice. When it expires its row says.
 */
export async function mandateClaimsOf(platform: Platform, jwt: string): Promise<MandateClaims | null> {
  return platform.cache.get(`mandate_jwt:${sha256(jwt).toString('base64url')}`, async () => {
    const value = await readClaims(platform, jwt);
    return { value, tags: value === null ? [] : [`mandate:${value.mandateId}`] };
  });
}

async function readClaims(platform: Platform, jwt: string): Promise<MandateClaims | null> {
  try {
    const { payload } = await jwtVerify(jwt, ({ kid }) => publicKey(platform, kid), {
      algorithms: [signingAlg],
      typ: type,
      issuer: issuerOf(platform),
      audience,
      requiredClaims: ['sub', 'jti', 'exp', 'ver', 'scope'],
      // Mandates live in the time of their workspace, by which their rows are judged.
      currentDate: new Date(0),
    });
    return idsIn(payload);
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

function idsIn({ sub, jti }: JWTPayload): MandateClaims | null {
  const [mandateId, agentId] = [parseId('mandate', jti), parseId('agent', sub)];
  return mandateId === null || agentId === null ? null : { mandateId, agentId };
}
