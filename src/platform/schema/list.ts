// Lists of the rows of one table: those that the actor sees and that the filters of the request choose, newest first.
import type { Prisma } from '../../generated/prisma/client.js';
import type { Ctx } from '../ctx.js';
import type { IdKind } from './id.js';
import { createdBetween, type Listing, listPage, type Page, type PageInput } from './page.js';

type Models = Prisma.TypeMap['model'];
/** The name of a table, as the client has it. */
type Table = Uncapitalize<keyof Models>;
type RowOf<T extends Table> = Models[Capitalize<T>]['payload']['scalars'] & { id: string };
type WhereOf<T extends Table> = NonNullable<Models[Capitalize<T>]['operations']['findMany']['args']['where']>;

/** What filters stand for, by their names. `input` is all that the request asks for. */
type Conditions<T extends Table, Values> = {
  [Name in keyof Values]: (value: Values[Name], ctx: Ctx, input: never) => WhereOf<T> | Promise<WhereOf<T>>;
};

/** The filters of a list: those with a condition of their own, and every other column, which has to be equal. */
type Filters<T extends Table, Values> = { [Name in keyof Values]?: Values[Name] | null | undefined } & {
  [Column in Exclude<keyof RowOf<T>, keyof Values>]?: RowOf<T>[Column] | null | undefined;
};

interface Rows<T extends Table> {
  visible?: { where(ctx: Ctx): WhereOf<T> };
  /** What holds of every row of the list. */
  where?: WhereOf<T>;
  /** The kind of its ids, where it is not called as the table. */
  kind?: IdKind;
}

/** Reads a page of a list. `query` is Pothos' selection of the nodes. A filter that the list does not have does not compile. */
type List<T extends Table, Values> = <Input extends PageInput & Filters<T, Values>>(
  ctx: Ctx,
  input: Input & { [Name in Exclude<keyof Input, keyof PageInput | keyof Filters<T, Values>>]: never },
  query?: object,
) => Promise<Page<RowOf<T>>>;

/** The list of a table whose key is a UUIDv7. A filter that is absent or empty chooses every row. */
export function listOf<T extends Table, Values extends object = Record<never, never>>(
  table: T,
  { visible, where = {}, kind = table as IdKind }: Rows<T> & (T extends IdKind ? unknown : { kind: IdKind }),
  conditions?: Conditions<T, Values>,
): List<T, Values> {
  const list = async (ctx: Ctx, input: PageInput, query: object = {}): Promise<Page<{ id: string }>> => {
    const { page: _page, limit: _limit, after: _after, since, until, ...filters } = input;
    const chosen: unknown[] = [where, visible?.where(ctx) ?? {}, createdBetween(since, until)];
    for (const [name, value] of Object.entries(filters)) {
      if (value == null || value === '') continue;
      const condition = conditions?.[name as keyof Values];
      chosen.push(condition === undefined ? { [name]: value } : await condition(value as never, ctx, input as never));
    }
    const rows = ctx.db[table as 'account'] as unknown as Listing<{ id: string }>;
    return listPage(ctx, kind, rows, { AND: chosen }, input, query);
  };
  return list as List<T, Values>;
}
