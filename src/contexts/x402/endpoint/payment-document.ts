// What can be paid for, as an OpenAPI document says it to clients that have an address alone (draft-payment-discovery-00). It is advice: what a
// 402 says counts.
import type { Ctx, Environment, Platform } from '../../../platform/ctx.js';
import { printId } from '../../../platform/schema/id.js';
import type { DiscoveredOffer, PaymentScheme } from '../wire/payment-scheme.js';
import { type DiscoveredEndpoint, discoverableIn } from './discoverable.sql.js';
import { endpointMethods } from './endpoint.js';

// Gap G-596: Paths of the OpenAPI document of paid doors are relative to its own address, which is its `servers`.
/** Below which paths the documents stand. */
export const documentFolders = ['', '/x402'] as const;
export type DocumentFolder = (typeof documentFolders)[number];

/** Endpoints of one document. */
const mostEndpoints = 500;
const bodied = ['POST', 'PUT', 'PATCH'];

/** An OpenAPI document. */
export interface PaymentDocument {
  openapi: string;
  paths: Record<string, object>;
  [member: string]: unknown;
}

/** Where a document is served. */
interface Place {
  platform: Platform;
  environment: Environment;
  origin: string;
  schemes: readonly PaymentScheme[];
}

// Gap G-597: The document of all doors lacks an endpoint for at most a minute after it was made; a change of one that it has shows at once.
/** The discoverable endpoints of one cell, kept in the process. */
function keptEndpoints(cell: Platform, environment: Environment): Promise<DiscoveredEndpoint[]> {
  return cell.cache.get(`discoverable_endpoints:${environment}`, async () => {
    const value = await discoverableIn(cell, environment, mostEndpoints);
    return { value, tags: value.map(({ id }) => `x402_endpoint:${id}`) };
  });
}

// Gap G-599: What is in a cell that does not answer is left out of the document of all doors.
/** The document of all discoverable endpoints that take payments, newest first. */
export async function documentOfAll(place: Place, folder: DocumentFolder): Promise<PaymentDocument> {
  const { platform, environment, origin } = place;
  const found: DiscoveredEndpoint[] = [];
  await platform.cells.ask(async (cell) => {
    found.push(...(await keptEndpoints(cell, environment)));
  });
  const newest = found.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, mostEndpoints);
  const pathOf = (id: string) => (folder === '' ? `/x402/${id}` : `/${id}`);
  const paths = newest.map((endpoint) => [pathOf(printId('x402Endpoint', endpoint.id)), operationsOf(place, endpoint)]);
  return documentWith(origin, folder, Object.fromEntries(paths));
}

/** The document of one endpoint, which stands below its door. */
export function documentOfOne(place: Place, endpoint: DiscoveredEndpoint): PaymentDocument {
  return documentWith(place.origin, `/x402/${printId('x402Endpoint', endpoint.id)}`, { '/': operationsOf(place, endpoint) });
}

function documentWith(origin: string, folder: string, paths: Record<string, object>): PaymentDocument {
  return {
    openapi: '3.1.0',
    info: { title: 'Paid endpoints', version: '1.0.0', description: 'What agents can pay for here, call by call.' },
    'x-service-info': {
      categories: ['payments'],
      docs: { apiReference: `${origin}/docs/reference`, homepage: `${origin}/docs`, llms: `${origin}/llms.txt` },
    },
    servers: [{ url: origin + folder }],
    paths,
  };
}

/** The operations of an endpoint, by their methods. */
function operationsOf(place: Place, endpoint: DiscoveredEndpoint): Record<string, object> {
  const methods = endpoint.method === 'ANY' ? endpointMethods.filter((method) => method !== 'ANY') : [endpoint.method];
  return Object.fromEntries(methods.map((method) => [method.toLowerCase(), operationOf(place, endpoint, method)]));
}

function operationOf(place: Place, endpoint: DiscoveredEndpoint, method: string): object {
  const { name, description } = endpoint;
  return {
    summary: name,
    ...(description !== null && { description }),
    'x-payment-info': { offers: offersOf(place, endpoint) },
    // The door takes whatever body there is, and none.
    ...(bodied.includes(method) && { requestBody: { required: false, content: { '*/*': {} } } }),
    responses: { 200: { description: 'Paid.' }, 402: { description: 'Payment Required' } },
  };
}

// Gap G-598: The document offers an `upto` endpoint as intent `upto` of the method `x402`, without an amount.
function offersOf({ platform, environment, schemes }: Place, endpoint: DiscoveredEndpoint): DiscoveredOffer[] {
  const where = { platform, workspace: { environment } } as Pick<Ctx, 'platform' | 'workspace'>;
  const charges = schemes.flatMap((scheme) => scheme.discovered(where, endpoint));
  if (endpoint.scheme !== 'upto') return charges;
  return [...charges, { intent: 'upto', method: 'x402', amount: null, currency: endpoint.currency.toLowerCase() }];
}
