// What a pattern matches is what JavaScript says, wherever RE2 takes it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linearPattern } from '../../src/platform/linear-pattern.js';

const texts = [
  '',
  'a',
  'b',
  'ab',
  'aab',
  'A1_',
  '\n',
  '\r',
  '\u2028',
  '\u00a0',
  '\ufeff',
  '\v',
  ' ',
  '[',
  ']',
  '-',
  '😀',
  'é',
  '\0',
  '\x01',
  '\b',
  'a\nb',
  '٣',
  'Ω',
  'İ',
  '\u{10ffff}',
];

const atoms = fc.constantFrom(
  ...[
    'a',
    'b',
    '1',
    '.',
    ' ',
    '\\s',
    '\\S',
    '\\d',
    '\\D',
    '\\w',
    '\\W',
    '\\n',
    '\\v',
    '\\t',
    '\\0',
    '\\cA',
    '\\x41',
    '\\u0061',
    '\\u{1F600}',
  ],
  ...[
    '\\ud83d\\ude00',
    '😀',
    '\\p{L}',
    '\\P{Lu}',
    '\\p{Letter}',
    '\\p{Script=Greek}',
    '\\p{gc=Nd}',
    '\\.',
    '\\[',
    '\\\\',
    '\\/',
    '[]',
    '[^]',
  ],
  ...[
    '[ab]',
    '[^ab]',
    '[\\s]',
    '[^\\s]',
    '[\\S]',
    '[\\S\\n]',
    '[^\\S\\n]',
    '[[]',
    '[(?=]',
    '[\\b]',
    '[\\-a]',
    '[a-\\u{1F600}]',
    '[^\\d\\p{L}]',
    '[.]',
    '[a^]',
  ],
  ...['^', '$', '\\b', '\\B'],
);
const repeated = ['', '', '', '*', '+', '?', '*?', '{2}', '{1,3}', '{2,}'];
const pattern = fc.letrec<{ any: string; group: string; sequence: string }>((tie) => ({
  group: tie('any').chain((inner) => fc.constantFrom(`(${inner})`, `(?:${inner})`, `(?<n>${inner})`)),
  sequence: fc
    .array(fc.tuple(fc.oneof({ weight: 4, arbitrary: atoms }, { weight: 1, arbitrary: tie('group') }), fc.constantFrom(...repeated)), {
      maxLength: 4,
    })
    .map((parts) => parts.map(([atom, times]) => (/^(?:[$^]|\\[bB])$/.test(atom) ? atom : `${atom}${times}`)).join('')),
  any: fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }).map((ways) => ways.join('|')),
})).any;

const legal = (text: string): boolean => {
  try {
    return Boolean(new RegExp(text, 'u'));
  } catch {
    return false;
  }
};

describe('a pattern', () => {
  it('matches what it matches in JavaScript', () => {
    const text = fc.oneof(
      fc.constantFrom(...texts),
      fc.array(fc.constantFrom(...texts), { maxLength: 6 }).map((some) => some.join('')),
    );
    fc.assert(
      fc.property(pattern.filter(legal), text, (source, given) => {
        expect(linearPattern(source).test(given)).toBe(new RegExp(source, 'u').test(given));
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['(a)\\1', 'must not look around or back'],
    ['(?<n>a)\\k<n>', 'must not look around or back'],
    ['a(?=b)', 'must not look around or back'],
    ['(?<!a)b', 'must not look around or back'],
    ['a{1001}', 'linear time: invalid repeat count'],
    ['\\p{Script_Extensions=Greek}', 'linear time'],
    ['(', 'is no regular expression'],
    ['[[:alpha:]]', 'is no regular expression'],
    ['(?P<n>a)', 'is no regular expression'],
  ])('%s is none: it %s', (source, message) => expect(() => linearPattern(source)).toThrow(message));

  it.each(['^(a+)+$', '(a?){30}a{30}', '(a|a)*b', `^${'a*'.repeat(120)}b$`])(
    '%s is held to a long text in a number of steps that grows with it',
    (source) => {
      // Without an engine of linear time this would not end.
      expect(linearPattern(source).test(`${'a'.repeat(2_000)}!`)).toBe(source === '(a?){30}a{30}');
    },
  );
});
