// What keeps a document small enough to run (CONTRACT.md 21): at most 10 levels deep (15 of introspection), 30 aliases and 10,000
// nodes, fragments counted where they are spread. The number of tokens is the parser's limit.
import {
  type ASTVisitor,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql';
import { ValidationFailed } from '../platform/errors.js';
import { fragmentsOf, mostNodes } from '../platform/schema/complexity.js';

export const maxTokens = 2_000;
const maxDepth = 10;
const maxIntrospectionDepth = 15;
const maxAliases = 30;

interface Size {
  depth: number;
  /** Levels of the fields of introspection, which the others do not count. */
  introspection: number;
  aliases: number;
}

const nothing: Size = { depth: 0, introspection: 0, aliases: 0 };

/** Measures selection sets, each fragment once. A cycle of fragments, which validation refuses, counts as nothing. */
class Ruler {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #measured = new Map<string, Size>();

  constructor(document: DocumentNode) {
    this.#fragments = fragmentsOf(document);
  }

  measure(set: SelectionSetNode | undefined): Size {
    const size = { ...nothing };
    for (const selection of set?.selections ?? []) {
      const isField = selection.kind === Kind.FIELD;
      const inner = selection.kind === Kind.FRAGMENT_SPREAD ? this.#fragment(selection.name.value) : this.measure(selection.selectionSet);
      const levels = inner.depth + (isField ? 1 : 0);
      if (isField && selection.name.value.startsWith('__')) size.introspection = Math.max(size.introspection, levels);
      else size.depth = Math.max(size.depth, levels);
      size.introspection = Math.max(size.introspection, inner.introspection);
      size.aliases += inner.aliases + (isField && selection.alias !== undefined ? 1 : 0);
    }
    return size;
  }

  #fragment(name: string): Size {
    const known = this.#measured.get(name);
    if (known !== undefined) return known;
    this.#measured.set(name, nothing);
    const size = this.measure(this.#fragments.get(name)?.selectionSet);
    this.#measured.set(name, size);
    return size;
  }
}

/** A validation rule for depth and aliases. */
export function limitSize(context: ValidationContext): ASTVisitor {
  const ruler = new Ruler(context.getDocument());
  return {
    OperationDefinition(node) {
      const { depth, introspection, aliases } = ruler.measure(node.selectionSet);
      const refuse = (message: string) => context.reportError(new GraphQLError(message, { nodes: node }));
      if (depth > maxDepth) refuse(`The operation is ${depth} levels deep; at most ${maxDepth} are allowed.`);
      if (introspection > maxIntrospectionDepth)
        refuse(`The operation looks ${introspection} levels deep into the schema; at most ${maxIntrospectionDepth} are allowed.`);
      if (aliases > maxAliases) refuse(`The operation has ${aliases} aliases; at most ${maxAliases} are allowed.`);
      return false;
    },
  };
}

/** Fields that one place of the answer may be selected by: validation compares each of them with every other. */
const maxSelections = 20;
/** Fields that are looked at for it, counted again wherever a fragment is spread. */
const maxVisits = 10_000;

/**
 * Refuses a document that selects one place of its answer many times: comparing takes validation the square of that, also for fields that
 * anybody may ask for. Takes time in proportion to the document.
 * @throws GraphQLError
 */
export function limitSelections(document: DocumentNode): void {
  const fragments = fragmentsOf(document);
  let visits = 0;

  const check = (sets: readonly SelectionSetNode[]): void => {
    const places = new Map<string, FieldNode[]>();
    const spread = new Set<string>();
    const collect = ({ selections }: SelectionSetNode): void => {
      for (const selection of selections) {
        if (++visits > maxVisits) throw new GraphQLError('The document spreads its fragments in too many places.', { nodes: selection });
        if (selection.kind === Kind.FIELD) {
          const name = selection.alias?.value ?? selection.name.value;
          const same = places.get(name);
          if (same === undefined) places.set(name, [selection]);
          else same.push(selection);
        } else if (selection.kind === Kind.INLINE_FRAGMENT) {
          collect(selection.selectionSet);
        } else if (!spread.has(selection.name.value)) {
          spread.add(selection.name.value);
          const fragment = fragments.get(selection.name.value);
          if (fragment !== undefined) collect(fragment.selectionSet);
        }
      }
    };
    sets.forEach(collect);
    for (const [name, fields] of places) {
      if (fields.length > maxSelections)
        throw new GraphQLError(
          `The document selects \`${name}\` ${fields.length} times in one place; at most ${maxSelections} are allowed.`,
          {
            nodes: fields[maxSelections] as FieldNode,
          },
        );
      const inner = fields.flatMap(({ selectionSet }) => selectionSet ?? []);
      if (inner.length > 0) check(inner);
    }
  };

  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION || definition.kind === Kind.FRAGMENT_DEFINITION) check([definition.selectionSet]);
  }
}

/** 400 for an operation that asks for more nodes than one may. Asked before anything is validated or run. */
export function limitNodes(nodes: number): void {
  if (nodes <= mostNodes) return;
  const asked = Number.isFinite(nodes) ? `${nodes} nodes` : 'more nodes of the schema than are counted';
  const message = `asks for ${asked}; at most ${mostNodes} are allowed: give its lists a smaller \`limit\``;
  throw new ValidationFailed([{ path: ['query'], message, rule: 'complexity' }], `The operation ${message}.`);
}
