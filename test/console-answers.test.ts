// What the console rests on, without a browser: its documents fit the schema that is committed, and its figures lose no digit.
import { readFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { printAnswers } from '../scripts/console-answers.js';
import { amount, dollars, duration, money, share, short, sum, timeOrDay } from '../src/console/format.js';
import { newest } from '../src/console/newest.js';
import { readFiles } from './source.js';

const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
const schema = read('schema.graphql');

describe('the documents of the console', () => {
  it('are allowed by schema.graphql, and typed by answers.ts as it says', () => {
    expect(printAnswers(buildSchema(schema))).toBe(read('src/console/answers.ts'));
  });

  it('would be refused by a schema without a field that they select', () => {
    expect(schema).toContain('  totalExternalCostUsd:');
    const without = buildSchema(schema.replaceAll('  totalExternalCostUsd:', '  renamed:'));
    expect(() => printAnswers(without)).toThrow('Overview: Cannot query field "totalExternalCostUsd"');
  });
});

it('links to operations that the reference has', () => {
  const { paths } = JSON.parse(read('openapi.json')) as {
    paths: Record<string, Record<string, { operationId?: string; tags?: string[] }>>;
  };
  const known = Object.values(paths).flatMap((path) => Object.values(path).map(({ operationId, tags }) => `${tags?.[0]}/${operationId}`));
  const named = readFiles(['src/console'], ['.tsx']).flatMap(({ text }) =>
    [...text.matchAll(/\/docs(?:\/reference)?#\/([\w/-]+)/g)].map(([, name]) => name),
  );
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((name) => !known.includes(name ?? ''))).toEqual([]);
});

describe('figures', () => {
  const digits = (text: string) => text.replace(/\D/g, '');

  it('keep every digit of an amount', () => {
    expect(digits(amount('12345678901234567890.12'))).toBe('1234567890123456789012');
    expect(digits(money('90071992547409.93', 'USD'))).toBe('9007199254740993');
    expect(digits(money('0.000001', 'USDC'))).toBe('0000001');
    expect(money('1.50', 'USDC')).toContain('USDC');
    expect(digits(money('5', 'JPY'))).toBe('5');
  });

  it('add up exactly', () => {
    expect(sum(['0.10', '0.20', '90071992547409.93'])).toBe('90071992547410.23');
    expect(sum(['1', '0.000001'])).toBe('1.000001');
    expect(sum(['-0.50', '0.20'])).toBe('-0.30');
    expect(sum(['5', '7'])).toBe('12');
    expect(sum([])).toBe('0');
  });

  it('are rounded to cents in reports, but never to nothing', () => {
    expect(digits(dollars('14479982.1708'))).toBe('1447998217');
    expect(digits(dollars('0.0004'))).toBe('00004');
    expect(digits(dollars('0.00'))).toBe('000');
  });

  it('are parts within their whole, and lengths of time in two units', () => {
    expect([share('50.00', '200.00'), share('3', '2'), share('1', '0.00')]).toEqual([0.25, 1, 0]);
    expect([0, 59, 61, 3_600, 90_000, 172_800].map(duration)).toEqual(['less than 1 s', '59 s', '1 min 1 s', '1 h', '1 d 1 h', '2 d']);
  });

  it('are told apart on an axis however small they are, and moments by their day once it is another', () => {
    expect(new Set([0, 0.01, 0.02, 0.03, 0.04].map((value) => short(value, 'usd'))).size).toBe(5);
    const [at, hour] = ['2026-11-21T11:30:00.000Z', 3_600_000];
    expect(timeOrDay(at, Date.parse(at) + hour)).toContain('30');
    expect(timeOrDay(at, Date.parse(at) + 24 * hour)).toContain('2026');
  });
});

describe('the newest rows', () => {
  it('stand once each, in order, and are no more than so many', () => {
    const [streamed, read] = [
      ['op_5', 'op_2'],
      ['op_4', 'op_3', 'op_2', 'op_1'],
    ].map((ids) => ids.map((id) => ({ id })));
    expect(newest(4, streamed ?? [], read ?? []).map(({ id }) => id)).toEqual(['op_5', 'op_4', 'op_3', 'op_2']);
  });
});
