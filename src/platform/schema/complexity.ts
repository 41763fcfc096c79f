// How many nodes a document asks for (CONTRACT.md 21 "Complexity"): the product of the lengths of the lists on each path, summed. A page
// counts at its `limit`, a bounded list at the most that its field declares, one that stands in a row as one, and the schema at what is
// read of it. Known before anything runs.
import {
  coerceInputValue,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInputType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
} from 'graphql';
import type { FieldFacts } from './builder.js';
import { SchemaLook } from './introspection.js';
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

// Gap G-260: A list that is stored in a row counts as one node.
// Gap G-21: A list counts its length times what is below it; a field that is selected twice counts twice.
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
  readonly #definitions: ReadonlyMap<string, VariableDefinitionNode>;
  readonly #look: SchemaLook;
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
    this.#definitions = new Map(operation.variableDefinitions?.map((definition) => [definition.variable.name.value, definition]));
    this.#look = new SchemaLook(schema, fragments, mostNodes);
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
    const meta = [SchemaMetaFieldDef, TypeMetaFieldDef].find(({ name }) => name === node.name.value);
    if (meta !== undefined) return this.#countSchema(meta, node, type);
    const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[node.name.value] : undefined;
    if (field === undefined) return 0;
    const inner = this.count(node.selectionSet, getNamedType(field.type));
    const length = this.#lengthOf(field, node);
    return length === undefined ? inner : length * (1 + inner);
  }

  /** What a document reads of the schema, counted as it will be read (see G-397). */
  #countSchema(field: GraphQLField<unknown, unknown>, node: FieldNode, type: GraphQLNamedType | undefined): number {
    if (type !== this.#schema.getQueryType()) return 0;
    const args = Object.fromEntries(field.args.map((argument) => [argument.name, this.#valueOf(argument, node)]));
    return this.#look.count(field, node, args);
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
    return limit === undefined ? most : Math.min(this.#limitOf(limit, node), most ?? mostLimit);
  }

  /** The length that `limit` gives a list. One that is refused when it is read counts as the longest. */
  #limitOf(limit: GraphQLArgument, node: FieldNode): number {
    const value = this.#valueOf(limit, node);
    if (value === null) return (limit.defaultValue as number | null | undefined) ?? defaultLimit;
    return typeof value === 'number' ? Math.min(Math.max(value, 1), mostLimit) : mostLimit;
  }

  /**
   * What the executor will read for `argument`: a literal as its type reads literals, a variable as its type reads values, or the default.
   * Undefined for what it refuses, and for what nobody knows yet.
   */
  #valueOf(argument: GraphQLArgument, node: FieldNode): unknown {
    const given = node.arguments?.find(({ name }) => name.value === argument.name)?.value;
    if (given === undefined) return argument.defaultValue ?? null;
    if (given.kind !== Kind.VARIABLE) return valueFromAST(given, argument.type);
    const name = given.name.value;
    const definition = this.#definitions.get(name);
    const type = definition && typeFromAST(this.#schema, definition.type);
    if (this.#variables === undefined || !isInputType(type) || !isLeafType(getNamedType(type))) return undefined;
    if (Object.hasOwn(this.#variables, name)) return coerceInputValue(this.#variables[name], type, () => undefined);
    return definition?.defaultValue === undefined ? (argument.defaultValue ?? null) : valueFromAST(definition.defaultValue, type);
  }
}
