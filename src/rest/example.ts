// Examples for the API document. A face may give its own in `extensions: { example }` of an input type or field (in wire
// terms); the others follow from the scalars. An example of an input has its required members, those with an example of their own, and
// those that say `extensions: { shown: true }`; none with the example null. It is shown only if the walk itself accepts it.
import {
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isRequiredInputField,
} from 'graphql';
import type { JsonSchema } from '../platform/schema/scalar.js';
import { boundsOf } from '../platform/schema/validation.js';
import { snakeCase } from '../platform/snake-case.js';
import { inputReader } from './input.js';
import { Issues } from './issue.js';

const builtIn: Readonly<Record<string, unknown>> = { Int: 1, Float: 1.5, Boolean: true };

/** An example of a scalar or enum; text without one is the member's name. */
export function exampleOfLeaf(type: GraphQLLeafType, name: string): unknown {
  if (isEnumType(type)) return type.getValues()[0]?.name;
  const {
    examples,
    enum: words,
    minimum,
  } = (type.extensions['jsonSchema'] ?? {}) as JsonSchema & { examples?: unknown[]; enum?: unknown[] };
  return builtIn[type.name] ?? examples?.[0] ?? words?.[0] ?? minimum ?? name.replaceAll('_', ' ');
}

/** An example body of an input type in wire terms; undefined when none is known that the walk accepts. */
export function exampleOfInput(type: GraphQLInputObjectType): Record<string, unknown> | undefined {
  const example = (type.extensions['example'] ?? membersOf(type, [])) as Record<string, unknown>;
  const issues = new Issues();
  inputReader(type)(example, issues);
  return issues.found.length === 0 ? example : undefined;
}

function membersOf(type: GraphQLInputObjectType, outer: readonly GraphQLInputObjectType[]): unknown {
  if (type.extensions['example'] !== undefined) return type.extensions['example'];
  const members = Object.values(type.getFields()).flatMap((field): [string, unknown][] => {
    const { example, shown } = field.extensions as { example?: unknown; shown?: boolean };
    const isShown = shown === true || (example === undefined ? isRequiredInputField(field) : example !== null);
    return isShown ? [[snakeCase(field.name), exampleOfField(field, [...outer, type])]] : [];
  });
  return Object.fromEntries(members);
}

function exampleOfField(field: GraphQLInputField, outer: readonly GraphQLInputObjectType[]): unknown {
  const given = field.extensions['example'];
  if (given !== undefined) return given;
  const example = (type: GraphQLInputType): unknown => {
    const nullable = getNullableType(type);
    if (isListType(nullable)) return [example(nullable.ofType)];
    if (isInputObjectType(nullable)) return outer.includes(nullable) ? {} : membersOf(nullable, outer);
    return exampleOfLeaf(nullable, snakeCase(field.name));
  };
  const made = example(field.type);
  return isWithin(field, made) ? made : (limitsOf(field).find((limit) => isWithin(field, limit)) ?? made);
}

function isWithin(field: GraphQLInputField, value: unknown): boolean {
  return boundsOf(field).every((bound) => {
    const result = bound['~standard'].validate(value);
    return !(result instanceof Promise) && result.issues === undefined;
  });
}

/** Numbers at the edge of a field's bounds. */
function limitsOf(field: GraphQLInputField): unknown[] {
  return boundsOf(field).flatMap((bound) => {
    const { minValue, maxValue } = bound as { minValue?: number | null; maxValue?: number | null };
    return [minValue, maxValue].filter((limit) => typeof limit === 'number');
  });
}
