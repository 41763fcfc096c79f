// Serves doors: body by the schema of the protocol, one effect for each Idempotency-Key, and failures in the protocol's spelling.
// Rate limits and authentication come before it (src/app.ts).
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { originFor } from '../platform/authority.js';
import { bodyLimit } from '../platform/body-limit.js';
import type { Ctx, Environment, Platform } from '../platform/ctx.js';
import {
  type Door,
  type DoorAnswer,
  type DoorRequest,
  type GuardedDoor,
  IdempotencyKeyRequired,
  type ShopOrigin,
  type Visit,
} from '../platform/door.js';
import type { Effect } from '../platform/effect.js';
import { ApiError, invalidRequest } from '../platform/errors.js';
import { type Answer, type Idempotency, IdempotencyInFlight } from '../platform/idempotency.js';
import { authorize } from '../platform/schema/audience.js';
import { checkJson } from '../platform/schema/scalar.js';
import { readBy } from '../platform/zod-issue.js';
import { parseBody, readBytes, readRaw } from './body.js';
import { type Exchange, send } from './serve.js';

/** Sends the answer of a door, or throws the ApiError. `ctx` is undefined at doors that ask for no credential. */
export type ServeDoor = (exchange: Exchange, request: { ctx?: Ctx; effect: Effect; shop?: ShopOrigin }) => Promise<void>;

/** What asking a door takes. */
export interface AskParts {
  platform: Platform;
  environment: Environment;
  /** The public address of this listener; null: none is configured. */
  baseUrl: string | null;
  idempotency: Idempotency;
}

/** What serving a door takes beside. */
export interface DoorParts extends AskParts {
  /** Counts an answer that goes on until it is read. 429 when its actor has as many open as it may. */
  admitStream: (res: ServerResponse, ctx: Ctx) => Promise<void>;
}

/** What serves `door`. */
export function serveDoor(door: Door, { platform, environment, baseUrl, idempotency, admitStream }: DoorParts): ServeDoor {
  return async (exchange, { ctx, effect, shop }) => {
    if (door.audience !== undefined) authorize((ctx as Ctx).actor, door);
    const raw = await rawOf(door, exchange);
    const origin = originFor({ baseUrl, host: platform.config.host }, exchange.req);
    const request = { ...requestOf(exchange, raw), environment, origin, effect, ...(shop && { shop }) };
    const { answer, headers, lines } =
      door.audience === undefined
        ? answered(door, await door.take(platform, request))
        : await receive(door, ctx as Ctx, request, { read: () => (raw.length === 0 ? {} : parseBody(raw)), idempotency });
    send(exchange, answer);
    const { media, schema } = door.answers[answer.status] ?? {};
    if (media !== undefined) exchange.set('Content-Type', media);
    if (lines !== undefined) {
      await admitStream(exchange.res, ctx as Ctx);
      exchange.body = Readable.from(textOf(lines));
    }
    if (answer.status === 303 && schema === undefined) exchange.body = '';
    // The type that an answer names replaces that of JSON.
    const sealed = door.audience === undefined ? {} : await door.seal?.(ctx as Ctx, answer.status, String(exchange.body));
    for (const [name, value] of Object.entries({ ...headers, ...sealed }))
      exchange.set(name, typeof value === 'string' ? value : [...value]);
  };
}

/** The lines as text. */
async function* textOf(lines: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const line of lines) yield `${JSON.stringify(line)}\n`;
}

function rawOf({ request, readsBytes }: Door, { req }: Exchange): Promise<Buffer> {
  if (readsBytes) return readBytes(req, bodyLimit);
  return request === undefined ? Promise.resolve(Buffer.alloc(0)) : readRaw(req, bodyLimit, request.optional);
}

/** The key of a request, and what its fingerprint is taken of. */
interface Named {
  key: string;
  content: unknown;
}

interface Answered {
  answer: Answer;
  lines?: AsyncIterable<object>;
  headers: NonNullable<DoorAnswer['headers']>;
}

function answered({ answers }: Door, { status, body, lines, headers = {} }: DoorAnswer): Answered {
  const answer = { status: status ?? Number(Object.keys(answers)[0]), body, secretless: () => body };
  return { answer, headers, ...(lines && { lines }) };
}

function requestOf({ req, params, query }: Exchange, raw: Uint8Array): Omit<DoorRequest, 'effect' | 'environment' | 'origin' | 'shop'> {
  const header = (name: string) => {
    const value = req.headers[name.toLowerCase()];
    return typeof value === 'string' ? value : (value?.join(', ') ?? '');
  };
  return { params, query, header, raw, message: req };
}

