// What PostgreSQL does for a move: a publication of the tenant's rows, a slot with the snapshot from which they are copied, and a
// subscription that applies what changes meanwhile. All three have one name, which says the tenant.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Ends, MoveEnd } from './end.js';
import { isOf, type MovingTenant, type TenantTable } from './tenant-table.js';

/** The name of the publication, the slot and the subscription of a move. */
export function replicationName({ id }: MovingTenant): string {
  return `move_${id.replaceAll('-', '')}`;
}

/** A slot that was just made. Its snapshot is good for as long as the slot's connection is open. */
export interface Slot {
  snapshot: string;
  close(): Promise<void>;
}

/** Publishes the rows of a tenant. */
export async function publishTenant({ pool }: MoveEnd, tenant: MovingTenant, tables: readonly TenantTable[]): Promise<void> {
  const listed = tables.map((table) => `${table.name} WHERE (${isOf(tenant, table)})`);
  await pool.query(
    `CREATE PUBLICATION ${replicationName(tenant)} FOR TABLE ${listed.join(', ')}
     WITH (publish = 'insert, update, delete', publish_via_partition_root = true)`,
  );
}

/** Publishes the tenant no more. */
export async function endPublication({ pool }: MoveEnd, tenant: MovingTenant): Promise<void> {
  await pool.query(`DROP PUBLICATION IF EXISTS ${replicationName(tenant)}`);
}

/** Keeps what changes from now on of what is published. */
export async function openSlot(source: MoveEnd, tenant: MovingTenant): Promise<Slot> {
  const name = replicationName(tenant);
  const client = new pg.Client({ connectionString: source.url, replication: 'database' } as pg.ClientConfig);
  // The connection is asked nothing more: its end is told by what uses the snapshot.
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query<{ snapshot_name: string }>(`CREATE_REPLICATION_SLOT ${name} LOGICAL pgoutput (SNAPSHOT 'export')`);
    return { snapshot: rows[0]?.snapshot_name ?? '', close: () => client.end() };
  } catch (error) {
    await client.end();
    throw error;
  }
}

/** Applies in `target` what has changed in `source` since the slot was made. */
export async function subscribeTenant({ source, target }: Ends, tenant: MovingTenant): Promise<void> {
  const name = replicationName(tenant);
  const connection = source.url.replaceAll("'", "''");
  await target.pool.query(
    `CREATE SUBSCRIPTION ${name} CONNECTION '${connection}' PUBLICATION ${name}
     WITH (copy_data = false, create_slot = false, slot_name = '${name}')`,
  );
}

const lookEveryMs = 10;

/**
 * Marks the source, and waits until the mark has come to the target: everything that was committed before it is there then, because one
 * process applies transactions in the order of their commits. Null after `patienceMs`.
 */
export async function awaitMark({ source, target }: Ends, { id }: MovingTenant, patienceMs: number): Promise<string | null> {
  const mark = randomUUID();
  await flushed(
    source,
    `INSERT INTO move_mark (tenant_id, mark) VALUES ('${id}', '${mark}') ON CONFLICT (tenant_id) DO UPDATE SET mark = EXCLUDED.mark`,
  );
  const begun = performance.now();
  for (;;) {
    const { rowCount } = await target.pool.query('SELECT FROM move_mark WHERE tenant_id = $1 AND mark = $2', [id, mark]);
    if (rowCount === 1) break;
    if (performance.now() - begun > patienceMs) return null;
    await pause(lookEveryMs);
  }
  // A subscription does not wait for the disk: whoever reads the WAL of the target would hear of it late.
  await flushed(target, "SELECT pg_logical_emit_message(true, 'move', '')");
  return mark;
}

/** Only what was flushed is sent. */
async function flushed({ pool }: MoveEnd, statement: string): Promise<void> {
  await pool.query(`BEGIN; SET LOCAL synchronous_commit = on; ${statement}; COMMIT`);
}

/** How far the subscriber has come. */
export interface Distance {
  /** Bytes of WAL that it has not confirmed yet. */
  behind: number;
  /** What it has confirmed. */
  appliedTo: string;
}

/** How far the target has come; null when there is no slot. */
export async function distanceOf({ pool }: MoveEnd, tenant: MovingTenant): Promise<Distance | null> {
  const { rows } = await pool.query<Distance>(
    `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn)::float8 AS behind, confirmed_flush_lsn::text AS "appliedTo"
     FROM pg_replication_slots WHERE slot_name = $1`,
    [replicationName(tenant)],
  );
  return rows[0] ?? null;
}

/** True where the slot and the subscription of the move are both there. */
export async function isFollowing({ source, target }: Ends, tenant: MovingTenant): Promise<boolean> {
  const { rowCount } = await target.pool.query('SELECT FROM pg_subscription WHERE subname = $1', [replicationName(tenant)]);
  return rowCount === 1 && (await distanceOf(source, tenant)) !== null;
}

/** The source sends nothing any more and keeps no WAL for the target, whatever that does. */
export async function endSending(source: MoveEnd, tenant: MovingTenant): Promise<void> {
  await dropSlot(source, replicationName(tenant));
  await endPublication(source, tenant);
}

/** Ends the following: nothing of it is left at either end. */
export async function endReplication({ source, target }: Ends, tenant: MovingTenant): Promise<void> {
  const name = replicationName(tenant);
  const { rowCount } = await target.pool.query('SELECT FROM pg_subscription WHERE subname = $1', [name]);
  if (rowCount === 1) {
    // Without its slot a subscription is dropped even where the source is away.
    await target.pool.query(`ALTER SUBSCRIPTION ${name} DISABLE`);
    await target.pool.query(`ALTER SUBSCRIPTION ${name} SET (slot_name = NONE)`);
    await target.pool.query(`DROP SUBSCRIPTION ${name}`);
  }
  await dropSlot(source, name);
  for (const end of [source, target]) await endPublication(end, tenant);
}

/** Drops a slot. The reader of one that is in use is ended. */
export async function dropSlot({ pool }: MoveEnd, name: string): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ active_pid: number | null }>('SELECT active_pid FROM pg_replication_slots WHERE slot_name = $1', [
      name,
    ]);
    const [slot] = rows;
    if (slot === undefined) return;
    if (slot.active_pid === null) {
      await pool.query('SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = $1 AND NOT active', [name]);
    } else {
      await pool.query('SELECT pg_terminate_backend($1)', [slot.active_pid]);
      await pause(lookEveryMs);
    }
  }
}
