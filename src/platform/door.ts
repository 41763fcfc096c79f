// A door: an endpoint of a protocol's own wire, which is no routed operation (ARCHITECTURE.md 3). It contains no rule:
// it hands what came in to one, spells what came of it, and says for openapi.json what both are.
import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import type { Audience, Ctx, Environment, Platform, PortalScope } from './ctx.js';
import type { Effect } from './effect.js';
import { type ApiError, declareError } from './errors.js';
import type { AskedScope } from './schema/audience.js';

/** The origin of a merchant, which a request was sent to. */
export interface ShopOrigin {
  /** Without a slash at the end. */
  origin: string;
  /** The merchant, as ids are printed. */
  merchantId: string;
}

/** What came to a door. */
export interface DoorRequest {
  environment: Environment;
  /** Where callers reach this listener, without a slash at the end: as `originFor` decides it. */
  origin: string;
  /** Set where the request came to a shop; `params` has its merchant as `merchant_id`. */
  shop?: ShopOrigin;
  /** Path parameters, decoded. */
  params: Readonly<Record<string, string>>;
  /** Query parameters as they were sent. */
  query: Readonly<Record<string, unknown>>;
  /** The value of a request header; empty without one. */
  header(name: string): string;
  /** The bytes of the body, at most 256 KiB. */
  raw: Uint8Array;
  /** Set where it stands in the body of another request, which `raw` and `message` are of: the headers of that one. */
  carrier?: Pick<DoorRequest, 'header'>;
  /** What is known of the request's effect: work without a credential is done with it. */
  effect: Effect;
  /** The request as it came, for protocols that sign parts of it. */
  message: Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'headersDistinct'>;
}

/** A request whose sender has been let in. */
export interface Visit<Body = unknown, Admission = unknown> extends DoorRequest {
  /** The body, as the schema of the door reads it; `{}` where none was sent. */
  body: Body;
  /** What `admit` made of the request. */
  admission: Admission;
}

