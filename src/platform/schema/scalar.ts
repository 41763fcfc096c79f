// The scalars of the schema. Each says its JSON Schema, so that OpenAPI follows from it. `24h`, `usdc-base` and
// `transfer.completed` are no GraphQL names, so closed lists with such words are string scalars.
import { GraphQLError, Kind, type ValueNode } from 'graphql';
import { amountPattern, currencies } from '../money.js';
import { longestCursor } from './cursor.js';
import { type IdKind, idKinds, parseId, printId } from './id.js';

/** JSON Schema of a scalar, kept in `extensions.jsonSchema`. */
export type JsonSchema = Record<string, unknown>;

export interface ScalarShape<In, Out> {
  description: string;
  serialize: (value: Out) => unknown;
  parseValue: (value: unknown) => In;
  extensions: { jsonSchema: JsonSchema; idKind?: IdKind; isId?: true };
}

/** A value that the scalar does not take. */
export function refuse(message: string): never {
  throw new GraphQLError(message);
}

/** Gap G-17: Free-form members are at most 16 levels deep, without NUL and lone surrogates. */
export const maxJsonDepth = 16;

/** Gap G-197: `metadata` has at most 16,384 characters of JSON. */
export const maxJsonLength = 16_384;

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
  const { prefix } = idKinds[kind];
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
  extensions: { jsonSchema: { type: 'string', examples: [exampleUuid] }, isId: true },
};

const dateTimePattern = /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:[Zz]|([+-])(\d{2}):(\d{2})))?$/;
/** No place on earth is further from UTC. */
const furthestOffsetMinutes = 14 * 60;

// Gap G-96: A time is a date (midnight UTC) or a date-time with an offset of at most 14:00; one that does not exist is 400.
/** An ISO 8601 date or date-time with an offset, years 1970 to 9999, cut to milliseconds; stricter than Date. */
export function parseDateTime(value: unknown): Date {
  const match = typeof value === 'string' ? dateTimePattern.exec(value) : null;
  if (match === null) return refuse('must be an ISO 8601 date-time such as 2026-11-21T10:00:00Z');
  const part = (group: number): number => Number(match[group] ?? 0);
  const [year, month, day] = [part(1), part(2), part(3)];
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return refuse('is a date that does not exist');
  const [hour, minute, second] = [part(4), part(5), part(6)];
  if (hour > 23 || minute > 59 || second > 59)
    return refuse('has a time of day that does not exist: hours go to 23, minutes and seconds to 59');
  const offset = part(9) * 60 + part(10);
  if (part(10) > 59 || offset > furthestOffsetMinutes) return refuse('has an offset from UTC that does not exist: they go to 14:00');
  const milliseconds = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'));
  const ms = Date.UTC(year, month - 1, day, hour, minute, second, milliseconds) - (match[8] === '-' ? -offset : offset) * 60_000;
  if (year < 1970 || ms < 0 || ms > 253_402_300_799_999) return refuse('is not a date between 1970 and 9999');
  return new Date(ms);
}

