// Which lanes have due rows: of one workspace, or of all. What is read does not grow with how many rows wait. The statements are made
// from the name of the table and of its lane column, both of which are constants of the code.
import type { ClientBase } from 'pg';
import { isPresent } from '../cell/present.js';
import type { Environment, Workspace } from '../ctx.js';
import type { DueStep } from './step.js';

/** Due rows that are looked at in the order of their time. When there are more, lanes are visited in turn as well. */
const earliest = 200;
/** The same for each workspace whose clock was moved. */
const earliestOfMoved = 20;
/** Lanes that one look visits in turn. */
const visited = 200;

/** Every id comes after this one. */
export const firstLane = '00000000-0000-0000-0000-000000000000';

/** A lane with a row that is due. */
export interface DueLane {
  id: string;
  workspace: Workspace;
  /** Rows of it that are claimed, by whichever process. 0 where lanes are whole workspaces, which processes share. */
  leased: number;
  /** It was found in the turn of the lanes. */
  inTurn: boolean;
}

/** What one look finds. */
export interface LaneView {
  lanes: DueLane[];
  /** Milliseconds until the next row becomes due; null when none is to come. */
  nextMs: number | null;
  /** The last lane that was visited in turn, when lanes are left that were not; else null. */
  leftAfter: string | null;
}

/** Free rows; the partial indexes of due tables have the same condition. */
export const free = (row: string) => `${row}.due_at IS NOT NULL AND ${row}.lease_until IS NULL`;
const workspaceNow = `$1::timestamptz + w.clock_offset_ms * interval '1 millisecond'`;

/** Lanes with due rows, of one workspace ($2). */
const lanesOfWorkspace = (table: string, lane: string) => `
  candidate AS MATERIALIZED (
    SELECT DISTINCT found.workspace_id, found.lane, false AS in_turn FROM workspace w CROSS JOIN LATERAL (
      SELECT d.workspace_id, d.${lane} AS lane FROM ${table} d
      WHERE d.workspace_id = w.id AND ${free('d')} AND d.due_at <= ${workspaceNow} ORDER BY d.due_at LIMIT ${earliest}
    ) found WHERE w.id = $2::uuid
  ), turn AS (SELECT NULL::uuid AS lane, 0 AS place WHERE false)`;

/**
 * Lanes with due rows: those of the earliest, those of workspaces whose clock was moved, and, when that may not be all, the lanes that
 * come after the cursor ($2). So no number of due rows of some lanes keeps the others out.
 */
const lanesOfAll = (table: string, lane: string) => `
  early AS MATERIALIZED (
    SELECT d.workspace_id, d.${lane} AS lane FROM ${table} d WHERE ${free('d')} AND d.due_at <= $1 ORDER BY d.due_at LIMIT ${earliest}
  ), moved AS MATERIALIZED (
    SELECT found.* FROM workspace w CROSS JOIN LATERAL (
      SELECT d.workspace_id, d.${lane} AS lane, row_number() OVER (ORDER BY d.due_at) AS place FROM ${table} d
      WHERE d.workspace_id = w.id AND ${free('d')} AND d.due_at > $1 AND d.due_at <= ${workspaceNow}
      ORDER BY d.due_at LIMIT ${earliestOfMoved}
    ) found WHERE w.clock_offset_ms <> 0 LIMIT ${earliest}
  ), turn AS MATERIALIZED (
    (SELECT d.workspace_id, d.${lane} AS lane, d.due_at, 1 AS place FROM ${table} d
     WHERE ${free('d')} AND d.${lane} > $2::uuid
       AND (greatest((SELECT count(*) FROM early), (SELECT count(*) FROM moved)) >= ${earliest}
         OR EXISTS (SELECT FROM moved WHERE place = ${earliestOfMoved}))
     ORDER BY d.${lane}, d.due_at LIMIT 1)
    UNION ALL
    SELECT next.workspace_id, next.lane, next.due_at, turn.place + 1 FROM turn CROSS JOIN LATERAL (
      SELECT d.workspace_id, d.${lane} AS lane, d.due_at FROM ${table} d
      WHERE ${free('d')} AND d.${lane} > turn.lane ORDER BY d.${lane}, d.due_at LIMIT 1
    ) next WHERE turn.place < ${visited}
  ), candidate AS MATERIALIZED (
    SELECT lanes.workspace_id, lanes.lane, bool_or(lanes.in_turn) AS in_turn FROM (
      SELECT workspace_id, lane, false AS in_turn FROM early
      UNION ALL SELECT workspace_id, lane, false FROM moved
      UNION ALL SELECT turn.workspace_id, turn.lane, true FROM turn JOIN workspace w ON w.id = turn.workspace_id
        WHERE turn.due_at <= ${workspaceNow}
    ) lanes GROUP BY lanes.workspace_id, lanes.lane
  )`;