export interface DoorAnswer {
  /** By default the first status of `answers`. */
  status?: number;
  body: object;
  /** Sent in place of the body, each as a line of JSON, as fast as the client takes them. */
  lines?: AsyncIterable<object>;
  /** A list is sent as that many fields. */
  headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** How a protocol spells a failure. Headers of the error (`Retry-After`, `WWW-Authenticate`) are sent besides. */
export type Spelling = (error: ApiError, facts: { requestId: string }) => { status: number; body: object };

/** What every door says of itself. */
interface DoorFacts {
  /** Its operationId, and the scope of its Idempotency-Keys together with its path. */
  id: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  /**
   * Its path at the origin of a shop, where it is another than `path` without the segment `{merchant_id}`. Doors with neither are not served
   * there.
   */
  atShop?: string;
  /** It is served with a slash at the end too, for clients that add one to the address of a document's server. */
  hasSlash?: true;
  /** Under which name openapi.json lists it; `about` is said once, by any of the doors of a tag. */
  tag: { name: string; about?: string };
  summary: string;
  description: string;
  /** The headers that it reads, beside those of every endpoint. */
  headers?: readonly { name: string; description: string; required?: boolean }[];
  /** The query parameters that it reads. */
  query?: readonly { name: string; description: string }[];
  /** `login`: twenty a minute; the general budget by default. */
  rateClass?: 'login';
  /** Request headers that come back in every answer, also in refusals. */
  echoes?: readonly string[];
  /** What it takes. `optional`: a request without a body is `{}`. */
  request?: { schema: z.ZodType; example: object; optional?: boolean };
  /** It reads the bytes of whatever body is sent, and understands none. */
  readsBytes?: true;
  /** What it answers when nothing goes wrong, by status. One without a schema has no body. `media` is JSON by default. */
  answers: Readonly<Record<number, { schema?: z.ZodType; media?: string; description?: string }>>;
  /** Statuses that it refuses with, beside those of every endpoint. */
  failures: readonly number[];
  /** The protocol's own errors; by default the platform's. */
  refusal?: { spell: Spelling; schema: z.ZodType };
}

/** A door that asks for no credential: its caller signs what it says, or reads what is public. */
export interface OpenDoor extends DoorFacts {
  audience?: undefined;
  /** Answers, or throws the ApiError. The body has not been looked at. */
  take(platform: Platform, request: DoorRequest): Promise<DoorAnswer>;
}

/** A door that lets in who shows one of the platform's credentials. */
export interface GuardedDoor<Body = unknown, Admission = unknown> extends DoorFacts {
  audience: Audience;
  /** What the scopes of the caller must open; `self`: nothing. */
  scope: AskedScope;
  /** The scope with which a portal token may call it too. */
  portal?: PortalScope;
  /**
   * Whether it takes an Idempotency-Key. Its scope is workspace, actor and the whole path. `required`: 400 `idempotency_key_required`
   * without one.
   */
  key?: 'required' | 'optional';
  /**
   * The key of a request that names itself, where there is no header. What is kept of it is the reference of its result: it is answered
   * by `again`.
   */
  named?(visit: Visit<Body, Admission>): { key: string; content: unknown } | undefined;
  /** Asks what the protocol asks of every request (versions, signatures), before its body is understood. Throws the ApiError. */
  admit?(ctx: Ctx, request: DoorRequest): Admission | Promise<Admission>;
  /** The schema of this body, where it depends on what `admit` found; by default that of `request`, which then has to be one for all. */
  shape?(admission: Admission): z.ZodType<Body>;
  /** Does what is asked, or throws the ApiError. */
  take(ctx: Ctx, visit: Visit<Body, Admission>): Promise<DoorAnswer>;
  /** Answers a request whose effect an earlier one with the same key had; `reference` is that of its result. It changes nothing. */
  again?(ctx: Ctx, visit: Visit<Body, Admission>, reference: string): Promise<DoorAnswer>;
  /**
   * What the protocol answers where `take` refused and a plain error would be the wrong word: the object with a message in it. It
   * changes nothing, and is not kept for the key. Undefined: the error is spelled.
   */
  refused?(ctx: Ctx, visit: Visit<Body, Admission>, error: ApiError): Promise<DoorAnswer | undefined>;
  /** Headers that sign an answer of this text. Of every answer with a body, also one that is given again. */
  seal?(ctx: Ctx, status: number, text: string): Promise<Readonly<Record<string, string>>>;
  /** Spells what refuses a request whose body was read, for protocols whose errors name the request that they answer. */
  failed?(visit: Visit<Body, Admission>, error: ApiError, requestId: string): DoorAnswer;
}

/** Where a door is served at a shop; undefined: it is not. */
export function pathAtShop({ path, atShop }: Pick<DoorFacts, 'path' | 'atShop'>): string | undefined {
  return atShop ?? (path.includes(merchantSegment) ? path.replace(merchantSegment, '') : undefined);
}

const merchantSegment = '/{merchant_id}';

// biome-ignore lint/suspicious/noExplicitAny: what a door's schema reads is the door's own business
export type Door = OpenDoor | GuardedDoor<any, any>;

/** Declares a guarded door; the type of its body is that of its schema. */
export function guardedDoor<Schema extends z.ZodType, Admission = undefined>(
  door: Omit<GuardedDoor<z.output<Schema>, Admission>, 'request'> & { request: { schema: Schema; example: object; optional?: boolean } },
): GuardedDoor<z.output<Schema>, Admission> {
  return door;
}

/** 400: the protocol asks for an Idempotency-Key. */
export class IdempotencyKeyRequired extends declareError(400, 'idempotency_key_required') {
  constructor() {
    super('Send an Idempotency-Key: a new one for each new request.', {
      fields: [{ path: ['Idempotency-Key'], message: 'is required', rule: 'required' }],
    });
  }
}
