// What stands beside an object is never more than its own root would show to the same scopes (CONTRACT.md 22 "Scopes"). A type that a root
// query shows needs the scope of that root wherever else it stands: null or an empty list otherwise.
// Gap G-462: A change returns what it has made or changed with its own scope; what stands beside that needs the scope of its noun.
import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { Ctx } from '../ctx.js';
import type { Scope } from '../scope.js';
import { admissionOf, hasScope } from './audience.js';

type Field = GraphQLField<unknown, Ctx>;

/** A page that has nothing in it. */
const emptyPage = (limit: number) => ({
  nodes: [],
  page: 1,
  limit,
  hasMore: false,
  total: async () => ({ count: 0, isMinimum: false }),
  totalPages: async () => 0,
  nextCursor: () => null,
});

/** The type of the rows of a page, of a list, or the type itself. */
function shownBy(type: GraphQLOutputType): GraphQLOutputType {
  const named = getNamedType(type);
  const nodes = isObjectType(named) && named.name.endsWith('Page') ? named.getFields()['nodes'] : undefined;
  return nodes === undefined ? named : getNamedType(nodes.type);
}

const isPage = (type: GraphQLOutputType) => shownBy(type) !== getNamedType(type);

/** The scopes of the root queries that show a type; each of them is enough. */
function scopesOfTypes(schema: GraphQLSchema): Map<string, Set<Scope>> {
  const found = new Map<string, Set<Scope>>();
  const note = (name: string, scope: Scope) => found.set(name, (found.get(name) ?? new Set()).add(scope));
  for (const root of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    const { scope } = admissionOf(root);
    const shown = shownBy(root.type);
    if (scope !== 'self' && isObjectType(shown)) note(shown.name, scope);
  }
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isInterfaceType(type)) continue;
    for (const { name } of schema.getPossibleTypes(type)) for (const scope of found.get(name) ?? []) note(type.name, scope);
  }
  return found;
}

/** Hides, in every type below the roots, what the scopes of the caller do not open. */
export function hideBeyondScopes(schema: GraphQLSchema): GraphQLSchema {
  const scopes = scopesOfTypes(schema);
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || roots.includes(type) || type.name.startsWith('__') || type.name.endsWith('Page')) continue;
    for (const field of Object.values(type.getFields()) as Field[]) {
      const needed = scopes.get((shownBy(field.type) as GraphQLObjectType).name);
      if (needed !== undefined) hide(field, [...needed]);
    }
  }
  return schema;
}

function hide(field: Field, needed: readonly Scope[]): void {
  const { resolve, type, extensions } = field;
  const hidden = hiddenValue(type);
  if (hidden === undefined || extensions['isOwn'] === true) return;
  field.resolve = (row, args, ctx, info) => {
    if (needed.some((scope) => hasScope(ctx.actor, scope)) || ctx.actor.type === 'portal')
      return (resolve ?? defaultFieldResolver)(row, args, ctx, info);
    return hidden(args);
  };
}

/** What stands in place of what is hidden; undefined where nothing can: the object belongs to what it stands in. */
function hiddenValue(type: GraphQLOutputType): ((args: { limit?: number }) => unknown) | undefined {
  if (isListType(getNullableType(type))) return () => [];
  if (!isNonNullType(type)) return () => null;
  return isPage(type) ? ({ limit }) => emptyPage(limit ?? 0) : undefined;
}
