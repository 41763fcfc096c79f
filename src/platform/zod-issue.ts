// What a zod schema objects to, as issues of the error family.
import type { z } from 'zod';
import { type FieldIssue, ValidationFailed } from './errors.js';
import { quotedName } from './misspelt-name.js';
import { zodRule } from './zod-words.js';

/** Most issues that one answer lists. */
const mostIssues = 50;

/** The issues of a value that stands at `at`, with the member names of the schema. */
export function issuesOf({ issues }: z.ZodError, at: readonly (string | number)[] = []): FieldIssue[] {
  const found = issues.slice(0, mostIssues).flatMap((issue) => {
    const path = [...at, ...issue.path.map((step) => (typeof step === 'number' ? step : String(step)))];
    if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message, rule: zodRule(issue) }];
    const [message, rule] = ['is not a member of this request', zodRule(issue)];
    return issue.keys.map((key) => ({ path: [...path, quotedName(key)], message, rule }));
  });
  return found.slice(0, mostIssues);
}

/** What `schema` reads `value` as. 400 `validation_failed` with paths below `at`. */
export function readBy<Schema extends z.ZodType>(schema: Schema, value: unknown, at: readonly (string | number)[] = []): z.output<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw new ValidationFailed(issuesOf(read.error, at));
}
