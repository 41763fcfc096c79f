// Documents that reach every object type from every root field, made from the schema, so that a field that is added is walked too.
import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import { countNodes, mostNodes } from '../src/platform/schema/complexity.js';
import { exampleOf } from './graphql-attack.js';
import type { Seeds } from './operation.js';

/** A document that asks for every leaf of the objects on some of the paths below a root field. */
export interface Walk {
  root: string;
  document: string;
}

type Kind = 'query' | 'mutation';
type Field = GraphQLField<unknown, unknown>;

/** Levels of a document, of which the leaves are the last. */
const deepest = 10;
/** Rows of each page: what is looked for is among the newest. */
const limit = 5;
const mostTokens = 1_900;
/** Each of them selects its root again. */
const mostTogether = 20;

const isComposite = (type: GraphQLNamedType): type is GraphQLObjectType => isObjectType(type) || isInterfaceType(type);
const typeOf = (field: Field) => getNamedType(field.type) as GraphQLObjectType;
const isOpen = (field: Field) => !field.args.some(isRequiredArgument);

/** Relations on a path that are walked in every order. Each object has a root of its own, so this is every pair of relations. */
const mostInEveryOrder = 2;

/**
 * The paths that go on from a root: all that follow few relations, and beyond them each field that no path has `seen`, by the shortest
 * way that a document may go. A path ends where a type comes back.
 */
function pathsFrom(root: Field, seen: Set<Field>, fits: (path: readonly Field[]) => boolean): (readonly Field[])[] {
  const paths: (readonly Field[])[] = [];
  const waiting: (readonly Field[])[] = [[root]];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const from = path;
    const further = beyond(from).filter((field) => (from.length <= mostInEveryOrder || !seen.has(field)) && fits([...from, field]));
    for (const field of further) seen.add(field);
    if (further.length === 0) paths.push(path);
    waiting.push(...further.map((field) => [...from, field]));
  }
  return paths;
}

function beyond(path: readonly Field[]): Field[] {
  const type = typeOf(path.at(-1) as Field);
  const cameBack = path.slice(0, -1).some((field) => typeOf(field) === type);
  if (cameBack || path.length === deepest - 1) return [];
  return Object.values(type.getFields()).filter((field) => isOpen(field) && isComposite(getNamedType(field.type)));
}

function literalOf(value: unknown): string {
  return JSON.stringify(value).replace(/"(\w+)":/g, '$1:');
}

function argumentsOf(field: Field, seeds: Seeds): string {
  const given = field.args
    .filter((argument) => isRequiredArgument(argument) || argument.name === 'limit')
    .map(({ name, type }) => `${name}: ${name === 'limit' ? limit : literalOf(exampleOf(type, name, seeds))}`);
  return given.length === 0 ? '' : `(${given.join(' ')})`;
}

function selectionOf(path: readonly Field[], seeds: Seeds): string {
  return path.reduceRight((inner, field) => {
    const leaves = Object.values(typeOf(field).getFields()).filter((one) => isOpen(one) && isLeafType(getNamedType(one.type)));
    const names = ['__typename', ...leaves.map(({ name }) => name)].join(' ');
    return `${field.name}${argumentsOf(field, seeds)} { ${names} ${inner} }`;
  }, '');
}

/** Selections side by side, which merge, in as few documents as the limits of documents allow. What each costs is added up. */
function packed(schema: GraphQLSchema, kind: Kind, selections: readonly string[]): string[] {
  const documents: string[][] = [];
  let nodes = 0;
  let tokens = 0;
  for (const selection of selections) {
    const more = nodesOf(schema, kind, selection);
    const text = tokensOf(selection);
    const together = documents.at(-1);
    if (together === undefined || together.length === mostTogether || nodes + more > mostNodes || tokens + text > mostTokens) {
      documents.push([selection]);
      nodes = more;
      tokens = text;
    } else {
      together.push(selection);
      nodes += more;
      tokens += text;
    }
  }
  return documents.map((together) => `${kind} { ${together.join(' ')} }`);
}

function nodesOf(schema: GraphQLSchema, kind: Kind, selection: string): number {
  const alone = parse(`${kind} { ${selection} }`);
  return countNodes(schema, alone, alone.definitions[0] as OperationDefinitionNode);
}

const tokensOf = (text: string) => text.match(/"[^"]*"|[\w-]+|[^\s\w]/g)?.length ?? 0;

/** The walks from every field of Query, or of Mutation, whose required arguments are filled from `seeds`. */
export function walksOf(schema: GraphQLSchema, kind: Kind, seeds: Seeds): Walk[] {
  const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
  const seen = new Set<Field>();
  return Object.values(root?.getFields() ?? {})
    .filter((field) => isComposite(getNamedType(field.type)))
    .flatMap((field) => {
      const fits = (path: readonly Field[]) => nodesOf(schema, kind, selectionOf(path, seeds)) <= mostNodes;
      const selections = pathsFrom(field, seen, fits).map((path) => selectionOf(path, seeds));
      return packed(schema, kind, selections).map((document) => ({ root: field.name, document }));
    });
}
