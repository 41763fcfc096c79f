// Reads the config of a trigger or an action, whose type says which members it has: no more and no less.
import type { z } from 'zod';
import type { FieldIssue } from '../../platform/errors.js';
import { snakeCase } from '../../platform/snake-case.js';
import { zodRule } from '../../platform/zod-words.js';

/** A config as it is given: null stands for what was left out. */
export type RequestedConfig = Readonly<Record<string, unknown>>;

/** The config as it is stored, or what is wrong with it, at `path`. `noun` is what sentences call it. */
export function readConfig<Shape extends z.ZodObject>(
  shape: Shape,
  given: RequestedConfig,
  path: string,
  noun: string,
): { config: z.output<Shape> } | { issues: FieldIssue[] } {
  const read = shape.safeParse(withoutNulls(given));
  if (read.success) return { config: read.data };
  const members = Object.keys(shape.shape).map(snakeCase);
  const foreign = `is not a member of ${noun}, which has ${members.length === 0 ? 'none' : members.join(', ')}`;
  return { issues: read.error.issues.flatMap((issue) => issuesOf(issue, given, path, foreign)) };
}

function withoutNulls(given: RequestedConfig): RequestedConfig {
  const members = Object.entries(given).filter(([, value]) => value != null);
  // What is plain data, such as a filter, keeps its nulls.
  return Object.fromEntries(
    members.map(([name, value]) => [name, name === 'destination' ? withoutNulls(value as RequestedConfig) : value]),
  );
}

function issuesOf(issue: z.core.$ZodIssue, given: RequestedConfig, path: string, foreign: string): FieldIssue[] {
  const inner = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: [path, ...inner, key], message: foreign, rule: 'unknown' }));
  const isMissing = inner.length === 1 && given[String(inner[0])] == null && issue.code !== 'custom';
  const [message, rule] = isMissing ? ['is required', 'required'] : [issue.message, zodRule(issue)];
  return [{ path: [path, ...inner], message, rule }];
}
