// What a misspelt name may have meant (CONTRACT.md 0 "Bodies").

const longestName = 64;

/** A name that a caller sent, short enough to be sent back. */
export function quotedName(name: string): string {
  return name.length <= longestName ? name : `${name.slice(0, longestName)}...`;
}

/** Letters to change, add, leave out or swap to turn `a` into `b`. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let least = Math.min((last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (last[column - 1] ?? 0) + (same ? 0 : 1));
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) least = Math.min(least, (beforeLast[column - 2] ?? 0) + 1);
      current.push(least);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}

/** The known name that `name` most likely stands for, or undefined. Case and underscores do not count; ties go to the first. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > longestName) return undefined;
  const plain = (text: string) => text.replace(/[_-]/g, '').toLowerCase();
  const wanted = plain(name);
  let nearest: string | undefined;
  let least = Math.min(3, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(wanted, plain(candidate));
    if (distance < least) {
      nearest = candidate;
      least = distance;
    }
  }
  return nearest;
}

/** "is not known here", with a suggestion where there is one. */
export function unknownMessage(name: string, known: Iterable<string>, what: string): string {
  const nearest = nearestName(name, known);
  const message = `is not ${/^[aeiou]/.test(what) ? 'an' : 'a'} ${what} of this request`;
  return nearest === undefined ? message : `${message}: did you mean ${nearest}?`;
}
