// What keeps a document small enough to run (CONTRACT.md 21): at most 10 levels deep and 30 aliases, fragments counted where
// they are spread. The number of tokens is the parser's limit. Introspection has its own rule in graphql-js.
import {
  type ASTVisitor,
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql';

export const maxTokens = 2_000;
const maxDepth = 10;
const maxAliases = 30;

interface Size {
  depth: number;
  aliases: number;
}

const nothing: Size = { depth: 0, aliases: 0 };

/** Measures selection sets, each fragment once. A cycle of fragments, which validation refuses, counts as nothing. */
class Ruler {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #measured = new Map<string, Size>();

  constructor(document: DocumentNode) {
    this.#fragments = fragmentsOf(document);
  }

  measure(set: SelectionSetNode | undefined): Size {
    let depth = 0;
    let aliases = 0;
    for (const selection of set?.selections ?? []) {
      const isField = selection.kind === Kind.FIELD;
      if (isField && selection.name.value.startsWith('__')) continue;
      const inner = selection.kind === Kind.FRAGMENT_SPREAD ? this.#fragment(selection.name.value) : this.measure(selection.selectionSet);
      depth = Math.max(depth, inner.depth + (isField ? 1 : 0));
      aliases += inner.aliases + (isField && selection.alias !== undefined ? 1 : 0);
    }
    return { depth, aliases };
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

/** The fragments of a document, by name. */
export function fragmentsOf(document: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
}

/** A validation rule for depth and aliases. */
export function limitSize(context: ValidationContext): ASTVisitor {
  const ruler = new Ruler(context.getDocument());
  return {
    OperationDefinition(node) {
      const { depth, aliases } = ruler.measure(node.selectionSet);
      const refuse = (message: string) => context.reportError(new GraphQLError(message, { nodes: node }));
      if (depth > maxDepth) refuse(`The operation is ${depth} levels deep; at most ${maxDepth} are allowed.`);
      if (aliases > maxAliases) refuse(`The operation has ${aliases} aliases; at most ${maxAliases} are allowed.`);
      return false;
    },
  };
}
