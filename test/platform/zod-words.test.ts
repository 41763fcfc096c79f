// What zod objects to, in our words: every kind of issue that it has.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { useOurWords, zodRule } from '../../src/platform/zod-words.js';

useOurWords();
const fault = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error?.issues[0]?.message;

const cases: [z.ZodType, unknown, string][] = [
  [z.string(), undefined, 'is required'],
  [z.string(), 7, 'must be a text'],
  [z.int(), 1.5, 'must be a whole number'],
  [z.array(z.string()), 'a', 'must be a list'],
  [z.record(z.string(), z.string()), [], 'must be an object'],
  [z.literal('a'), 'b', 'must be a'],
  [z.enum(['a', 'b']), 'c', 'must be one of a, b'],
  [z.string().min(1), '', 'must not be empty'],
  [z.string().max(3), 'long', 'must have at most 3 characters'],
  [z.string().length(2), 'x', 'must have exactly 2 characters'],
  [z.array(z.string()).min(1), [], 'must have at least 1 item'],
  [z.number().min(1), 0, 'must be at least 1'],
  [z.number().gt(1), 1, 'must be more than 1'],
  [z.number().lt(1), 1, 'must be less than 1'],
  [z.email(), 'a', 'must be an e-mail address'],
  [z.url(), 'a', 'must be a URL'],
  [z.uuid(), 'a', 'must be a UUID'],
  [z.iso.datetime(), 'a', 'must be a time in ISO 8601, such as 2026-01-31T12:00:00Z'],
  [z.string().startsWith('a'), 'b', 'must begin with "a"'],
  [z.string().regex(/^a$/), 'b', 'must match /^a$/'],
  [z.number().multipleOf(5), 3, 'must be a multiple of 5'],
  [z.strictObject({}), { a: 1 }, 'has a member that is not known: a'],
  [z.union([z.string(), z.number()]), true, 'has none of the forms that are allowed'],
  [z.record(z.string().max(1), z.string()), { long: 'a' }, 'has a member whose name is not allowed'],
  [z.map(z.string(), z.string()), new Map([['a', 1]]), 'must be a text'],
  [z.string().refine(() => false), 'a', 'is not valid'],
];

/** Each code of zod, and the rule that callers read. */
const rules: [z.ZodType, unknown, string][] = [
  [z.string(), undefined, 'required'],
  [z.string(), 7, 'type'],
  [z.enum(['a', 'b']), 'c', 'enum'],
  [z.array(z.string()).min(1), [], 'min'],
  [z.string().max(3), 'long', 'max'],
  [z.email(), 'a', 'format'],
  [z.number().multipleOf(5), 3, 'multiple'],
  [z.strictObject({}), { a: 1 }, 'unknown'],
  [z.union([z.string(), z.number()]), true, 'check'],
  [z.string().refine(() => false), 'a', 'check'],
];

describe('an issue of zod', () => {
  it('names the rule as the rest of the platform does', () => {
    const named = rules.map(([schema, value]) => schema.safeParse(value).error?.issues.map(zodRule));
    expect(named).toEqual(rules.map(([, , rule]) => [rule]));
  });

  it.each(cases.map(([schema, value, words]) => ({ schema, value, words })))('is told as: $words', ({ schema, value, words }) => {
    expect(fault(schema, value)).toBe(words);
  });

  it('of any kind is never told in its own words', () => {
    const codes = ['invalid_key', 'invalid_element', 'custom', 'something_new'];
    for (const code of codes) expect(useWords(code)).not.toMatch(/^(Invalid|Too|Unrecognized|Expected)/);
  });
});

const useWords = (code: string): string => {
  const { localeError } = z.config();
  return String(localeError?.({ code, input: 1, path: [], origin: 'map', issues: [], key: 'a' } as never));
};
