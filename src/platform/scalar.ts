// The scalars of the schema. Each says its JSON Schema, so that OpenAPI follows from it. `24h`, `usdc-base` and
// `transfer.completed` are no GraphQL names, so closed lists with such words are string scalars.
import { GraphQLError, Kind, type ValueNode } from 'graphql';
import { type IdKind, idPrefixes, parseId, printId } from './ids.js';
import { amountPattern, currencies } from './money.js';

/** JSON Schema of a scalar, kept in `extensions.jsonSchema`. */
export type JsonSchema = Record<string, unknown>;

export interface ScalarShape<In, Out> {
  description: string;
  serialize: (value: Out) => unknown;
  parseValue: (value: unknown) => In;
  extensions: { jsonSchema: JsonSchema; idKind?: IdKind };
}

/** A value that the scalar does not take. */
export function refuse(message: string): never {
  throw new GraphQLError(message);
}

/** Deepest nesting of a free-form JSON member (Gap G-14). */
export const maxJsonDepth = 16;

function isCleanText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** Refuses what PostgreSQL cannot keep (NUL, lone surrogates) and what would exhaust a stack. */
export function checkJson(value: unknown, depth = 0): void {
  if (typeof value === 'string') {
    if (!isCleanText(value)) refuse('has a NUL character or a lone surrogate');
    return;
  }
  if (typeof value === 'number' && !Number.isFinite(value)) refuse('has a number that JSON cannot hold');
  if (typeof value !== 'object' || value === null) return;
  if (depth >= maxJsonDepth) refuse(`is nested deeper than ${maxJsonDepth} levels`);
  for (const [key, member] of Object.entries(value)) {
    if (!isCleanText(key)) refuse('has a member name with a NUL character or a lone surrogate');
    checkJson(member, depth + 1);
  }
}

/** The plain value of a literal in a GraphQL document. */
export function literalValue(node: ValueNode): unknown {
  switch (node.kind) {
    case Kind.STRING:
    case Kind.BOOLEAN:
    case Kind.ENUM:
      return node.value;
    case Kind.INT:
    case Kind.FLOAT:
      return Number(node.value);
    case Kind.LIST:
      return node.values.map(literalValue);
    case Kind.OBJECT: {
      const entries = node.fields.map((field): [string, unknown] => [field.name.value, literalValue(field.value)]);
      return Object.fromEntries(entries);
    }
    default:
      return null;
  }
}

/** An id scalar: takes both forms, prints the one the spec's table shows for that field. */
export function idScalar(kind: IdKind, print: 'bare' | 'prefixed'): ScalarShape<string, string> {
  const prefix = idPrefixes[kind];
  const form = print === 'bare' ? 'a UUID' : `\`${prefix}_\` and a UUID`;
  return {
    description: `Printed as ${form}; accepted with and without the prefix \`${prefix}_\`.`,
    serialize: (id) => (print === 'bare' ? id : printId(kind, id)),
    parseValue: (value) => parseId(kind, value) ?? refuse(`must be a UUID or \`${prefix}_\` and a UUID`),
    extensions: {
      idKind: kind,
      jsonSchema: { type: 'string', examples: [print === 'bare' ? exampleUuid : `${prefix}_${exampleUuid}`] },
    },
  };
}
const exampleUuid = '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d';

/** The id of an account or of an agent, where `owner_type` says which. */
export const ownerId: ScalarShape<string, string> = {
  description: 'An account or an agent: printed as a UUID; accepted with and without its prefix `acc_` or `agt_`.',
  serialize: (id) => id,
  parseValue: (value) =>
    parseId('account', value) ?? parseId('agent', value) ?? refuse('must be a UUID, or one with the prefix `acc_` or `agt_`'),
  extensions: { jsonSchema: { type: 'string', examples: [exampleUuid] } },
};

const dateTimePattern = /^\d{4}-\d{2}-\d{2}([Tt ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:\d{2}))?$/;

