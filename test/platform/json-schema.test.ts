// What a schema of a caller may be, and what fits it.
import { describe, expect, it } from 'vitest';
import { misfits, schemaIssues } from '../../src/platform/json-schema.js';

const pathsOf = (issues: { path: readonly (string | number)[] }[]) => issues.map(({ path }) => path.join('.'));

describe('a schema', () => {
  it.each([
    ['of either draft', { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }] }],
    ['that calls itself', { properties: { child: { $ref: '#' } } }],
    ['with an id of fixed groups', { pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }],
    ['with a part that may be missing', { pattern: '^\\d{4}-\\d{2}(T.*)?$' }],
  ])('%s is good', (_name, schema) => expect(schemaIssues(schema, [])).toEqual([]));

  it.each([
    ['leads elsewhere', { $ref: 'https://example.com/schema' }, '$ref'],
    ['has an id', { $id: 'https://example.com/schema' }, '$id'],
    ['is of another draft', { $schema: 'http://json-schema.org/draft-04/schema#' }, '$schema'],
    ['is none', { type: 'thing' }, ''],
    ['calls itself without end', { $ref: '#' }, ''],
    ['repeats what repeats', { pattern: '^(a+)+$' }, 'pattern'],
    ['repeats what may be missing', { pattern: '(a?){30}a{30}' }, 'pattern'],
    ['repeats alternatives', { patternProperties: { '(a|a)*b': {} } }, 'patternProperties.(a|a)*b'],
    ['looks back', { pattern: '(a)\\1' }, 'pattern'],
  ])('that %s is not', (_name, schema, path) => expect(pathsOf(schemaIssues(schema, []))).toEqual([path]));

  it('has at most 200 parts', () => {
    const properties = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`p${n}`, {}]));
    expect(schemaIssues({ properties }, [])).toHaveLength(1);
  });
});

describe('a value', () => {
  it('fits, or is told where it does not: each pattern is its own', () => {
    const schema = { properties: { a: { pattern: '^x$' }, b: { pattern: '^y$' } } };
    expect(misfits(schema, { a: 'x', b: 'y' }, [])).toEqual([]);
    expect(pathsOf(misfits(schema, { a: 'x', b: 'x' }, ['deliverable']))).toEqual(['deliverable.b']);
    expect(pathsOf(misfits({ properties: { child: { $ref: '#' }, n: { type: 'number' } } }, { child: { n: 'one' } }, []))).toEqual([
      'child.n',
    ]);
    expect(misfits({ pattern: 'a' }, 'a'.repeat(2_001), [])).toHaveLength(1);
    expect(misfits({ required: ['constructor'] }, {}, [])).toHaveLength(1);
  });

  it('is held to it for a moment only', () => {
    const began = performance.now();
    const [issue] = misfits({ pattern: 'a*a*a*a*a*a*a*a*b' }, 'a'.repeat(2_000), []);
    expect(issue?.message).toContain('too long');
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});
