// JSON Schemas that callers give, held to values that other callers give (CONTRACT.md 11 "acceptance"). What a schema may ask for is
// bounded. How long it takes is not: rules ask the checker (schema-checker.ts), which runs this where it can be ended.
import { Ajv, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { FieldIssue } from './errors.js';
import { linearPattern } from './linear-pattern.js';

// Gap G-331: Schemas are draft 2020-12 or draft-07, without `$id`, 200 parts at most, patterns of RE2, one second per request.
/** Parts of one schema: objects and lists inside it. */
const mostParts = 200;
/** Characters of one pattern. */
const longestPattern = 256;
/** Characters of a text that is held to a pattern. */
const longestMatched = 2_000;
/** Faults of schemas that are told at once. */
const mostIssues = 20;
/** A compiler keeps something of every schema: after so many there is a new one. */
const mostCompiled = 20;

type Schema = Record<string, unknown>;
type Path = readonly (string | number)[];

/** A schema, and what has to fit it. `path` is where the schema stands in the input, or what it is about where it is none of it. */
export interface SchemaCheck {
  schema: Schema;
  path: Path;
  /** Set for a schema of the input, which has to be good: else values are not held to one that cannot be used. */
  isGiven?: boolean;
  values?: readonly { value: unknown; path: Path }[];
}

/** What was found, and which of the schemas that were read can be used. */
export interface CheckedSchemas {
  issues: FieldIssue[];
  usable: boolean[];
}

/** Keywords that lead out of the schema, change where its references lead, or make the check wait for something. */
const refusedKeywords: ReadonlySet<string> = new Set(['$id', '$recursiveRef', '$recursiveAnchor', '$async', '$data', '$vocabulary']);
const drafts: readonly RegExp[] = [
  /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/,
  /^http:\/\/json-schema\.org\/draft-07\/schema#?$/,
];

/**
 * Does the checks in their order until a value does not fit. `begin` is told of each step what its fault would be if it came to no end.
 */
export function checkSchemas(checks: readonly SchemaCheck[], begin: (step: { path: Path; work: string }) => void): CheckedSchemas {
  const usable: boolean[] = [];
  const issues: FieldIssue[] = [];
  for (const { schema, path, isGiven, values = [] } of checks) {
    begin({ path, work: 'be held to anything' });
    const read = readSchema(schema, path);
    usable.push('validate' in read);
    if ('issues' in read) {
      if (isGiven) issues.push(...read.issues);
      if (issues.length >= mostIssues) break;
      continue;
    }
    for (const held of values) {
      begin({ path: held.path, work: 'be held to the schema' });
      const issue = misfit(read.validate, held.value, held.path);
      if (issue !== null) return { issues: [...issues, issue], usable };
    }
  }
  return { issues, usable };
}

type Validate = ReturnType<typeof compile>;

/** What holds values to `schema`, or what keeps it from being used. */
function readSchema(schema: Schema, path: Path): { validate: Validate } | { issues: FieldIssue[] } {
  const issues: FieldIssue[] = [];
  const fail = (at: Path, message: string) => void issues.push({ path: [...path, ...at], message, rule: 'schema' });
  const dialect = schema['$schema'];
  if (dialect !== undefined && !drafts.some((draft) => typeof dialect === 'string' && draft.test(dialect))) {
    fail(['$schema'], 'must be draft 2020-12 or draft-07');
  }
  walk(schema, [], fail, { parts: 0 });
  if (issues.length > 0) return { issues };
  try {
    const validate = compile(schema);
    // A schema that calls itself without end does so with any value.
    for (const sample of [{}, [], '']) validate(sample);
    return { validate };
  } catch (error) {
    fail([], error instanceof RangeError ? 'takes too long to be held to anything' : `is no JSON Schema: ${schemaFault(error)}`);
    return { issues };
  }
}

/** The first thing of `value` that does not fit; null when all of it does. */
function misfit(validate: Validate, value: unknown, path: Path): FieldIssue | null {
  try {
    if (validate(value) === true) return null;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { path, message: 'takes too long to be held to the schema', rule: 'schema' };
  }
  const [first] = validate.errors ?? [];
  const at = (first?.instancePath ?? '').split('/').slice(1).map(pointerStep);
  return { path: [...path, ...at], message: first?.message ?? 'does not fit the schema', rule: first?.keyword ?? 'schema' };
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
const compilers = { ...newCompilers(), compiled: 0 };

function newCompilers() {
  const made = { older: new Ajv(options), newer: new Ajv2020(options) };
  for (const ajv of Object.values(made)) addFormats.default(ajv, { mode: 'fast' });
  return made;
}

/** Draft 2020-12, unless the schema says that it is of draft-07. Formats that are not known are left aside. */
function compile({ $schema, ...schema }: Schema) {
  if (compilers.compiled === mostCompiled) Object.assign(compilers, newCompilers(), { compiled: 0 });
  compilers.compiled += 1;
  const draft = typeof $schema === 'string' && $schema.includes('draft-07') ? 'older' : 'newer';
  try {
    return compilers[draft].compile(schema);
  } finally {
    compilers[draft].removeSchema(schema);
    // Where references to the whole schema lead.
    delete compilers[draft].refs[''];
  }
}

/** A pattern that a long text does not match. Ajv tells patterns apart by their text. */
function patternOf(pattern: string, flags: string) {
  const compiled = linearPattern(pattern);
  return { test: (text: string) => text.length <= longestMatched && compiled.test(text), toString: () => `/${pattern}/${flags}` };
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
  try {
    if (pattern.length > longestPattern) throw new Error(`is longer than ${longestPattern} characters`);
    linearPattern(pattern);
  } catch (error) {
    fail(at, schemaFault(error));
  }
}

function schemaFault(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 200);
}

/** A step of a JSON Pointer: a place in a list is a number. */
function pointerStep(step: string): string | number {
  const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
  return /^\d+$/.test(name) ? Number(name) : name;
}
