// Answers as examples: what each run makes up (ids, times of the machine, keys, signatures) is replaced by what is the same each time.
import type { Json } from './harness.js';

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** Texts that a run makes up, with what stands for them. */
const madeUp: readonly [RegExp, (text: string) => string][] = [
  [/^eyJ[\w-]+\.[\w-]*\.[\w-]*$/, () => 'eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJleGFtcGxlIn0.c2lnbmF0dXJl'],
  [/^(0x)?[0-9a-f]{32,}$/, (text) => repeated(text, '0123456789abcdef', text.startsWith('0x') ? 2 : 0)],
  [/^(pk_(test|live)|agent|sess|portal|whsec|tok)_\S{16,}$/, (text) => repeated(text, 'example', text.lastIndexOf('_', 10) + 1)],
  [/^[A-Za-z0-9+/_-]{40,}={0,2}$/, (text) => repeated(text, 'ZXhhbXBs', 0)],
];

/** The first letters of `text`, and then `pattern` over and over, as long as `text` is. */
function repeated(text: string, pattern: string, from: number): string {
  const length = text.length - from;
  return text.slice(0, from) + pattern.repeat(Math.ceil(length / pattern.length)).slice(0, length);
}

/** Makes an answer into an example. The same id gets the same number wherever it stands in it. */
export class AnswerRecord {
  readonly #numbers = new Map<string, number>();

  of(value: Json): Json {
    if (typeof value === 'string') return this.#text(value);
    if (Array.isArray(value)) return value.slice(0, 2).map((item) => this.of(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [this.#text(name), this.of(member)]));
  }

  #text(text: string): string {
    const numbered = text.replace(uuid, (id) => {
      const number = this.#numbers.get(id) ?? this.#numbers.size + 1;
      this.#numbers.set(id, number);
      return `01a1fde5-0000-7000-8000-${String(number).padStart(12, '0')}`;
    });
    if (numbered !== text) return numbered;
    const [, replaced = (same: string) => same] = madeUp.find(([pattern]) => pattern.test(text)) ?? [];
    return replaced(text);
  }
}

/** Which members a value has, and of which type: two answers of one operation agree in it. */
export function shapeOf(value: Json): Json {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
}
