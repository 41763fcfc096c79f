// Reads the credential and finds who it stands for. Knows no credential itself: it asks the resolvers that contexts lists.
import { type ListenerAddress, originFor } from '../platform/authority.js';
import type { Trace } from '../platform/cell/directory.js';
import { anonymous, type Caller, type CredentialResolver, InvalidConnectionToken, MalformedCredential } from '../platform/credential.js';
import { sha256 } from '../platform/crypto.js';
import type { Environment, Platform } from '../platform/ctx.js';
import { noteRefusedCredential, type Shown } from '../platform/denial.js';
import { createCtx } from '../platform/request.js';
import { browserOf, identifyBrowser } from './browser-session.js';
import type { Load } from './load.js';
import type { Handler } from './state.js';

const bearer = /^Bearer +([A-Za-z0-9._~+/-]{1,4096}=*)$/i;
const jwt = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/** What of a credential leads to its cell. */
function traceOf(resolver: CredentialResolver | undefined, credential: string): Trace | undefined {
  return resolver?.trace === undefined ? { hash: sha256(credential) } : resolver.trace(credential);
}

export interface AuthenticateOptions {
  platform: Platform;
  /** The listener's: a credential of the other environment is refused by its resolver. */
  environment: Environment;
  resolvers: readonly CredentialResolver[];
  /** Where the credential is shown: one that is good in one place alone is refused elsewhere. */
  place?: CredentialResolver['only'];
  /** What each cell may take of the process. */
  load?: Load;
}

function resolverOf(resolvers: readonly CredentialResolver[], credential: string): CredentialResolver | undefined {
  return resolvers.find(({ prefix }) => (prefix === 'jwt' ? jwt.test(credential) : credential.startsWith(prefix)));
}

/** Finds who an Authorization header stands for, in the request that shows it. Without one the actor is anonymous. */
export type Identify = (header: string | undefined, shown: Shown) => Promise<Caller>;

// Gap G-23: A credential sent to a public endpoint is checked all the same: a wrong one is 401.
/**
 * Makes what reads Authorization headers. One that cannot be read is 401 `malformed_credential`, also on public paths: who shows a
 * credential means it.
 */
export function identifier({ platform, environment, resolvers, place, load }: AuthenticateOptions): Identify {
  // A JWT is recognised last: the other kinds begin in a way that no JWT does, but the pattern alone would not say so.
  const ordered = [...resolvers].sort((a, b) => Number(a.prefix === 'jwt') - Number(b.prefix === 'jwt'));
  const nobody = { identity: anonymous(environment), platform };
  const { cells } = platform;

  return async (header, shown) => {
    if (header === undefined) return nobody;
    const credential = bearer.exec(header)?.[1] ?? '';
    const resolver = resolverOf(ordered, credential);
    const there = cells.only ?? (await cells.find(traceOf(resolver, credential)));
    try {
      if (resolver === undefined) throw new MalformedCredential();
      if (resolver.only !== undefined && resolver.only !== place)
        throw new InvalidConnectionToken(`This token is good for /${resolver.only} alone.`);
      const resolve = () => resolver.resolve(there, credential, environment, shown.ip);
      return { identity: await (load === undefined ? resolve() : load.share(there, resolve)), platform: there };
    } catch (error) {
      noteRefusedCredential(there, shown, error, { resolver, credential });
      throw error;
    }
  };
}

/** Whoever reads does not wait while his tenant is switched to another cell. */
const isRead = new Set(['GET', 'HEAD', 'OPTIONS']);

// Gap G-455: Answers of the sandbox to a known caller carry `X-Test-Clock`, the time of its workspace when the request came.
/** Where and of what a listener asks who somebody is. */
export interface AskOptions {
  environment: Environment;
  listener: ListenerAddress;
  /** True where nobody is asked who he is. */
  isPublic?: boolean;
  /** What the cell of the caller may take of the process. */
  load: Load;
}

/**
 * Sets `state.ctx`: by the Authorization header, without one by the cookie of a browser session. Answers of the sandbox say what time it is in the workspace of the caller, by its test clock, when the request came.
 */
export function authenticate(
  platform: Platform,
  identify: Identify,
  { environment, listener, isPublic = false, load }: AskOptions,
): Handler {
  return async (http, next) => {
    const { state } = http;
    const { authorization } = http.req.headers;
    const browser = browserOf(http, listener, environment);
    state.origin = () => originFor(listener, http.req);
    const find = () =>
      browser === undefined || authorization !== undefined
        ? identify(authorization, state)
        : identifyBrowser(platform, browser, { http, environment, isPublic });
    let caller = await find();
    const { directory } = caller.platform.cells;
    if (!isRead.has(http.method) && (await directory.awaitSwitch(caller.identity.workspace.tenantId))) caller = await find();
    const ctx = createCtx(caller.platform, caller.identity, browser === undefined ? state : { ...state, browser });
    state.ctx = ctx;
    if (ctx.workspace.environment === 'test' && ctx.actor.type !== 'anonymous')
      http.res.setHeader('X-Test-Clock', ctx.clock.now().toISOString());
    await load.share(caller.platform, next);
  };
}
