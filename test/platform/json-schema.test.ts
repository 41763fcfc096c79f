// What a schema of a caller may be, and what fits it.
import { describe, expect, it } from 'vitest';
import { checkSchemas } from '../../src/platform/json-schema.js';

type Schema = Record<string, unknown>;
const pathsOf = (issues: { path: readonly (string | number)[] }[]) => issues.map(({ path }) => path.join('.'));
const schemaIssues = (schema: Schema) => checkSchemas([{ schema, path: [], isGiven: true }], () => {}).issues;
const misfits = (schema: Schema, value: unknown, path: string[] = []) =>
  checkSchemas([{ schema, path: [], values: [{ value, path }] }], () => {}).issues;

describe('a schema', () => {
  it.each([
    ['of either draft', { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }] }],
    ['that calls itself', { properties: { child: { $ref: '#' } } }],
    ['with an id of fixed groups', { pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }],
    ['with a part that may be missing', { pattern: '^\\d{4}-\\d{2}(T.*)?$' }],
    ['that repeats what repeats', { pattern: '^(a+)+$' }],
    ['that repeats alternatives', { patternProperties: { '(a|a)*b': {} } }],
  ])('%s is good', (_name, schema) => expect(schemaIssues(schema)).toEqual([]));

  it.each([
    ['leads elsewhere', { $ref: 'https://example.com/schema' }, '$ref'],
    ['has an id', { $id: 'https://example.com/schema' }, '$id'],
    ['is of another draft', { $schema: 'http://json-schema.org/draft-04/schema#' }, '$schema'],
    ['is none', { type: 'thing' }, ''],
    ['calls itself without end', { $ref: '#' }, ''],
    ['looks back', { pattern: '(a)\\1' }, 'pattern'],
    ['looks around', { patternProperties: { '^(?!x)': {} } }, 'patternProperties.^(?!x)'],
    ['says what no pattern of linear time can', { items: { pattern: 'a{2000}' } }, 'items.pattern'],
    ['has a pattern that is none', { pattern: '(' }, 'pattern'],
    ['has a pattern without end', { pattern: 'a'.repeat(257) }, 'pattern'],
  ])('that %s is not', (_name, schema, path) => expect(pathsOf(schemaIssues(schema))).toEqual([path]));

  it('has at most 200 parts', () => {
    const properties = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`p${n}`, {}]));
    expect(schemaIssues({ properties })).toHaveLength(1);
  });

  it('is read by a compiler that others did not fill', () => {
    for (let n = 0; n < 25; n += 1) expect(misfits({ properties: { [`p${n}`]: { const: n } } }, { [`p${n}`]: n })).toEqual([]);
  });
});

describe('a value', () => {
  it('fits, or is told where it does not: each pattern is its own', () => {
    const schema = { properties: { a: { pattern: '^x$' }, b: { pattern: '^y$' } } };
    expect(misfits(schema, { a: 'x', b: 'y' })).toEqual([]);
    expect(pathsOf(misfits(schema, { a: 'x', b: 'x' }, ['deliverable']))).toEqual(['deliverable.b']);
    expect(pathsOf(misfits({ properties: { child: { $ref: '#' }, n: { type: 'number' } } }, { child: { n: 'one' } }))).toEqual(['child.n']);
    expect(misfits({ pattern: 'a' }, 'a'.repeat(2_001))).toHaveLength(1);
    expect(misfits({ required: ['constructor'] }, {})).toHaveLength(1);
  });

  it('is not held to a schema that cannot be used', () => {
    expect(checkSchemas([{ schema: { type: 'thing' }, path: [], values: [{ value: 1, path: [] }] }], () => {})).toEqual({
      issues: [],
      usable: [false],
    });
  });

  it('is the last one that is looked at when it does not fit', () => {
    const begun: string[] = [];
    const values = [0, 'one', 2].map((value, n) => ({ value, path: ['parts', n] }));
    const checks = [
      { schema: { type: 'number' }, path: ['first'], values },
      { schema: {}, path: ['second'] },
    ];
    const { issues } = checkSchemas(checks, ({ path }) => begun.push(path.join('.')));
    expect(pathsOf(issues)).toEqual(['parts.1']);
    expect(begun).toEqual(['first', 'parts.0', 'parts.1']);
  });
});
