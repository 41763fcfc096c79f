// How many objects a document reads of the schema itself: `__Type`, `__Field` and what else `__schema` and `__type` lead to. The schema is
// there, so they are counted one by one with the resolvers that will read them, and aliases count as often as they stand.
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isNamedType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';

/** Levels that are followed: what is deeper is refused by its depth (graphql-limits.ts). */
const deepest = 20;
/** Fields that are read for a node, on average, before the counting stops: few lead to nothing. */
const readsOfNode = 3;
// Gap G-397: Each object read of the schema is a node, and each 120 characters of its texts one more.
/** Characters of an object's own names and texts that count as one node: an answer of the most nodes has little more than a megabyte. */
const charactersOfNode = 120;

type Field = GraphQLField<unknown, unknown>;
type Args = Readonly<Record<string, unknown>>;

/** What a selection takes of each object. */
interface Selected {
  /** The fields that select something themselves. */
  objects: FieldNode[];
  /** The others, with how often each is selected. */
  leaves: Map<string, number>;
  /** The length of all names under which they are answered. */
  names: number;
}

/** Reads the schema for one document. */
export class SchemaLook {
  readonly #schema: GraphQLSchema;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** What may be found, and read, by the whole document before the counting stops. */
  #nodesLeft: number;
  #readsLeft: number;
  readonly #inner = new Map<SelectionSetNode, Selected>();
  /** What was counted below a named type, which many fields lead to. */
  readonly #counted = new Map<FieldNode, Map<unknown, number>>();

  /** @param most the number of nodes beyond which nobody needs to know how many there are */
  constructor(schema: GraphQLSchema, fragments: ReadonlyMap<string, FragmentDefinitionNode>, most: number) {
    this.#schema = schema;
    this.#fragments = fragments;
    this.#nodesLeft = most;
    this.#readsLeft = most * readsOfNode;
  }

  /** The objects that `node`, a field of the root, leads to: one at least, and infinitely many where they are too many to be counted. */
  count(field: Field, node: FieldNode, args: Args): number {
    return Math.max(1, this.#count(field, node, undefined, args, 0));
  }

  #count(field: Field, node: FieldNode, source: unknown, args: Args, depth: number): number {
    const known = this.#counted.get(node);
    const before = known?.get(source);
    if (before !== undefined) {
      this.#nodesLeft -= before;
      return this.#nodesLeft < 0 ? Number.POSITIVE_INFINITY : before;
    }
    const nodes = this.#read(field, node, source, args, depth);
    if (!isNamedType(source)) return nodes;
    if (known === undefined) this.#counted.set(node, new Map([[source, nodes]]));
    else known.set(source, nodes);
    return nodes;
  }

  #read(field: Field, node: FieldNode, source: unknown, args: Args, depth: number): number {
    this.#readsLeft -= 1;
    if (this.#readsLeft < 0) return Number.POSITIVE_INFINITY;
    const type = getNamedType(field.type);
    if (!isObjectType(type) || depth >= deepest) return 0;
    const found = field.resolve?.(source, { ...args }, undefined, { schema: this.#schema } as never);
    const objects = Array.isArray(found) ? found : found == null ? [] : [found];
    this.#nodesLeft -= objects.length;
    if (this.#nodesLeft < 0) return Number.POSITIVE_INFINITY;
    const fields = type.getFields();
    const inner = this.#innerOf(node.selectionSet);
    let nodes = objects.length;
    for (const object of objects) {
      const texts = Math.floor(this.#charactersOf(inner, fields, object) / charactersOfNode);
      this.#nodesLeft -= texts;
      if (this.#nodesLeft < 0) return Number.POSITIVE_INFINITY;
      nodes += texts;
      for (const below of inner.objects) {
        const definition = fields[below.name.value];
        if (definition !== undefined) nodes += this.#count(definition, below, object, withDeprecated, depth + 1);
        if (nodes === Number.POSITIVE_INFINITY) return nodes;
      }
    }
    return nodes;
  }

  /** The characters that one object adds to the answer by itself. Leaves of the schema take no arguments, so each is read once. */
  #charactersOf({ leaves, names }: Selected, fields: Readonly<Record<string, Field>>, object: unknown): number {
    let characters = names;
    for (const [name, times] of leaves) {
      const text = fields[name]?.resolve?.(object, {}, undefined, { schema: this.#schema } as never);
      characters += times * String(text ?? '').length;
    }
    return characters;
  }

  /** What a selection selects, through fragments. */
  #innerOf(set: SelectionSetNode | undefined): Selected {
    const found: Selected = { objects: [], leaves: new Map(), names: 0 };
    if (set === undefined) return found;
    const known = this.#inner.get(set);
    if (known !== undefined) return known;
    const entered = new Set<string>();
    const walk = ({ selections }: SelectionSetNode): void => {
      for (const selection of selections) {
        if (selection.kind === Kind.INLINE_FRAGMENT) walk(selection.selectionSet);
        else if (selection.kind === Kind.FIELD) {
          const { alias, name, selectionSet } = selection;
          found.names += (alias ?? name).value.length;
          if (selectionSet !== undefined) found.objects.push(selection);
          else found.leaves.set(name.value, (found.leaves.get(name.value) ?? 0) + 1);
        } else if (!entered.has(selection.name.value)) {
          entered.add(selection.name.value);
          const fragment = this.#fragments.get(selection.name.value);
          if (fragment !== undefined) walk(fragment.selectionSet);
        }
      }
    };
    walk(set);
    this.#inner.set(set, found);
    return found;
  }
}

const withDeprecated: Args = { includeDeprecated: true };
