// The row is the job: what must happen later is `due_at` on the row itself, claimed with a short lease (docs/architecture.md "Time").
// Two clocks, never mixed: due_at is workspace time, lease_until is database time.
import { hasLeft } from '../cell/present.js';
import type { Act, Actor, Ctx, Platform, Workspace } from '../ctx.js';
import type { Effect } from '../effect.js';
import { createCtx } from '../request.js';
import { printId } from '../schema/id.js';

/**
 * One kind of row that becomes due. Its table has `workspace_id`, `id`, `due_at` and `lease_until`, and the three indexes that
 * docs/architecture.md "Time" names. A step that writes rows itself is made by `rowStep`.
 */
export interface DueStep<Job = unknown, Outcome = unknown, Row extends { id: string } = { id: string }> {
  table: string;
  /** Rows that a process holds at once, at most; those of one workspace take at most half of it. */
  concurrency: number;
  /** Bytes of jobs that a process holds at once, at most, as `bytes` counts them. */
  maxBytes?: number;
  /** Rows with one value of this column (a UUID) are a lane: at most so many run at once, all in one process. */
  lane?: { column: string; concurrency: number };
  /** Assignments that go with the claim of a row, and with giving one back that was not taken. */
  onClaim?: string;
  onRelease?: string;
  /** What `load` needs of a claimed row beside its id: columns of the table `t`, under the names of `Row`. */
  columns?: string;
  /**
   * What is needed to take the rows, by id: about `maxBytes` of it, and at least one row. Rows that are left out are given back:
   * they are not due any more, or did not fit.
   */
  load(ctx: Ctx, rows: readonly Row[], maxBytes: number): Promise<ReadonlyMap<string, Job>>;
  bytes?(job: Job): number;
  /** Does what is due; the slow part. Must not throw. Undefined: nothing was done, the row is given back. */
  take(ctx: Ctx, job: Job): Promise<Outcome | undefined>;
  /** Writes what became of rows, with their next due_at, and ends their leases. */
  record(ctx: Ctx, outcomes: readonly Outcome[]): Promise<void>;
}

/** A step that does everything in a transaction of its own: it sets the next due_at, or none, and ends the lease. */
export interface RowStep {
  table: string;
  concurrency: number;
  lane?: DueStep['lane'];
  /** It keeps books, and changes nothing that anybody has: the audit log is not told. */
  isBookkeeping?: true;
  run(ctx: Ctx, id: string): Promise<void>;
}

/** The step of a table whose rows need no loading and no grouped writing. A run that fails is retried when its lease has ended. */
export function rowStep({ table, concurrency, lane, isBookkeeping, run }: RowStep): DueStep<string, true> {
  return {
    table,
    concurrency,
    ...(lane !== undefined && { lane }),
    load: async (_, rows) => new Map(rows.map(({ id }) => [id, id])),
    async take(ctx, id) {
      try {
        await run({ ...ctx, act: isBookkeeping ? null : { action: `due.${table}`, resourceType: table, resourceId: id } }, id);
      } catch (error) {
        if (await hasLeft(ctx.platform.database, ctx.workspace.id)) return true;
        ctx.log.error({ err: error, table, id }, 'a due step failed; it is retried when its lease has ended');
      }
      return true;
    },
    record: async () => {},
  };
}

const system: Actor = {
  type: 'system',
  id: '00000000-0000-0000-0000-000000000000',
  name: 'system',
  scopes: [],
  credential: { kind: 'none', id: '' },
};

/**
 * A ctx for work that no actor of the workspace asked for, in its time. `act` names it in the audit log; null for what is not told there.
 * `effect` is that of the request which it is done in, where there is one.
 */
export function systemCtx(platform: Platform, workspace: Workspace, act: Act | null, effect?: Effect): Ctx {
  const facts = { requestId: printId('request', workspace.id), ip: '', act, ...(effect !== undefined && { effect }) };
  return createCtx(platform, { actor: system, workspace }, facts);
}
