// A workspace's time: what is due in it next, and moving its clock (docs/architecture.md "Time"). Raw SQL, because it looks
// over every table that has a due_at.
import { hash } from 'node:crypto';
import type { Platform, Workspace } from '../ctx.js';
import { byIndex } from '../postgres/lookup-plan.js';

/** Where a workspace stands in its time. `target` is set while its clock is being advanced. */
export interface Timeline {
  workspace: Workspace;
  now: Date;
  target: Date | null;
}

/** The workspace as the database has it: an advance moves it while a request lasts. */
export async function timelineOf({ database, clock }: Platform, workspaceId: string): Promise<Timeline> {
  const row = await database.unscoped.workspace.findUniqueOrThrow({ where: { id: workspaceId } });
  const { id, tenantId, environment, clockTarget } = row;
  const clockOffsetMs = Number(row.clockOffsetMs);
  return {
    workspace: { id, tenantId, environment, clockOffsetMs },
    now: new Date(clock.now().getTime() + clockOffsetMs),
    target: clockTarget,
  };
}

/** The smallest due_at of the workspace over all tables, claimed rows too; null when nothing is to come. */
export async function nextDue({ database, agenda }: Platform, workspaceId: string): Promise<Date | null> {
  const rows = agenda.tables.flatMap((table) =>
    ['lease_until IS NULL', 'lease_until IS NOT NULL'].map(
      (lease) => `(SELECT due_at FROM ${table} WHERE workspace_id = $1 AND due_at IS NOT NULL AND ${lease} ORDER BY due_at LIMIT 1)`,
    ),
  );
  if (rows.length === 0) return null;
  const found = await database.pool.query<{ next: Date | null }>(`SELECT min(due_at) AS next FROM (${rows.join(' UNION ALL ')}) due`, [
    workspaceId,
  ]);
  return found.rows[0]?.next ?? null;
}

/** What there is to do in a table: it is left out where there is nothing. */
export interface DueWork {
  /** Free rows are due. Of all workspaces: by the most advanced of their clocks. */
  isDue: boolean;
  /** Leases of processes that died have run out. */
  isLost: boolean;
}

/** What there is to do in the tables, of one workspace or of all: one statement, which goes by index. */
export async function dueTables(
  { database, clock }: Platform,
  tables: readonly string[],
  workspaceId?: string,
): Promise<ReadonlyMap<string, DueWork>> {
  if (tables.length === 0) return new Map();
  const own = workspaceId === undefined ? '' : 'workspace_id = $2 AND';
  const looks = tables.map(
    (table) =>
      `SELECT '${table}' AS name, EXISTS (SELECT FROM ${table} WHERE ${own} due_at <= at AND lease_until IS NULL) AS "isDue",
         EXISTS (SELECT FROM ${table} WHERE ${own} lease_until < clock_timestamp()) AS "isLost"`,
  );
  const text = `SELECT due.* FROM (
     SELECT $1::timestamptz + max(clock_offset_ms) * interval '1 ms' AS at FROM workspace ${workspaceId === undefined ? '' : 'WHERE id = $2'}
   ) now, LATERAL (${looks.join(' UNION ALL ')}) due WHERE due."isDue" OR due."isLost"`;
  const values = workspaceId === undefined ? [clock.now()] : [clock.now(), workspaceId];
  const name = `due-tables-${hash('sha1', text, 'base64url')}`;
  const { rows } = await byIndex(database.pool, async (tx) => {
    await tx.query('SET LOCAL plan_cache_mode = force_generic_plan');
    return tx.query<DueWork & { name: string }>({ name, text, values });
  });
  return new Map(rows.map((row) => [row.name, row]));
}

/** True while something of the workspace waits in the outbox. */
export async function hasUnpublished({ database }: Platform, workspaceId: string): Promise<boolean> {
  const { rowCount } = await database.pool.query('SELECT FROM outbox WHERE workspace_id = $1 LIMIT 1', [workspaceId]);
  return rowCount === 1;
}

/** Moves the workspace's clock on to `at`, never back. */
export async function moveClock({ database, clock, cache }: Platform, workspaceId: string, at: Date): Promise<void> {
  const offsetMs = BigInt(at.getTime() - clock.now().getTime());
  await database.unscoped.workspace.updateMany({
    where: { id: workspaceId, clockOffsetMs: { lt: offsetMs } },
    data: { clockOffsetMs: offsetMs },
  });
  cache.drop(`workspace:${workspaceId}`);
}

/** The clock has arrived at `target`. */
export async function stopClock({ database }: Platform, workspaceId: string, target: Date): Promise<void> {
  await database.unscoped.workspace.updateMany({ where: { id: workspaceId, clockTarget: target }, data: { clockTarget: null } });
}

/** Workspaces whose clock is on its way. */
export async function movingClocks({ database }: Platform): Promise<string[]> {
  const moving = await database.unscoped.workspace.findMany({ where: { clockTarget: { not: null } }, select: { id: true } });
  return moving.map(({ id }) => id);
}
