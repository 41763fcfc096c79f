// Speaks to the public GraphQL API of the server that this page came from: queries and mutations, and what happens, as a stream.
import { createClient } from 'graphql-sse';
import type { Answers, Variables } from './answers.js';
import { now } from './clock.js';
import { words } from './format.js';
import { operations } from './operation.js';
import { rememberWay, type Session, session } from './session.js';
import { stepUpDesk } from './step-up.js';

export type Operation = keyof Answers;

interface Details {
  reason?: string;
  /** By which a person may sign in once more. */
  methods?: readonly string[];
  fields?: readonly { path: string; message: string }[];
}

/** Why a request gave no answer, in words for people. */
export class Refusal extends Error {
  readonly code: string;
  /** When it may be tried again, in milliseconds since 1970; undefined where no budget was used up. */
  readonly retryAt: number | undefined;
  readonly details: Details;

  constructor(message: string, code: string, { retryAt, details = {} }: { retryAt?: number; details?: Details } = {}) {
    super(message);
    this.code = code;
    this.retryAt = retryAt;
    this.details = details;
  }

  /** What is wrong with a member of the input; undefined where nothing is. */
  fault(member: string): string | undefined {
    return this.details.fields?.find(({ path }) => lastOf(path) === member)?.message;
  }
}

/** The member at the end of a path, without a place in a list. */
const lastOf = (path: string) => path.split('.').findLast((part) => !/^\d+$/.test(part)) ?? path;

