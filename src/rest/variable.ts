// Variables of an operation that do not come from the body: path, query and headers, spelled as on the wire and converted strictly by their
// type.
import { isDeepStrictEqual } from 'node:util';
import {
  coerceInputValue,
  type GraphQLArgument,
  GraphQLError,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputType,
  isLeafType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
} from 'graphql';
import { NotFound } from '../platform/errors.js';
import { quotedName, unknownMessage } from '../platform/misspelt-name.js';
import { boundsOf } from '../platform/schema/validation.js';
import { inputReader, type ReadInput } from './input.js';
import { below, Issues } from './issue.js';
import { leafParser, leafRule, messageOf, textReader } from './leaf.js';

/** Where a variable of an operation comes from. */
export interface RouteVariable {
  name: string;
  /** Its name on the wire: that of the variable, or of its header. */
  wire: string;
  source: 'path' | 'query' | 'header' | 'body';
  type: GraphQLInputType;
  required: boolean;
  /** In JSON, as the document says. */
  defaultValue?: unknown;
  /** The argument of the root field that it feeds: its description and bounds are the variable's. */
  argument?: GraphQLArgument;
}

/** The variables of an operation. Throws a GraphQLError on what the executors or the wire cannot hold. */
export function variablesOf(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  path: string,
  root: GraphQLField<unknown, unknown>,
  headers: ReadonlyMap<VariableDefinitionNode, string>,
): RouteVariable[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  const definitions = operation.variableDefinitions ?? [];
  for (const name of inPath) {
    if (!definitions.some((definition) => definition.variable.name.value === name)) {
      throw new GraphQLError(`{${name}} of ${path} is no variable of the operation.`, { nodes: operation });
    }
  }
  return definitions.map((definition) => {
    const name = definition.variable.name.value;
    const fault = (message: string) => new GraphQLError(`$${name}: ${message}`, { nodes: definition });
    const type = typeFromAST(schema, definition.type);
    if (!isInputType(type)) throw fault('is of no input type.');
    const header = headers.get(definition);
    const source = header !== undefined ? 'header' : inPath.includes(name) ? 'path' : name === 'input' ? 'body' : 'query';
    if (source !== 'body') refuseComposite(type, source, fault);
    const argument = argumentFedBy(operation, root, name);
    return {
      name,
      wire: header ?? name,
      source,
      type,
      required: isNonNullType(type),
      ...(definition.defaultValue === undefined ? {} : { defaultValue: defaultOf(definition, type, fault) }),
      ...(argument === undefined ? {} : { argument }),
    };
  });
}

function refuseComposite(type: GraphQLInputType, source: string, fault: (message: string) => GraphQLError): void {
  const nullable = getNullableType(type);
  const one = isListType(nullable) && source === 'query' ? getNullableType(nullable.ofType) : nullable;
  if (!isLeafType(one)) throw fault(`a ${source} variable is a scalar or an enum. The body is $input.`);
  if (source === 'path' && !isNonNullType(type)) throw fault('a path variable is never null.');
  try {
    textReader(one);
    leafParser(one);
  } catch (error) {
    throw fault(`${messageOf(error)}.`);
  }
}

/** graphql-jit refuses an omitted `$page: Page! = 1`, and prints defaults as JSON, which a Date does not survive. */
function defaultOf(definition: VariableDefinitionNode, type: GraphQLInputType, fault: (message: string) => GraphQLError): unknown {
  if (isNonNullType(type)) throw fault('write an optional variable as nullable with a default.');
  const { defaultValue } = definition;
  const value: unknown = defaultValue && valueFromAST(defaultValue, type);
  if (!isDeepStrictEqual(JSON.parse(JSON.stringify(value)), value)) throw fault('this default does not survive as JSON.');
  return value;
}

function argumentFedBy(
  operation: OperationDefinitionNode,
  root: GraphQLField<unknown, unknown>,
  name: string,
): GraphQLArgument | undefined {
  const [selected] = operation.selectionSet.selections;
  if (selected?.kind !== Kind.FIELD) return undefined;
  const fed = selected.arguments?.find(({ value }) => value.kind === Kind.VARIABLE && value.name.value === name);
  return root.args.find((argument) => argument.name === fed?.name.value);
}

