// Dictionaries of structured fields against the published tests of the HTTP working group.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type BareItem, type InnerList, type Item, parseDictionary, printMember } from '../../src/platform/structured-field.js';

interface Case {
  name: string;
  raw: string[];
  header_type: 'dictionary' | 'item' | 'list';
  expected?: unknown;
  canonical?: string[];
  must_fail?: boolean;
  can_fail?: boolean;
}

const read = (name: string): Case[] =>
  JSON.parse(readFileSync(new URL(`../vectors/structured-fields/${name}.json`, import.meta.url), 'utf8'));

const base32 = (bytes: Buffer) => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const text = (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
  return text.padEnd(Math.ceil(text.length / 8) * 8, '=');
};
const bare = ({ type, value }: BareItem) => {
  if (type === 'token') return { __type: 'token', value };
  return type === 'bytes' ? { __type: 'binary', value: base32(value) } : value;
};
const spell = (member: Item | InnerList): unknown => [
  member.kind === 'item' ? bare(member.value) : member.items.map(spell),
  [...member.parameters].map(([key, value]) => [key, bare(value)]),
];

describe('a dictionary', () => {
  /** Refused here, although RFC 9651 reads the last value. */
  const twice = /duplicate/;
  for (const file of ['dictionary', 'param-dict']) {
    for (const { name, raw, expected, must_fail, can_fail, canonical } of read(file)) {
      it(`${file}: ${name}`, () => {
        const found = parseDictionary(raw.join(', '));
        if (must_fail === true || twice.test(name)) return expect(found).toBeNull();
        if (can_fail === true && found === null) return;
        expect([...(found ?? [])].map(([key, member]) => [key, spell(member)])).toEqual(expected);
        const printed = [...(found ?? [])].map(([key, member]) => {
          const alone = member.kind === 'item' && member.value.value === true;
          return alone ? key + printMember(member).slice(2) : `${key}=${printMember(member)}`;
        });
        expect(printed.join(', ')).toBe((canonical ?? raw).join(', '));
      });
    }
  }
});

describe('an item', () => {
  for (const file of ['binary', 'string', 'token', 'number', 'boolean']) {
    it(file, () => {
      // White space around an item is no part of it, and within a dictionary it may not be there.
      const cases = read(file).filter(({ header_type, raw }) => header_type === 'item' && raw.join() === raw.join().trim());
      expect(cases.length).toBeGreaterThan(2);
      for (const { name, raw, expected, must_fail, can_fail } of cases) {
        const found = parseDictionary(`a=${raw.join(', ')}`);
        const member = found?.get('a');
        if (must_fail === true) expect([name, found === null || found.size > 1]).toEqual([name, true]);
        else if (can_fail !== true || member !== undefined) expect([name, member && spell(member)]).toEqual([name, expected]);
      }
    });
  }
});

it('the characters that a member was written in are kept', () => {
  expect(parseDictionary('sig1=("@method"   "x");a=1 , b')?.get('sig1')?.text).toBe('("@method"   "x");a=1');
});
