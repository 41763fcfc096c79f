// The authorization server of connections (CONTRACT.md 22): oidc-provider with everything off but a code with PKCE, refresh tokens that
// rotate, registration and revocation. There is one for each address under which a listener is known, for each is an issuer.
import { generateKeyPairSync } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { agentScopes } from '../../platform/agent-scope.js';
import { systemClock } from '../../platform/clock.js';
import { newToken } from '../../platform/crypto.js';
import type { Environment, Platform } from '../../platform/ctx.js';
import { ArtifactAdapter } from './adapter.js';
import { connectCookie, interactionSeconds } from './connect-cookie.js';
import { tokenPrefix } from './credential.js';
import { errorPage } from './error-page.js';
import { type Interaction, type Library, type LibraryCtx, loadLibrary, type Provider } from './library.js';

/** Seconds that an access token is good for, and a code. */
const accessSeconds = 900;
const codeSeconds = 60;

/** The address of /mcp, which tokens are for. */
export const resourceOf = (issuer: string): string => `${issuer}/mcp`;

/** Where the library is asked; nothing else of it is served. */
export const routes = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  jwks: '/oauth/jwks',
} as const;

export const resumeCookie = 'ap_oauth_resume';

const servers = new WeakMap<Platform, LRUCache<string, Promise<Provider>>>();

/** The authorization server of a listener under one of its addresses. */
export function authorizationServer(platform: Platform, environment: Environment, issuer: string): Promise<Provider> {
  const known = servers.get(platform) ?? new LRUCache<string, Promise<Provider>>({ max: 20 });
  servers.set(platform, known);
  // Its cookies are signed by keys that may be rotated.
  const key = `${environment} ${issuer} ${platform.vault.ring.current}`;
  const made = known.get(key) ?? createServer(platform, environment, issuer);
  known.set(key, made);
  made.catch(() => known.delete(key));
  return made;
}

async function createServer(platform: Platform, environment: Environment, issuer: string): Promise<Provider> {
  const library = await loadLibrary();
  const provider = new library.Provider(issuer, {
    ...kept(library, platform, environment),
    ...asked(library, platform, issuer),
    ...given(),
    routes,
    features: features(library, issuer),
    renderError: (ctx: LibraryCtx, out: { error: string; error_description?: string }) => {
      ctx.type = 'html';
      ctx.body = errorPage(out);
    },
  });
  // The address is the one that the request was read as, whatever its headers say.
  provider.proxy = true;
  nameTokens(provider);
  const log = (error: Error) => platform.log.error({ err: { type: error.name, stack: error.stack } }, 'the authorization server failed');
  provider.on('error', log);
  provider.on('server_error', (_ctx: unknown, error: Error) => log(error));
  return provider;
}

/** Tokens begin in a way of their own, by which they are told apart and kept out of logs. */
function nameTokens({ AccessToken, RefreshToken, AuthorizationCode }: Provider): void {
  const named = [
    [AccessToken, tokenPrefix],
    [RefreshToken, 'cnxr_'],
    [AuthorizationCode, 'cnxc_'],
  ] as const;
  for (const [{ prototype }, prefix] of named) {
    prototype.generateTokenId = function generateTokenId(this: { format?: string }) {
      this.format = 'opaque';
      return newToken(prefix);
    };
  }
}

/** Where things are kept, and for how long. Nothing outlives its connection. */
function kept(library: Library, platform: Platform, environment: Environment) {
  const { InvalidGrant, CustomOIDCProviderError } = library.errors;
  return {
    adapter: (kind: string) =>
      new ArtifactAdapter(kind, {
        platform,
        environment,
        caller: () => library.Provider.ctx?.req.caller ?? { address: '', network: '' },
        failed: (error) => {
          const { ctx } = library.Provider;
          if (ctx !== undefined) ctx.req.failure = error;
        },
        usedUp: () => new InvalidGrant('it was used already'),
        noRoom: (reason) => {
          const error = new CustomOIDCProviderError('temporarily_unavailable', noRoom[reason] ?? '');
          return Object.assign(error, { status: 429, statusCode: 429 });
        },
      }),
    ttl: {
      AccessToken: (ctx: LibraryCtx) => Math.min(accessSeconds, secondsLeft(ctx)),
      RefreshToken: secondsLeft,
      AuthorizationCode: codeSeconds,
      Interaction: interactionSeconds,
      Session: interactionSeconds,
      Grant: interactionSeconds,
    },
  };
}

const noRoom: Readonly<Record<string, string>> = {
  address: 'too many registrations from this address: wait an hour',
  network: 'too many programs of this network are registered and not connected: wait a day',
  all: 'too many programs are registered and not connected: wait ten minutes',
};

/** How long the connection behind a grant lasts. */
function secondsLeft({ oidc }: LibraryCtx): number {
  const now = Math.floor(systemClock.now().getTime() / 1000);
  return Math.max(1, (oidc.entities.Grant?.exp ?? now) - now);
}

/** What a person is asked: the page, at each authorization. */
function asked({ interactionPolicy: { Check, Prompt } }: Library, platform: Platform, issuer: string) {
  const page = new Check('page', 'a person has to be asked', ({ oidc }) => oidc.result?.consent === undefined);
  const policy = [new Prompt({ name: 'login', requestable: true }), new Prompt({ name: 'consent', requestable: true }, page)];
  return {
    interactions: {
      policy,
      url(ctx: LibraryCtx, { uid }: Interaction) {
        const { name, value, options } = connectCookie(platform, issuer, uid);
        ctx.cookies.set(name, value, options);
        return `${issuer}/console/connect/${uid}`;
      },
    },
    async loadExistingGrant({ oidc }: LibraryCtx) {
      const grantId = oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : oidc.provider.Grant.find(grantId);
    },
    findAccount: (_ctx: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
    cookies: {
      keys: platform.vault.signatures('oauth cookies', issuer).map((key) => key.toString('hex')),
      names: { session: 'ap_oauth_session', interaction: 'ap_oauth_interaction', resume: resumeCookie },
      long: { httpOnly: true, sameSite: 'lax', signed: true },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
    },
  };
}

/** What is given: a code for a public client with PKCE, an opaque token, and a refresh token that is used once. */
function given() {
  return {
    clients: [],
    clientDefaults: { token_endpoint_auth_method: 'none', id_token_signed_response_alg: 'ES256' },
    scopes: [...agentScopes],
    claims: {},
    responseTypes: ['code'],
    clientAuthMethods: ['none'],
    allowOmittingSingleRegisteredRedirectUri: false,
    pkce: { required: () => true },
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    expiresWithSession: async () => false,
    revokeGrantPolicy: () => true,
    // Nothing is signed: it would make a key of its own.
    jwks: { keys: [generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })] },
  };
}

function features({ errors }: Library, issuer: string) {
  const resource = resourceOf(issuer);
  const off = { enabled: false };
  return {
    devInteractions: off,
    dPoP: off,
    pushedAuthorizationRequests: off,
    userinfo: off,
    rpInitiatedLogout: off,
    claimsParameter: off,
    registration: { enabled: true, issueRegistrationAccessToken: false },
    revocation: {
      enabled: true,
      allowedPolicy: (_ctx: unknown, client: { clientId: string }, token: { clientId: string }) => client.clientId === token.clientId,
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      useGrantedResource: async () => true,
      getResourceServerInfo(_ctx: unknown, asked: string) {
        if (asked !== resource) throw new errors.InvalidTarget();
        return { scope: agentScopes.join(' '), audience: resource, accessTokenFormat: 'opaque' };
      },
    },
  };
}
