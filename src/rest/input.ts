// Reads a JSON body: one walk over the input type that renames members to field names, checks values and bounds, and collects what is wrong
// with wire paths. Unknown members are refused, for a misspelt limit that is dropped would grant authority.
import {
  coerceInputValue,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql';
import { quotedName, unknownMessage } from '../platform/misspelt-name.js';
import { boundsOf } from '../platform/schema/validation.js';
import { snakeCase } from '../platform/snake-case.js';
import { below, type Issues, type Place } from './issue.js';
import { leafParser, leafRule, messageOf } from './leaf.js';

/**
 * Reads `value` (parsed JSON) as an input type: the same value with its members renamed to field names, which the executors
 * then coerce. A null is kept: it means "clear". Nothing it returns may be used when `issues` has found anything.
 */
export type ReadInput = (value: unknown, issues: Issues, place?: Place) => unknown;

/** Deepest nesting of input objects and lists; free-form JSON has its own limit. */
const maxDepth = 32;

/** Compiles the walk over an input type. */
export function inputReader(type: GraphQLInputType): ReadInput {
  const objects = new Map<GraphQLInputObjectType, ReadInput>();

  const readerOf = (inputType: GraphQLInputType, bounds: ReturnType<typeof boundsOf>): ReadInput => {
    const nullable = getNullableType(inputType);
    const read =
      isListType(nullable) || isInputObjectType(nullable) ? bounded(compositeOf(nullable), nullable, bounds) : leafReader(nullable, bounds);
    if (!isNonNullType(inputType)) return (value, issues, place) => (value === null ? null : read(value, issues, place));
    return (value, issues, place) => (value === null ? issues.add(place, 'must not be null', 'required') : read(value, issues, place));
  };

  const compositeOf = (nullable: GraphQLInputType): ReadInput => {
    if (isListType(nullable)) return listReader(readerOf(nullable.ofType, []));
    const object = nullable as GraphQLInputObjectType;
    const known = objects.get(object);
    if (known !== undefined) return known;
    // A type may contain itself: while its members are compiled, it is reached through the map.
    objects.set(object, (value, issues, place) => (objects.get(object) as ReadInput)(value, issues, place));
    const members = Object.values(object.getFields()).map((field) => memberOf(field, readerOf(field.type, boundsOf(field))));
    const reader = bounded(objectReader(members), object, boundsOf(object));
    objects.set(object, reader);
    return reader;
  };

  return readerOf(type, []);
}

function leafReader(type: Parameters<typeof leafParser>[0], bounds: ReturnType<typeof boundsOf>): ReadInput {
  const parse = leafParser(type);
  return (value, issues, place) => {
    let parsed: unknown;
    try {
      parsed = parse(value);
    } catch (error) {
      issues.add(place, messageOf(error), leafRule(type));
      return undefined;
    }
    if (bounds.length > 0) issues.check(bounds, parsed, place);
    return value;
  };
}

/** Bounds of a list or object see the values that the resolver will see. */
function bounded(read: ReadInput, type: GraphQLInputType, bounds: ReturnType<typeof boundsOf>): ReadInput {
  if (bounds.length === 0) return read;
  return (value, issues, place) => {
    const before = issues.found.length;
    const input = read(value, issues, place);
    if (issues.found.length === before) issues.check(bounds, coerceInputValue(input, type), place);
    return input;
  };
}

function listReader(readItem: ReadInput): ReadInput {
  return (value, issues, place) => {
    if (!Array.isArray(value)) return issues.add(place, 'must be a list', 'type');
    if (place !== undefined && place.depth > maxDepth) return issues.add(place, 'is nested too deeply', 'depth');
    const items: unknown[] = [];
    for (let index = 0; index < value.length && !issues.full; index++) items.push(readItem(value[index], issues, below(place, index)));
    return items;
  };
}

interface Member {
  wire: string;
  name: string;
  required: boolean;
  read: ReadInput;
}

function memberOf(field: GraphQLInputField, read: ReadInput): Member {
  return { wire: snakeCase(field.name), name: field.name, required: isRequiredInputField(field), read };
}

// Gap G-06: Unknown members and parameters are 400 `validation_failed` with a suggestion, in the body and in the query.
function objectReader(members: readonly Member[]): ReadInput {
  const byWire = new Map(members.map((member) => [member.wire, member]));
  const required = members.filter((member) => member.required);
  return (value, issues, place) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return issues.add(place, 'must be an object', 'type');
    if (place !== undefined && place.depth > maxDepth) return issues.add(place, 'is nested too deeply', 'depth');
    // Only names of the schema are ever assigned, so a hostile member name cannot reach a prototype.
    const input: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      if (issues.full) break;
      const member = byWire.get(key);
      if (member === undefined) issues.add(below(place, quotedName(key)), unknownMessage(key, byWire.keys(), 'member'), 'unknown');
      else input[member.name] = member.read((value as Record<string, unknown>)[key], issues, below(place, key));
    }
    for (const { wire } of required) if (!Object.hasOwn(value, wire)) issues.add(below(place, wire), 'is required', 'required');
    return input;
  };
}
