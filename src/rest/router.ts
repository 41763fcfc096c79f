// From method and path to a route. Static segments win over parameters; `/v1/v1/...` is served as `/v1/...` (Gap G-02); HEAD is GET;
// a query flag (`?dry_run=true`) selects among the operations of one path.
import FindMyWay from 'find-my-way';
import { MethodNotAllowed, NotFound } from '../platform/errors.js';
import { type Method, methods } from './directives.js';
import type { Route } from './routes.js';

type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What a request is for. `query` is kept as it was sent. */
export interface Match<R extends Route = Route> {
  route: R;
  params: Readonly<Record<string, string | undefined>>;
  query: Query;
}
export type MatchRoute<R extends Route = Route> = (method: string, path: string, query: Query) => Match<R>;

/** The operations of one method and path. */
interface Slot<R> {
  plain: R;
  flagged: readonly R[];
}

/** Compiles the router. What it returns throws 404 `not_found` for an unknown path, 405 with `Allow` for another method. */
export function compileRouter<R extends Route>(routes: readonly R[]): MatchRoute<R> {
  const router = FindMyWay({ caseSensitive: true, maxParamLength: 500 });
  for (const plain of routes) {
    if (plain.when !== undefined) continue;
    const flagged = routes.filter(({ when, method, path }) => when !== undefined && method === plain.method && path === plain.path);
    router.on(plain.method, plain.path.replace(/\{(\w+)\}/g, ':$1'), () => undefined, { plain, flagged } satisfies Slot<R>);
  }
  return (method, path, query) => {
    const canonical = path.startsWith('/v1/v1/') ? path.slice('/v1'.length) : path;
    const known = methods.find((name) => name === (method === 'HEAD' ? 'GET' : method));
    const found = known === undefined ? null : router.find(known, canonical);
    if (found === null) throw refusal(router, method, canonical);
    const { plain, flagged } = found.store as Slot<R>;
    const route = flagged.length === 0 ? plain : (flagged.find(({ when }) => query[when as string] === 'true') ?? plain);
    return { route, params: found.params, query };
  };
}

function refusal(router: FindMyWay.Instance<FindMyWay.HTTPVersion.V1>, method: string, path: string): Error {
  const answered = methods.filter((known) => router.find(known, path) !== null);
  if (answered.length === 0) return new NotFound();
  return new MethodNotAllowed(
    method,
    answered.flatMap((known): (Method | 'HEAD')[] => (known === 'GET' ? ['GET', 'HEAD'] : [known])),
  );
}

/** The query flags of each route's path. */
export function flagsOf(route: Route, routes: readonly Route[]): string[] {
  return routes.flatMap(({ when, method, path }) => (when !== undefined && method === route.method && path === route.path ? [when] : []));
}
