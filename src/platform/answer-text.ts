// The text of an answer that is held whole: 8 MB at most (CONTRACT.md 21). What would be larger is refused before it is written.
import { AnswerTooLarge } from './errors.js';

/** Bytes of an answer that is held whole. */
export const mostAnswerBytes = 8_000_000;

/** `value` as JSON. Throws AnswerTooLarge when that is more than `most` bytes. */
export function answerText(value: unknown, most = mostAnswerBytes): string {
  refuseTooLarge(value, most);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // A character has three bytes at most.
  if (text.length * 3 > most && Buffer.byteLength(text) > most) throw new AnswerTooLarge();
  return text;
}

/** Throws AnswerTooLarge when `value`, if it is no text yet, is certainly more than `most` bytes of JSON. Escapes are not counted. */
export function refuseTooLarge(value: unknown, most = mostAnswerBytes): void {
  if (typeof value !== 'string' && lengthLeft(value, most) < 0) throw new AnswerTooLarge();
}

/** What is left of `left` characters after `value` as JSON; less than 0 as soon as that is certain. */
function lengthLeft(value: unknown, left: number): number {
  if (typeof value === 'string') return left - value.length - 2;
  if (typeof value !== 'object' || value === null) return left - 1;
  // One bracket: the other one stands for the comma that the last item does not have.
  let rest = left - 1;
  if (Array.isArray(value)) {
    for (const item of value) {
      rest = lengthLeft(item, rest - 1);
      if (rest < 0) return rest;
    }
    return rest;
  }
  for (const name in value) {
    const member = (value as Record<string, unknown>)[name];
    if (member === undefined) continue;
    rest = lengthLeft(member, rest - name.length - 4);
    if (rest < 0) return rest;
  }
  return rest;
}
