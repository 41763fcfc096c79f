// Relations: the objects behind the ids that types show (CONTRACT.md 29, decision 0070). A noun says once how it is found by its ids, and
// every field that shows one of them gets a relation beside it. What a level of a document asks for is read together.
import { queryFromInfo } from '@pothos/plugin-prisma';
import {
  type GraphQLField,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  isScalarType,
} from 'graphql';
import { loadTogether } from '../batch.js';
import type { Ctx } from '../ctx.js';
import type { Db } from '../postgres/database.js';
import type { Visibility } from '../visibility.js';
import type { FieldFacts } from './builder.js';
import type { IdKind } from './id.js';

/** The objects of a noun by their ids, as far as its root shows them to the actor. `query` is what a document selects of their rows. */
type Find = (ctx: Ctx, ids: readonly string[], query: object) => Promise<ReadonlyMap<string, unknown>>;

type Field = GraphQLField<unknown, Ctx>;

interface Delegate<Row> {
  findMany(args: object): Promise<Row[]>;
}

interface RowsOptions<Row> {
  /** What holds of every row that the root shows. */
  where?: object;
  /** What the type needs of its row beside the row, for types whose selection is none of Pothos'. */
  include?: object;
  /** The objects of rows, where they are not the rows; null for what the root does not show. */
  values?: (ctx: Ctx, rows: readonly Row[]) => readonly unknown[] | Promise<readonly unknown[]>;
}

/** The rows of `model` by their ids, those that are `visible`. */
export function rowsOf<Row extends { id: string }>(
  model: keyof Db,
  visible: Visibility<object> | ((ctx: Ctx) => object | Promise<object>),
  { where = {}, include, values = (_ctx, rows) => rows }: RowsOptions<Row> = {},
): Find {
  return async (ctx, ids, query) => {
    const seen = typeof visible === 'function' ? await visible(ctx) : visible.where(ctx);
    const args = { ...(include === undefined ? query : { include }), where: { AND: [{ id: { in: [...ids] } }, where, seen] } };
    const rows = await (ctx.db[model] as unknown as Delegate<Row>).findMany(args);
    const shown = await values(ctx, rows);
    return new Map(rows.flatMap(({ id }, at) => (shown[at] === null ? [] : [[id, shown[at]] as const])));
  };
}

/** Options of a type: how its objects are found by their ids, which are of `kind`, by default that of its `id`. */
export function byId(find: Find, kind?: IdKind) {
  return { extensions: { byId: { find, kind } } } as const;
}

const sourceOf = (type: GraphQLObjectType) => type.extensions['byId'] as { find: Find; kind?: IdKind } | undefined;

/** The object of `type` with this id; null without one, and where the actor does not see it. */
async function objectOf(type: GraphQLObjectType, id: string | null | undefined, ctx: Ctx, info: GraphQLResolveInfo): Promise<unknown> {
  const source = sourceOf(type);
  if (id == null || source === undefined) return null;
  const query = 'pothosPrismaLoader' in type.extensions ? withId(queryFromInfo({ context: ctx, info, typeName: type.name })) : {};
  const name = `${type.name} ${JSON.stringify(query)}`;
  return (await loadTogether(ctx, name, id, (ids) => source.find(ctx, ids, query))) ?? null;
}

function withId(query: { select?: object | undefined }): object {
  return query.select === undefined ? query : { ...query, select: { ...query.select, id: true } };
}

/** Options of a nullable field that shows the object whose id `idOf` reads, for an id that is no field of its own. */
export function relation<Parent>(idOf: (row: Parent) => string | null | undefined) {
  return {
    nullable: true,
    extensions: { visible: true },
    resolve: (row: Parent, _args: unknown, ctx: Ctx, info: GraphQLResolveInfo) =>
      objectOf(getNamedType(info.returnType) as GraphQLObjectType, idOf(row), ctx, info) as never,
  } as const;
}

/**
 * Gives every field that shows ids of a noun a relation beside it, which is null where the id is. A field of the same object under
 * another name says `relation: false`.
 */
export function addRelations(schema: GraphQLSchema): GraphQLSchema {
  const types = Object.values(schema.getTypeMap());
  const targets = new Map<IdKind | undefined, GraphQLObjectType>();
  for (const type of types.filter(isObjectType)) {
    const source = sourceOf(type);
    if (source !== undefined) targets.set(source.kind ?? kindOf(type.getFields()['id']), type);
  }
  for (const type of types) {
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    const fields = type.getFields();
    const all = Object.values(fields).flatMap((field) => {
      const target = field.extensions['relation'] === false ? undefined : targets.get(kindOf(field));
      const name = relationName(field.name);
      return target === undefined || name === undefined || name in fields ? [field] : [field, relationBeside(field, name, target)];
    });
    for (const field of all) {
      delete fields[field.name];
      fields[field.name] = countedAsNode(field);
    }
  }
  return schema;
}

/** An object that is read beside its parent is a node, as a page of one is. */
function countedAsNode(field: Field): Field {
  const { visible, facts } = field.extensions as { visible?: boolean; facts?: FieldFacts };
  const isOne = visible === true && !isListType(getNullableType(field.type)) && !field.args.some(({ name }) => name === 'limit');
  return isOne ? { ...field, extensions: { ...field.extensions, facts: { ...facts, most: 1 } } } : field;
}

function kindOf(field: Field | undefined): IdKind | undefined {
  const type = field && getNamedType(field.type);
  return isScalarType(type) ? (type.extensions['idKind'] as IdKind | undefined) : undefined;
}

/** `agent` for `agentId`, `rates` for `rateIds`; undefined for what is no reference. */
function relationName(name: string): string | undefined {
  const relation = name.replace(/yIds$/, 'ies').replace(/Ids$/, 's').replace(/Id$/, '');
  return relation === name ? undefined : relation;
}

function relationBeside(field: Field, name: string, target: GraphQLObjectType): Field {
  const isList = isListType(getNullableType(field.type));
  const { most } = (field.extensions['facts'] ?? {}) as FieldFacts;
  const idsOf = async (...[row, , ctx, info]: Parameters<NonNullable<Field['resolve']>>) =>
    field.resolve === undefined ? (row as Record<string, unknown>)[field.name] : await field.resolve(row, {}, ctx, info);
  return {
    name,
    description: `${isList ? 'The objects' : 'The object'} behind \`${field.name}\`, where you may read ${isList ? 'them' : 'it'}.`,
    type: isList ? new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(target))) : target,
    args: [],
    deprecationReason: undefined,
    astNode: undefined,
    extensions: { ...selectionOf(field), visible: true, ...(isList && { facts: { most } }) },
    resolve: async (row, args, ctx, info) => {
      const ids = await idsOf(row, args, ctx, info);
      if (!isList) return objectOf(target, ids as string | null, ctx, info);
      const found = await Promise.all(((ids ?? []) as string[]).map((id) => objectOf(target, id, ctx, info)));
      return found.filter((one) => one !== null);
    },
  };
}

/** What the row of the id is to be loaded with. */
function selectionOf({ extensions }: Field): object {
  return Object.fromEntries(Object.entries(extensions).filter(([name]) => name.startsWith('pothosPrisma')));
}
