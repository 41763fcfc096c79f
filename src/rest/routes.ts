// Compiles routed operations: every endpoint is one GraphQL operation that carries its own method and path (ARCHITECTURE.md 3). Most are
// printed from the route of a field, some are written into a rest.graphql. Whatever is wrong with one stops a process of the sources, and
// says where.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import {
  type DefinitionNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLSchema,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  Source,
  validate,
  visit,
} from 'graphql';
import type { Ctx } from '../platform/ctx.js';
import { lazily } from '../platform/lazy.js';
import { type Admission, admissionOf } from '../platform/schema/audience.js';
import type { FieldFacts } from '../platform/schema/builder.js';
import { countNodes, mostNodes } from '../platform/schema/complexity.js';
import type { Method, RouteContext } from '../platform/schema/route.js';
import { type Stripped, stripDirectives } from './directives.js';
import { type OutputShape, shapeOf } from './output.js';
import { printOperations } from './print.js';
import { type RouteVariable, variablesOf } from './variable.js';

/** One rest.graphql file. */
export interface RouteSource {
  file: string;
  text: string;
}

/** One endpoint, or one of the operations of a path that a query flag selects. */
export interface Route {
  /** Name of the operation: operationId of OpenAPI, `op` of the Link header, scope of an Idempotency-Key. */
  name: string;
  kind: 'query' | 'mutation' | 'subscription';
  method: Method;
  path: string;
  status: number;
  when?: string;
  /** Member that makes the answer a 202 where it is there. */
  accepted?: string;
  /** Member that makes the answer a 200 where it is true. */
  existing?: string;
  /** The operation's description, else that of its root field. */
  summary: string;
  context: RouteContext;
  /** The operation and the fragments that it uses, without our directives and descriptions. */
  document: DocumentNode;
  /** `document` as text: GraphQL that anybody can send. */
  text: string;
  operation: OperationDefinitionNode;
  variables: readonly RouteVariable[];
  root: GraphQLField<unknown, Ctx>;
  /** True for `data:` (the answer is `{data}`), false for `body:` (the root field is the answer). */
  wrapped: boolean;
  shape: OutputShape;
  admission: Admission;
  facts: FieldFacts;
}

/** True where an Idempotency-Key makes a difference: for mutations that change something, for callers with a credential. */
export function takesKey({ kind, admission, facts }: Route): boolean {
  return kind === 'mutation' && admission.audience !== 'public' && facts.effect !== 'none';
}

