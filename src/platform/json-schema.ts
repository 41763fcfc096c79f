// JSON Schemas that callers give, held to values that other callers give (CONTRACT.md 11 "acceptance"). What a schema may ask for is
// bounded, and so is the time that one check may take.
import { createContext, Script } from 'node:vm';
import { Ajv, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { FieldIssue } from './errors.js';

/** Milliseconds that one check may take, and the compiling before it (Gap G-331). */
const budgetMs = 100;
/** Parts of one schema: objects and lists inside it. */
const mostParts = 200;
/** Characters of one pattern. */
const longestPattern = 256;
/** Characters of a text that is held to a pattern. */
const longestMatched = 2_000;

type Schema = Record<string, unknown>;
type Path = readonly (string | number)[];

/** Keywords that lead out of the schema, change where its references lead, or make the check wait for something. */
const refusedKeywords: ReadonlySet<string> = new Set(['$id', '$recursiveRef', '$recursiveAnchor', '$async', '$data', '$vocabulary']);
const drafts: readonly RegExp[] = [
  /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/,
  /^http:\/\/json-schema\.org\/draft-07\/schema#?$/,
];

/** What keeps `schema` from being used; empty for a good one. `path` is where it stands in the input. */
export function schemaIssues(schema: Schema, path: Path): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const fail = (at: Path, message: string) => void issues.push({ path: [...path, ...at], message, rule: 'schema' });
  const dialect = schema['$schema'];
  if (dialect !== undefined && !drafts.some((draft) => typeof dialect === 'string' && draft.test(dialect))) {
    fail(['$schema'], 'must be draft 2020-12 or draft-07');
  }
  walk(schema, [], fail, { parts: 0 });
  if (issues.length > 0) return issues;
  try {
    const validate = compile(schema);
    // A schema that calls itself without end does so with any value.
    for (const sample of [{}, [], '']) timed(() => validate(sample));
  } catch (error) {
    fail(
      [],
      isOutOfTime(error) || error instanceof RangeError ? 'takes too long to be held to anything' : `is no JSON Schema: ${reasonOf(error)}`,
    );
  }
  return issues;
}

/** What of `value` does not fit a schema that schemaIssues() found good; empty when it fits. The first thing that is found is told. */
export function misfits(schema: Schema, value: unknown, path: Path): FieldIssue[] {
  try {
    const validate = compile(schema);
    if (timed(() => validate(value)) === true) return [];
    const [first] = validate.errors ?? [];
    const at = (first?.instancePath ?? '').split('/').slice(1).map(pointerStep);
    return [{ path: [...path, ...at], message: first?.message ?? 'does not fit the schema', rule: first?.keyword ?? 'schema' }];
  } catch (error) {
    if (isOutOfTime(error) || error instanceof RangeError) {
      return [{ path, message: 'takes too long to be held to the schema', rule: 'schema' }];
    }
    throw error;
  }
}

const options: Options = {
  strict: false,
  logger: false,
  inlineRefs: false,
  // What every object has, such as `constructor`, is not what somebody has delivered.
  ownProperties: true,
  validateFormats: true,
  code: { regExp: patternOf },
};
/** One for each draft: the schemas of the drafts themselves are compiled once. */
const compilers = newCompilers();

function newCompilers() {
  const made = { older: new Ajv(options), newer: new Ajv2020(options) };
  for (const ajv of Object.values(made)) addFormats.default(ajv, { mode: 'fast' });
  return made;
}

/** Draft 2020-12, unless the schema says that it is of draft-07. Formats that are not known are left aside. Nothing of it is kept. */
function compile({ $schema, ...schema }: Schema) {
  const draft = typeof $schema === 'string' && $schema.includes('draft-07') ? 'older' : 'newer';
  // What was ended in the middle may have left anything behind.
  const renew = () => Object.assign(compilers, newCompilers());
  try {
    return timed(() => compilers[draft].compile(schema), renew);
  } finally {
    compilers[draft].removeSchema(schema);
    // Where references to the whole schema lead.
    delete compilers[draft].refs[''];
  }
}

