// From method and path to the chain of an endpoint: all that a request passes there, composed at the start (decision 0067). A path without
// parameters is found in a map, any other by @koa/router. Its matching is linear, so there is one router for each noun (`/v1/agents`,
// `/docs`), picked from a map (decision 0022). `/v1/v1/...` is served as `/v1/...`; HEAD is GET.
import { METHODS } from 'node:http';
import Router from '@koa/router';
import { MethodNotAllowed } from '../platform/errors.js';
import type { RateClass } from '../platform/rate-limit.js';
import { compose } from './chain.js';
import type { Handler, Routed, State } from './state.js';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Something that is served. */
export interface Endpoint {
  /** `all`: the handlers refuse the methods that they do not take. */
  method: Exclude<(typeof methods)[number], 'HEAD'> | 'all';
  /** Each segment is a name or a whole parameter, as in `/v1/agents/{id}/keys`; the noun is a name. */
  path: string;
  rateClass?: RateClass | undefined;
  /** True where nobody is asked who they are. */
  isOpen?: boolean;
  /** Passed before the handlers, also by requests of methods that the path does not take: how its protocol speaks. */
  speak?: Handler | undefined;
  /** In the order in which a request passes them; the last one answers. */
  handlers: readonly Handler[];
}

/** The longest path parameter that is read, as it is sent. */
const maxParameterLength = 500;

/** What the requests of a listener pass. */
export interface Served {
  endpoints: readonly Endpoint[];
  /** What comes before the handlers of an endpoint, and before `nowhere`. */
  first?: (endpoint?: Endpoint) => readonly Handler[];
  /** What a request passes that has no endpoint: the budgets, then `refuseMethod`. */
  nowhere?: readonly Handler[];
}

// Gap G-02: `/v1/...` is the canonical path and the only one in openapi.json; `/v1/v1/...` is served as the same.
/** Sends each request through the chain of its endpoint. */
export function routeRequests({ endpoints, first = () => [], nowhere = [] }: Served): Handler {
  const chains = new Map<string, Handler>();
  const routers = new Map<string, Handler>();
  for (const [noun, own] of byNoun(endpoints)) {
    const router = new Router<State, Routed>({ sensitive: true, strict: true });
    for (const endpoint of own.sort(compareEndpoints)) {
      const chain = chainOf(endpoint, first(endpoint));
      const verbs = verbsOf(endpoint);
      router.register(routerPath(endpoint.path), verbs, [chain] as never);
      // Where it matches, a path without parameters comes before all others.
      if (!endpoint.path.includes('{')) for (const verb of verbs) chains.set(`${verb} ${endpoint.path}`, chain);
    }
    routers.set(noun, router.routes() as unknown as Handler);
  }
  const nobody = begunAfter(first(), nowhere);
  const speakers = new Map(
    endpoints.flatMap(({ path, speak }) =>
      speak === undefined ? [] : [[routerPath(path), begunAfter(first(), [speak, ...nowhere])] as const],
    ),
  );
  return (http, next) => {
    http.state.route = 'unknown';
    http.state.rateClass = 'general';
    const given = http.path;
    const path = canonicalPath(given);
    const router = path === undefined ? undefined : routers.get(nounOf(path));
    if (path === undefined || router === undefined) return nobody(http, next);
    if (path !== given) http.path = path;
    const chain = chains.get(`${http.method} ${path}`);
    if (chain !== undefined) {
      http.params = {};
      return chain(http, next);
    }
    return router(http, () => {
      const speaker = http.matched?.map((layer) => speakers.get(String(layer.path))).find((found) => found !== undefined);
      return (speaker ?? nobody)(http, next);
    });
  };
}

function chainOf({ path, rateClass = 'general', speak, handlers }: Endpoint, first: readonly Handler[]): Handler {
  const chain = begunAfter(first, [...(speak === undefined ? [] : [speak]), ...handlers]);
  return (http, next) => {
    http.state.route = path;
    http.state.rateClass = rateClass;
    return chain(http, next);
  };
}

/** What comes first and then the rest, or the rest alone for a request that has passed the first by itself. */
function begunAfter(first: readonly Handler[], rest: readonly Handler[]): Handler {
  const whole = compose([...first, ...rest]);
  let late: Handler | undefined;
  return (http, next) => {
    if (http.state.isBegun === undefined) return whole(http, next);
    late ??= compose(rest);
    return late(http, next);
  };
}

const verbsOf = ({ method }: Endpoint): string[] => (method === 'all' ? METHODS : method === 'GET' ? ['GET', 'HEAD'] : [method]);

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
