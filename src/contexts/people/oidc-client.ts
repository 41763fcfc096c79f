// The identity provider of a company, spoken to by openid-client through our egress guard: no redirect is followed, and answers are small. The
// package is loaded by the first who needs it. Signatures of identity tokens are checked, though they come from the provider itself.
import type { ClientAuth, Configuration, CustomFetch } from 'openid-client';
import { systemClock } from '../../platform/clock.js';
import type { Ctx, Platform, Workspace } from '../../platform/ctx.js';
import { ValidationFailed } from '../../platform/errors.js';
import { EgressRefused, egressProblem } from '../../platform/outbound/guard.js';

const load = () => import('openid-client');

/** Bytes of an answer of a provider, and how long it is waited for. */
const longest = 256 * 1024;
const patienceMs = 3_000;

/** What we are to the identity provider of a company. */
export interface OidcClient {
  issuer: string;
  clientId: string;
}

/** For whom a provider is asked. */
type Asker = Pick<Ctx, 'platform'> & { workspace: Pick<Workspace, 'id'> };

/** A fetch that goes through the guard. */
function guardedFetch({ platform: { outbound, config }, workspace }: Asker): CustomFetch {
  return async (url, { method, headers, body }) => {
    const { status, contentType, error, refused, isCut, ...answer } = await outbound.exchange(url, {
      workspaceId: workspace.id,
      allowHosts: config.oidcAllowHosts,
      method: method === 'POST' ? 'POST' : 'GET',
      headers: { ...headers },
      body: body == null ? null : String(body),
      longest,
      timeoutMs: patienceMs,
    });
    if (refused) throw new EgressRefused(error ?? '');
    if (status === null) throw new Error(error ?? 'no answer');
    if (isCut) throw new Error(`the answer is longer than ${longest} bytes, or broke off`);
    const hasBody = status !== 204 && status !== 304;
    return new Response(hasBody ? answer.body : null, { status, headers: contentType === null ? {} : { 'Content-Type': contentType } });
  };
}

/** The provider at an address, as it describes itself; with the secret of a client it can be asked for tokens. */
async function discover(asker: Asker, { issuer, clientId }: OidcClient, secret?: string): Promise<Configuration> {
  const openid = await load();
  const { platform } = asker;
  // Its times are compared with those of the platform.
  const skew = Math.round((platform.clock.now().getTime() - systemClock.now().getTime()) / 1000);
  const authenticate: ClientAuth = (server, ...request) => {
    const known = server.token_endpoint_auth_methods_supported?.includes('client_secret_post') === true;
    return (known ? openid.ClientSecretPost(secret) : openid.ClientSecretBasic(secret))(server, ...request);
  };
  return openid.discovery(new URL(issuer), clientId, { [openid.clockSkew]: skew }, secret === undefined ? openid.None() : authenticate, {
    // What is no https is refused by the guard, but for hosts that the operator names.
    execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks],
    timeout: (2 * patienceMs) / 1000,
    [openid.customFetch]: guardedFetch(asker),
  });
}

/** The issuer of a provider, as it calls itself. 400 where the guard refuses its address, or it does not describe itself. */
export async function checkProvider(ctx: Asker, issuer: string): Promise<string> {
  const { oidcAllowHosts } = ctx.platform.config;
  const refuse = (message: string): never => {
    throw new ValidationFailed([{ path: ['oidc', 'issuer'], message, rule: 'issuer' }]);
  };
  const problem = egressProblem(issuer, oidcAllowHosts);
  if (problem !== undefined) return refuse(problem);
  if (/[?#]/.test(issuer)) return refuse('must have no query and no fragment');
  try {
    const metadata = (
      await discover({ platform: ctx.platform, workspace: ctx.workspace }, { issuer, clientId: 'nobody' })
    ).serverMetadata();
    checkEndpoints(ctx.platform, metadata);
    return metadata.issuer;
  } catch (error) {
    return refuse(`does not answer as an identity provider: ${reasonOf(error)}`);
  }
}

/** The browser of a person is sent to nothing that the guard would not reach. */
function checkEndpoints(
  { config }: Platform,
  { authorization_endpoint: place = '', token_endpoint, jwks_uri }: Partial<Record<string, unknown>>,
): void {
  const problem = egressProblem(String(place), config.oidcAllowHosts);
  if (problem !== undefined) throw new Error(`its authorization_endpoint ${problem}`);
  if (token_endpoint === undefined || jwks_uri === undefined) throw new Error('it names no token_endpoint or no jwks_uri');
}

/** Why a provider was refused, in a few words of ours or of the library. */
export function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string } };
  return [message, cause?.message].filter(Boolean).join(': ').slice(0, 200) || 'it could not be reached';
}

/** What a sign-in is begun and ended with. */
export interface Round {
  redirectUri: string;
  state: string;
  nonce: string;
  verifier: string;
}

/** What was drawn for a new round. */
export async function newRound(redirectUri: string, state: string): Promise<Round> {
  const { randomNonce, randomPKCECodeVerifier } = await load();
  return { redirectUri, state, nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
}

/** Where the browser goes to sign in. With `isAnew` the provider asks, though the person has a session there. */
export async function authorizationUrl(
  asker: Asker,
  client: OidcClient,
  { redirectUri, state, nonce, verifier }: Round,
  isAnew: boolean,
): Promise<string> {
  const openid = await load();
  const provider = await discover(asker, client);
  checkIssuer(provider, client);
  checkEndpoints(asker.platform, provider.serverMetadata());
  return openid.buildAuthorizationUrl(provider, {
    redirect_uri: redirectUri,
    scope: 'openid',
    state,
    nonce,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(isAnew && { prompt: 'login', max_age: '0' }),
  }).href;
}

/** Who came back, as the provider says it. */
export interface Subject {
  issuer: string;
  subject: string;
  /** When the person proved to the provider who he is; null where it does not say. */
  authenticatedAt: Date | null;
}

const longestSubject = 255;

/** Reads what a browser has brought back. Throws for whatever is wrong with it, or with what the provider says then. */
export async function readSubject(
  asker: Asker,
  { secret, ...client }: OidcClient & { secret: string },
  { redirectUri, state, nonce, verifier }: Round,
  query: string,
): Promise<Subject> {
  const openid = await load();
  const provider = await discover(asker, client, secret);
  checkIssuer(provider, client);
  const tokens = await openid.authorizationCodeGrant(provider, new URL(`${redirectUri}?${query}`), {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  const { iss, sub = '', auth_time: authTime } = tokens.claims() ?? {};
  if (iss !== client.issuer || sub === '' || sub.length > longestSubject) throw new Error('the ID token names nobody');
  const now = asker.platform.clock.now();
  const authenticatedAt = typeof authTime === 'number' ? new Date(Math.min(authTime * 1000, now.getTime())) : null;
  return { issuer: iss, subject: sub, authenticatedAt };
}

/** A provider that calls itself in another way than when the tenant named it is another one. */
function checkIssuer(provider: Configuration, { issuer }: OidcClient): void {
  if (provider.serverMetadata().issuer !== issuer) throw new Error('the provider calls itself in another way than it did');
}
