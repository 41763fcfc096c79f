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

/** The paths that go on from one until a type comes back, which is the last on its path. */
function pathsFrom(path: readonly Field[]): (readonly Field[])[] {
  const type = typeOf(path.at(-1) as Field);
  const cameBack = path.slice(0, -1).some((field) => typeOf(field) === type);
  if (cameBack || path.length === deepest - 1) return [path];
  const further = Object.values(type.getFields()).filter((field) => isOpen(field) && isComposite(getNamedType(field.type)));
  return further.length === 0 ? [path] : further.flatMap((field) => pathsFrom([...path, field]));
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
    const alone = parse(`${kind} { ${selection} }`);
    const more = countNodes(schema, alone, alone.definitions[0] as OperationDefinitionNode);
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

const tokensOf = (text: string) => text.match(/"[^"]*"|[\w-]+|[^\s\w]/g)?.length ?? 0;

/** The walks from every field of Query, or of Mutation, whose required arguments are filled from `seeds`. */
export function walksOf(schema: GraphQLSchema, kind: Kind, seeds: Seeds): Walk[] {
  const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
  return Object.values(root?.getFields() ?? {})
    .filter((field) => isComposite(getNamedType(field.type)))
    .flatMap((field) => {
      const selections = pathsFrom([field]).map((path) => selectionOf(path, seeds));
      return packed(schema, kind, selections).map((document) => ({ root: field.name, document }));
    });
}
