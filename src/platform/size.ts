// How much memory a kept value takes: what caches of values with a foreign size are bounded by.

/** An object or a list with its header, and each of its members beside what that holds. */
const objectBytes = 48;
const memberBytes = 24;
const stringBytes = 24;

/**
 * Bytes that a value takes in memory, roughly and rather too many: text counts as two bytes a character. What is shared with others counts
 * in full, and code counts nothing.
 */
export function sizeOf(value: unknown): number {
  const seen = new Set<object>();
  const left: unknown[] = [value];
  let bytes = 0;
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === 'string') bytes += stringBytes + 2 * next.length;
    else if (typeof next === 'bigint') bytes += memberBytes;
    if (typeof next !== 'object' || next === null || seen.has(next)) continue;
    seen.add(next);
    bytes += objectBytes;
    if (ArrayBuffer.isView(next)) bytes += next.byteLength;
    else {
      const inner = membersOf(next);
      bytes += memberBytes * inner.length;
      for (const member of inner) left.push(member);
    }
  }
  return bytes;
}

function membersOf(value: object): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (value instanceof Set) return [...value];
  if (value instanceof Map) return [...value].flat();
  return Object.values(value);
}
