// The rows of the due engine in the database: claiming them, giving them back, and ending the leases of processes that died. Statements
// are made from the name of the table and of its lane column, both of which are constants of the code.
import type pg from 'pg';
import type { Workspace } from '../ctx.js';
import { byIndex } from '../postgres/lookup-plan.js';
import { type DueLane, DueLanes, free } from './due-lanes.js';
import { type Places, shareRoom } from './share.js';
import type { DueStep } from './step.js';

/** A row stays claimed this long. A process that died gives its rows up then. */
export const leaseSeconds = 30;

export interface ClaimedRow {
  id: string;
  lane: string;
  workspace: Workspace;
  /** The columns that the step asked for. */
  columns: object;
}

export interface DueClaim {
  rows: ClaimedRow[];
  /** Milliseconds until the next row becomes due; null when none is to come. */
  nextMs: number | null;
  /** Where the next claim goes on with the turns of lanes. */
  cursor: string;
  /** Lanes are left that had no turn yet. */
  moreLanes: boolean;
}

/**
 * Of each lane ($1) as many free rows as it is to have ($3), the earliest first, if they are due by its time ($2). A row that was found
 * is updated by its place in the table, so that no index is searched for it a second time.
 */
const claimStatement = ({ table, lane, onClaim, columns }: DueStep) => {
  const column = lane?.column ?? 'workspace_id';
  return `
  WITH found AS MATERIALIZED (
    SELECT due.place FROM unnest($1::uuid[], $2::timestamptz[], $3::int[]) AS wanted (lane, now, most) CROSS JOIN LATERAL (
      SELECT d.ctid AS place FROM ${table} d WHERE d.${column} = wanted.lane AND ${free('d')} AND d.due_at <= wanted.now
      ORDER BY d.due_at LIMIT wanted.most FOR NO KEY UPDATE SKIP LOCKED
    ) due
  )
  UPDATE ${table} t SET lease_until = clock_timestamp() + interval '${leaseSeconds} seconds'${onClaim === undefined ? '' : `, ${onClaim}`}
  FROM found WHERE t.ctid = found.place
  RETURNING t.id AS row_id, t.${column} AS row_lane${columns === undefined ? '' : `, ${columns}`}`;
};

/** The due rows of one table in the database: of all workspaces, or of one. */
export class DueRows {
  readonly #pool: pg.Pool;
  readonly #step: DueStep;
  readonly #lanes: DueLanes;
  readonly #claim: { name: string; text: string };
  /** One process claims rows of a table at a time. */
  readonly #lock: string;

  constructor(pool: pg.Pool, step: DueStep, workspaceId?: string) {
    this.#pool = pool;
    this.#step = step;
    this.#lanes = new DueLanes(step, workspaceId);
    this.#lock = `SELECT pg_advisory_xact_lock(hashtextextended('due ${step.table}', 0))`;
    this.#claim = { name: `claim-${step.table}-${step.lane?.column ?? ''}`, text: claimStatement(step) };
  }

  /** Claims rows that are due. One process claims rows of a table at a time, so that it sees the leases of the others. */
  claim(now: Date, places: Places, cursor: string): Promise<DueClaim> {
    const claim = async (tx: pg.ClientBase): Promise<DueClaim> => {
      const { lanes, nextMs, leftAfter } = await this.#lanes.look(tx, now, cursor);
      const share = shareRoom(lanes, places, cursor, leftAfter);
      const rows = share.shares.size === 0 ? [] : await this.#claimOf(tx, now, share.shares);
      return { rows, nextMs, cursor: share.cursor, moreLanes: leftAfter !== null };
    };
    return byIndex(this.#pool, claim, ['SET LOCAL plan_cache_mode = force_generic_plan', this.#lock]);
  }

  async #claimOf(tx: pg.ClientBase, now: Date, shares: ReadonlyMap<DueLane, number>): Promise<ClaimedRow[]> {
    const lanes = [...shares.keys()];
    const times = lanes.map(({ workspace }) => new Date(now.getTime() + workspace.clockOffsetMs));
    const values = [lanes.map(({ id }) => id), times, [...shares.values()]];
    const { rows } = await tx.query<{ row_id: string; row_lane: string }>({ ...this.#claim, values });
    const workspaces = new Map(lanes.map(({ id, workspace }) => [id, workspace]));
    return rows.flatMap(({ row_id: id, row_lane: lane, ...columns }) => {
      const workspace = workspaces.get(lane);
      return workspace === undefined ? [] : [{ id, lane, workspace, columns }];
    });
  }

  /** Gives rows back that were claimed and not taken. */
  async giveBack(rows: readonly ClaimedRow[]): Promise<void> {
    const { table, onRelease } = this.#step;
    await byIndex(this.#pool, (tx) =>
      tx.query({
        name: `give-back-${table}`,
        text: `UPDATE ${table} t SET lease_until = NULL${onRelease === undefined ? '' : `, ${onRelease}`}
               FROM unnest($1::uuid[], $2::uuid[]) AS back (workspace_id, id) CROSS JOIN LATERAL (
                 SELECT ctid AS place FROM ${table} WHERE workspace_id = back.workspace_id AND id = back.id AND due_at IS NOT NULL
                 FOR NO KEY UPDATE
               ) found WHERE t.ctid = found.place`,
        values: [rows.map(({ workspace }) => workspace.id), rows.map(({ id }) => id)],
      }),
    );
  }

  /** Frees the rows of processes that died: their leases have run out. */
  async endLostLeases(): Promise<void> {
    const { table } = this.#step;
    await byIndex(this.#pool, (tx) =>
      tx.query({
        name: `lost-leases-${table}`,
        text: `UPDATE ${table} t SET lease_until = NULL FROM (
                 SELECT ctid AS place FROM ${table} WHERE lease_until IS NOT NULL AND lease_until < clock_timestamp() FOR NO KEY UPDATE SKIP LOCKED
               ) lost WHERE t.ctid = lost.place`,
      }),
    );
  }
}