/** A pattern that a long text does not match. Ajv tells patterns apart by their text. */
function patternOf(pattern: string, flags: string) {
  const compiled = new RegExp(pattern, flags);
  return { test: (text: string) => text.length <= longestMatched && compiled.test(text), toString: () => String(compiled) };
}
// Code that is kept in files would be written with it; none is.
patternOf.code = 'new RegExp';

function walk(value: unknown, at: Path, fail: (at: Path, message: string) => void, seen: { parts: number }): void {
  if (typeof value !== 'object' || value === null) return;
  seen.parts += 1;
  if (seen.parts === mostParts + 1) fail([], `has more than ${mostParts} parts`);
  if (seen.parts > mostParts) return;
  for (const [key, member] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    const step = [...at, key];
    const isReference = key === '$ref' || key === '$dynamicRef';
    if (isReference && typeof member === 'string' && !member.startsWith('#'))
      fail(step, 'must lead to a part of this schema: begin it with #');
    if (typeof key === 'string' && refusedKeywords.has(key) && typeof member !== 'object') fail(step, 'is not taken here');
    if (key === 'pattern' && typeof member === 'string') checkPattern(member, step, fail);
    if (key === 'patternProperties' && typeof member === 'object' && member !== null) {
      for (const pattern of Object.keys(member)) checkPattern(pattern, [...step, pattern], fail);
    }
    walk(member, step, fail, seen);
  }
}

function checkPattern(pattern: string, at: Path, fail: (at: Path, message: string) => void): void {
  const issue = patternIssue(pattern);
  if (issue !== null) fail(at, issue);
}

/** What makes the cost of a match grow without bound: looking around, looking back, and repeating what repeats. Null for nothing. */
function patternIssue(pattern: string): string | null {
  if (pattern.length > longestPattern) return `is longer than ${longestPattern} characters`;
  const bare = pattern
    .replace(/\\\\/g, '')
    .replace(/\\[^\dk]/g, 'x')
    .replace(/\[(?:[^\]\\]|\\.)*\]/g, 'x');
  if (/\(\?(?:[=!]|<[=!])|\\[1-9k]/.test(bare)) return 'must not look around or back';
  return repeatsRepeated(bare) ? 'must not repeat a group that repeats something, or that has alternatives' : null;
}

/**
 * True when a group that is repeated matches texts of more than one length, or has alternatives, at any depth. `bare` has no classes and no
 * escapes.
 */
function repeatsRepeated(bare: string): boolean {
  const groups: boolean[] = [false];
  for (const [, token = '', times = ''] of bare
    .replace(/\(\?(?::|<\w+>)/g, '(')
    .matchAll(/([^*+?{]|\{(?!\d))([*+?]|\{\d+(?:,\d*)?\})?\??/g)) {
    const top = groups.length - 1;
    const isVariable = /^[*+?]|,/.test(times);
    if (token === '(') groups.push(false);
    else if (token === ')' && top > 0) {
      const inside = groups.pop() === true;
      if (inside && times !== '' && times !== '?') return true;
      groups[top - 1] ||= inside || isVariable;
    } else if (token === '|' || isVariable) groups[top] = true;
  }
  return false;
}

const room = createContext({ work: undefined as (() => unknown) | undefined });
const call = new Script('work()');

/**
 * Runs `work`, and throws when it takes longer than the budget: V8 ends it, whatever it is doing. The clock is that of the wall, which goes
 * on while a busy machine does something else, so there is a second try. `whenEnded` follows each try that was ended.
 */
function timed<T>(work: () => T, whenEnded: () => void = () => {}): T {
  room['work'] = work;
  try {
    return call.runInContext(room, { timeout: budgetMs });
  } catch (error) {
    if (!isOutOfTime(error)) throw error;
    whenEnded();
    return secondTry(whenEnded);
  } finally {
    room['work'] = undefined;
  }
}

function secondTry(whenEnded: () => void) {
  try {
    return call.runInContext(room, { timeout: 3 * budgetMs });
  } catch (error) {
    if (isOutOfTime(error)) whenEnded();
    throw error;
  }
}

function isOutOfTime(error: unknown): boolean {
  return (error as { code?: string }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 200);
}

/** A step of a JSON Pointer: a place in a list is a number. */
function pointerStep(step: string): string | number {
  const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
  return /^\d+$/.test(name) ? Number(name) : name;
}
