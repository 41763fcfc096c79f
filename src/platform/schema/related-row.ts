// Relations by an id that a row shows, where its query was not made by Pothos: the rows of one level are read together, as far as the actor
// sees them, with what the document selects of them.
import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import { loadTogether } from '../batch.js';
import type { Ctx } from '../ctx.js';
import type { Db } from '../postgres/database.js';
import type { Visibility } from '../visibility.js';

interface Delegate {
  findMany(args: object): Promise<{ id: string }[]>;
}

/**
 * Options of a nullable field that shows the row of `model` whose id a row names; null without one, and where the actor does not see it.
 * `include` is what the type needs of its row, for types whose selection is none of Pothos'.
 */
export function relatedRow<Parent>(
  model: keyof Db,
  visible: Visibility<object> | ((ctx: Ctx) => Promise<object>),
  idOf: (row: Parent, ctx: Ctx) => string | null,
  include?: object,
) {
  return {
    nullable: true,
    extensions: { visible: true },
    resolve: async (row: Parent, _args: unknown, ctx: Ctx, info: GraphQLResolveInfo) => {
      const id = idOf(row, ctx);
      if (id === null) return null;
      const query = include === undefined ? withId(queryFromInfo({ context: ctx, info })) : { include };
      const rows = await loadTogether(ctx, `${String(model)} ${JSON.stringify(query)}`, id, async (ids) => {
        const seen = typeof visible === 'function' ? await visible(ctx) : visible.where(ctx);
        const where = { AND: [{ id: { in: [...ids] } }, seen] };
        const found = await (ctx.db[model] as unknown as Delegate).findMany({ ...query, where });
        return new Map(found.map((one) => [one.id, one]));
      });
      return (rows ?? null) as never;
    },
  } as const;
}

/** The id that stands in the member `name` of a row. */
export const by =
  <const Name extends string>(name: Name) =>
  (row: { readonly [member in Name]: string | null }): string | null =>
    row[name];

function withId(query: { select?: object | undefined }): object {
  return query.select === undefined ? query : { ...query, select: { ...query.select, id: true } };
}
