// Makes the rollups of a workspace again from the raw rows, while everything goes on: `cli usage rebuild`. Buckets that are older than
// the raw rows stay as they are.
import type pg from 'pg';
import { addSeconds } from '../../platform/clock.js';
import type { Platform, Workspace } from '../../platform/ctx.js';
import { inTransaction } from '../../platform/postgres/database.js';
import { goByIndex } from '../../platform/postgres/lookup-plan.js';
import { firstIdAt } from '../../platform/schema/page.js';
import { floorTo, keptFrom } from './period.js';
import { addOperations, usageListener } from './rollup.sql.js';

const daySeconds = 86_400;
/** A day of a busy workspace takes longer than a statement of a request may. */
const statementMs = 600_000;

/** Hears how far the work is: days that are done, of all. */
export type Progress = (done: number, days: number) => void;

/** From now on the listener of this name does not move in the workspace, until the transaction ends. */
export async function holdPosition(tx: pg.ClientBase, workspaceId: string, name: string): Promise<void> {
  await tx.query('SELECT FROM event_listener WHERE workspace_id = $1 AND name = $2 FOR UPDATE', [workspaceId, name]);
}

/** Makes sure that the listener has a position to hold, before the transaction that holds it begins. */
export async function givePosition(pool: pg.Pool, workspaceId: string, name: string): Promise<void> {
  await pool.query('INSERT INTO event_listener (workspace_id, name) VALUES ($1, $2) ON CONFLICT DO NOTHING', [workspaceId, name]);
}

const serializationFailure = '40001';
const mostTries = 20;

/**
 * Rebuilds the rollups of one workspace in one transaction: readers see the old ones until it ends, and a process that is killed leaves
 * them. The listener goes on from its position afterwards, so what it has not heard yet is left out.
 */
export async function rebuildUsage({ database, clock }: Platform, workspace: Workspace, progress: Progress): Promise<void> {
  const from = keptFrom(new Date(clock.now().getTime() + workspace.clockOffsetMs));
  await givePosition(database.pool, workspace.id, usageListener.name);
  for (let tries = 1; ; tries += 1) {
    try {
      return await inTransaction(database.pool, (tx) => rebuild(tx, workspace.id, from, progress), { statementMs });
    } catch (error) {
      // The listener moved between the snapshot and the lock.
      if ((error as { code?: unknown }).code !== serializationFailure || tries === mostTries) throw error;
    }
  }
}

async function rebuild(tx: pg.ClientBase, workspaceId: string, from: Date, progress: Progress): Promise<void> {
  // One snapshot says what there is and what was heard of it.
  await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
  await holdPosition(tx, workspaceId, usageListener.name);
  await tx.query('CREATE TEMPORARY TABLE unheard (id uuid PRIMARY KEY) ON COMMIT DROP');
  await tx.query(noteUnheard, [workspaceId, usageListener.name]);
  await tx.query('DELETE FROM usage_rollup WHERE workspace_id = $1 AND start >= $2', [workspaceId, from.toISOString()]);
  await goByIndex(tx);
  const { rows } = await tx.query<{ first: Date | null; last: Date | null }>(ends, [workspaceId, firstIdAt(from)]);
  const { first, last } = rows[0] ?? {};
  if (first == null || last == null) return;
  const start = floorTo(first, daySeconds);
  const days = (floorTo(last, daySeconds).getTime() - start.getTime()) / (daySeconds * 1000) + 1;
  for (let day = 0; day < days; day += 1) {
    const at = addSeconds(start, day * daySeconds);
    await tx.query(addDay, [workspaceId, firstIdAt(at), firstIdAt(addSeconds(at, daySeconds))]);
    progress(day + 1, days);
  }
}

const noteUnheard = `
  INSERT INTO unheard
  SELECT unnest(operation_ids) FROM outbox WHERE workspace_id = $1::uuid
  UNION
  SELECT unnest(p.operation_ids) FROM publication p
  JOIN event_listener l ON l.workspace_id = p.workspace_id AND l.name = $2 AND p.number > l.number WHERE p.workspace_id = $1::uuid`;

const ends = `
  SELECT (SELECT at FROM operation WHERE workspace_id = $1::uuid AND id >= $2::uuid ORDER BY id LIMIT 1) AS first,
         (SELECT at FROM operation WHERE workspace_id = $1::uuid AND id >= $2::uuid ORDER BY id DESC LIMIT 1) AS last`;

const addDay = addOperations(`(SELECT * FROM operation d WHERE d.workspace_id = $1::uuid AND d.id >= $2::uuid AND d.id < $3::uuid
  AND NOT EXISTS (SELECT FROM unheard WHERE unheard.id = d.id))`);
