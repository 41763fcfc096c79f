// The spelling of RFC 8785 by which requests and audit lines are hashed is that of the package, whatever the JSON.
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/platform/canonical-json.js';

describe('canonical JSON', () => {
  it('is what the package spells', () => {
    const text = fc.string({ unit: 'binary' });
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        text,
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
        tie('list'),
        tie('object'),
      ),
      list: fc.array(tie('value'), { maxLength: 4 }),
      object: fc.dictionary(fc.oneof(text, fc.nat().map(String)), fc.oneof(tie('value'), fc.constant(undefined)), { maxKeys: 5 }),
    }));
    const check = fc.property(value, (json) => {
      expect(canonicalJson(json)).toBe(canonicalize(json));
    });
    fc.assert(check, { numRuns: 1_000 });
  });

  it('spells times as JSON does', () => {
    expect(canonicalJson({ b: new Date(0), a: [undefined, 1] })).toBe('{"a":[null,1],"b":"1970-01-01T00:00:00.000Z"}');
  });

  it.each([{ name: '\ud800' }, { '\udc00': 1 }, ['a\ud83d'], '\udbff'])('refuses half a character: %j', (value) => {
    expect(() => canonicalJson(value)).toThrow('Lone surrogate');
  });
});
