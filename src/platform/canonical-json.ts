// JSON as RFC 8785 spells it, for what every payment is hashed by. The package looks at each text as if it could hold anything, and for
// circles at each value; what was read from JSON has no circles, and almost every text in it is plain.
import canonicalize from 'canonicalize';

/** Characters that stand for themselves. */
const plain = /^[ !#-[\]-~]*$/;

const isJson = (value: object): boolean => typeof (value as { toJSON?: unknown }).toJSON !== 'function';

/** `value`, which has no circles, with the members of its objects in order. Throws for half a character. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return plain.test(value) ? `"${value}"` : (canonicalize(value) as string);
  if (typeof value !== 'object' || value === null || !isJson(value)) return canonicalize(value) as string;
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join()}]`;
  let members = '';
  for (const name of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[name];
    if (member !== undefined) members += `${members === '' ? '' : ','}${canonicalJson(name)}:${canonicalJson(member)}`;
  }
  return `{${members}}`;
}
