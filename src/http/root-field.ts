// What a GraphQL operation asks for at its root: which decides its budget, its idempotency and who may send it.
import {
  type DocumentNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeInfo,
  TypeMetaFieldDef,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Actor } from '../platform/ctx.js';
import type { RateClass } from '../platform/rate-limit.js';
import { admissionOf, anybody, authorize } from '../platform/schema/audience.js';
import type { FieldFacts } from '../platform/schema/builder.js';
import { fragmentsOf, mostNodes } from '../platform/schema/complexity.js';

/** A root field as it is answered: once for each response key. */
export interface RootField {
  name: string;
  /** Undefined where the schema has no such field. */
  definition: GraphQLField<unknown, unknown> | undefined;
}

function rootType(schema: GraphQLSchema, operation: OperationDefinitionNode): GraphQLObjectType | undefined {
  return schema.getRootType(operation.operation) ?? undefined;
}

/** The root fields of `operation`, through fragments, one for each response key: as many as will be executed. */
export function rootFields(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): RootField[] {
  const fields = rootType(schema, operation)?.getFields() ?? {};
  const fragments = fragmentsOf(document);
  const found = new Map<string, RootField>();
  const entered = new Set<string>();
  const walk = (set: SelectionSetNode | undefined): void => {
    for (const selection of set?.selections ?? []) {
      if (selection.kind === Kind.FIELD) {
        const name = selection.name.value;
        found.set(selection.alias?.value ?? name, { name, definition: fields[name] });
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        walk(selection.selectionSet);
      } else if (!entered.has(selection.name.value)) {
        entered.add(selection.name.value);
        walk(fragments.get(selection.name.value)?.selectionSet);
      }
    }
  };
  walk(operation.selectionSet);
  return [...found.values()];
}

function factsOf({ definition }: RootField): FieldFacts {
  return (definition?.extensions['facts'] as FieldFacts | undefined) ?? {};
}

/** True when the field asks for no credential. */
export function isPublicField({ definition }: RootField): boolean {
  return definition !== undefined && admissionOf(definition).audience === 'public';
}

// Gap G-399: Without a credential a document with `__type(name)` has at most 10 nodes, its public lists included.
/** The most nodes of a look at one type without a credential: enough for its name. */
const mostForAnybody = 10;

/** What is asked of who names root fields. */
interface RequestedField {
  roots: readonly RootField[];
  /** Set for the standard introspection query. */
  standard?: DocumentNode;
  nodes: number;
}

/** True for a look into the schema that is not answered to anybody: the standard one is, and small ones at one type. */
function isDeepLook({ name }: RootField, { standard, nodes }: RequestedField): boolean {
  if (standard !== undefined) return false;
  return name === SchemaMetaFieldDef.name || (name === TypeMetaFieldDef.name && nodes > mostForAnybody);
}

/**
 * 401 for an anonymous caller who names a field that asks for a credential or looks deeper into the schema than anybody may, 403 for a
 * credential whose scopes do not open it. A field that the schema does not have is left to validation, which says so.
 */
export function admitCaller(actor: Actor, request: RequestedField): void {
  for (const field of request.roots) {
    if (actor.type === 'anonymous' && isDeepLook(field, request)) authorize(actor, anybody);
    if (field.definition === undefined || isPublicField(field)) continue;
    authorize(actor, { ...admissionOf(field.definition), audience: 'any' });
  }
}

const nodesOfPoint = 1_000;

// Gap G-20: GraphQL costs one point for each root field and for every full 1,000 nodes, in the strictest rate class among its fields.
/** The strictest class among the fields; a point for each and for every 1,000 nodes: GraphQL is no way around the limits. */
export function rateOf({ roots, nodes }: { roots: readonly RootField[]; nodes: number }): { rateClass: RateClass; rateCost: number } {
  const classes = roots.map((field) => factsOf(field).rateClass);
  return {
    rateClass: classes.includes('auth') ? 'auth' : classes.includes('login') ? 'login' : 'general',
    rateCost: Math.max(1, roots.length) + Math.floor(Math.min(nodes, mostNodes) / nodesOfPoint),
  };
}

/** True when the document selects a field whose value is told once and never stored (`extensions.secret`). */
export function selectsSecret(schema: GraphQLSchema, document: DocumentNode): boolean {
  const typeInfo = new TypeInfo(schema);
  let secret = false;
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      Field() {
        secret ||= typeInfo.getFieldDef()?.extensions['secret'] === true;
      },
    }),
  );
  return secret;
}