/** `input.expiresIn` -> `Expires in`. */
const memberName = (path: string) => words(lastOf(path).replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

/** The refusal that was thrown, or one that stands for a fault of the page itself. */
export function asRefusal(thrown: unknown): Refusal {
  return thrown instanceof Refusal ? thrown : new Refusal('Something went wrong on this page. Load it again.', 'page');
}

const sessionEnded = 'Your session has ended. Sign in again to go on.';

interface WireError {
  message: string;
  extensions?: { code?: string; http?: { status?: number }; details?: Details };
}

interface WireResult<T> {
  data?: T | null;
  errors?: WireError[];
}

export interface AskOptions {
  signal?: AbortSignal | undefined;
  /** Makes a mutation take effect once, however often it is sent. */
  idempotencyKey?: string | undefined;
  /** Instead of the session, for what takes the key itself. It is sent with this request and not kept. */
  apiKey?: string | undefined;
}

/** A server that says nothing for so long is treated as one that is away. */
const patienceMs = 30_000;

const modernType = 'application/graphql-response+json';

/** What says who asks: a key or a JWT, or for a person the token beside the cookie, which the browser sends by itself. */
function credentialOf(current: Session | undefined, apiKey?: string): Record<string, string> {
  const token = apiKey ?? current?.token;
  if (token !== undefined) return { Authorization: `Bearer ${token}` };
  return current?.csrfToken === undefined ? {} : { 'X-CSRF-Token': current.csrfToken };
}

async function send(body: string, { signal, idempotencyKey, apiKey }: AskOptions): Promise<Response> {
  const headers = {
    'Content-Type': 'application/json',
    Accept: modernType,
    ...credentialOf(session.current, apiKey),
    ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
  };
  return patiently((patience) => fetch('/graphql', { method: 'POST', headers, body, signal: patience }), signal);
}

async function patiently(asked: (patience: AbortSignal) => Promise<Response>, signal?: AbortSignal): Promise<Response> {
  const patience = AbortSignal.timeout(patienceMs);
  try {
    return await asked(signal ? AbortSignal.any([signal, patience]) : patience);
  } catch (error) {
    if (signal?.aborted === true) throw error;
    if (patience.aborted) throw new Refusal('The server takes too long to answer. Try again shortly.', 'timeout');
    throw new Refusal('The server cannot be reached. Check the connection, then try again.', 'unreachable');
  }
}

function refusalOf(response: Response, errors: readonly WireError[]): Refusal {
  const [error] = errors;
  const { code = `http_${response.status}`, details = {} } = error?.extensions ?? {};
  if (response.status === 429) {
    const after = Number(response.headers.get('Retry-After') ?? 10);
    return new Refusal('Too many requests came from this address.', code, { retryAt: now() + after * 1000 });
  }
  const faults = (details.fields ?? []).map(({ path, message }) => `${memberName(path)} ${message}.`).join(' ');
  const message = code === 'validation_failed' && faults !== '' ? faults : error?.message;
  return new Refusal(message ?? `The server answered ${response.status}. Try again shortly.`, code, { details });
}

/** Runs an operation of operation.ts. A session that the server no longer takes is ended. */
export async function ask<Name extends Operation>(
  name: Name,
  variables: Variables[Name],
  options: AskOptions = {},
): Promise<Answers[Name]> {
  const begun = session.current;
  const response = await send(JSON.stringify({ query: operations[name], variables }), options);
  const result = (await response.json().catch(() => ({}))) as WireResult<Answers[Name]>;
  if (response.ok && result.data != null && result.errors === undefined) return result.data;
  const refusal = refusalOf(response, result.errors ?? []);
  const status = result.errors?.[0]?.extensions?.http?.status ?? response.status;
  if (begun === undefined || options.apiKey !== undefined || refusal.code === 'sign_in_failed') throw refusal;
  if (status === 401) session.end(sessionEnded, begun);
  else if (await isMended(refusal, begun)) return ask(name, variables, options);
  throw refusal;
}

/** True where a person has signed in once more, or another tab has, so that the same request may be sent again. */
async function isMended({ code, details }: Refusal, begun: Session): Promise<boolean> {
  if (begun.csrfToken === undefined) return false;
  if (code === 'step_up_required') return stepUpDesk.ask(details.methods ?? []);
  return details.reason === 'csrf' && (await takeUpSession()) && session.current?.csrfToken !== begun.csrfToken;
}

/** Takes up the session of the cookie: after a sign-in, when the page is loaded, and where another tab has changed it. */
export async function takeUpSession(): Promise<boolean> {
  const before = session.current;
  const query = new URLSearchParams({ query: operations.MySession });
  const response = await patiently((signal) => fetch(`/graphql?${query}`, { headers: { Accept: modernType }, signal }));
  const { data, errors = [] } = (await response.json().catch(() => ({}))) as WireResult<Answers['MySession']>;
  if (data == null && response.status !== 401) throw refusalOf(response, errors);
  const { member = null, session: own = null, tenantId, environment, serverTime } = data?.me ?? {};
  if (own?.csrfToken == null || member === null) {
    session.end(sessionEnded, before);
    return false;
  }
  rememberWay('person');
  const who = `${tenantId} ${member.id}`;
  // By the clock of this browser: the one of the server may be another.
  const expiresAt = now() + Date.parse(own.expiresAt) - Date.parse(serverTime ?? '');
  if (before?.who === who) session.renew(before, { csrfToken: own.csrfToken, expiresAt });
  else session.begin({ csrfToken: own.csrfToken, who, environment: environment as Session['environment'], startedAt: now(), expiresAt });
  return true;
}

/** A name for one intention of a person, so that trying again after a lost answer does not do it twice. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export type Connection = 'connecting' | 'live' | 'lost';

export interface Follower<Name extends Operation> {
  next(answer: Answers[Name]): void;
  /** How the stream is; it connects again by itself. */
  connection(state: Connection): void;
}

/** Most attempts to connect again, with pauses that grow; after them a person presses a button. */
const mostRetries = 8;

/** Follows a subscription until the function that it returns is called. */
export function follow<Name extends Operation>(name: Name, variables: Variables[Name], follower: Follower<Name>): () => void {
  const client = createClient({
    url: '/graphql/stream',
    headers: () => credentialOf(session.current),
    retryAttempts: mostRetries,
    on: {
      connecting: () => follower.connection('connecting'),
      connected: () => follower.connection('live'),
    },
  });
  const lost = () => follower.connection('lost');
  const dispose = client.subscribe<Answers[Name]>(
    { query: operations[name], variables: variables as Record<string, unknown> },
    {
      next: ({ data }) => {
        if (data != null) follower.next(data);
      },
      error: lost,
      complete: lost,
    },
  );
  return () => {
    dispose();
    client.dispose();
  };
}