/** A request as the router and the body reader leave it. `query` holds a list where a parameter was repeated. */
export interface RequestInput {
  params: Readonly<Record<string, string | undefined>>;
  query: Readonly<Record<string, string | readonly string[] | undefined>>;
  header: (name: string) => string;
  body: unknown;
}

// Gap G-08: A malformed id is 404 in a path and 400 anywhere else.
/**
 * Compiles the reading of all variables of a route. `flags` are the query flags of its path. The result is in JSON terms with
 * field names, ready for an executor; 404 on a path variable that cannot be one, else 400 with every issue.
 */
export function variableReader(
  variables: readonly RouteVariable[],
  flags: readonly string[],
): (request: RequestInput) => Record<string, unknown> {
  const inPath = variables.filter(({ source }) => source === 'path').map(readerOf);
  const inHeader = variables.filter(({ source }) => source === 'header').map(readerOf);
  const inQuery = new Map(variables.filter(({ source }) => source === 'query').map((variable) => [variable.wire, readerOf(variable)]));
  const required = [...inQuery.values()].filter((reader) => reader.required);
  const queryNames = [...inQuery.keys(), ...flags];
  const input = variables.find(({ source }) => source === 'body');
  const readBody = input === undefined ? refuseBody : inputReader(input.type);

  return ({ params, query, header, body }) => {
    const values: Record<string, unknown> = {};
    for (const { name, wire, read } of inPath) {
      const issues = new Issues();
      const text = params[wire];
      if (text === undefined || text === '') throw new NotFound();
      values[name] = read(text, issues);
      if (issues.found.length > 0) throw new NotFound();
    }
    const issues = new Issues();
    for (const key of Object.keys(query)) {
      const reader = inQuery.get(key);
      if (reader !== undefined) values[reader.name] = reader.read(query[key], issues);
      else if (!flags.includes(key))
        issues.add(below(undefined, quotedName(key)), unknownMessage(key, queryNames, 'query parameter'), 'unknown');
      else if (query[key] !== 'true' && query[key] !== 'false') issues.add(below(undefined, key), 'must be true or false', 'type');
    }
    for (const { wire } of required) if (query[wire] === undefined) issues.add(below(undefined, wire), 'is required', 'required');
    for (const { name, wire, required: needed, read } of inHeader) {
      const text = header(wire);
      if (text !== '') values[name] = read(text, issues);
      else if (needed) issues.add(below(undefined, wire), 'is required', 'required');
    }
    const read = readBody(body, issues);
    if (input !== undefined) values[input.name] = read;
    issues.throwIfAny();
    return values;
  };
}

/** An operation without `$input` takes no body: members that nobody reads are refused like misspelt ones. */
const refuseBody: ReadInput = (body, issues) => {
  for (const key of Object.keys(body as object)) issues.add(below(undefined, quotedName(key)), 'this request takes no body', 'unknown');
};

interface TextReader {
  name: string;
  wire: string;
  required: boolean;
  read: (text: unknown, issues: Issues) => unknown;
}

function readerOf({ name, wire, type, required, argument }: RouteVariable): TextReader {
  const nullable = getNullableType(type);
  const list = isListType(nullable);
  const leaf = getNamedType(type);
  if (!isLeafType(leaf)) throw new Error(`$${name} is no scalar`);
  const fromText = textReader(leaf);
  const parse = leafParser(leaf);
  const bounds = argument === undefined ? [] : boundsOf(argument);
  const place = below(undefined, wire);
  const readOne = (text: string) => {
    const value = fromText(text);
    parse(value);
    return value;
  };
  const read: TextReader['read'] = (text, issues) => {
    let value: unknown;
    try {
      if (Array.isArray(text) && !list) throw new Error('is given more than once');
      value = list ? [text].flat().map((item) => readOne(item as string)) : readOne(text as string);
    } catch (error) {
      issues.add(place, messageOf(error), leafRule(leaf));
      return undefined;
    }
    if (bounds.length > 0) issues.check(bounds, coerceInputValue(value, type), place);
    return value;
  };
  return { name, wire, required, read };
}
