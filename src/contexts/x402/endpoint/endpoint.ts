// An endpoint: something that is paid per call by x402, and the wallet that is paid (CONTRACT.md 9).
import type { Prisma, X402Endpoint, X402EndpointStatus } from '../../../generated/prisma/client.js';
import { sha256 } from '../../../platform/crypto.js';
import type { Ctx, Environment, Platform } from '../../../platform/ctx.js';
import { NotFound } from '../../../platform/errors.js';
import { type Lifecycle, wrongStatus } from '../../../platform/lifecycle.js';
import { parseId, printId } from '../../../platform/schema/id.js';
import { listOf } from '../../../platform/schema/list.js';
import { Visibility } from '../../../platform/visibility.js';
import { visibleAccounts } from '../../accounts/account.js';
import { findEntry } from '../../identity/directory.sql.js';

/** Only an active one is paid. */
export const x402EndpointLifecycle: Lifecycle<X402EndpointStatus> = {
  noun: 'endpoint',
  path: '/v1/x402/endpoints/{id}',
  steps: { active: ['paused', 'disabled'], paused: ['active', 'disabled'], disabled: ['active', 'paused'] },
  requests: [{ to: 'active', rel: 'activate', actor: 'api_key', method: 'PATCH', path: '', body: { status: 'active' } }],
};

/** The methods that a call of an endpoint may have. */
export const endpointMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'ANY'] as const;

// Gap G-294: Operators register endpoints; everyone sees the public side, readers of the account also account, receiver and takings.
/** Every actor that sees anything sees the public side of every endpoint: it is what agents pay. */
export const visibleEndpoints = new Visibility<Prisma.X402EndpointWhereInput>({ scope: 'x402:read', agent: () => ({}) });

/** True for those who may read the endpoint's account: they alone see its private side. */
export function canSeeEndpoint(ctx: Ctx, { accountId }: Pick<X402Endpoint, 'accountId'>): boolean {
  return visibleAccounts.reaches(ctx, { id: accountId });
}

/** The endpoint, or 404; `field` is the member that named it, where it was no path. */
export async function endpoint(ctx: Ctx, id: string, field?: string): Promise<X402Endpoint> {
  const found = await ctx.db.x402Endpoint.findFirst({ where: { AND: [{ id, deletedAt: null }, visibleEndpoints.where(ctx)] } });
  if (found === null) throw field === undefined ? new NotFound() : new NotFound(field);
  return found;
}

/** An endpoint that is there, kept in the process until it changes; null for none. */
export function cachedEndpoint(ctx: Ctx, id: string): Promise<X402Endpoint | null> {
  return ctx.platform.cache.get(`x402_endpoint:${ctx.workspace.id}:${id}`, async () => ({
    value: await ctx.db.x402Endpoint.findFirst({ where: { id, deletedAt: null } }),
    tags: [`x402_endpoint:${id}`],
  }));
}

/** The endpoint that a payment names. 404 for none, 409 for one that is not active. */
export async function payableEndpoint(ctx: Ctx, id: string, field?: string): Promise<X402Endpoint> {
  const found = await cachedEndpoint(ctx, id);
  if (found === null || !visibleEndpoints.reaches(ctx, found)) throw field === undefined ? new NotFound() : new NotFound(field);
  if (found.status !== 'active') {
    const message = `The endpoint is ${found.status}: it does not accept payments.`;
    throw wrongStatus(x402EndpointLifecycle, printId('x402Endpoint', id), found.status, ['active'], message);
  }
  return found;
}

/** The endpoints that are registered with an address, oldest first: the first hundred of them. */
export function endpointsAt({ db }: Ctx, url: string): Promise<X402Endpoint[]> {
  return db.x402Endpoint.findMany({ where: { url, deletedAt: null }, orderBy: { id: 'asc' }, take: 100 });
}

// Gap G-396: `resource` is the endpoint's `url`, else the address of its paid door; verify also knows it by `path`.
/** The address that is paid for: the endpoint's own, or that of its paid door, as the listener with this origin serves it. */
export function resourceOf({ id, url }: Pick<X402Endpoint, 'id' | 'url'>, origin: string): string {
  return url ?? `${origin}/x402/${printId('x402Endpoint', id)}`;
}

/** True for the address of an endpoint: its own, or that of its paid door. */
export function isAddressOf(ctx: Ctx, { id, url }: Pick<X402Endpoint, 'id' | 'url'>, address: string): boolean {
  return url === address || endpointOfDoor(ctx, address) === id;
}

/** The endpoint whose paid door an address is; where nobody has said how the platform is reached, by any name. */
export function endpointOfDoor({ platform: { config }, workspace }: Ctx, address: string): string | null {
  if (!/^https?:/i.test(address) || !URL.canParse(address)) return null;
  const { origin, pathname } = new URL(address);
  const ours = (workspace.environment === 'live' ? config.baseUrl : config.sandboxUrl) ?? origin;
  const own = new URL(`${ours}/x402/`);
  const isDoor = own.origin === origin && pathname.startsWith(own.pathname);
  return isDoor ? parseId('x402Endpoint', pathname.slice(own.pathname.length)) : null;
}

/** Under what the directory knows an endpoint: SHA-256 of its id as it is printed. */
export function endpointHash(id: string): Buffer<ArrayBuffer> {
  return sha256(printId('x402Endpoint', id));
}

/** Where an endpoint is, in the listener's environment, or null: for callers without a credential. */
export async function placeOfEndpoint(
  { cells }: Platform,
  id: string,
  environment: Environment,
): Promise<Pick<Ctx, 'platform' | 'workspace'> | null> {
  const hash = endpointHash(id);
  const platform = cells.only ?? (await cells.find({ hash }));
  const entry = await findEntry(platform.database.pool, 'x402_endpoint', hash);
  return entry?.workspace.environment === environment ? { platform, workspace: entry.workspace } : null;
}

/** Endpoints, newest first. Of an account that the actor may not read, `accountId` finds none. */
export const endpoints = listOf(
  'x402Endpoint',
  { visible: visibleEndpoints, where: { deletedAt: null } },
  { accountId: (accountId: string, ctx) => ({ accountId, account: visibleAccounts.where(ctx) }) },
);

/** What is offered to everybody, newest first: who looks for something to pay sees these. */
export async function discoverable(ctx: Ctx, { limit, offset }: { limit: number; offset: number }): Promise<[X402Endpoint[], number]> {
  const where = { discoverable: true, status: 'active' as const, deletedAt: null };
  const rows = await ctx.db.x402Endpoint.findMany({ where, orderBy: { id: 'desc' }, skip: offset, take: limit });
  return [rows, await ctx.db.x402Endpoint.count({ where, take: mostDiscovered })];
}

/** Resources are counted, and reached, up to here. */
export const mostDiscovered = 10_000;
