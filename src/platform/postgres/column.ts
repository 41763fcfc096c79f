// Rows as PostgreSQL reads them from JSON: members are named as the columns, values are what JSON can carry. The data model spells
// a column of `camelCase` always `camel_case` (test/schema-rule.ts holds it to that), so no list of names is kept by hand.
import type { QueryResult } from 'pg';
import { camelCase, snakeCase } from '../snake-case.js';

/** A row by column: text, number, boolean, or JSON for a JSON column. A member that is left out has the default of its column. */
export type Row = Readonly<Record<string, unknown>>;

const columns = new Map<string, string>();

/** Values of this type (int8) come as text. */
const int8 = 20;

/** Rows of a table that a statement of ours has read, as the generated client has them: members are named as the columns. */
export function typedRows<T>({ rows, fields }: Pick<QueryResult<Row>, 'rows' | 'fields'>): T[] {
  const members = fields.map(({ name, dataTypeID }) => ({ name, member: camelCase(name), isBigint: dataTypeID === int8 }));
  return rows.map((row) => {
    const typed: Record<string, unknown> = {};
    for (const { name, member, isBigint } of members) {
      const value = row[name];
      typed[member] = isBigint && value !== null ? BigInt(value as string) : value;
    }
    return typed as T;
  });
}

/** The column of a member: `createdAt` is `created_at`. */
function columnOf(member: string): string {
  let column = columns.get(member);
  if (column === undefined) {
    column = snakeCase(member);
    columns.set(member, column);
  }
  return column;
}

/** A typed row (of the generated client) by column. Null and undefined members are left out. */
export function rowOf(typed: object): Row {
  const row: Record<string, unknown> = {};
  for (const member in typed) {
    const value = (typed as Record<string, unknown>)[member];
    if (value !== null && value !== undefined) row[columnOf(member)] = printValue(value);
  }
  return row;
}

/** What is changed of a row, by column. Undefined members are left out, and null is written. */
export function changeOf(typed: object): Row {
  const row: Record<string, unknown> = {};
  for (const [member, value] of Object.entries(typed)) if (value !== undefined) row[columnOf(member)] = printValue(value);
  return row;
}

function printValue(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Date) return printTime(value);
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  return value;
}

const printed = new WeakMap<Date, string>();

/** A time as text. The rows of one posting often have one and the same, which is then printed once. */
export function printTime(at: Date): string {
  let text = printed.get(at);
  if (text === undefined) {
    text = at.toISOString();
    printed.set(at, text);
  }
  return text;
}
