// Patterns name event types: a type, `*`, or the beginning of a type up to a dot and `*`, such as `transfer.*` or `acp.checkout.*`
// (Gap G-76). publish_outbox() reads the patterns of subscriptions in the same way; a test compares the two.
import { ValidationFailed } from '../platform/errors.js';
import { catalog, unknownType } from './catalog.js';
import { isInternal } from './definition.js';

/** True for a pattern that names at least one type of the catalog. */
export function isEventPattern(text: string): boolean {
  if (text === '*') return true;
  if (isInternal(text)) return false;
  if (!text.endsWith('.*')) return catalog.has(text);
  return [...catalog.keys()].some((type) => type.startsWith(text.slice(0, -1)));
}

/** True when `pattern` names `type`. */
export function namesEvent(pattern: string, type: string): boolean {
  return pattern === type || (pattern.endsWith('*') && !isInternal(type) && type.startsWith(pattern.slice(0, -1)));
}

/** 400 with an issue for each of `patterns` that names no type. `pathOf` says where in the input a pattern is, by its index. */
export function checkPatterns(patterns: readonly string[], pathOf: (index: number) => readonly (string | number)[]): void {
  const issues = patterns.flatMap((pattern, index) => (isEventPattern(pattern) ? [] : [unknownType(pattern, pathOf(index))]));
  if (issues.length > 0) throw new ValidationFailed(issues);
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
