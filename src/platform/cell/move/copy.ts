// The first copy: the rows of a tenant as one snapshot of the source has them, table by table, by COPY on both sides.

import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { type MoveEnd, withClient } from './end.js';
import { isOf, type MovingTenant, type TenantTable } from './tenant-table.js';

/** What has been copied so far. */
export interface Copied {
  tables: number;
  rows: number;
  bytes: number;
}

export interface CopyOptions {
  tenant: MovingTenant;
  tables: readonly TenantTable[];
  snapshot: string;
  /** Told after each table, and within a long one. */
  onProgress?: (copied: Copied) => void;
}

/** Copies the rows of a tenant. The target has none of them. */
export async function copyTenant(
  { source, target }: { source: MoveEnd; target: MoveEnd },
  { tenant, tables, snapshot, onProgress = () => {} }: CopyOptions,
): Promise<Copied> {
  const copied: Copied = { tables: 0, rows: 0, bytes: 0 };
  await withClient(source, async (reader) => {
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await reader.query(`SET TRANSACTION SNAPSHOT '${snapshot}'`);
    await withClient(target, async (writer) => {
      for (const table of tables) {
        await asReplica(writer, () => copyTable({ reader, writer, tenant, table, copied, onProgress }));
        copied.tables += 1;
        onProgress(copied);
      }
    });
    await reader.query('COMMIT');
  });
  return copied;
}

interface TableCopy {
  reader: pg.PoolClient;
  writer: pg.PoolClient;
  tenant: MovingTenant;
  table: TenantTable;
  copied: Copied;
  onProgress: (copied: Copied) => void;
}

const tellEveryBytes = 16 * 1024 * 1024;

async function copyTable({ reader, writer, tenant, table, copied, onProgress }: TableCopy): Promise<void> {
  const columns = table.columns.map((column) => `"${column}"`).join(', ');
  const out = reader.query(copyTo(`COPY (SELECT ${columns} FROM ${table.name} WHERE ${isOf(tenant, table)}) TO STDOUT`));
  const into = writer.query(copyFrom(`COPY ${table.name} (${columns}) FROM STDIN`));
  let told = copied.bytes;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      copied.bytes += chunk.length;
      if (copied.bytes - told >= tellEveryBytes) {
        told = copied.bytes;
        onProgress(copied);
      }
      done(null, chunk);
    },
  });
  await pipeline(out, counter, into);
  copied.rows += into.rowCount ?? 0;
}

/** Runs `work` in a transaction in which neither triggers nor references are asked: the rows were good where they come from. */
export async function asReplica<T>(client: pg.PoolClient, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN; SET LOCAL session_replication_role = replica');
  try {
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

const sweepSize = 5_000;

/**
 * Removes the rows of a tenant, in small sets.
 * @param mayGoOn asked in the transaction of each set: false ends the work
 * @returns false when the work was ended
 */
export async function removeTenant(
  end: MoveEnd,
  tenant: MovingTenant,
  tables: readonly TenantTable[],
  mayGoOn: (tx: pg.ClientBase) => Promise<boolean> = async () => true,
): Promise<boolean> {
  for (const table of tables) {
    const found = `SELECT tableoid, ctid FROM ${table.name} WHERE ${isOf(tenant, table)} LIMIT ${sweepSize}`;
    const removeSet = (tx: pg.PoolClient) =>
      asReplica(tx, async () => {
        if (!(await mayGoOn(tx))) return null;
        return (await tx.query(`DELETE FROM ${table.name} WHERE (tableoid, ctid) IN (${found})`)).rowCount ?? 0;
      });
    for (let removed: number | null = sweepSize; removed === sweepSize; ) {
      removed = await withClient(end, removeSet);
      if (removed === null) return false;
    }
  }
  return true;
}