/** ISO 8601 date or date-time with an offset, years 1970 to 9999. */
export function parseDateTime(value: unknown): Date {
  if (typeof value !== 'string' || !dateTimePattern.test(value))
    return refuse('must be an ISO 8601 date-time such as 2026-11-21T10:00:00Z');
  const at = new Date(value);
  const ms = at.getTime();
  if (Number.isNaN(ms) || ms < 0 || ms > 253_402_300_799_999) return refuse('is not a date between 1970 and 9999');
  return at;
}

export const dateTime: ScalarShape<Date, Date> = {
  description: 'A point in time, ISO 8601, printed in UTC with milliseconds.',
  serialize: (at) => at.toISOString(),
  parseValue: parseDateTime,
  extensions: { jsonSchema: { type: 'string', format: 'date-time', examples: ['2026-11-21T10:00:00.000Z'] } },
};

export const amount: ScalarShape<string, string> = {
  description: 'An amount of money as a decimal string, at least two digits after the point and at most those of its currency.',
  serialize: (text) => text,
  parseValue: (value) =>
    typeof value === 'string' && amountPattern.test(value) ? value : refuse('must be a decimal string such as "42.00"'),
  extensions: { jsonSchema: { type: 'string', pattern: amountPattern.source, examples: ['42.00'] } },
};

/** Balances of the platform's own accounts; never an input, which has a direction instead of a sign. */
export const signedAmount: ScalarShape<string, string> = {
  description: 'An amount of money that may be below zero, as a decimal string.',
  serialize: (text) => text,
  parseValue: () => refuse('is never an input'),
  extensions: { jsonSchema: { type: 'string', pattern: '^-?\\d{1,20}(\\.\\d{1,8})?$', examples: ['-42.00'] } },
};

export const cents: ScalarShape<number, number> = {
  description: 'A whole number of cents, up to 2^53 - 1 either way.',
  serialize: (value) => value,
  parseValue: (value) => (Number.isSafeInteger(value) ? (value as number) : refuse('must be a whole number')),
  extensions: { jsonSchema: { type: 'integer', examples: [4200] } },
};

export const json: ScalarShape<unknown, unknown> = {
  description: `Free-form JSON, at most ${maxJsonDepth} levels deep.`,
  serialize: (value) => value,
  parseValue: (value) => {
    checkJson(value);
    return value;
  },
  extensions: { jsonSchema: {} },
};

export const jsonObject: ScalarShape<Record<string, unknown>, unknown> = {
  description: `A free-form JSON object, at most ${maxJsonDepth} levels deep.`,
  serialize: (value) => value,
  parseValue: (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse('must be a JSON object');
    checkJson(value);
    return value as Record<string, unknown>;
  },
  extensions: { jsonSchema: { type: 'object', additionalProperties: true, examples: [{}] } },
};

/** A string from a closed list whose words need not be GraphQL names. */
export function wordScalar<W extends string>(description: string, words: readonly W[]): ScalarShape<W, W> {
  return {
    description,
    serialize: (word) => word,
    parseValue: (value) => (words.includes(value as W) ? (value as W) : refuse(`must be one of ${words.join(', ')}`)),
    extensions: { jsonSchema: { type: 'string', enum: words } },
  };
}

export const currency = wordScalar('A currency code.', currencies);

function count(least: number, most: number, description: string): ScalarShape<number, number> {
  return {
    description,
    serialize: (value) => value,
    parseValue: (value) =>
      Number.isInteger(value) && (value as number) >= least && (value as number) <= most
        ? (value as number)
        : refuse(`must be a whole number from ${least} to ${most}`),
    extensions: { jsonSchema: { type: 'integer', minimum: least, maximum: most } },
  };
}

export const pageNumber = count(1, 100_000, 'Number of a page, from 1.');
export const pageLimit = count(1, 200, 'Most rows in a page, 1 to 200.');

/** Text that PostgreSQL can keep: replaces GraphQL's own String, which takes NUL and lone surrogates. */
export function parseText(value: unknown): string {
  if (typeof value !== 'string') return refuse('must be a string');
  return isCleanText(value) ? value : refuse('has a NUL character or a lone surrogate');
}
