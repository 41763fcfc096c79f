// The API document has fixed dates, so that it changes only when the API does. Where it is served, its examples are of today: what has to lie
// in the future does.
const dayMs = 86_400_000;
/** The day on which the examples of the document were written. */
const written = Date.UTC(2026, 10, 21);
const dated = /^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/;

/** Days since 1970 at `at`. */
export function dayOf(at: Date): number {
  return Math.floor(at.getTime() / dayMs);
}

/** A copy of the document whose examples are as far from `today`, in days since 1970, as they were from the day on which they were written. */
export function withExamplesOf<Value>(today: number, document: Value): Value {
  const days = today - written / dayMs;
  const moved = (text: string): string => {
    const { length } = text;
    const at = new Date(new Date(text).getTime() + days * dayMs).toISOString();
    // A date, a time without and one with milliseconds.
    return length === 10 ? at.slice(0, 10) : length === 20 ? `${at.slice(0, 19)}Z` : at;
  };
  const copy = (value: unknown, isExample: boolean): unknown => {
    if (typeof value === 'string') return isExample && dated.test(value) ? moved(value) : value;
    if (Array.isArray(value)) return value.map((item) => copy(item, isExample));
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value);
    return Object.fromEntries(
      members.map(([name, member]) => [name, copy(member, isExample || name === 'example' || name === 'examples')]),
    );
  };
  return copy(document, false) as Value;
}
