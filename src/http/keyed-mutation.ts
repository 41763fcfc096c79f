// Which mutation of a GraphQL request its Idempotency-Key is for: a document with a key holds exactly one (CONTRACT.md 0).

import {
  type DocumentNode,
  GraphQLIncludeDirective,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Ctx } from '../platform/ctx.js';
import { ValidationFailed } from '../platform/errors.js';
import type { FieldFacts } from '../platform/schema/builder.js';
import { fragmentsOf } from '../platform/schema/complexity.js';
import { isPublicField, type RootField, rootFields } from './root-field.js';
import type { GraphQLRequest } from './state.js';

export interface KeyedMutation {
  /** The Idempotency-Key header as it was sent. */
  key: string;
  /** Name of the mutation's field. */
  name: string;
}

/**
 * The mutation that runs under the key in `header`. 400 unless the document has exactly one mutation field. Undefined without a key, and
 * where a key has nothing to keep from happening twice: public fields, dry runs, a mutation that @skip or @include leaves out.
 */
export function keyedMutation(
  header: string | string[] | undefined,
  schema: GraphQLSchema,
  { document, operation, params, roots }: GraphQLRequest,
  { actor }: Ctx,
): KeyedMutation | undefined {
  if (typeof header !== 'string' || actor.type === 'anonymous' || document === undefined) return undefined;
  if (roots.length > 0 && roots.every(isPublicField)) return undefined;
  const [mutation, ...others] = mutationFields(schema, document);
  if (mutation === undefined || others.length > 0 || operation?.operation !== 'mutation') {
    const count = mutation === undefined ? 0 : 1 + others.length;
    const message = `goes with a document of exactly one mutation, not ${count}`;
    throw new ValidationFailed([{ path: ['Idempotency-Key'], message, rule: 'one_mutation' }]);
  }
  if (!changesSomething(mutation) || !isExecuted(mutation.name, schema, document, operation, params.variables)) return undefined;
  return { key: header, name: mutation.name };
}

/** The mutation fields of all operations of a document. */
function mutationFields(schema: GraphQLSchema, document: DocumentNode): RootField[] {
  return document.definitions
    .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION && definition.operation === 'mutation')
    .flatMap((operation) => rootFields(schema, document, operation as OperationDefinitionNode))
    .filter(({ name }) => !name.startsWith('__'));
}

function changesSomething({ definition }: RootField): boolean {
  const facts = definition?.extensions['facts'] as FieldFacts | undefined;
  return facts?.effect !== 'none';
}

/** False when @skip or @include leaves the field out. */
function isExecuted(
  name: string,
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  given: Record<string, unknown> = {},
): boolean {
  const { coerced: variables } = getVariableValues(schema, operation.variableDefinitions ?? [], given, { maxErrors: 1 });
  const fragments = fragmentsOf(document);
  const entered = new Set<string>();
  const isIncluded = (node: SelectionNode) =>
    getDirectiveValues(GraphQLSkipDirective, node, variables)?.['if'] !== true &&
    getDirectiveValues(GraphQLIncludeDirective, node, variables)?.['if'] !== false;
  const executes = (set: SelectionSetNode | undefined): boolean =>
    (set?.selections ?? []).some((selection) => {
      if (!isIncluded(selection)) return false;
      if (selection.kind === Kind.FIELD) return selection.name.value === name;
      if (selection.kind === Kind.INLINE_FRAGMENT) return executes(selection.selectionSet);
      const fragment = selection.name.value;
      if (entered.has(fragment)) return false;
      entered.add(fragment);
      return executes(fragments.get(fragment)?.selectionSet);
    });
  try {
    return executes(operation.selectionSet);
  } catch {
    // A directive or variable that is wrong: the execution refuses the request in its own words.
    return true;
  }
}
