// Relations of Prisma rows, as far as the actor sees what they lead to. Faces use this and never Pothos' own t.relation, which
// shows whatever a row is linked to.
import type { Ctx } from '../ctx.js';
import type { Visibility } from '../visibility.js';
import type { FieldFacts } from './builder.js';

type Nested = (selection?: boolean | object) => unknown;
type Linked<Name extends string> = { readonly [member in Name]: unknown };

/**
 * Options of a field that follows the relation `name` of its row: a row, or null where the actor does not see it (the field is
 * nullable), or the rows of a list that the actor sees. `most` is the length of a bounded list, `query` Prisma's order of it.
 */
export function visibleRelation<const Name extends string>(
  name: Name,
  visible: Visibility<object>,
  { most, query = {} }: { most?: number; query?: object } = {},
) {
  const facts: FieldFacts = most === undefined ? {} : { most };
  return {
    extensions: { visible: true, facts },
    select: (_args: unknown, _ctx: Ctx, nested: Nested) =>
      ({ [name]: nested(Object.keys(query).length === 0 ? true : query) }) as { [member in Name]: true },
    resolve: (row: Linked<Name>, _args: unknown, ctx: Ctx) => seenOf(row[name], visible, ctx) as never,
  };
}

function seenOf(found: unknown, visible: Visibility<object>, ctx: Ctx): unknown {
  if (Array.isArray(found)) return found.filter((row) => visible.sees(ctx, row));
  return typeof found === 'object' && found !== null && visible.sees(ctx, found) ? found : null;
}
