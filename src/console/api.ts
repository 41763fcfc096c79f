// Speaks to the public GraphQL API of the server that this page came from: queries and mutations, and what happens, as a stream.
import { createClient } from 'graphql-sse';
import type { Answers, Variables } from './answers.js';
import { operations } from './operation.js';
import { session } from './session.js';

export type Operation = keyof Answers;

/** Why a request gave no answer, in words for people. */
export class Refusal extends Error {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

/** The refusal that was thrown, or one that stands for a fault of the page itself. */
export function asRefusal(thrown: unknown): Refusal {
  return thrown instanceof Refusal ? thrown : new Refusal('Something went wrong on this page. Load it again.', 'page');
}

const sessionEnded = 'Your session has ended. Sign in again to go on.';

interface WireError {
  message: string;
  extensions?: { code?: string; http?: { status?: number }; details?: { retry_after?: number } };
}

interface WireResult<T> {
  data?: T | null;
  errors?: WireError[];
}

export interface AskOptions {
  signal?: AbortSignal | undefined;
  /** Makes a mutation take effect once, however often it is sent. */
  idempotencyKey?: string | undefined;
}

/** A server that says nothing for so long is treated as one that is away. */
const patienceMs = 30_000;

async function send(body: string, { signal, idempotencyKey }: AskOptions): Promise<Response> {
  const token = session.current?.token;
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/graphql-response+json',
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
  };
  const patience = AbortSignal.timeout(patienceMs);
  try {
    return await fetch('/graphql', { method: 'POST', headers, body, signal: signal ? AbortSignal.any([signal, patience]) : patience });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    if (patience.aborted) throw new Refusal('The server takes too long to answer. Try again shortly.', 'timeout');
    throw new Refusal('The server cannot be reached. Check the connection, then try again.', 'unreachable');
  }
}

function refusalOf(response: Response, errors: readonly WireError[]): Refusal {
  const [error] = errors;
  const code = error?.extensions?.code ?? `http_${response.status}`;
  if (response.status === 429) {
    const after = Number(response.headers.get('Retry-After') ?? 10);
    return new Refusal(`Too many requests were sent. Try again in ${after} seconds.`, code);
  }
  return new Refusal(error?.message ?? `The server answered ${response.status}. Try again shortly.`, code);
}

/** Runs an operation of operation.ts. A session that the server no longer takes is ended. */
export async function ask<Name extends Operation>(
  name: Name,
  variables: Variables[Name],
  options: AskOptions = {},
): Promise<Answers[Name]> {
  const token = session.current?.token;
  const response = await send(JSON.stringify({ query: operations[name], variables }), options);
  const result = (await response.json().catch(() => ({}))) as WireResult<Answers[Name]>;
  if (response.ok && result.data != null && result.errors === undefined) return result.data;
  const refusal = refusalOf(response, result.errors ?? []);
  const status = result.errors?.[0]?.extensions?.http?.status ?? response.status;
  if (token !== undefined && status === 401) session.end(sessionEnded, token);
  throw refusal;
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
    headers: (): Record<string, string> => ({ Authorization: `Bearer ${session.current?.token ?? ''}` }),
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
