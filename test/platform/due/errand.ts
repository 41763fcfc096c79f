// A table of its own that becomes due, as a context would register one: rows of two workspaces, in lanes or not, whose steps the test
// finishes when it likes.
import { expect } from 'vitest';
import type { Ctx } from '../../../src/platform/ctx.js';
import type { DueStep } from '../../../src/platform/due/step.js';
import { newId } from '../../../src/platform/schema/id.js';
import type { Harness } from '../../harness.js';

/** Creates the table, with the columns and indexes that the engine asks for. */
export async function createErrands({ platform }: Harness): Promise<void> {
  await platform.database.pool.query(`
    CREATE TABLE errand (
      workspace_id uuid NOT NULL, id uuid NOT NULL, lane uuid NOT NULL, runs int NOT NULL DEFAULT 0,
      due_at timestamptz, lease_until timestamptz, PRIMARY KEY (workspace_id, id)
    );
    CREATE INDEX errand_due ON errand (due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
    CREATE INDEX errand_due_workspace ON errand (workspace_id, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
    CREATE INDEX errand_lane ON errand (lane, due_at) WHERE due_at IS NOT NULL AND lease_until IS NULL;
    CREATE INDEX errand_leased ON errand (workspace_id, lane) WHERE lease_until IS NOT NULL`);
}

/** The sandboxes of the two tenants. */
export async function workspaces({ platform, tenantId }: Harness): Promise<[string, string]> {
  const found = await platform.database.unscoped.workspace.findMany({ where: { environment: 'test' } });
  const own = found.find((workspace) => workspace.tenantId === tenantId);
  const other = found.find((workspace) => workspace.tenantId !== tenantId);
  return [own?.id ?? '', other?.id ?? ''];
}

/** A lane id that sorts by its number. */
export function laneOf(number: number): string {
  return `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;
}

/** Writes rows, the last of them due `dueIn` seconds from now, each a millisecond after the one before. Returns their ids. */
export async function addErrands(
  { platform }: Harness,
  workspaceId: string,
  { count = 1, lane = laneOf(0), dueIn = 0 }: { count?: number; lane?: string; dueIn?: number } = {},
): Promise<string[]> {
  const now = platform.clock.now();
  const ids = Array.from({ length: count }, () => newId(now));
  const times = ids.map((_, index) => new Date(now.getTime() + dueIn * 1_000 - (count - 1 - index)));
  await platform.database.pool.query(
    'INSERT INTO errand (workspace_id, id, lane, due_at) SELECT $1, id, $2, due_at FROM unnest($3::uuid[], $4::timestamptz[]) AS r (id, due_at)',
    [workspaceId, lane, ids, times],
  );
  return ids;
}

interface Errand {
  id: string;
  workspaceId: string;
  lane: string;
}

/** What runs, and how it ends: steps wait until they are finished, unless `isQuick`. */
export class Errands {
  /** Rows in the order in which they were taken. */
  readonly taken: Errand[] = [];
  isQuick = false;
  readonly #running = new Map<string, () => void>();

  /** Rows that run now. */
  get running(): Errand[] {
    return this.taken.filter(({ id }) => this.#running.has(id));
  }

  finish(errand: Errand): void {
    this.#running.get(errand.id)?.();
  }

  finishAll(): void {
    this.isQuick = true;
    for (const errand of this.running) this.finish(errand);
  }

  step(options: Pick<DueStep, 'concurrency' | 'lane' | 'maxBytes' | 'bytes'>): DueStep<Errand, Errand> {
    return {
      table: 'errand',
      ...options,
      load: (ctx, rows) =>
        this.#load(
          ctx,
          rows.map(({ id }) => id),
        ),
      take: (_, errand) => this.#take(errand),
      record: async (ctx, outcomes) => {
        await ctx.platform.database.pool.query(
          'UPDATE errand SET runs = runs + 1, due_at = NULL, lease_until = NULL WHERE workspace_id = $1 AND id = ANY ($2::uuid[])',
          [ctx.workspace.id, outcomes.map(({ id }) => id)],
        );
      },
    };
  }

  async #load({ platform, workspace }: Ctx, ids: readonly string[]): Promise<Map<string, Errand>> {
    const { rows } = await platform.database.pool.query<Errand>(
      'SELECT id, lane, workspace_id AS "workspaceId" FROM errand WHERE workspace_id = $1 AND id = ANY ($2::uuid[])',
      [workspace.id, ids],
    );
    expect(rows).toHaveLength(ids.length);
    return new Map(rows.map((row) => [row.id, row]));
  }

  async #take(errand: Errand): Promise<Errand> {
    this.taken.push(errand);
    if (!this.isQuick) await new Promise<void>((resolve) => this.#running.set(errand.id, resolve));
    this.#running.delete(errand.id);
    return errand;
  }
}

/** How often each row was recorded. */
export async function runsOf({ platform }: Harness): Promise<number[]> {
  const { rows } = await platform.database.pool.query<{ runs: number }>('SELECT runs FROM errand');
  return rows.map(({ runs }) => runs);
}
