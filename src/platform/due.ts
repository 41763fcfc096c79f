// The row is the job: what must happen later is `due_at` on the row itself, claimed with a short lease (ARCHITECTURE:
// docs/architecture.md "Time"). Two clocks, never mixed: due_at is workspace time, lease_until is database time.

import type { Actor, Ctx, Platform, Workspace } from './ctx.js';
import { printId } from './ids.js';
import { type LaneStep, Lanes } from './lanes.js';
import { createCtx } from './request.js';

/** One kind of row that has a due_at: its table and the step that a due row takes. The step sets the next due_at, or none. */
export interface RowStep {
  table: 'transfer';
  run(ctx: Ctx, id: string): Promise<void>;
}
/** Rows are taken one after the other, or, where a step waits for somebody else, beside each other in lanes. */
export type DueStep = RowStep | LaneStep;

/** True for a step whose rows are taken beside each other. */
export function hasLanes(step: DueStep): step is LaneStep {
  return 'lane' in step;
}

/** A row stays claimed this long; a worker that died gives it up then. */
const leaseSeconds = 30;
const claimSize = 50;

interface Claimed {
  workspace_id: string;
  id: string;
}

const claim = (table: RowStep['table'], whose: string) => `
  UPDATE ${table} t SET lease_until = clock_timestamp() + interval '${leaseSeconds} seconds'
  FROM (
    SELECT workspace_id, id FROM ${table}
    WHERE due_at <= $1 AND (lease_until IS NULL OR lease_until < clock_timestamp()) AND ${whose}
    ORDER BY due_at LIMIT ${claimSize} FOR UPDATE SKIP LOCKED
  ) due
  WHERE t.workspace_id = due.workspace_id AND t.id = due.id
  RETURNING t.workspace_id, t.id`;

const system: Actor = {
  type: 'system',
  id: '00000000-0000-0000-0000-000000000000',
  name: 'system',
  scopes: [],
  credential: { kind: 'none', id: '' },
};

/** A ctx for work that nobody asked for, in one workspace and in its time. */
export function systemCtx(platform: Platform, workspace: Workspace): Ctx {
  return createCtx(platform, { actor: system, workspace }, printId('request', workspace.id), '');
}

/** Runs every due row of every kind once, until none is left that can be claimed. Returns how many steps were taken. */
export async function runDue(platform: Platform, steps: readonly DueStep[]): Promise<number> {
  let taken = 0;
  for (let more = true; more; ) {
    more = false;
    for (const step of steps) {
      const count = hasLanes(step) ? await new Lanes(platform, step).drain() : await takeClaimed(platform, step);
      taken += count;
      more ||= count > 0;
    }
  }
  return taken;
}

async function takeClaimed(platform: Platform, step: RowStep): Promise<number> {
  const claimed = await claimDue(platform, step.table);
  for (const row of claimed) await takeStep(platform, step, row);
  return claimed.length;
}

/** Rows that are due by their workspace's clock. Workspaces whose clock was moved are claimed by themselves. */
async function claimDue({ database, clock }: Platform, table: RowStep['table']): Promise<Claimed[]> {
  const moved = await database.unscoped.workspace.findMany({
    where: { clockOffsetMs: { not: 0n } },
    select: { id: true, clockOffsetMs: true },
  });
  const now = clock.now();
  const { rows } = await database.pool.query<Claimed>(claim(table, 'NOT workspace_id = ANY ($2::uuid[])'), [
    now,
    moved.map(({ id }) => id),
  ]);
  for (const { id, clockOffsetMs } of moved) {
    const own = await database.pool.query<Claimed>(claim(table, 'workspace_id = $2'), [
      new Date(now.getTime() + Number(clockOffsetMs)),
      id,
    ]);
    rows.push(...own.rows);
  }
  return rows;
}

async function takeStep(platform: Platform, step: RowStep, { workspace_id, id }: Claimed): Promise<void> {
  const row = await platform.database.unscoped.workspace.findUniqueOrThrow({ where: { id: workspace_id } });
  const workspace: Workspace = {
    id: row.id,
    tenantId: row.tenantId,
    environment: row.environment,
    clockOffsetMs: Number(row.clockOffsetMs),
  };
  try {
    await step.run(systemCtx(platform, workspace), id);
  } catch (error) {
    // The lease runs out and the row is taken up again: one faulty row stops nobody.
    platform.log.error({ err: error, table: step.table, id, workspaceId: workspace_id }, 'a due step failed');
  }
}