const nextOfWorkspace = (table: string) => `
  SELECT min(found.due_at - w.clock_offset_ms * interval '1 millisecond') FROM workspace w CROSS JOIN LATERAL (
    SELECT d.due_at FROM ${table} d WHERE d.workspace_id = w.id AND ${free('d')} AND d.due_at > ${workspaceNow} ORDER BY d.due_at LIMIT 1
  ) found WHERE`;

const nextOfAll = (table: string) => `
  SELECT least(
    (SELECT d.due_at FROM ${table} d WHERE ${free('d')} AND d.due_at > $1 ORDER BY d.due_at LIMIT 1),
    (${nextOfWorkspace(table)} w.clock_offset_ms <> 0)
  )`;

const statement = ({ table, lane }: DueStep, ofWorkspace: boolean) => {
  const column = lane?.column ?? 'workspace_id';
  const next = ofWorkspace ? `${nextOfWorkspace(table)} w.id = $2::uuid` : nextOfAll(table);
  const leased = `SELECT count(*)::int FROM ${table} b WHERE b.workspace_id = c.workspace_id AND b.${column} = c.lane AND b.lease_until IS NOT NULL`;
  return `
  WITH RECURSIVE ${ofWorkspace ? lanesOfWorkspace(table, column) : lanesOfAll(table, column)}, found AS (
    SELECT c.lane, c.in_turn, w.id AS workspace_id, w.tenant_id, w.environment, w.clock_offset_ms::text AS offset_ms,
      ${lane === undefined ? '0' : `(${leased})`} AS leased
    FROM candidate c JOIN workspace w ON w.id = c.workspace_id WHERE ${isPresent('c')}
  )
  SELECT found.*, about.* FROM (
    SELECT extract(epoch FROM (${next}) - $1::timestamptz)::float8 * 1000 AS next_ms,
      (SELECT turn.lane FROM turn WHERE turn.place = ${visited}) AS left_after
  ) about LEFT JOIN found ON true`;
};

/** A lane, or nulls when there is none, and each time what was seen beside. */
interface Row {
  lane: string | null;
  in_turn: boolean;
  workspace_id: string;
  tenant_id: string;
  environment: Environment;
  offset_ms: string;
  leased: number;
  next_ms: number | null;
  left_after: string | null;
}

/** Finds the lanes of one table that have due rows. */
export class DueLanes {
  readonly #statement: { name: string; text: string };
  readonly #workspaceId: string | undefined;

  constructor(step: DueStep, workspaceId?: string) {
    const ofWorkspace = workspaceId !== undefined;
    this.#workspaceId = workspaceId;
    this.#statement = {
      name: `claim-${step.table}-lanes-${step.lane?.column ?? ''}-${ofWorkspace ? 'one' : 'all'}`,
      text: statement(step, ofWorkspace),
    };
  }

  async look(tx: ClientBase, now: Date, cursor: string): Promise<LaneView> {
    const { rows } = await tx.query<Row>({ ...this.#statement, values: [now, this.#workspaceId ?? cursor] });
    const [about] = rows;
    const lanes = rows.flatMap((row) => laneOf(row) ?? []);
    return { lanes, nextMs: about?.next_ms ?? null, leftAfter: about?.left_after ?? null };
  }
}

function laneOf({ lane, in_turn: inTurn, leased, ...row }: Row): DueLane | undefined {
  if (lane === null) return undefined;
  const { workspace_id: id, tenant_id: tenantId, environment, offset_ms } = row;
  return { id: lane, inTurn, leased, workspace: { id, tenantId, environment, clockOffsetMs: Number(offset_ms) } };
}
