// Lists inside types: the newest rows of each parent that the actor sees, as pages. Prisma would read all rows of all parents
// and cut them afterwards; here one statement finds the ids for a whole level of the document, and one query reads their rows.
import type { GraphQLResolveInfo } from 'graphql';
import { loadTogether } from '../batch.js';
import type { Ctx } from '../ctx.js';
import { snakeCase } from '../snake-case.js';
import type { Visibility } from '../visibility.js';
import { nodesQuery } from './builder.js';
import type { Total } from './cursor.js';
import { countedTo, defaultLimit, mostCounted, type Page } from './page.js';

/** The rows of `model` whose member `parent` is the id of the parent's row. */
export interface Children {
  model: 'Wallet' | 'Agent';
  parent: string;
  visible: Visibility<object>;
}

export interface NestedPageInput {
  limit?: number | null | undefined;
  /** The id of a row: the page begins after it. */
  after?: string | null | undefined;
}

interface Delegate {
  findMany(args: object): PromiseLike<{ id: string }[]>;
}

/** The resolver of a field that lists `children`, newest first. */
export function nestedPage(
  children: Children,
): (row: { id: string }, input: NestedPageInput, ctx: Ctx, info: GraphQLResolveInfo) => Promise<Page<never>> {
  const name = `${children.model} ${children.parent}`;
  return async ({ id }, { limit: asked, after }, ctx, info) => {
    const limit = asked ?? defaultLimit;
    // Asked for by each parent, though all get the same: with it Pothos takes note of what is loaded below this very field.
    const query = nodesQuery(ctx, info);
    const rows = await loadTogether(ctx, levelOf(info.path), id, (parents) =>
      newestRows(ctx, children, parents, { limit, after: after ?? null, query }),
    );
    const counted = () => loadTogether(ctx, `${name} total`, id, (parents) => countRows(ctx, children, parents, mostCounted + 1));
    const total = () => countedTo(mostCounted, async () => (await counted()) ?? 0);
    // What the face selected, which its page type knows better than we do.
    return cutPage(rows ?? [], limit, total) as Page<never>;
  };
}

/** The first page of a list inside a type, from its rows, of which there is one more than the limit where the list goes on. */
export function cutPage<Row extends { id: string }>(rows: readonly Row[], limit: number, total: () => Promise<Total>): Page<Row> {
  const nodes = rows.slice(0, limit);
  const hasMore = rows.length > limit;
  return {
    nodes,
    page: 1,
    limit,
    hasMore,
    nextCursor: async () => (hasMore ? (nodes.at(-1)?.id ?? null) : null),
    total,
    totalPages: async () => Math.ceil((await total()).count / limit),
  };
}

/** The response keys that lead to a field: the same for all parents of one level, which share arguments and selection. */
function levelOf({ key, prev }: GraphQLResolveInfo['path']): string {
  const above = prev === undefined ? '' : levelOf(prev);
  return typeof key === 'number' ? above : `${above}.${key}`;
}

interface Cut {
  limit: number;
  after: string | null;
  /** Pothos' selection of the rows. */
  query: { select?: object };
}

/** The newest rows of each parent, one more than the limit where there are more. */
async function newestRows(ctx: Ctx, children: Children, parents: readonly string[], { limit, after, query }: Cut) {
  const values: unknown[] = [ctx.workspace.id, parents, after, limit + 1];
  const { rows: found } = await ctx.platform.database.pool.query<{ parent: string; id: string }>(
    `SELECT parent.id AS parent, child.id FROM unnest($2::uuid[]) AS parent(id) CROSS JOIN LATERAL (
       SELECT id FROM ${snakeCase(children.model)}
       WHERE workspace_id = $1 AND ${snakeCase(children.parent)} = parent.id AND ($3::uuid IS NULL OR id < $3)
         AND ${children.visible.sql(ctx, values)}
       ORDER BY id DESC LIMIT $4) AS child
     ORDER BY child.id DESC`,
    values,
  );
  const delegate = ctx.db[children.model.toLowerCase() as 'wallet'] as unknown as Delegate;
  const select = query.select === undefined ? {} : { select: { ...query.select, id: true } };
  const ids = found.map(({ id }) => id);
  const rows = ids.length === 0 ? [] : await delegate.findMany({ ...query, ...select, where: { id: { in: ids } } });
  const byId = new Map(rows.map((row) => [row.id, row]));
  const byParent = new Map<string, { id: string }[]>();
  for (const { parent, id } of found) {
    const row = byId.get(id);
    const siblings = byParent.get(parent) ?? [];
    if (row !== undefined) siblings.push(row);
    byParent.set(parent, siblings);
  }
  return byParent;
}

/** How many rows each parent has, none of them counted beyond `most`. */
async function countRows(ctx: Ctx, children: Children, parents: readonly string[], most: number): Promise<Map<string, number>> {
  const values: unknown[] = [ctx.workspace.id, parents, most];
  const { rows } = await ctx.platform.database.pool.query<{ parent: string; count: string }>(
    `SELECT parent.id AS parent, count(*) FROM unnest($2::uuid[]) AS parent(id) CROSS JOIN LATERAL (
       SELECT FROM ${snakeCase(children.model)}
       WHERE workspace_id = $1 AND ${snakeCase(children.parent)} = parent.id AND ${children.visible.sql(ctx, values)}
       LIMIT $3) AS child
     GROUP BY parent.id`,
    values,
  );
  return new Map(rows.map((row) => [row.parent, Number(row.count)]));
}
