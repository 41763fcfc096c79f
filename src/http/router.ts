// From method and path to the handlers of an endpoint, through @koa/router. Its matching is linear, so there is one router for each
// noun (`/v1/agents`, `/docs`), picked from a map (decision 0022). `/v1/v1/...` is served as `/v1/...` (Gap G-02); HEAD is GET.
import { METHODS } from 'node:http';
import Router from '@koa/router';
import { MethodNotAllowed } from '../platform/errors.js';
import type { RateClass } from './root-field.js';
import type { Handler, Routed, State } from './state.js';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Something that is served. */
export interface Endpoint {
  /** `all`: the handlers refuse the methods that they do not take. */
  method: Exclude<(typeof methods)[number], 'HEAD'> | 'all';
  /** Each segment is a name or a whole parameter, as in `/v1/agents/{id}/keys`; the noun is a name. */
  path: string;
  rateClass?: RateClass | undefined;
  /** Passed first, also by requests of methods that the path does not take: how its protocol speaks. */
  speak?: Handler | undefined;
  /** In the order in which a request passes them; the last one answers. */
  handlers: readonly Handler[];
}

/** The longest path parameter that is read, as it is sent. */
const maxParameterLength = 500;

/** Sends each request to its endpoint. A request without one goes on: the budgets come next, then `refuseMethod`. */
export function routeRequests(endpoints: readonly Endpoint[]): Handler {
  const routers = new Map<string, Handler>();
  const speakers = new Map(endpoints.flatMap(({ path, speak }) => (speak === undefined ? [] : [[routerPath(path), speak] as const])));
  for (const [noun, own] of byNoun(endpoints)) {
    const router = new Router<State, Routed>({ sensitive: true, strict: true });
    for (const endpoint of own.sort(compareEndpoints)) register(router, endpoint);
    routers.set(noun, router.routes() as unknown as Handler);
  }
  return (http, next) => {
    const path = canonicalPath(http.path);
    const router = path === undefined ? undefined : routers.get(nounOf(path));
    if (path === undefined || router === undefined) return next();
    if (path !== http.path) http.path = path;
    return router(http, () => {
      const speak = http.matched?.map((layer) => speakers.get(String(layer.path))).find((found) => found !== undefined);
      return speak === undefined ? next() : speak(http, next);
    });
  };
}

/** A path as the router has it. */
const routerPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');

/**
 * 405 with Allow for a path that has endpoints of other methods. It stands in for `allowedMethods()` of @koa/router, which answers
 * OPTIONS with 200 and methods that it does not know with 501. A path without endpoints stays unanswered, which is a 404.
 */
export const refuseMethod: Handler = (http, next) => {
  const allowed = new Set(http.matched?.flatMap((endpoint) => endpoint.methods));
  if (allowed.size === 0) return next();
  throw new MethodNotAllowed(
    http.method,
    methods.filter((method) => allowed.has(method)),
  );
};

function byNoun(endpoints: readonly Endpoint[]): Map<string, Endpoint[]> {
  const nouns = new Map<string, Endpoint[]>();
  for (const endpoint of endpoints) {
    const noun = nounOf(endpoint.path);
    if (noun.includes('{')) throw new Error(`${endpoint.path}: the noun of a path is a name, not a parameter`);
    nouns.set(noun, [...(nouns.get(noun) ?? []), endpoint]);
  }
  return nouns;
}

/** `/v1/agents` of `/v1/agents/{id}`, `/docs` of `/docs/assets/x`. */
function nounOf(path: string): string {
  const end = path.indexOf('/', path.startsWith('/v1/') ? '/v1/'.length : 1);
  return end === -1 ? path : path.slice(0, end);
}

/** The first endpoint that matches is served: where two paths first differ, the one with a name comes before the one with a parameter. */
function compareEndpoints(a: Endpoint, b: Endpoint): number {
  const others = b.path.split('/');
  for (const [at, segment] of a.path.split('/').entries()) {
    const difference = Number(segment.startsWith('{')) - Number(others[at]?.startsWith('{') ?? false);
    if (difference !== 0) return difference;
  }
  return 0;
}

function register(router: Router<State, Routed>, { method, path, rateClass = 'general', speak, handlers }: Endpoint): void {
  const name: Handler = ({ state }, next) => {
    state.route = path;
    state.rateClass = rateClass;
    return next();
  };
  const verbs = method === 'all' ? METHODS : [method];
  router.register(routerPath(path), verbs, [name, ...(speak === undefined ? [] : [speak]), ...handlers] as never);
}

/** Percent-encoded characters that need no encoding (RFC 3986 section 2.3): the same path, spelled in another way. */
const needlesslyEncoded = /%(?:2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi;

/** The path as endpoints spell it. Undefined for one that no endpoint has: an encoding that cannot be read, a segment that is too long. */
function canonicalPath(path: string): string | undefined {
  const single = path.startsWith('/v1/v1/') ? path.slice('/v1'.length) : path;
  if (single.length > maxParameterLength && single.split('/').some(({ length }) => length > maxParameterLength)) return undefined;
  if (!single.includes('%')) return single;
  try {
    decodeURIComponent(single);
  } catch {
    return undefined;
  }
  return single.replace(needlesslyEncoded, decodeURIComponent);
}
