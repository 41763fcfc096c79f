// What looks like the number of a card, wherever it stands: it is refused before anything of it is kept (CONTRACT.md 14).
import type { FieldIssue } from '../../../platform/errors.js';
import { CardNumberRefused } from '../errors.js';

const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
/** 12 to 19 digits, each pair with one space, dash or dot between them at most. */
const run = /(?<!\d)\d(?:[ .-]?\d){11,18}(?!\d)/g;
const letter = /\p{L}/u;

/** The check digit of the numbers of cards (ISO/IEC 7812). */
function hasCheckDigit(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

// Gap G-221: 12 to 19 digits in any text but ids are 422, also with separators; beside letters only with a right check digit.
/**
 * True when a text has the number of a card in it. Digits beside letters may be those of a token: there the check digit decides. The digits
 * of a UUID are none.
 */
export function hasCardNumber(text: string): boolean {
  const plain = text
    .normalize('NFKC')
    .replace(/\p{Pd}/gu, '-')
    .replace(/\s/g, ' ')
    .replace(uuid, '_');
  return [...plain.matchAll(run)].some(({ 0: found, index }) => {
    const isInWord = letter.test(plain[index - 1] ?? '') || letter.test(plain[index + found.length] ?? '');
    return !isInWord || hasCheckDigit(found.replace(/\D/g, ''));
  });
}

/** Throws CardNumberRefused with every member of the input, at any depth, that has the number of a card. */
export function checkNoCardNumber(input: object): void {
  const issues = issuesIn(input, []);
  if (issues.length > 0) throw new CardNumberRefused(issues);
}

function issuesIn(value: unknown, path: readonly string[]): FieldIssue[] {
  const issue = { path: [...path], message: 'has the number of a card', rule: 'card_number' };
  if (typeof value === 'string' || typeof value === 'number') return hasCardNumber(String(value)) ? [issue] : [];
  if (typeof value !== 'object' || value === null) return [];
  // A number in the name of a member is told of the object: the answer does not repeat it.
  if (Object.keys(value).some(hasCardNumber)) return [issue];
  return Object.entries(value).flatMap(([name, member]) => issuesIn(member, [...path, name]));
}
