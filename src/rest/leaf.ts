// Scalars and enums as REST reads them: strictly, with one sentence for people when the value is refused.
import { type GraphQLLeafType, isEnumType } from 'graphql';
import { type JsonSchema, parseText, refuse } from '../platform/schema/scalar.js';

/** Turns a JSON value into the value that a resolver gets; throws an Error whose message says what is wrong. */
export type ParseLeaf = (value: unknown) => unknown;

const builtIn: Readonly<Record<string, ParseLeaf>> = {
  Int: (value) => {
    if (!Number.isInteger(value)) return refuse('must be a whole number');
    return Math.abs(value as number) <= 2_147_483_647 ? value : refuse('must be a whole number between -2147483647 and 2147483647');
  },
  Float: (value) => (Number.isFinite(value) ? value : refuse('must be a number')),
  Boolean: (value) => (typeof value === 'boolean' ? value : refuse('must be true or false')),
  String: parseText,
};

/** The parser of a scalar or enum. Throws at boot for `ID`, which takes numbers: the schema has id scalars. */
export function leafParser(type: GraphQLLeafType): ParseLeaf {
  if (isEnumType(type)) {
    const byName = new Map(type.getValues().map((value): [unknown, unknown] => [value.name, value.value]));
    const message = `must be one of ${[...byName.keys()].join(', ')}`;
    return (value) => (byName.has(value) ? byName.get(value) : refuse(message));
  }
  if (type.name === 'ID') throw new Error('ID accepts numbers: use an id scalar of platform/scalar');
  return builtIn[type.name] ?? ((value) => type.parseValue(value));
}

const builtInKinds: Readonly<Record<string, string>> = { Int: 'integer', Float: 'number', Boolean: 'boolean', String: 'string' };

/** JSON type of a leaf: what its JSON Schema says. */
function jsonType(type: GraphQLLeafType): unknown {
  if (isEnumType(type)) return 'string';
  return builtInKinds[type.name] ?? (type.extensions['jsonSchema'] as JsonSchema | undefined)?.['type'];
}

/**
 * The JSON value that a text in a path, query or header stands for: no `1` for true, no `1e3`, no white space.
 * Throws at boot for a type that has no form as text.
 */
export function textReader(type: GraphQLLeafType): (text: string) => unknown {
  switch (jsonType(type)) {
    case 'integer':
      return (text) => (/^-?(0|[1-9]\d{0,15})$/.test(text) ? Number(text) : refuse('must be a whole number'));
    case 'number':
      return (text) => (/^-?(0|[1-9]\d{0,15})(\.\d{1,15})?$/.test(text) ? Number(text) : refuse('must be a number'));
    case 'boolean':
      return (text) => (text === 'true' || text === 'false' ? text === 'true' : refuse('must be true or false'));
    case 'string':
      return (text) => text;
    default:
      throw new Error(`${type.name} has no form as text in a path, query or header`);
  }
}

/** The rule that a refused value broke. */
export const leafRule = (type: GraphQLLeafType): string => (isEnumType(type) ? 'enum' : 'type');

/** The sentence of what a parser threw. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
