// Browser sessions, where they count: the cookie of a person on few paths, never beside an Authorization header, and what changes
// something only with the token of the session and from a page of this listener (CONTRACT.md 22).
import { isLoopback, type ListenerAddress, originFor } from '../platform/authority.js';
import { type Browser, type CookieName, takesCookies } from '../platform/browser.js';
import { browserSessions } from '../platform/browser-session.js';
import { anonymous, type Caller, LoginExpired } from '../platform/credential.js';
import type { Environment, Platform } from '../platform/ctx.js';
import { ApiError, Forbidden } from '../platform/errors.js';
import { isPublicField } from './root-field.js';
import type { HttpContext } from './state.js';

const longestUserAgent = 200;

/** The browser behind a request, on a route that takes cookies; undefined elsewhere. */
export function browserOf({ req, res, state }: HttpContext, listener: ListenerAddress, environment: Environment): Browser | undefined {
  if (!takesCookies(state.route)) return undefined;
  const origin = originFor(listener, req);
  const { protocol, hostname } = new URL(origin);
  // A browser keeps `Secure` cookies of plain HTTP for itself, and `__Host-` ones have to be secure.
  const isPlain = protocol === 'http:' && isLoopback(hostname);
  const nameOf = (name: CookieName) => `${isPlain ? '' : '__Host-'}ap_${name === 'session' ? environment : name}`;
  const send = (name: CookieName, value: string, seconds: number) => {
    const attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${isPlain ? '' : '; Secure'}`;
    const others = [res.getHeader('Set-Cookie') ?? []].flat().filter((given) => !String(given).startsWith(`${nameOf(name)}=`));
    res.setHeader('Set-Cookie', [...others.map(String), `${nameOf(name)}=${value}; ${attributes}`]);
  };
  return {
    origin,
    isForeign: req.headers.origin !== undefined && req.headers.origin !== origin,
    isLed: !['same-origin', 'none'].includes(String(req.headers['sec-fetch-site'] ?? 'none')),
    userAgent: req.headers['user-agent']?.slice(0, longestUserAgent) ?? null,
    cookie: (name) => readCookie(req.headers.cookie, nameOf(name)),
    setCookie: send,
    dropCookie: (name) => send(name, '', 0),
  };
}

/** The first cookie of a name. */
function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

/** The 403 of a request that may have been made by a page that is not ours. */
function crossSite(): Forbidden {
  return new Forbidden('A browser session changes something only from a page of this address, with the X-CSRF-Token of the session.', {
    reason: 'csrf',
    next_actions: [{ rel: 'token', actor: 'any', method: 'GET', path: '/v1/me' }],
  });
}

/** Who a request without an Authorization header is from. What asks nobody who he is takes a cookie that is no good for none. */
export async function identifyBrowser(
  platform: Platform,
  browser: Browser | undefined,
  { http, environment, isPublic }: { http: HttpContext; environment: Environment; isPublic: boolean },
): Promise<Caller> {
  const cookie = browser?.cookie('session');
  const nobody = { identity: anonymous(environment), platform };
  if (browser === undefined || cookie === undefined) return nobody;
  try {
    const sessions = platform.extensions.of(browserSessions);
    const there = platform.cells.only ?? (await platform.cells.find(sessions.trace(cookie)));
    const identity = await sessions.resolve(there, cookie, environment);
    if (http.method !== 'GET' && http.method !== 'HEAD') {
      const isToken = sessions.isCsrfToken(platform, identity.actor.credential.id, http.get('X-CSRF-Token'));
      if (http.req.headers.origin !== browser.origin || !isToken) throw crossSite();
    }
    return { identity, platform: there };
  } catch (error) {
    if (error instanceof ApiError && error.status < 500 && (isPublic || asksNobody(http))) return nobody;
    if (error instanceof LoginExpired) browser.dropCookie('session');
    throw error;
  }
}

/** True for a document whose fields are open to everybody. */
function asksNobody({ state: { graphql } }: HttpContext): boolean {
  return graphql !== undefined && graphql.roots.length > 0 && graphql.roots.every(isPublicField);
}
