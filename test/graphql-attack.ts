// Every argument of every root field, attacked through variables and through literals.
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { snakeCase } from '../src/platform/snake-case.js';
import { exampleOfLeaf } from '../src/rest/example.js';
import { schema } from '../src/schema.js';
import { jsonValues } from './hostile.js';
import type { Seeds } from './operation.js';

export interface RootField {
  kind: 'query' | 'mutation';
  name: string;
  definition: GraphQLField<unknown, unknown>;
}

/** The fields of Query and Mutation. */
export function fieldsOf(): RootField[] {
  return (['query', 'mutation'] as const).flatMap((kind) => {
    const type = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
    return Object.entries(type?.getFields() ?? {}).map(([name, definition]) => ({ kind, name, definition }));
  });
}

const literals: Readonly<Record<string, string>> = {
  null: 'null',
  true: 'true',
  negative: '-1',
  infinite: '1e400',
  'beyond 64 bits': '123456789012345678901234567890',
  'empty text': '""',
  NUL: '"a\\u0000b"',
  'lone surrogate': '"\\ud800"',
  'brace escape': '"\\u{110000}"',
  'block text': '"""a\n"quoted"\n\\""" b"""',
  'long text': JSON.stringify('x'.repeat(20_000)),
  'all digits': '"999999999999999999.99999999"',
  'a word': 'NO_SUCH_WORD',
  __proto__: '{__proto__: {polluted: true}}',
  constructor: '{constructor: {prototype: {polluted: true}}}',
  'same member twice': '{a: 1, a: 2}',
  'empty object': '{}',
  'empty list': '[]',
  'list of null': '[null]',
  'deep lists': `${'['.repeat(900)}${']'.repeat(900)}`,
  'deeper lists': `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
  'deep objects': `${'{a:'.repeat(450)}1${'}'.repeat(450)}`,
  'undefined variable': '$nothing',
};

/** A value that the type takes, in JSON terms. */
export function exampleOf(type: GraphQLInputType, name: string, seeds: Seeds): unknown {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return [exampleOf(nullable.ofType, name, seeds)];
  if (isInputObjectType(nullable)) {
    const required = Object.values(nullable.getFields()).filter(isRequiredInputField);
    return Object.fromEntries(required.map((field) => [field.name, exampleOf(field.type, field.name, seeds)]));
  }
  const noun = /^(\w+?)(Uu)?[Ii]d$/.exec(nullable.name)?.[1];
  const seed = noun === undefined ? undefined : (seeds[snakeCase(noun.charAt(0).toLowerCase() + noun.slice(1))] ?? seeds['account']);
  // A rail is named, and has no id; nor has an address of a chain. The id of a skill is text.
  const named = ['rail', 'address', 'skill_id', 'leaf'].includes(snakeCase(name)) ? seeds[snakeCase(name).replace(/_id$/, '')] : undefined;
  // A tree of one leaf is the beginning of every other one.
  const size = nullable.name === 'Cents' && name === 'from' ? 1 : undefined;
  return seed ?? named ?? size ?? exampleOfLeaf(nullable, snakeCase(name));
}

/** Places below an argument: the argument itself and every member of its input types. */
function placesOf(type: GraphQLInputType, at: readonly string[] = []): (readonly string[])[] {
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return [at];
  return [at, ...Object.values(named.getFields()).flatMap((field) => (at.length > 3 ? [] : placesOf(field.type, [...at, field.name])))];
}

function withValue(type: GraphQLInputType, valid: unknown, at: readonly string[], value: unknown, seeds: Seeds): unknown {
  const [step, ...rest] = at;
  if (step === undefined) return value;
  const nullable = getNullableType(type);
  if (isListType(nullable)) return [withValue(nullable.ofType, [valid].flat()[0], at, value, seeds)];
  const field = isInputObjectType(nullable) ? nullable.getFields()[step] : undefined;
  if (field === undefined) throw new Error(`${String(type)} has no ${step}`);
  const members = (valid ?? exampleOf(nullable, step, seeds)) as Record<string, unknown>;
  return { ...members, [step]: withValue(field.type, members[step], rest, value, seeds) };
}

/** JSON as a literal of GraphQL. Enum values, which JSON has as texts, are written bare where the type says so. */
function literalOf(type: GraphQLInputType, value: unknown): string {
  if (value === null || value === hole) return value === null ? 'null' : hole;
  const nullable = isNonNullType(type) ? getNullableType(type) : type;
  if (isListType(nullable))
    return `[${[value]
      .flat()
      .map((item) => literalOf(nullable.ofType, item))
      .join(' ')}]`;
  if (isInputObjectType(nullable)) {
    const fields: Record<string, GraphQLInputField> = nullable.getFields();
    const members = Object.entries(value as object).map(
      ([name, member]) => `${name}: ${literalOf((fields[name] as GraphQLInputField).type, member)}`,
    );
    return `{${members.join(' ')}}`;
  }
  if (isLeafType(nullable) && 'getValues' in nullable) return String(value);
  return JSON.stringify(value).replace(/"(\w+)":/g, '$1:');
}

const hole = '<here>';

/** Every third value at each place, another third at the next: whatever reads one place of a type reads them all. */
function thirdOf(values: Readonly<Record<string, string>>, turn: number): [string, string][] {
  return Object.entries(values).filter((_, at) => (at + turn) % 3 === 0);
}

/** The requests of one field. */
export function* graphqlCases({ kind, name, definition }: RootField, seeds: Seeds): Generator<{ attack: string; body: string }> {
  const selection = isLeafType(getNamedType(definition.type)) ? '' : ' { __typename }';
  const { args } = definition;
  const needed = (target: GraphQLArgument) => args.filter((argument) => argument === target || isRequiredArgument(argument));
  for (const target of args) {
    const used = needed(target);
    const values = (at: readonly string[]) =>
      used.map((argument): [GraphQLArgument, unknown] => {
        const valid = exampleOf(argument.type, argument.name, seeds);
        return [argument, argument === target ? withValue(argument.type, valid, at, hole, seeds) : valid];
      });
    const defined = used.map((argument) => `$${argument.name}: ${String(argument.type)}`).join(' ');
    const passed = used.map((argument) => `${argument.name}: $${argument.name}`).join(' ');
    for (const [turn, at] of placesOf(target.type).entries()) {
      const place = [target.name, ...at].join('.');
      const variables = JSON.stringify(Object.fromEntries(values(at).map(([argument, value]) => [argument.name, value])));
      const query = JSON.stringify(`${kind} (${defined}) { ${name}(${passed})${selection} }`);
      for (const [what, value] of thirdOf(jsonValues, turn)) {
        yield { attack: `$${place}: ${what}`, body: `{"query":${query},"variables":${variables.replace(JSON.stringify(hole), value)}}` };
      }
      const written = values(at)
        .map(([argument, value]) => `${argument.name}: ${literalOf(argument.type, value)}`)
        .join(' ');
      for (const [what, literal] of thirdOf(literals, turn + 1)) {
        yield {
          attack: `${place}: ${what}`,
          body: JSON.stringify({ query: `${kind} { ${name}(${written.replace(hole, literal)})${selection} }` }),
        };
      }
    }
  }
}
