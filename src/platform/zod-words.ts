// What zod objects to, in our words: as the end of a sentence that begins with the name of a member, and as the name of the rule that was
// broken. Its own never reach a caller.
import { z } from 'zod';

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  bigint: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  map: 'an object',
  set: 'a list',
  tuple: 'a list',
  date: 'a time',
  null: 'null',
};

const forms: Readonly<Record<string, string>> = {
  email: 'must be an e-mail address',
  url: 'must be a URL',
  uuid: 'must be a UUID',
  guid: 'must be a UUID',
  datetime: 'must be a time in ISO 8601, such as 2026-01-31T12:00:00Z',
  date: 'must be a date, such as 2026-01-31',
  time: 'must be a time of day, such as 12:00:00',
  duration: 'must be a duration in ISO 8601, such as P1D',
  ipv4: 'must be an IPv4 address',
  ipv6: 'must be an IPv6 address',
  base64: 'must be base64',
  base64url: 'must be base64url',
  json_string: 'must be JSON',
  jwt: 'must be a JWT',
};

/** What a length counts. */
const units: Readonly<Record<string, string>> = {
  string: 'characters',
  array: 'items',
  set: 'items',
  map: 'members',
  object: 'members',
  record: 'members',
  file: 'bytes',
};

type Issue = z.core.$ZodRawIssue;

function boundWords(origin: string, word: string, bound: number | bigint, isInclusive: boolean): string {
  const unit = units[origin];
  if (unit !== undefined) return `must have ${word} ${bound} ${Number(bound) === 1 ? unit.replace(/s$/, '') : unit}`;
  if (isInclusive) return `must be ${word} ${bound}`;
  return `must be ${word === 'at most' ? 'less' : 'more'} than ${bound}`;
}

function formatWords(issue: z.core.$ZodIssueInvalidStringFormat | (Issue & { code: 'invalid_format' })): string {
  const { format, prefix, suffix, includes, pattern } = issue as Record<string, string | undefined>;
  if (prefix !== undefined) return `must begin with ${JSON.stringify(prefix)}`;
  if (suffix !== undefined) return `must end with ${JSON.stringify(suffix)}`;
  if (includes !== undefined) return `must contain ${JSON.stringify(includes)}`;
  return forms[format ?? ''] ?? (pattern === undefined ? 'has the wrong form' : `must match ${pattern}`);
}

const listed = (values: readonly unknown[]): string => values.map((value) => String(value)).join(', ');

/** Our words for an issue of zod. */
export function zodWords(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${kinds[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return issue.values.length === 1 ? `must be ${String(issue.values[0])}` : `must be one of ${listed(issue.values)}`;
    case 'too_big':
      return boundWords(issue.origin, issue.exact === true ? 'exactly' : 'at most', issue.maximum, issue.inclusive !== false);
    case 'too_small':
      if (issue.origin === 'string' && Number(issue.minimum) === 1) return 'must not be empty';
      return boundWords(issue.origin, issue.exact === true ? 'exactly' : 'at least', issue.minimum, issue.inclusive !== false);
    case 'invalid_format':
      return formatWords(issue);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `has ${issue.keys.length === 1 ? 'a member that is' : 'members that are'} not known: ${listed(issue.keys)}`;
    case 'invalid_union':
      return 'has none of the forms that are allowed';
    case 'invalid_key':
      return 'has a member whose name is not allowed';
    case 'invalid_element':
      return 'has an item that is not allowed';
    default:
      return 'is not valid';
  }
}

const rules: Readonly<Record<string, string>> = {
  invalid_type: 'type',
  invalid_value: 'enum',
  too_big: 'max',
  too_small: 'min',
  invalid_format: 'format',
  not_multiple_of: 'multiple',
  unrecognized_keys: 'unknown',
};

/** The `rule` of an issue, as the rest of the platform names it: what is said of no kind is `check`. */
export function zodRule({ code, message }: { readonly code?: unknown; readonly message: string }): string {
  return message === 'is required' ? 'required' : (rules[String(code)] ?? 'check');
}

/** From here on every schema of the process speaks so, where it says nothing of its own. */
export function useOurWords(): void {
  z.config({ localeError: zodWords });
}
