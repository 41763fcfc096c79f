// How many nodes a document asks for (CONTRACT.md 21 "Complexity"): the product of the lengths of the lists on each path, summed.
// A page counts at its `limit`, a bounded list at the most that its field declares, one that stands in a row as one. Known before anything
// runs (Gap G-21) (Gap G-260).
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import type { FieldFacts } from './builder.js';
import { defaultLimit } from './page.js';
import { mostLimit } from './scalar.js';

/** The most nodes that a document may ask for. */
export const mostNodes = 10_000;

type Variables = Readonly<Record<string, unknown>>;

/** The fragments of a document, by name. */
export function fragmentsOf(document: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
}

/**
 * The nodes that `operation` asks for with `variables`; without any given, the most that any variables can make it ask for. A
 * field that is selected twice counts twice. Needs no valid document: what the schema does not know counts nothing.
 */
export function countNodes(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables?: Variables,
): number {
  const counter = new NodeCounter(schema, fragmentsOf(document), operation, variables);
  return counter.count(operation.selectionSet, schema.getRootType(operation.operation) ?? undefined);
}

class NodeCounter {
  readonly #schema: GraphQLSchema;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #variables: Variables | undefined;
  readonly #defaults: ReadonlyMap<string, ValueNode | undefined>;
  /** Each fragment is counted once. A cycle of fragments, which validation refuses, counts nothing. */
  readonly #counted = new Map<string, number>();

  constructor(
    schema: GraphQLSchema,
    fragments: ReadonlyMap<string, FragmentDefinitionNode>,
    operation: OperationDefinitionNode,
    variables: Variables | undefined,
  ) {
    this.#schema = schema;
    this.#fragments = fragments;
    this.#variables = variables;
    this.#defaults = new Map(operation.variableDefinitions?.map(({ variable, defaultValue }) => [variable.name.value, defaultValue]));
  }

  /** The nodes below one object of `type`. */
  count(set: SelectionSetNode | undefined, type: GraphQLNamedType | undefined): number {
    let nodes = 0;
    for (const selection of set?.selections ?? []) {
      if (selection.kind === Kind.FIELD) nodes += this.#countField(selection, type);
      else if (selection.kind === Kind.FRAGMENT_SPREAD) nodes += this.#countFragment(selection.name.value);
      else nodes += this.count(selection.selectionSet, this.#typeOf(selection.typeCondition?.name.value) ?? type);
    }
    return nodes;
  }

  #countField(node: FieldNode, type: GraphQLNamedType | undefined): number {
    const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[node.name.value] : undefined;
    if (field === undefined) return 0;
    const inner = this.count(node.selectionSet, getNamedType(field.type));
    const length = this.#lengthOf(field, node);
    return length === undefined ? inner : length * (1 + inner);
  }

  #countFragment(name: string): number {
    const known = this.#counted.get(name);
    if (known !== undefined) return known;
    this.#counted.set(name, 0);
    const fragment = this.#fragments.get(name);
    const nodes = this.count(fragment?.selectionSet, this.#typeOf(fragment?.typeCondition.name.value));
    this.#counted.set(name, nodes);
    return nodes;
  }

  #typeOf(name: string | undefined): GraphQLNamedType | undefined {
    return name === undefined ? undefined : this.#schema.getType(name);
  }

  /** The length of a page or of a bounded list, or of a page of one; undefined for what is neither. */
  #lengthOf(field: GraphQLField<unknown, unknown>, node: FieldNode): number | undefined {
    const { most, embedded } = (field.extensions['facts'] ?? {}) as FieldFacts;
    if (embedded) return 1;
    const limit = field.args.find(({ name }) => name === 'limit');
    if (limit === undefined) return most;
    const given = node.arguments?.find(({ name }) => name.value === 'limit')?.value;
    return Math.min(this.#limit(given, limit.defaultValue as number | undefined), most ?? mostLimit);
  }

  /** A limit that no page takes is refused when it is read; here it counts as the nearest that one does. */
  #limit(given: ValueNode | undefined, fallback = defaultLimit): number {
    if (given?.kind === Kind.INT) return Math.min(Math.max(Number(given.value), 1), mostLimit);
    if (given?.kind !== Kind.VARIABLE) return fallback;
    if (this.#variables === undefined) return mostLimit;
    const name = given.name.value;
    const value = this.#variables[name];
    if (value === undefined) return this.#limit(this.#defaults.get(name), fallback);
    return typeof value === 'number' && Number.isFinite(value) ? Math.min(Math.max(value, 1), mostLimit) : fallback;
  }
}
