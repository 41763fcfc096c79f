// Prints the operations of the routes that stand on root fields (platform/schema/route.ts): the whole of what a field answers, by
// arguments as the wire spells them. What is no plain projection is written by hand, into a rest.graphql.
import {
  astFromValue,
  type DefinitionNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  print,
} from 'graphql';
import type { Ctx } from '../platform/ctx.js';
import type { FieldRoute, RouteContext } from '../platform/schema/route.js';
import { snakeCase } from '../platform/snake-case.js';
import { type Answer, Answers } from './answer.js';

/** A definition, and the field or type that it was printed from. */
export interface Printed {
  file: string;
  text: string;
  /** That of an operation. */
  context?: RouteContext;
}

interface Routed {
  kind: 'query' | 'mutation';
  field: GraphQLField<unknown, Ctx>;
  route: FieldRoute;
  isPage: boolean;
  answer: Answer;
}

/**
 * The operations of all routes by context, after the fragments that they and hand-written documents need. Throws with the name of the field.
 */
export function printOperations(schema: GraphQLSchema, written: readonly DefinitionNode[] = []): Printed[] {
  const contextOf = ({ route }: Routed) => route.context.name;
  const routed = routedFields(schema).sort((a, b) => contextOf(a).localeCompare(contextOf(b)));
  const answers = new Answers(
    schema,
    routed.map(({ answer }) => answer),
    written,
  );
  return [
    ...answers.fragments().map(({ name, text }) => ({ file: name, text })),
    ...routed.map((one) => ({ file: one.answer.place, text: operationOf(one, answers), context: one.route.context })),
  ];
}

function routedFields(schema: GraphQLSchema): Routed[] {
  const kinds = new Map([
    [schema.getQueryType()?.name, 'query'],
    [schema.getMutationType()?.name, 'mutation'],
  ] as const);
  return Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((parent) => Object.values(parent.getFields()).flatMap((field) => routedField(parent, field, kinds.get(parent.name))));
}

function routedField({ name }: GraphQLObjectType, field: GraphQLField<unknown, Ctx>, kind: Routed['kind'] | undefined): Routed[] {
  const { route } = (field.extensions['pothosOptions'] ?? {}) as { route?: FieldRoute };
  if (route === undefined) return [];
  const place = `${name}.${field.name}`;
  if (kind === undefined) throw new Error(`${place} has a route: only fields of Query and Mutation have one`);
  const type = getNamedType(field.type);
  const isPage = isObjectType(type) && ['nodes', 'pagination'].every((member) => type.getFields()[member] !== undefined);
  return [
    { kind, field, route, isPage, answer: { type, place, body: route.body ?? (isPage ? 'nodes' : undefined), also: route.also ?? [] } },
  ];
}

function operationOf(routed: Routed, answers: Answers): string {
  const { kind, field, route, answer } = routed;
  const [method, path = ''] = route.at.split(' ');
  const given = argumentsOf(routed);
  const variables = given.map(({ argument, wire }) => `$${wire}: ${typeOf(argument, path.includes(`{${wire}}`))}`);
  const fed = given.map(({ argument, wire }) => `${argument.name}: $${wire}`);
  const directive = [
    `method: ${method}`,
    `path: ${JSON.stringify(path)}`,
    ...(route.status === undefined ? [] : [`status: ${route.status}`]),
    ...(route.when === undefined ? [] : [`when: ${route.when}`]),
    ...(route.accepted === undefined ? [] : [`accepted: ${route.accepted}`]),
    ...(route.existing === undefined ? [] : [`existing: ${route.existing}`]),
  ];
  const summary = route.summary ?? field.description;
  return [
    summary ? JSON.stringify(summary) : '',
    `${kind} ${nameOf(routed)}${parenthesized(variables)} @route(${directive.join(', ')})`,
    `{ ${answer.body === undefined ? 'data' : 'body'}: ${field.name}${parenthesized(fed)} ${answers.selection(answer)} }`,
  ].join('\n');
}

const parenthesized = (parts: readonly string[]) => (parts.length === 0 ? '' : `(${parts.join(', ')})`);

/** `listTasks` for `tasks`, `getTask` for `task`; a mutation is called as its field. */
function nameOf({ kind, field, route, isPage }: Routed): string {
  if (route.name !== undefined || kind === 'mutation') return route.name ?? field.name;
  const verb = isPage || isListType(getNullableType(field.type)) ? 'list' : 'get';
  return `${verb}${field.name[0]?.toUpperCase()}${field.name.slice(1)}`;
}

/** The arguments of every list come last, in this order. */
const pageArguments = ['since', 'until', 'page', 'limit', 'after'];

function argumentsOf({ field, route: { names = {} }, isPage, answer }: Routed): { argument: GraphQLArgument; wire: string }[] {
  const unknown = Object.keys(names).find((name) => !field.args.some((argument) => argument.name === name));
  if (unknown !== undefined) throw new Error(`${answer.place} has no argument ${unknown}`);
  const rank = ({ name }: GraphQLArgument) => (isPage ? pageArguments.indexOf(name) : -1);
  return [...field.args]
    .sort((a, b) => rank(a) - rank(b))
    .map((argument) => {
      const usual = isPage && argument.name === 'after' ? 'starting_after' : snakeCase(argument.name);
      return { argument, wire: names[argument.name] ?? usual };
    });
}

/** What stands in the path is never null. */
function typeOf({ type, defaultValue }: GraphQLArgument, isInPath: boolean): string {
  if (isInPath) return `${getNullableType(type)}!`;
  const value = defaultValue === undefined ? undefined : astFromValue(defaultValue, type);
  return value ? `${type} = ${print(value)}` : String(type);
}
