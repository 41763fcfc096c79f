// The one door to PostgreSQL. A request gets a client scoped to its workspace; `unscoped` serves credential lookup,
// public operations and due claims, each of which then builds a ctx for the row's workspace (ARCHITECTURE.md 4).
import { PrismaPg } from '@prisma/adapter-pg';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import { getDatamodel } from '../../generated/pothos-prisma.js';
import { type Prisma, PrismaClient } from '../../generated/prisma/client.js';
import type { Logger } from '../log.js';
import { Signal } from '../signal.js';
import type { Connection } from './connection.js';
import { ConnectionPool } from './pool.js';
import { StatementNames } from './statement-name.js';

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
  /** A client of one workspace. With its tenant it reaches the people of that tenant too. */
  forWorkspace(workspaceId: string, tenantId?: string): Db;
  /** Gives it up sooner when it hangs: other databases serve beside it. */
  hurry(): void;
  close(): Promise<void>;
}

/** Names of the models of the data model that `isOne` finds. */
const modelsThat = (isOne: (model: ReturnType<typeof getDatamodel>['datamodel']['models'][string]) => boolean): Set<string> =>
  new Set(Object.entries(getDatamodel().datamodel.models).flatMap(([name, model]) => (isOne(model) ? [name] : [])));

/** Models that carry a workspace, read from the data model: a new one is scoped by having the column. */
const scopedModels = modelsThat(({ fields }) => fields.some(({ name }) => name === 'workspaceId'));
/** Models of people, which belong to a tenant: their key begins with it. */
const tenantModels = modelsThat(
  ({ primaryKey, fields }) => primaryKey?.fields[0] === 'tenantId' || fields.some(({ name, isId }) => name === 'tenantId' && isId),
);

type Row = Record<string, unknown>;

/** What the rows of a client belong to. */
interface Scope {
  workspaceId: string;
  /** Undefined where nobody has said it: no row of people can be reached then. */
  tenantId: string | undefined;
}

/** The column of a model that says whose its rows are, with the value for this client; null: the model is nobody's. */
function wallOf(model: string, { workspaceId, tenantId }: Scope): Row | null {
  if (scopedModels.has(model)) return { workspaceId };
  if (!tenantModels.has(model)) return null;
  if (tenantId === undefined) throw new Error(`${model}: this client knows no tenant`);
  return { tenantId };
}

function stamp(model: string, data: Row, wall: Row): Row {
  for (const column in wall) if (column in data) throw new Error(`${model}: the ${column} of a row is never written by hand`);
  return { ...data, ...wall };
}

/** The arguments of one operation with the workspace or the tenant in them. */
function scopeArgs(model: string, operation: string, args: Row, wall: Row): Row {
  switch (operation) {
    case 'create':
      return { ...args, data: stamp(model, args['data'] as Row, wall) };
    case 'createMany':
    case 'createManyAndReturn':
      return { ...args, data: [args['data']].flat().map((row) => stamp(model, row as Row, wall)) };
    case 'upsert':
      return { ...args, where: { ...(args['where'] as Row), ...wall }, create: stamp(model, args['create'] as Row, wall) };
    case 'update':
    case 'updateMany':
    case 'updateManyAndReturn':
      for (const column in wall) if (column in (args['data'] as Row)) throw new Error(`${model}: a row never changes its ${column}`);
      return { ...args, where: { ...(args['where'] as Row | undefined), ...wall } };
    default:
      return { ...args, where: { ...(args['where'] as Row | undefined), ...wall } };
  }
}

function scope(client: PrismaClient, own: Scope): Db {
  return client.$extends({
    name: 'workspace',
    query: {
      $allModels: {
        $allOperations({ model, operation, args, query }) {
          // The arguments of all operations of all models are more than a type can say.
          const run = query as (args: unknown) => Promise<unknown>;
          const given = args as Row;
          const wall = wallOf(model, own);
          return run(wall === null ? given : scopeArgs(model, operation, given, wall));
        },
      },
    },
  }) as unknown as Db;
}

/** Opens the pool and the clients on it. No connection is made before the first query. */
export function openDatabase(url: string, { poolSize, log }: { poolSize: number; log: Logger }): Database {
  const pool = new ConnectionPool(url, { size: poolSize, log });
  const names = new StatementNames();
  const adapter = new PrismaPg(pool, {
    disposeExternalPool: false,
    // No name, no prepared statement; the type of the option knows names alone.
    statementNameGenerator: (query) => names.nameOf(query.sql) as string,
  });
  const unscoped = new PrismaClient({ adapter, transactionOptions: { maxWait: 5_000, timeout: 10_000 } });
  const clients = new LRUCache<string, Db>({ max: 2_000 });
  return {
    url,
    pool,
    unscoped,
    written: new Signal(),
    forWorkspace(workspaceId, tenantId) {
      const name = tenantId === undefined ? workspaceId : `${tenantId} ${workspaceId}`;
      const kept = clients.get(name);
      if (kept !== undefined) return kept;
      const client = scope(unscoped, { workspaceId, tenantId });
      clients.set(name, client);
      return client;
    },
    hurry: () => pool.hurry(),
    async close() {
      await unscoped.$disconnect();
      await pool.end();
    },
  };
}

/** How a transaction is run. */
export interface TransactionOptions {
  /** How long each statement may take, where that is more than a request may wait. */
  statementMs?: number;
  /** Statements without values that go out with its BEGIN, in one message: each is text of the code. */
  first?: readonly string[];
}

/** Runs `work` in a transaction on a connection of its own, for statements that Prisma is too slow for. */
export async function inTransaction<T>(
  pool: pg.Pool,
  work: (tx: pg.ClientBase) => Promise<T>,
  { statementMs, first = [] }: TransactionOptions = {},
): Promise<T> {
  const client = (await pool.connect()) as unknown as Connection & pg.PoolClient;
  client.allow(statementMs);
  try {
    const patience = statementMs === undefined ? [] : [`SET LOCAL statement_timeout = ${statementMs}`];
    await client.query(['BEGIN', ...patience, ...first].join('; '));
    const result = await work(client);
    await client.query('COMMIT');
    client.allow();
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
