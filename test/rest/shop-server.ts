// The shop behind a real HTTP server, with idempotency and errors as small as they can be.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Endpoint, refuseMethod, routeRequests } from '../../src/http/router.js';
import type { Routed, State } from '../../src/http/state.js';
import type { Actor } from '../../src/platform/ctx.js';
import { ApiError, NotFound } from '../../src/platform/errors.js';
import type { Answer, Idempotency } from '../../src/platform/idempotency.js';
import { compileRoutes } from '../../src/rest/routes.js';
import { compileEndpoints, type RestEndpoint } from '../../src/rest/serve.js';
import { schema, seen, shop, shopCtx } from './shop.js';

export const order = { max_total: '5.00', items: [{ sku: 'A', quantity: 1 }] };
export const claims: unknown[] = [];
/** What was thrown that is no ApiError. */
export const internal: unknown[] = [];
/** Who calls. */
export const caller: { type: Actor['type'] } = { type: 'api_key' };

const kept = new Map<string, string>();
/** Keeps what may be kept, as the platform's own does, without a database. */
export const idempotency: Idempotency = async (_ctx, request, run) => {
  claims.push(request);
  const stored = request.key === undefined ? undefined : kept.get(request.key);
  if (stored !== undefined) return { status: 201, body: stored, secretless: () => stored, replayed: true } satisfies Answer;
  const answer = await run();
  if (request.key !== undefined) kept.set(request.key, JSON.stringify(answer.secretless()));
  return answer;
};

const endpointOf = ({ serve, ...endpoint }: RestEndpoint): Endpoint => ({
  ...endpoint,
  handlers: [(koaCtx) => serve(koaCtx, shopCtx(caller.type))],
});

let server: Server;
let origin = '';
export const address = () => origin;

/** Starts the server for the tests of a file. */
export function openShop(): void {
  beforeAll(async () => {
    const app = new Koa<State, Routed>();
    app.use(async (koaCtx, next) => {
      try {
        await next();
        if (koaCtx.body === undefined) throw new NotFound();
      } catch (error) {
        if (!(error instanceof ApiError)) internal.push(error);
        const { status, code, fields, headers } =
          error instanceof ApiError ? error : { status: 500, code: 'internal_error', fields: [], headers: {} };
        koaCtx.status = status;
        for (const [name, value] of Object.entries(headers ?? {})) koaCtx.set(name, value);
        koaCtx.body = { code, fields: fields?.map(({ path, message }) => `${path.join('.')} ${message}`) };
      }
    });
    app.use(routeRequests({ endpoints: compileEndpoints(schema, compileRoutes(schema, [shop]), idempotency).map(endpointOf) }));
    app.use(refuseMethod);
    server = createServer(app.callback());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  beforeEach(() => {
    caller.type = 'api_key';
    kept.clear();
    claims.length = 0;
    internal.length = 0;
    seen.runs = 0;
  });
}

/** Sends a request; a string or bytes as they are, anything else as JSON. */
export async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const sent = typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body);
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: sent }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
}
