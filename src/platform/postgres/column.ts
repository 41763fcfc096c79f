// Rows as PostgreSQL reads them from JSON: members are named as the columns, values are what JSON can carry. The data model spells
// a column of `camelCase` always `camel_case` (test/schema-rule.ts holds it to that), so no list of names is kept by hand.
import type { QueryArrayResult } from 'pg';
import { camelCase, snakeCase } from '../snake-case.js';

/** A row by column: text, number, boolean, or JSON for a JSON column. A member that is left out has the default of its column. */
export type Row = Readonly<Record<string, unknown>>;

const columns = new Map<string, string>();

/** Values of this type (int8) come as text. */
const int8 = 20;

/** How rows of the same columns are read. */
interface Reader {
  members: readonly { name: string; isBigint: boolean }[];
  /** Rows begin as its copies: an object that is given so many members one by one becomes a slow dictionary. */
  empty: Readonly<Record<string, unknown>>;
}

const readers = new Map<string, Reader>();

function readerOf(fields: QueryArrayResult['fields']): Reader {
  const key = fields.map(({ name, dataTypeID }) => `${name} ${dataTypeID}`).join();
  let reader = readers.get(key);
  if (reader === undefined) {
    const members = fields.map(({ name, dataTypeID }) => ({ name: camelCase(name), isBigint: dataTypeID === int8 }));
    reader = { members, empty: JSON.parse(`{${members.map(({ name }) => `"${name}":null`).join()}}`) };
    readers.set(key, reader);
  }
  return reader;
}

/** Rows of a table that a statement of ours has read as lists, as the generated client has them: members are named as the columns. */
export function typedRows<T>({ rows, fields }: Pick<QueryArrayResult, 'rows' | 'fields'>): T[] {
  const { members, empty } = readerOf(fields);
  return rows.map((row) => {
    const typed = { ...empty };
    members.forEach(({ name, isBigint }, n) => {
      const value = row[n];
      if (value !== null) typed[name] = isBigint ? BigInt(value as string) : value;
    });
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

const last = { at: Number.NaN, text: '' };

/** A time as text. The rows of one posting often have one and the same, which is then printed once. */
export function printTime(at: Date): string {
  const ms = at.getTime();
  if (ms !== last.at) {
    last.text = at.toISOString();
    last.at = ms;
  }
  return last.text;
}
