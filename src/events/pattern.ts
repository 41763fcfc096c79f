// Patterns name event types: a type, `*`, or the beginning of a type up to a dot and `*`, such as `transfer.*` or `acp.checkout.*`.
// publish_outbox() reads the patterns of subscriptions in the same way; a test compares the two.
import { isInternal } from './definition.js';

// Gap G-76: The family is the first word of a type; a pattern may end with `*` after any dot.
/** True when `pattern` names `type`. */
export function namesEvent(pattern: string, type: string): boolean {
  return pattern === type || (pattern.endsWith('*') && !isInternal(type) && type.startsWith(pattern.slice(0, -1)));
}

/** The Prisma filter for rows whose `member` is a type that one of `patterns` names. */
export function whereNamed<K extends string>(member: K, patterns: readonly string[]): { OR?: { [M in K]: TypeFilter }[] } {
  if (patterns.includes('*')) return {};
  const filter = (pattern: string): TypeFilter => (pattern.endsWith('.*') ? { startsWith: pattern.slice(0, -1) } : pattern);
  return { OR: patterns.map((pattern) => ({ [member]: filter(pattern) }) as { [M in K]: TypeFilter }) };
}

/** The Prisma filter for rows whose `type` is none of the platform's own. A bare `_` would stand for any character. */
export const notInternal = { NOT: { type: { startsWith: '\\_' } } };

type TypeFilter = string | { startsWith: string };