/** The rest.graphql files of the folders of contexts, in order of their names. */
export function loadOperations(contexts: string): RouteSource[] {
  const folders = readdirSync(contexts, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders
    .map(({ name }) => path.join(contexts, name, 'rest.graphql'))
    .sort()
    .flatMap((file) => {
      try {
        return [{ file, text: readFileSync(file, 'utf8') }];
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
        throw error;
      }
    });
}

/**
 * Parses, validates and compiles the operations of the fields of a schema and of all files, which share their fragments. Throws one Error
 * that lists every fault as `file:line:column message`; the file of what was printed is the name of the field, such as `Mutation.freezeWallet`.
 * Of operations that are known to be valid it asks only what it has to know, which halves the time that a start takes for them.
 */
export function compileRoutes(schema: GraphQLSchema, sources: readonly RouteSource[] = [], { areValid = false } = {}): Route[] {
  const written = sources.flatMap(definitionsOf);
  const contexts = new Map<Source | undefined, RouteContext>();
  const printed = printOperations(schema, written).flatMap(({ context, ...source }) => {
    const definitions = definitionsOf(source);
    if (context !== undefined) contexts.set(definitions[0]?.loc?.source, context);
    return definitions;
  });
  const definitions = [...printed, ...written];
  if (definitions.length === 0) return [];
  const stripped = located(() => stripDirectives({ kind: Kind.DOCUMENT, definitions }));
  const errors = areValid ? [] : validate(schema, stripped.document, undefined, { maxErrors: 50 });
  if (errors.length > 0) throw new Error(errors.map(place).join('\n'));
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of stripped.document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const abouts = new Map([...contexts.values()].map(({ name, about }) => [name, about]));
  const routes = [...stripped.routes.keys()].map((operation) => {
    const source = operation.loc?.source;
    const context = contexts.get(source) ?? contextOf(source, abouts);
    return located(() => compileRoute(schema, operation, stripped, { fragments, context }));
  });
  if (areValid) return routes;
  for (const route of routes) located(() => refuseFaults(schema, route));
  refuseClashes(routes);
  return routes;
}

/** What a file defines. Throws where it is not GraphQL. */
export function definitionsOf({ file, text }: RouteSource): readonly DefinitionNode[] {
  return located(() => parse(new Source(text, file)).definitions);
}

function compileRoute(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  stripped: Stripped,
  { fragments, context }: { fragments: ReadonlyMap<string, FragmentDefinitionNode>; context: RouteContext },
): Route {
  const directive = stripped.routes.get(operation);
  const name = operation.name?.value;
  const fault = (message: string) => new GraphQLError(message, { nodes: operation });
  if (directive === undefined || name === undefined) throw fault('A routed operation has a name.');
  const [selected, ...others] = operation.selectionSet.selections;
  if (selected?.kind !== Kind.FIELD || others.length > 0) throw fault(`Operation "${name}" must select exactly one root field.`);
  const alias = selected.alias?.value;
  if (alias !== 'data' && alias !== 'body') throw fault(`The root field of "${name}" must be aliased "data" or "body".`);
  const root = schema.getRootType(operation.operation)?.getFields()[selected.name.value];
  if (root === undefined) throw fault(`Operation "${name}" selects no root field of the schema.`);
  if (!isNonNullType(root.type)) throw fault(`The root field of "${name}" must not be nullable: what is missing is a 404.`);
  const document = lazily(() => {
    const definitions = [operation, ...fragmentsOf(operation, fragments)];
    return withoutDescriptions({ kind: Kind.DOCUMENT, definitions });
  });
  const text = lazily(() => print(document()));
  const shape = lazily(() => shapeOf(schema, root, selected, fragments, stripped.orNull));
  return {
    ...directive,
    name,
    kind: operation.operation,
    summary: operation.description?.value ?? root.description ?? name,
    context,
    get document() {
      return document();
    },
    get text() {
      return text();
    },
    operation,
    variables: variablesOf(schema, operation, directive.path, root, stripped.headers),
    root,
    wrapped: alias === 'data',
    get shape() {
      return shape();
    },
    admission: admissionOf(root),
    facts: (root.extensions['facts'] as FieldFacts | undefined) ?? {},
  };
}

/** What validation does not know: too many nodes, and members that decide about the status and are not there. */
function refuseFaults(schema: GraphQLSchema, { name, document, operation, accepted, existing, shape }: Route): void {
  const fault = (message: string) => new GraphQLError(message, { nodes: operation });
  const nodes = countNodes(schema, document, operation);
  if (nodes > mostNodes) throw fault(`Operation "${name}" can ask for ${nodes} nodes; at most ${mostNodes} are allowed.`);
  for (const member of [accepted, existing]) {
    if (member !== undefined && !shape.members?.has(member)) throw fault(`The answer of "${name}" has no member ${member}.`);
  }
}

/** The context of a file: the name of its folder, and what its routes or the comment at the top of the file say of it. */
function contextOf(source: Source | undefined, abouts: ReadonlyMap<string, string>): RouteContext {
  const name = path.basename(path.dirname(source?.name ?? ''));
  const comment = /^(#.*\n)*/.exec(source?.body ?? '')?.[0] ?? '';
  return { name, about: abouts.get(name) ?? comment.replace(/^# */gm, '').trim().replaceAll('\n', ' ') };
}

/** The fragments that a node spreads, and those that they spread. */
function fragmentsOf(operation: OperationDefinitionNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>): FragmentDefinitionNode[] {
  const used = new Set<FragmentDefinitionNode>();
  const collect = (node: OperationDefinitionNode | FragmentDefinitionNode) =>
    visit(node, {
      FragmentSpread(spread) {
        const fragment = fragments.get(spread.name.value);
        if (fragment === undefined || used.has(fragment)) return;
        used.add(fragment);
        collect(fragment);
      },
    });
  collect(operation);
  return [...used];
}

/** Descriptions in executable documents are young: other GraphQL servers and clients refuse to parse them. */
function withoutDescriptions(document: DocumentNode): DocumentNode {
  const strip = <N extends { description?: unknown }>({ description: _, ...node }: N) => node;
  return visit(document, {
    OperationDefinition: { leave: strip },
    VariableDefinition: { leave: strip },
    FragmentDefinition: { leave: strip },
  });
}

/** One operation for each method, path and flag; one spelling of a path; a flag only beside an operation without. */
function refuseClashes(routes: readonly Route[]): void {
  const spellings = new Map<string, string>();
  const taken = new Map<string, Route>();
  for (const route of routes) {
    const bare = route.path.replace(/\{\w+\}/g, '{}');
    const spelling = spellings.get(bare) ?? route.path;
    if (spelling !== route.path) throw new Error(`${where(route)}: ${route.path} is already spelled ${spelling}`);
    spellings.set(bare, spelling);
    const slot = `${route.method} ${bare} ${route.when ?? ''}`;
    const other = taken.get(slot);
    if (other !== undefined)
      throw new Error(`${where(route)}: "${route.name}" and "${other.name}" both answer ${route.method} ${route.path}`);
    taken.set(slot, route);
  }
  for (const route of routes) {
    if (route.when === undefined) continue;
    const bare = route.path.replace(/\{\w+\}/g, '{}');
    if (!taken.has(`${route.method} ${bare} `))
      throw new Error(`${where(route)}: "${route.name}" has a flag, but no operation answers without it`);
    if (route.variables.some((variable) => variable.wire === route.when))
      throw new Error(`${where(route)}: $${route.when} is the flag itself`);
  }
}

function where({ operation }: Route): string {
  const { loc } = operation;
  return loc === undefined ? 'rest.graphql' : `${loc.source.name}:${loc.startToken.line}`;
}

/** A GraphQL error with its file and line in front. */
function place(error: GraphQLError): string {
  const { source, locations } = error;
  const at = locations?.[0];
  return source !== undefined && at !== undefined ? `${source.name}:${at.line}:${at.column} ${error.message}` : error.message;
}

function located<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof GraphQLError ? new Error(place(error)) : error;
  }
}
