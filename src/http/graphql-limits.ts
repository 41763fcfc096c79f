// What keeps a document small enough to run (CONTRACT.md 21): at most 10 levels deep (15 of introspection), 30 aliases and 10,000
// nodes, fragments counted where they are spread. The number of tokens is the parser's limit.
import {
  type ASTVisitor,
  type DocumentNode,
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

/** 400 for an operation that asks for more nodes than one may. Asked before anything is validated or run. */
export function limitNodes(nodes: number): void {
  if (nodes <= mostNodes) return;
  const asked = Number.isFinite(nodes) ? `${nodes} nodes` : 'more nodes of the schema than are counted';
  const message = `asks for ${asked}; at most ${mostNodes} are allowed: give its lists a smaller \`limit\``;
  throw new ValidationFailed([{ path: ['query'], message, rule: 'complexity' }], `The operation ${message}.`);
}
