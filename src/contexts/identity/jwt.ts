// What is in the JWT of a session, signing it and checking it: ES256 and nothing else, whatever the token says of itself.
import { decodeJwt, errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { Trace } from '../../platform/cell/directory.js';
import { addSeconds } from '../../platform/clock.js';
import { type CredentialOwner, InvalidJwt } from '../../platform/credential.js';
import type { Environment, Platform } from '../../platform/ctx.js';
import { parseAnyId, parseId, printId } from '../../platform/schema/id.js';
import { jwtTtlSeconds, signingAlg, signingKey, verificationKey } from './signing-key.js';

/** What a session's token says. */
export interface JwtFacts {
  /** Of the session. */
  id: string;
  apiKeyId: string;
  workspaceId: string;
  environment: Environment;
}

const audience = 'agent-payments';

/** Who signs: our public address, where there is one. */
export function issuerOf({ config }: Platform): string {
  return config.baseUrl ?? audience;
}

/** A token for the next hour of real time. */
export async function signJwt(platform: Platform, { id, apiKeyId, workspaceId, environment }: JwtFacts): Promise<string> {
  const { kid, privateKey } = await signingKey(platform);
  const at = platform.clock.now();
  return new SignJWT({ workspace_id: workspaceId, environment })
    .setProtectedHeader({ alg: signingAlg, kid, typ: 'JWT' })
    .setIssuer(issuerOf(platform))
    .setAudience(audience)
    .setJti(id)
    .setSubject(printId('apiKey', apiKeyId))
    .setIssuedAt(at)
    .setExpirationTime(addSeconds(at, jwtTtlSeconds))
    .sign(privateKey);
}

/** The workspace that a token names, before anybody has looked at its signature; undefined where it names none. */
export function traceOfJwt(token: string): Trace | undefined {
  try {
    const workspaceId = parseAnyId(String(decodeJwt(token)['workspace_id']));
    return workspaceId === null ? undefined : { workspaceId };
  } catch {
    return undefined;
  }
}

/** What a token that we signed says, and until when. 401 `invalid_jwt` for any other. */
export async function verifyJwt(platform: Platform, token: string): Promise<JwtFacts & { expiresAt: Date }> {
  try {
    return await readAt(platform, token, platform.clock.now());
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw expiredJwt();
    throw error instanceof errors.JOSEError ? new InvalidJwt(undefined, error) : error;
  }
}

async function readAt(platform: Platform, token: string, currentDate: Date): Promise<JwtFacts & { expiresAt: Date }> {
  const { payload } = await jwtVerify(token, ({ kid }) => publicKey(platform, kid), {
    algorithms: [signingAlg],
    typ: 'JWT',
    issuer: issuerOf(platform),
    audience,
    requiredClaims: ['jti', 'sub', 'exp', 'workspace_id', 'environment'],
    currentDate,
  });
  return readClaims(payload);
}

/** Whose key a token stands for that we signed, also after its hour; null for any other. */
export async function ownerOfJwt(platform: Platform, token: string): Promise<CredentialOwner | null> {
  const said = await readAt(platform, token, new Date(0)).catch(() => null);
  return said && { workspaceId: said.workspaceId, kind: 'api_key', id: said.apiKeyId };
}

/** The 401 of a JWT whose hour is over. */
export function expiredJwt(): InvalidJwt {
  return new InvalidJwt('This JWT has expired. Get a new one with POST /v1/auth/session.');
}

async function publicKey(platform: Platform, kid: string | undefined) {
  const key = kid === undefined ? null : await verificationKey(platform, kid, jwtTtlSeconds);
  if (key === null) throw new InvalidJwt();
  return key;
}

function readClaims({ jti, sub, exp, workspace_id: workspaceId, environment }: JWTPayload): JwtFacts & { expiresAt: Date } {
  const id = jti === undefined ? null : parseAnyId(jti);
  const apiKeyId = parseId('apiKey', sub);
  const known = environment === 'test' || environment === 'live';
  if (id === null || apiKeyId === null || typeof workspaceId !== 'string' || !known || exp === undefined) throw new InvalidJwt();
  return { id, apiKeyId, workspaceId, environment, expiresAt: addSeconds(new Date(0), exp) };
}
