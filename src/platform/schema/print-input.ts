// Prints inputs as requests say them: the reverse of reading a body (rest/input.ts), by the same types, so that no member is missed.
import { type GraphQLInputType, type GraphQLSchema, getNullableType, isInputObjectType, isListType } from 'graphql';
import { snakeCase } from '../snake-case.js';

/** Prints an input of the GraphQL type of that name, as its rule has it: the body of the request. What is absent or null is left out. */
export type PrintInput = (type: string, input: object) => Record<string, unknown>;

/** The printer of the inputs of a schema. */
export function inputPrinter(schema: GraphQLSchema): PrintInput {
  return (name, input) => {
    const type = schema.getType(name);
    if (!isInputObjectType(type)) throw new Error(`${name} is no input of the schema`);
    return print(type, input) as Record<string, unknown>;
  };
}

function print(type: GraphQLInputType, value: unknown): unknown {
  const inner = getNullableType(type);
  if (isListType(inner)) return (value as readonly unknown[]).map((item) => print(inner.ofType, item));
  if (!isInputObjectType(inner)) return inner.serialize(value);
  const members = Object.values(inner.getFields()).flatMap((field) => {
    const given = (value as Readonly<Record<string, unknown>>)[field.name];
    return given == null ? [] : [[snakeCase(field.name), print(field.type, given)] as const];
  });
  return Object.fromEntries(members);
}