/** A request to a door that stands in the body of another request. */
export interface Asked extends Pick<DoorRequest, 'params' | 'query' | 'header' | 'raw' | 'carrier'> {
  /** What a body would hold. */
  content: unknown;
  /** False: it is done without a key, also where the door asks for one. */
  hasKey: boolean;
}

/** Asks a guarded door what another request carries, or throws the ApiError. The credential is that of the other request. */
export async function askDoor(
  door: GuardedDoor,
  { req, state }: { req: Exchange['req']; state: { ctx?: Ctx; effect: Effect; shop?: ShopOrigin } },
  { content, hasKey, ...asked }: Asked,
  { platform, environment, baseUrl, idempotency }: AskParts,
): Promise<Answer> {
  const { effect, shop } = state;
  const ctx = state.ctx as Ctx;
  authorize(ctx.actor, door);
  const origin = originFor({ baseUrl, host: platform.config.host }, req);
  const request = { ...asked, message: req, environment, origin, effect, ...(shop && { shop }) };
  const { key, ...keyless } = door;
  const read = () => content ?? {};
  return (await receive(hasKey ? door : keyless, ctx, request, { read, idempotency })).answer;
}

interface Receiving {
  /** Reads what the body holds. */
  read: () => unknown;
  idempotency: Idempotency;
}

async function receive(door: GuardedDoor, ctx: Ctx, request: DoorRequest, { read, idempotency }: Receiving): Promise<Answered> {
  const isMutation = door.method !== 'GET';
  ctx.effect.isMutation = isMutation;
  ctx.act = { action: door.id };
  const admission = await door.admit?.(ctx, request);
  const given = door.key === undefined ? undefined : keyOf(door, request);
  const content = read();
  checkText(content);
  const schema = door.shape?.(admission) ?? door.request?.schema;
  const visit: Visit = { ...request, admission, body: schema === undefined ? {} : readBy(schema, content) };
  try {
    const named = given === undefined ? door.named?.(visit) : { key: given, content };
    return await answerOnce(door, ctx, visit, named, idempotency);
  } catch (error) {
    if (door.failed === undefined || !(error instanceof ApiError) || error.status >= 500) throw error;
    return answered(door, door.failed(visit, error, ctx.requestId));
  }
}

/** One effect for each key. What a request that names itself has made is rendered anew for each that names it. */
async function answerOnce(
  door: GuardedDoor,
  ctx: Ctx,
  visit: Visit,
  named: Named | undefined,
  idempotency: Idempotency,
): Promise<Answered> {
  let headers: DoorAnswer['headers'];
  let lines: DoorAnswer['lines'];
  let refusal: unknown;
  const run = async () => {
    const reference = ctx.idempotency?.replayOf;
    const taken = reference === undefined ? door.take(ctx, visit) : again(door, ctx, visit, reference);
    const made = answered(
      door,
      await taken.catch((error) => {
        refusal = error;
        throw error;
      }),
    );
    headers = made.headers;
    lines = made.lines;
    return door.named === undefined ? made.answer : { ...made.answer, secretless: () => undefined };
  };
  try {
    if (named === undefined) return { answer: await run(), headers: headers ?? {}, ...(lines && { lines }) };
    const content = { query: visit.query, body: named.content };
    const request = { key: named.key, operation: `${door.id} ${pathOf(door, visit)}`, content };
    return { answer: await idempotency(ctx, request, run), headers: headers ?? {} };
  } catch (error) {
    // A key that is none, or another request's, is no refusal of what was asked.
    const answer = error === refusal && isRefusal(error) ? await door.refused?.(ctx, visit, error) : undefined;
    if (answer === undefined) throw error;
    return answered(door, answer);
  }
}

/** True for what a rule refused; not for a key that another process holds, nor for what failed. */
function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status < 500 && !(error instanceof IdempotencyInFlight);
}

function again(door: GuardedDoor, ctx: Ctx, visit: Visit, reference: string): Promise<DoorAnswer> {
  if (door.again === undefined) throw new Error(`${door.id} takes keys, but cannot answer again`);
  return door.again(ctx, visit, reference);
}

function keyOf({ key }: GuardedDoor, { header }: DoorRequest): string | undefined {
  const given = header('Idempotency-Key');
  if (given !== '') return given;
  if (key === 'required') throw new IdempotencyKeyRequired();
  return undefined;
}

// Gap G-276: On protocol wires a key belongs to workspace, actor and the path with its ids.
/** The path with its parameters, decoded: two spellings of one path are one, and a key is of one path. */
function pathOf({ path }: Door, { params }: DoorRequest): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}

/** 400 for text that cannot be stored, and for nesting that would exhaust a stack. */
function checkText(content: unknown): void {
  try {
    checkJson(content);
  } catch (error) {
    throw invalidRequest(`The body ${(error as Error).message}.`, 'text');
  }
}
