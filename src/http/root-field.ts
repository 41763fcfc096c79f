// What a GraphQL operation asks for at its root: which decides its budget, its idempotency and who may send it.
import {
  type DocumentNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { FieldFacts } from '../platform/builder.js';
import { fragmentsOf } from './graphql-limits.js';
import type { RateClass } from './state.js';

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
  const options = definition?.extensions['pothosOptions'] as { authScopes?: { audience?: string } } | undefined;
  return options?.authScopes?.audience === 'public';
}

/** The strictest class among the fields, and one point for each (Gap G-17): GraphQL is no way around the limits. */
export function rateOf(fields: readonly RootField[]): { rateClass: RateClass; rateCost: number } {
  const auth = fields.some((field) => factsOf(field).rateClass === 'auth');
  return { rateClass: auth ? 'auth' : 'general', rateCost: Math.max(1, fields.length) };
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
