// Bodies: names, values, bounds, and what is said about each fault.
import fc from 'fast-check';
import { GraphQLInputObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { ApiError, ValidationFailed } from '../../src/platform/errors.js';
import { editDistance, nearestName } from '../../src/platform/misspelt-name.js';
import { snakeCase, snakePath } from '../../src/platform/snake-case.js';
import { inputReader } from '../../src/rest/input.js';
import { Issues } from '../../src/rest/issue.js';
import { schema } from './shop.js';

function inputType(name: string): GraphQLInputObjectType {
  const found = schema.getType(name);
  if (!(found instanceof GraphQLInputObjectType)) throw new Error(`the shop has no ${name}`);
  return found;
}
const type = inputType('PlaceOrderInput');
const read = inputReader(type);
const order = { max_total: '5.00', items: [{ sku: 'A', quantity: 1 }] };

function readBody(body: unknown, readInput = read) {
  const issues = new Issues();
  const input = readInput(body, issues);
  return { input, issues: issues.found.map(({ path, message, rule }) => `${path.join('.')} ${message} (${rule})`) };
}

describe('names', () => {
  it.each([
    ['maxPerTx', 'max_per_tx'],
    ['line1', 'line1'],
    ['id', 'id'],
    ['sha256Sum', 'sha256_sum'],
    ['aB', 'a_b'],
  ])('%s is %s on the wire', (field, wire) => expect(snakeCase(field)).toBe(wire));

  it('come back from the wire as they went', () => {
    const field = fc.stringMatching(/^[a-z][a-z0-9]*([A-Z][a-z0-9]*)*$/);
    const back = (wire: string) => wire.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    fc.assert(fc.property(field, (name) => back(snakeCase(name)) === name && snakeCase(snakeCase(name)) === snakeCase(name)));
  });

  it('spells paths', () => expect(snakePath(['scope', 'maxPerTx', 2, 'sku'])).toEqual(['scope', 'max_per_tx', 2, 'sku']));

  it.each([
    ['max_per_txn', 'max_per_tx'],
    ['maxPerTx', 'max_per_tx'],
    ['max_pre_tx', 'max_per_tx'],
    ['zzz', undefined],
    ['x'.repeat(100_000), undefined],
  ])('guesses what %s means', (name, meant) => expect(nearestName(name, ['amount', 'max_per_tx'])).toBe(meant));

  it('edit distance is a distance', () => {
    const word = fc.string({ maxLength: 8 });
    fc.assert(fc.property(word, word, (a, b) => editDistance(a, b) === editDistance(b, a) && (editDistance(a, b) === 0) === (a === b)));
  });
});

describe('reading a body', () => {
  it('renames members and keeps values for the executor', () => {
    const metadata = { camelCase: null, snake_case: [1], ['__proto__x']: 1 };
    const { input, issues } = readBody({ ...order, ship_after: '2026-01-01', is_gift: null, line1: 'Main St', metadata });
    expect(issues).toEqual([]);
    expect(input).toEqual({ maxTotal: '5.00', items: order.items, shipAfter: '2026-01-01', isGift: null, line1: 'Main St', metadata });
    expect((input as { metadata: unknown }).metadata).toBe(metadata);
  });

  it.each<[string, object, string[]]>([
    ['nothing at all', {}, ['max_total is required (required)', 'items is required (required)']],
    ['a null that must not be', { ...order, max_total: null }, ['max_total must not be null (required)']],
    [
      'a wrong type',
      { ...order, is_gift: 1, line1: 7, weight: '1', priority: 1.5 },
      [
        'is_gift must be true or false (type)',
        'line1 must be a string (type)',
        'weight must be a number (type)',
        'priority must be a whole number (type)',
      ],
    ],
    [
      'an integer beyond 32 bits',
      { ...order, priority: 2 ** 31 },
      ['priority must be a whole number between -2147483647 and 2147483647 (type)'],
    ],
    ['a word that is not in an enum', { ...order, status: 'lost' }, ['status must be one of open, in_progress, shipped (enum)']],
    ['a prototype name for an enum', { ...order, status: 'constructor' }, ['status must be one of open, in_progress, shipped (enum)']],
    ['a scalar that refuses', { ...order, max_total: 5 }, ['max_total must be a decimal string such as "42.00" (type)']],
    [
      'NUL and lone surrogates',
      { ...order, line1: 'a\u0000', tags: ['\ud800'] },
      ['line1 has a NUL character or a lone surrogate (type)', 'tags.0 has a NUL character or a lone surrogate (type)'],
    ],
    ['no list', { ...order, items: { sku: 'A', quantity: 1 } }, ['items must be a list (type)']],
    ['no object', { ...order, items: ['A'] }, ['items.0 must be an object (type)']],
    ['a list for an object', { ...order, items: [[]] }, ['items.0 must be an object (type)']],
    [
      'bounds of a member in a list',
      { ...order, items: [...order.items, { sku: '', quantity: 0 }] },
      ['items.1.sku must not be empty (min)', 'items.1.quantity must be at least 1 (min)'],
    ],
    ['bounds of a list', { ...order, items: [] }, ['items must have at least 1 item (min)']],
    ['bounds of a parsed value', { ...order, ship_after: '1999-01-01' }, ['ship_after must be after 2019 (min)']],
    ['a misspelt member', { ...order, is_gifts: true }, ['is_gifts is not a member of this request: did you mean is_gift? (unknown)']],
    [
      'a camelCase member',
      { max_total: '1', items: [{ sku: 'A', quantity: 1, giftText: 'hi' }] },
      ['items.0.giftText is not a member of this request: did you mean gift_text? (unknown)'],
    ],
    [
      'members of every object',
      JSON.parse('{"max_total":"1","items":[{"sku":"A","quantity":1}],"__proto__":{"a":1},"constructor":1,"toString":1}') as object,
      [
        '__proto__ is not a member of this request (unknown)',
        'constructor is not a member of this request (unknown)',
        'toString is not a member of this request (unknown)',
      ],
    ],
    ['no body object', [], [' must be an object (type)']],
  ])('refuses %s', (_, body, issues) => expect(readBody(body).issues).toEqual(issues));

  it('lists at most 50 issues and cuts long names', () => {
    const unknown = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`${'z'.repeat(90)}${index}`, 1]));
    const { issues } = readBody({ ...order, ...unknown });
    expect(issues).toHaveLength(50);
    expect(issues[0]).toBe(`${'z'.repeat(64)}... is not a member of this request (unknown)`);
  });

  it('refuses what is nested too deeply, without using up the stack', () => {
    const deep = JSON.parse(`${'{"not":'.repeat(50_000)}{}${'}'.repeat(50_000)}`) as object;
    expect(readBody({ blob: '', search: deep }, inputReader(inputType('ImportOrdersInput'))).issues).toEqual([
      expect.stringMatching(/^search(\.not)+ is nested too deeply \(depth\)$/),
    ]);
  });

  it('never fails but by its issues, and never touches a prototype', () => {
    const name = fc.constantFrom(
      ...Object.keys(type.getFields()).map(snakeCase),
      'sku',
      'quantity',
      'not',
      '__proto__',
      'constructor',
      'x',
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5 },
        fc.jsonValue(),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(name, tie('tree'), { noNullPrototype: false }),
      ),
    }));
    const bodies = fc.oneof(fc.jsonValue(), tree);
    fc.assert(
      fc.property(bodies, (body) => {
        const issues = new Issues();
        const input = read(JSON.parse(JSON.stringify(body)), issues);
        if (body === null) expect(input).toBeNull();
        else if (issues.found.length === 0) expect(Object.getPrototypeOf(input)).toBe(Object.prototype);
        else expect(() => issues.throwIfAny()).toThrow(ValidationFailed);
        expect(({} as Record<string, unknown>)['x']).toBeUndefined();
      }),
      { numRuns: 2000 },
    );
  });

  it('reads back everything that was spelled from field names', () => {
    const record = fc.record(
      {
        maxTotal: fc.constant('1.00'),
        items: fc.constant([{ sku: 'A', quantity: 1 }]),
        isGift: fc.boolean(),
        weight: fc.double({ noNaN: true, noDefaultInfinity: true }),
        line1: fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\u0000')),
      },
      { requiredKeys: ['maxTotal', 'items'] },
    );
    fc.assert(
      fc.property(record, (input) => {
        const wire = Object.fromEntries(Object.entries(input).map(([field, value]) => [snakeCase(field), value]));
        expect(readBody(wire)).toEqual({ input, issues: [] });
      }),
    );
  });
});

it('an issue becomes a 400 that names every field', () => {
  const issues = new Issues();
  read({}, issues);
  const thrown = (() => {
    try {
      issues.throwIfAny();
      return undefined;
    } catch (error) {
      return error;
    }
  })();
  expect(thrown).toBeInstanceOf(ApiError);
  expect(thrown).toMatchObject({ status: 400, code: 'validation_failed', fields: [{ path: ['max_total'] }, { path: ['items'] }] });
});
