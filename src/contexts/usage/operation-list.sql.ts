// The statements of the list of operations (decision 0027): each reads the newest rows of one index, and no more than a page needs;
// or it looks along the primary key, no further than a bound (decision 0060).
import type { Ctx } from '../../platform/ctx.js';
import type { Total } from '../../platform/schema/cursor.js';
import { countedTo, type ScannedRows, type Window } from '../../platform/schema/page.js';
import { countScanned, type Scan, scanIds } from '../../platform/schema/scan.js';
import { includesCommonest, isRareKind, type KindFilter, kindsOf, type OperationKind } from './operation-kind.js';
import { ownerColumn, reportOwners } from './visibility.js';

/** What chooses operations. Ids from `from` on and below `below`. */
export interface OperationChoice {
  from: string;
  below: string;
  kind: KindFilter;
  actorId?: string | undefined;
  traceId?: string | undefined;
}

/** Ids of the operations of a page, newest first. */
export async function operationIds(ctx: Ctx, choice: OperationChoice, { after, skip, take }: Window): Promise<ScannedRows<string>> {
  const below = after !== undefined && after < choice.below ? after : choice.below;
  const { pool } = ctx.platform.database;
  if (isScanned(ctx, choice)) return scanIds(pool, scanOf(ctx, { ...choice, below }), { skip, take });
  const { text, values } = chosen(ctx, { ...choice, below }, { most: skip + take, inOrder: true });
  const page = `SELECT id FROM (${text}) found WHERE workspace_id = $1::uuid ORDER BY id DESC OFFSET $${values.push(skip)} LIMIT $${values.push(take)}`;
  const { rows } = await pool.query<{ id: string }>(page, values);
  return { rows: rows.map(({ id }) => id), stoppedAt: null };
}

/** How many operations there are, counted no further than `most`. */
export async function countOperations(ctx: Ctx, choice: OperationChoice, most: number): Promise<Total> {
  const { pool } = ctx.platform.database;
  if (isScanned(ctx, choice)) return countScanned(pool, scanOf(ctx, choice), most);
  return countedTo(most, async (take) => {
    const { text, values } = chosen(ctx, choice, { most: take, inOrder: false });
    const counted = `SELECT count(*)::int AS count FROM (SELECT FROM (${text}) found WHERE workspace_id = $1::uuid LIMIT $${values.push(take)}) counted`;
    const { rows } = await pool.query<{ count: number }>(counted, values);
    return rows[0]?.count ?? 0;
  });
}

/** Whether a choice is looked for along the primary key: an actor's, or the commonest kind's, of the whole workspace (decision 0060). */
function isScanned(ctx: Ctx, { actorId, traceId, kind }: OperationChoice): boolean {
  if (ownerColumn(ctx) !== null || traceId !== undefined) return false;
  return actorId !== undefined || (kindsOf(kind) !== null && includesCommonest(kind));
}

/** The scan of a choice. */
function scanOf(ctx: Ctx, choice: OperationChoice): Scan {
  const values: unknown[] = [ctx.workspace.id, choice.from, choice.below];
  return { table: 'operation', conditions: conditionsOf(choice, values), values };
}

/** What holds of the rows `o` of a choice, beside their workspace and their time. */
function conditionsOf({ kind, actorId, traceId }: OperationChoice, values: unknown[]): string[] {
  const conditions: string[] = [];
  if (actorId !== undefined) conditions.push(`o.actor_id = $${values.push(actorId)}::uuid`);
  if (traceId !== undefined) conditions.push(`o.trace_id = $${values.push(traceId)}`);
  if (kind.protocol != null) conditions.push(`o.protocol = $${values.push(kind.protocol)}::protocol`);
  if (kind.category != null) conditions.push(`o.category = $${values.push(kind.category)}`);
  if (kind.success != null) conditions.push(`o.success = $${values.push(kind.success)}`);
  return conditions;
}

/**
 * The rows of a choice, up to `most` of each stretch of an index. What is found by its owner or its trace is held to the kind and the
 * actor row by row; where kinds are all that is asked for, each is a stretch of their index.
 */
function chosen(ctx: Ctx, choice: OperationChoice, { most, inOrder }: { most: number; inOrder: boolean }) {
  const { kind, traceId, from, below } = choice;
  const values: unknown[] = [ctx.workspace.id, from, below, most];
  const rows = (conditions: readonly string[]) => `SELECT o.workspace_id, o.id FROM operation o
    WHERE ${['o.workspace_id = $1::uuid', 'o.id >= $2::uuid', 'o.id < $3::uuid', ...conditions].join(' AND ')}
    ${inOrder ? 'ORDER BY o.id DESC' : ''} LIMIT $4`;
  const column = ownerColumn(ctx);
  const kinds = kindsOf(kind);
  if (column === null && traceId === undefined && kinds !== null) {
    const isKind = ['o.protocol = kind.protocol', 'o.category = kind.category', 'o.success = kind.success', isRareKind];
    return { text: eachOf(listOf(kinds, values), rows(isKind)), values };
  }
  const conditions = conditionsOf(choice, values);
  if (column === null) return { text: rows(conditions), values };
  const owners = `unnest($${values.push(reportOwners(ctx))}::uuid[]) AS owner (id)`;
  return { text: eachOf(owners, rows([...conditions, `${column} = owner.id`])), values };
}

/** Rows for each member of a list. */
function eachOf(list: string, rows: string): string {
  return `SELECT f.workspace_id, f.id FROM ${list} CROSS JOIN LATERAL (${rows}) f`;
}

/** Kinds as a list `kind` of a statement. */
function listOf(kinds: readonly OperationKind[], values: unknown[]): string {
  const columns = [kinds.map(({ protocol }) => protocol), kinds.map(({ category }) => category), kinds.map(({ success }) => success)];
  const [protocols, categories, successes] = columns.map((column) => values.push(column));
  return `unnest($${protocols}::protocol[], $${categories}::text[], $${successes}::boolean[]) AS kind (protocol, category, success)`;
}