function daysIn(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  if (month === 2) return isLeap ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

export const dateTime: ScalarShape<Date, Date> = {
  description: 'A point in time, RFC 3339, printed in UTC with milliseconds.',
  serialize: (at) => at.toISOString(),
  parseValue: parseDateTime,
  extensions: { jsonSchema: { type: 'string', format: 'date-time', examples: ['2026-11-21T10:00:00.000Z'] } },
};

/** A point in time that may have been said as a day. */
export interface Moment {
  /** Its first instant, where it is a day. */
  at: Date;
  isDay: boolean;
}

/** What comes after whole milliseconds, where it is more than nothing. */
const fineTime = /\.\d{3}0*[1-9]/;

export const moment: ScalarShape<Moment, Moment> = {
  description: 'A point in time, RFC 3339, or a day in UTC.',
  serialize: ({ at }) => at.toISOString(),
  parseValue(value) {
    const at = parseDateTime(value);
    const text = value as string;
    // Gap G-376: A time between two milliseconds counts as the next one.
    return { at: fineTime.test(text) ? new Date(at.getTime() + 1) : at, isDay: text.length === 10 };
  },
  extensions: { jsonSchema: { type: 'string', examples: ['2026-11-21', '2026-11-21T10:00:00Z'] } },
};

const datePattern = /^(19[7-9]\d|2\d{3})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

/** True for a day from 1970 to 2999 that the calendar has, such as `2026-03-01`. */
export function isDate(text: string): boolean {
  return datePattern.test(text) && new Date(`${text}T00:00:00Z`).toISOString().startsWith(text);
}

export const date: ScalarShape<string, string> = {
  description: 'A day of the calendar, in UTC.',
  serialize: (text) => text,
  parseValue: (value) => (typeof value === 'string' && isDate(value) ? value : refuse('must be a day such as "2026-03-01"')),
  extensions: { jsonSchema: { type: 'string', format: 'date', examples: ['2026-03-01'] } },
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

const ratePattern = /^(0|[1-9]\d{0,9})(\.\d{1,18})?$/;
const mostRateDigits = 10;

export const exchangeRate: ScalarShape<string, string> = {
  description: `What one unit of a currency is worth in another: a decimal string above 0, of at most ${mostRateDigits} significant digits.`,
  serialize: (text) => text,
  parseValue: (value) => {
    if (typeof value !== 'string' || !ratePattern.test(value)) return refuse('must be a decimal string such as "1.0857"');
    const digits = value.replace('.', '').replace(/^0+/, '');
    if (digits === '') return refuse('must be greater than 0');
    return digits.length <= mostRateDigits ? value : refuse(`has more than ${mostRateDigits} significant digits`);
  },
  extensions: { jsonSchema: { type: 'string', pattern: ratePattern.source, examples: ['1.0857'] } },
};

const flowRatePattern = /^\d{1,18}(\.\d{1,18})?$/;
export const flowRate: ScalarShape<string, string> = {
  description: 'An amount of money that flows in a span of time: a decimal string above 0, of at most 18 digits after the point.',
  serialize: (text) => text,
  parseValue: (value) => {
    if (typeof value !== 'string' || !flowRatePattern.test(value)) return refuse('must be a decimal string such as "0.000011574"');
    return /[1-9]/.test(value) ? value : refuse('must be greater than 0');
  },
  extensions: { jsonSchema: { type: 'string', pattern: flowRatePattern.source, examples: ['0.000011574'] } },
};

export const cents: ScalarShape<number, number> = {
  description: 'A whole number of cents, up to 2^53 - 1 either way.',
  serialize: (value) => value,
  parseValue: (value) => (Number.isSafeInteger(value) ? (value as number) : refuse('must be a whole number')),
  extensions: { jsonSchema: { type: 'integer', examples: [4200] } },
};

/** Kept as decimal text, so that a part of an amount is worked out exactly. */
export const fraction: ScalarShape<string, string> = {
  description: 'A part of a whole, above 0 and at most 1, with up to four digits after the point; text such as "0.8" is read too.',
  serialize: (text) => Number(text),
  parseValue: (value) => {
    const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
    if (/^(0?\.\d{1,4}|[01](\.0{1,4})?)$/.test(text) && Number(text) > 0) return String(Number(text));
    return refuse('must be above 0 and at most 1, with up to four digits after the point, such as 0.8');
  },
  extensions: { jsonSchema: { type: 'number', exclusiveMinimum: 0, maximum: 1, examples: [0.8] } },
};

export const multiplier: ScalarShape<string, string> = {
  description: 'What a price is multiplied by: a decimal string such as "0.8", or a number, which is read as its shortest decimal text.',
  serialize: (text) => text,
  parseValue: (value) => (typeof value === 'string' || Number.isFinite(value) ? String(value) : refuse('must be a number or decimal text')),
  extensions: { jsonSchema: { type: ['string', 'number'], examples: ['0.8'] } },
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
  description: `A free-form JSON object, at most ${maxJsonDepth} levels deep and ${maxJsonLength} characters long.`,
  serialize: (value) => value,
  parseValue: (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse('must be a JSON object');
    checkJson(value);
    if (JSON.stringify(value).length > maxJsonLength) return refuse(`is longer than ${maxJsonLength} characters of JSON`);
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

export const currency = wordScalar('A currency code: ISO 4217 such as USD, or a stablecoin such as USDC.', currencies);

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

export const pageNumber = count(1, 100_000, 'Number of the page, from 1 to 100,000.');
/** The most rows of a page. */
export const mostLimit = 200;
export const pageLimit = count(1, mostLimit, `Most rows in the page, 1 to ${mostLimit}.`);

export const cursor: ScalarShape<string, string> = {
  description: 'Where a list continues: the cursor of a page, as it is, or the id of a row.',
  serialize: (text) => text,
  parseValue: (value) =>
    typeof value === 'string' && cursorPattern.test(value) ? value : refuse('must be the next_cursor of a page, or the id of a row'),
  extensions: { jsonSchema: { type: 'string', maxLength: longestCursor, examples: [exampleUuid] } },
};
const cursorPattern = new RegExp(`^[\\w.-]{1,${longestCursor}}$`);

/** Text that PostgreSQL can keep: replaces GraphQL's own String, which takes NUL and lone surrogates. */
export function parseText(value: unknown): string {
  if (typeof value !== 'string') return refuse('must be a string');
  return isCleanText(value) ? value : refuse('has a NUL character or a lone surrogate');
}
