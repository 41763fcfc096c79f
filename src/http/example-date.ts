// The API document has fixed dates, so that it changes only when the API does. Where it is served, its examples are of today: what has to lie
// in the future does.
const dayMs = 86_400_000;
/** The day on which the examples of the document were written, in days since 1970. */
export const writtenOn = Date.UTC(2026, 10, 21) / dayMs;
const dated = /^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/;

/** Days since 1970 at `at`. */
export function dayOf(at: Date): number {
  return Math.floor(at.getTime() / dayMs);
}

/** A copy of `value` in which each text that is a date or a time is so many days later. */
export function movedBy(days: number, value: unknown): unknown {
  if (typeof value === 'string') return dated.test(value) ? moved(value, days) : value;
  if (Array.isArray(value)) return value.map((item) => movedBy(days, item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, movedBy(days, member)]));
}

function moved(text: string, days: number): string {
  const { length } = text;
  const at = new Date(new Date(text).getTime() + days * dayMs).toISOString();
  // A date, a time without and one with milliseconds.
  return length === 10 ? at.slice(0, 10) : length === 20 ? `${at.slice(0, 19)}Z` : at;
}

/** A copy of the document whose examples are as far from `today`, in days since 1970, as they were from the day on which they were written. */
export function withExamplesOf<Value>(today: number, document: Value): Value {
  const days = today - writtenOn;
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy);
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value);
    const isExample = (name: string) => name === 'example' || name === 'examples';
    return Object.fromEntries(members.map(([name, member]) => [name, isExample(name) ? movedBy(days, member) : copy(member)]));
  };
  return copy(document) as Value;
}
