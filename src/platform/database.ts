// The one door to PostgreSQL. A request gets a client scoped to its workspace; `unscoped` serves credential lookup,
// public operations and due claims, each of which then builds a ctx for the row's workspace (ARCHITECTURE.md 4).
import { createHash } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import { getDatamodel } from '../generated/pothos-prisma.js';
import { type Prisma, PrismaClient } from '../generated/prisma/client.js';
import { DependencyUnavailable } from './errors.js';
import type { Logger } from './log.js';
import { Signal } from './signal.js';

/** A client that sees one workspace. Nested writes and raw SQL pass by its walls, so they are tidy errors outside ledger/ and platform/. */
export type Db = PrismaClient;
/** The same, inside a transaction. */
export type Tx = Prisma.TransactionClient;

export interface Database {
  readonly url: string;
  readonly pool: pg.Pool;
  readonly unscoped: PrismaClient;
  /** Rung after a commit that may have written events. */
  readonly written: Signal;
  forWorkspace(workspaceId: string): Db;
  close(): Promise<void>;
}

/** Models that carry a workspace, read from the data model: a new one is scoped by having the column. */
const scopedModels = new Set(
  Object.entries(getDatamodel().datamodel.models)
    .filter(([, model]) => model.fields.some((field) => field.name === 'workspaceId'))
    .map(([name]) => name),
);

type Row = Record<string, unknown>;

function stamp(model: string, data: Row, workspaceId: string): Row {
  if ('workspaceId' in data) throw new Error(`${model}: the workspace of a row is never written by hand`);
  return { ...data, workspaceId };
}

/** The arguments of one operation with the workspace in them. */
function scopeArgs(model: string, operation: string, args: Row, workspaceId: string): Row {
  switch (operation) {
    case 'create':
      return { ...args, data: stamp(model, args['data'] as Row, workspaceId) };
    case 'createMany':
    case 'createManyAndReturn':
      return { ...args, data: [args['data']].flat().map((row) => stamp(model, row as Row, workspaceId)) };
    case 'upsert':
      return { ...args, where: { ...(args['where'] as Row), workspaceId }, create: stamp(model, args['create'] as Row, workspaceId) };
    case 'update':
    case 'updateMany':
    case 'updateManyAndReturn':
      if ('workspaceId' in (args['data'] as Row)) throw new Error(`${model}: a row never changes its workspace`);
      return { ...args, where: { ...(args['where'] as Row | undefined), workspaceId } };
    default:
      return { ...args, where: { ...(args['where'] as Row | undefined), workspaceId } };
  }
}

function scope(client: PrismaClient, workspaceId: string): Db {
  return client.$extends({
    name: 'workspace',
    query: {
      $allModels: {
        $allOperations({ model, operation, args, query }) {
          return query(scopedModels.has(model) ? (scopeArgs(model, operation, args as Row, workspaceId) as typeof args) : args);
        },
      },
    },
  }) as unknown as Db;
}

/** Opens the pool and the clients on it. No connection is made before the first query. */
export function openDatabase(url: string, { poolSize, log }: { poolSize: number; log: Logger }): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: 5_000,
    application_name: 'agent-payments',
    options: '-c statement_timeout=15000 -c idle_in_transaction_session_timeout=30000 -c timezone=UTC -c jit=off',
  });
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection was lost'));
  // A connection that is checked out when PostgreSQL dies emits on the client itself: unheard, that ends the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  const adapter = new PrismaPg(pool, {
    disposeExternalPool: false,
    statementNameGenerator: (query) => createHash('sha1').update(query.sql).digest('base64url'),
  });
  const unscoped = new PrismaClient({ adapter, transactionOptions: { maxWait: 5_000, timeout: 10_000 } });
  const clients = new LRUCache<string, Db>({ max: 2_000 });
  return {
    url,
    pool,
    unscoped,
    written: new Signal(),
    forWorkspace(workspaceId) {
      const kept = clients.get(workspaceId);
      if (kept !== undefined) return kept;
      const client = scope(unscoped, workspaceId);
      clients.set(workspaceId, client);
      return client;
    },
    async close() {
      await unscoped.$disconnect();
      await pool.end();
    },
  };
}

/** Runs `work` in a transaction on a connection of its own, for statements that Prisma is too slow for. */
export async function inTransaction<T>(pool: pg.Pool, work: (tx: pg.ClientBase) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    client.release();
    return result;
  } catch (error) {
    // The transaction ends with its connection.
    client.release(true);
    throw error;
  }
}

/** A statement with a name: each connection plans it once. */
export interface Statement {
  name: string;
  text: string;
}

/** Runs a statement in a transaction, whichever client began it. */
export async function runIn<Row extends pg.QueryResultRow>(
  tx: Tx | pg.ClientBase,
  statement: Statement,
  values: unknown[],
): Promise<Row[]> {
  if ('$queryRawUnsafe' in tx) return tx.$queryRawUnsafe<Row[]>(statement.text, ...values);
  return (await tx.query<Row>({ ...statement, values })).rows;
}

const connectionCodes = new Set([
  'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND',
  '57P01', '57P02', '57P03', '08000', '08001', '08003', '08006', '53300',
  'P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028',
]); // biome-ignore format: one line per source

/** The SQLSTATE (or Node, or Prisma code) at the root of a database error, if it is one. */
export function sqlState(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, meta, cause, originalCode } = error as Partial<Record<'code' | 'cause' | 'originalCode', unknown>> & {
    meta?: { driverAdapterError?: { cause?: { originalCode?: string } } };
  };
  // What fails at COMMIT is the adapter's own error, whose cause names the SQLSTATE.
  const original = meta?.driverAdapterError?.cause?.originalCode ?? (typeof originalCode === 'string' ? originalCode : undefined);
  if (original !== undefined) return original;
  if (typeof code === 'string') return code;
  return cause === undefined || cause === error ? undefined : sqlState(cause);
}

/** True when the database could not be reached or went away: nothing was acknowledged, the caller may try again. */
export function isConnectionFailure(error: unknown): boolean {
  const code = sqlState(error);
  if (code !== undefined && connectionCodes.has(code)) return true;
  return (
    error instanceof Error &&
    /Connection terminated|timeout exceeded when trying to connect|server closed the connection|Client has encountered a connection error|DatabaseNotReachable|ConnectionClosed/i.test(
      error.message,
    )
  );
}

/** Turns a lost database into 503; leaves every other error as it is. */
export function unlessUnreachable(error: unknown): unknown {
  return isConnectionFailure(error) ? new DependencyUnavailable('The database', error) : error;
}

/** True when a row with the same key is there already. */
export function isUniqueViolation(error: unknown): boolean {
  const code = sqlState(error);
  return code === 'P2002' || code === '23505';
}

const serializationFailures = new Set(['40001', '40P01', 'P2034']);

/** Runs `work` again, up to three more times, when PostgreSQL chose it as the victim of a deadlock or serialization failure. */
export async function retrySerialization<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === 3 || !serializationFailures.has(sqlState(error) ?? '')) throw error;
    }
  }
}
