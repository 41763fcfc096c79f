// Where a tenant is absent although rows of it stand there, nothing is written for it, whoever tries: it has left, and a process may not
// have heard of it yet; or it has not arrived, and workers must leave alone what was copied.
import { setTimeout as pause } from 'node:timers/promises';
import { sqlState } from '../../postgres/failure.js';
import type { MoveEnd } from './end.js';
import { isOf, type MovingTenant, type TenantTable } from './tenant-table.js';

/** How long a trigger waits for the writers of its table, who keep others waiting behind it. */
const lockMs = 300;
const lockNotAvailable = '55P03';

const triggerName = ({ id }: MovingTenant) => `moved_${id.replaceAll('-', '')}`;

/** What a move itself writes to. */
const isGuarded = ({ name }: TenantTable) => name !== 'move_mark';

/**
 * Makes the triggers that ask whether the tenant is absent. They do nothing before it is, so they are made while it pays. A table with
 * writers that take long is tried again.
 */
export async function guardTables(end: MoveEnd, tenant: MovingTenant, tables: readonly TenantTable[]): Promise<void> {
  for (const table of tables.filter(isGuarded)) while (!(await guardTable(end, tenant, table))) await pause(lockMs);
}

/** False when the table has writers. */
async function guardTable({ pool }: MoveEnd, tenant: MovingTenant, table: TenantTable): Promise<boolean> {
  const name = triggerName(tenant);
  try {
    await pool.query(
      `BEGIN; SET LOCAL lock_timeout = ${lockMs};
       CREATE OR REPLACE TRIGGER ${name}_in BEFORE INSERT OR UPDATE ON ${table.name} FOR EACH ROW
         WHEN (${isOf(tenant, table, 'NEW.')}) EXECUTE FUNCTION refuse_moved('${tenant.id}');
       CREATE OR REPLACE TRIGGER ${name}_out BEFORE DELETE ON ${table.name} FOR EACH ROW
         WHEN (${isOf(tenant, table, 'OLD.')}) EXECUTE FUNCTION refuse_moved('${tenant.id}');
       COMMIT`,
    );
    return true;
  } catch (error) {
    if (sqlState(error) !== lockNotAvailable) throw error;
    return false;
  }
}

/** Removes the triggers. */
export async function unguardTables({ pool }: MoveEnd, tenant: MovingTenant, tables: readonly TenantTable[]): Promise<void> {
  const name = triggerName(tenant);
  const { rows } = await pool.query<{ table: string }>(
    'SELECT tgrelid::regclass::text AS table FROM pg_trigger WHERE tgname = $1 AND tgparentid = 0',
    [`${name}_in`],
  );
  const guarded = new Set(rows.map(({ table }) => table));
  for (const table of tables.filter((each) => guarded.has(each.name)))
    await pool.query(`DROP TRIGGER IF EXISTS ${name}_in ON ${table.name}; DROP TRIGGER IF EXISTS ${name}_out ON ${table.name}`);
}

const lookEveryMs = 5;

/**
 * The tenant is absent from now on: its inserts are refused with SQLSTATE `AP012`, its updates and deletions find no row. When it returns,
 * nothing of it is under way: whoever had begun before has ended.
 * @param hasLeft it has left for another cell; else it has not arrived
 * @returns false when somebody had not ended after `patienceMs`
 */
export async function leave(end: MoveEnd, tenant: MovingTenant, { hasLeft, patienceMs }: { hasLeft: boolean; patienceMs: number }) {
  const workspaces = tenant.workspaceIds.map((_id, index) => `($${index + 3}::uuid, $1::uuid, CASE WHEN $2 THEN clock_timestamp() END)`);
  await end.pool.query(
    `INSERT INTO moved_workspace (workspace_id, tenant_id, moved_at) VALUES ${workspaces.join(', ')}
     ON CONFLICT (workspace_id) DO UPDATE SET moved_at = EXCLUDED.moved_at`,
    [tenant.id, hasLeft, ...tenant.workspaceIds],
  );
  const { rows } = await end.pool.query<{ pids: number[]; starts: string[] }>(
    `SELECT coalesce(array_agg(pid), '{}') AS pids, coalesce(array_agg(xact_start::text), '{}') AS starts FROM pg_stat_activity
     WHERE ${isInTransaction} AND pid <> pg_backend_pid()`,
  );
  const { pids = [], starts = [] } = rows[0] ?? {};
  const begun = performance.now();
  for (;;) {
    const { rowCount } = await end.pool.query(
      `SELECT FROM pg_stat_activity JOIN unnest($1::int[], $2::timestamptz[]) AS before (pid, xact_start) USING (pid, xact_start)
       WHERE ${isInTransaction} LIMIT 1`,
      [pids, starts],
    );
    if (rowCount === 0) return true;
    if (performance.now() - begun > patienceMs) return false;
    await pause(lookEveryMs);
  }
}

const isInTransaction = "datname = current_database() AND backend_type = 'client backend' AND xact_start IS NOT NULL";

/** The tenant is here. */
export async function arrive({ pool }: MoveEnd, { id }: MovingTenant): Promise<void> {
  await pool.query('DELETE FROM moved_workspace WHERE tenant_id = $1', [id]);
}
