// The credentials of this context: API keys, JWT sessions and portal tokens (SPEC.md "Authentication").
import {
  type CredentialResolver,
  EnvironmentMismatch,
  type Identity,
  InvalidApiKey,
  InvalidJwt,
  MalformedCredential,
  signedOut,
} from '../../platform/credential.js';
import { sha256 } from '../../platform/crypto.js';
import type { Environment, Platform } from '../../platform/ctx.js';
import { identityOfKey, identityOfKeyId } from './api-key-lookup.js';
import { ownerIn } from './directory.js';
import { expiredJwt, type JwtFacts, ownerOfJwt, traceOfJwt, verifyJwt } from './jwt.js';
import { identityOfPortalToken } from './portal-token.js';

const apiKeyPattern = /^pk_(test|live)_[A-Za-z0-9_-]{1,200}$/;
const portalPattern = /^portal_[A-Za-z0-9_-]{1,200}$/;

/** The prefix says the environment, so a key of the other one is refused before anything is looked up. */
export const apiKeyCredential: CredentialResolver = {
  prefix: 'pk_',
  ownerOf: ownerIn('api_key'),
  async resolve(platform, credential, environment, ip) {
    const own = apiKeyPattern.exec(credential)?.[1];
    if (own === undefined) throw new MalformedCredential('An API key is pk_test_ or pk_live_ and letters, digits, "-" or "_".');
    if (own !== environment) throw new EnvironmentMismatch(own as Environment);
    const identity = await identityOfKey(platform, credential, ip);
    if (identity === null) throw new InvalidApiKey();
    return identity;
  },
};

/** A session acts as a user with the rights of its key, and lives no longer than it. */
export const jwtCredential: CredentialResolver = {
  prefix: 'jwt',
  trace: traceOfJwt,
  ownerOf: ownerOfJwt,
  async resolve(platform, credential, environment, ip) {
    const token = await verified(platform, credential);
    if (token.expiresAt <= platform.clock.now()) throw expiredJwt();
    if (token.environment !== environment) throw new EnvironmentMismatch(token.environment);
    const identity = await identityOfKeyId(platform, { workspaceId: token.workspaceId, id: token.apiKeyId, ip });
    if (identity === null) {
      throw new InvalidJwt('The API key behind this JWT is revoked or expired. Sign in with another one: POST /v1/auth/session.');
    }
    return asUser(identity, token.id);
  },
};

/** Gap G-27: Scopes of a portal token are `usage:read`, `transfers:read` and `agents:read`; an ended one is 401 `portal_token_expired`. */
export const portalCredential: CredentialResolver = {
  prefix: 'portal_',
  ownerOf: ownerIn('portal_token'),
  async resolve(platform, credential, environment) {
    if (!portalPattern.test(credential)) throw new MalformedCredential();
    const identity = await identityOfPortalToken(platform, credential);
    if (identity.workspace.environment !== environment) throw new EnvironmentMismatch(identity.workspace.environment);
    return identity;
  },
};

/** A token whose signature held is kept until it is signed out or its key changes: a warm check costs a hash. What fails is not kept. */
async function verified(platform: Platform, token: string): Promise<JwtFacts & { expiresAt: Date }> {
  return platform.cache.get(`jwt:${sha256(token).toString('base64')}`, async () => {
    const value = await verifyJwt(platform, token);
    const ended = await platform.database.forWorkspace(value.workspaceId).endedJwt.findFirst({ where: { id: value.id } });
    if (ended !== null) throw signedOut();
    return { value, tags: [`jwt:${value.id}`, `api_key:${value.apiKeyId}`] };
  });
}

function asUser({ actor, workspace }: Identity, id: string): Identity {
  return { actor: { ...actor, type: 'user', credential: { kind: 'jwt', id } }, workspace };
}
