// The statements of the list of operations (decision 0027): each reads the newest rows of one index, and no more than a page needs.
import type { Ctx } from '../../platform/ctx.js';
import type { Window } from '../../platform/schema/page.js';
import { type KindFilter, kindsOf, type OperationKind } from './operation-kind.js';
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
export async function operationIds(ctx: Ctx, choice: OperationChoice, { after, skip, take }: Window): Promise<string[]> {
  const below = after !== undefined && after < choice.below ? after : choice.below;
  const { text, values } = chosen(ctx, { ...choice, below }, { most: skip + take, inOrder: true });
  const page = `SELECT id FROM (${text}) found WHERE workspace_id = $1::uuid ORDER BY id DESC OFFSET $${values.push(skip)} LIMIT $${values.push(take)}`;
  const { rows } = await ctx.platform.database.pool.query<{ id: string }>(page, values);
  return rows.map(({ id }) => id);
}

/** How many operations there are, counted no further than `most`. */
export async function countOperations(ctx: Ctx, choice: OperationChoice, most: number): Promise<number> {
  const { text, values } = chosen(ctx, choice, { most, inOrder: false });
  const counted = `SELECT count(*)::int AS count FROM (SELECT FROM (${text}) found WHERE workspace_id = $1::uuid LIMIT $${values.push(most)}) counted`;
  const { rows } = await ctx.platform.database.pool.query<{ count: number }>(counted, values);
  return rows[0]?.count ?? 0;
}

/**
 * The rows of a choice, up to `most` of each stretch of an index. What is found by its owner, its actor or its trace is held to the kind
 * row by row; where kinds are all that is asked for, each is a stretch of their index.
 */
function chosen(ctx: Ctx, choice: OperationChoice, { most, inOrder }: { most: number; inOrder: boolean }) {
  const { kind, actorId, traceId, from, below } = choice;
  const values: unknown[] = [ctx.workspace.id, from, below, most];
  const conditions = ['o.workspace_id = $1::uuid', 'o.id >= $2::uuid', 'o.id < $3::uuid'];
  if (actorId !== undefined) conditions.push(`o.actor_id = $${values.push(actorId)}::uuid`);
  if (traceId !== undefined) conditions.push(`o.trace_id = $${values.push(traceId)}`);
  const rows = (also: readonly string[]) => `SELECT o.workspace_id, o.id FROM operation o
    WHERE ${[...conditions, ...also].join(' AND ')} ${inOrder ? 'ORDER BY o.id DESC' : ''} LIMIT $4`;
  const column = ownerColumn(ctx);
  const kinds = kindsOf(kind);
  if (column === null && actorId === undefined && traceId === undefined && kinds !== null) {
    const isKind = ['o.protocol = kind.protocol', 'o.category = kind.category', 'o.success = kind.success'];
    return { text: eachOf(listOf(kinds, values), rows(isKind)), values };
  }
  if (kind.protocol != null) conditions.push(`o.protocol = $${values.push(kind.protocol)}::protocol`);
  if (kind.category != null) conditions.push(`o.category = $${values.push(kind.category)}`);
  if (kind.success != null) conditions.push(`o.success = $${values.push(kind.success)}`);
  if (column === null) return { text: rows([]), values };
  const owners = `unnest($${values.push(reportOwners(ctx))}::uuid[]) AS owner (id)`;
  return { text: eachOf(owners, rows([`${column} = owner.id`])), values };
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
