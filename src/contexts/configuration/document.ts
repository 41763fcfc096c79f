// The document of a configuration: what is there printed with names in place of ids, and what a request says read with its places.
import type { Ctx } from '../../platform/ctx.js';
import { type FieldIssue, ValidationFailed } from '../../platform/errors.js';
import { nearestName, quotedName } from '../../platform/misspelt-name.js';
import type { Operations } from '../../platform/operation.js';
import { type Kind, kinds, membersOf, nameOfKind } from './kind.js';
import { type Configuration, mayRead } from './present.js';
import { type Reference, referencesOf } from './reference.js';
import { idsIn, isObject, mapValues, type Settings, type Wanted } from './thing.js';

// Gap G-831: A configuration names at most 2,000 things, each by 1 to 200 characters.
export const mostThings = 2_000;
const longestName = 200;

/** Turns bare ids into references, where one names them. */
export type Naming = (settings: unknown) => unknown;

/** How the ids among settings are written in a file. */
export async function namingOf(ctx: Ctx, { things }: Pick<Configuration, 'things'>, also: readonly Settings[] = []): Promise<Naming> {
  const ids = [...new Set([...things.map(({ settings }) => settings), ...also].flatMap(idsIn))];
  const references = new Map<string, Reference>(await referencesOf(ctx, ids));
  for (const { kind, id, name } of things) if (nameOfKind(kind) === 'budgets' && id !== null) references.set(id, { budget: name });
  return (settings) => mapValues(settings, (value) => (typeof value === 'string' ? (references.get(value) ?? value) : value));
}

/** What is there, as a file says it: kinds and members in one order, things by their names. */
export function printConfiguration(ctx: Ctx, { things }: Configuration, naming: Naming): Record<string, unknown> {
  const document: Record<string, unknown> = {};
  for (const kind of kinds) {
    const own = things.filter((thing) => thing.kind === kind).sort((a, b) => (a.name < b.name ? -1 : 1));
    if (own.length === 0 && !mayRead(ctx, kind)) continue;
    const printed = own.map(({ name, settings }) => ({ ...(kind.is === 'list' && { name }), ...(naming(settings) as object) }));
    put(document, kind.path, kind.is === 'list' ? printed : printed[0]);
  }
  return document;
}

function put(document: Record<string, unknown>, [first = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    document[first] = value;
    return;
  }
  document[first] ??= {};
  put(document[first] as Record<string, unknown>, rest, value);
}

type Path = readonly (string | number)[];

/** The things that a request names, in its order. 400 with every path for members that are not known, and for names that are none. */
export function readDocument(operations: Operations<Ctx>, config: unknown): Wanted[] {
  const issues: FieldIssue[] = [];
  const wanted = new DocumentReader(operations, issues).section(config, [], ['config']);
  if (wanted.length > mostThings)
    issues.push({ path: ['config'], message: `names ${wanted.length} things, and at most ${mostThings} may be named`, rule: 'max' });
  if (issues.length > 0) throw new ValidationFailed(issues);
  return wanted;
}

class DocumentReader {
  readonly #operations: Operations<Ctx>;
  readonly #issues: FieldIssue[];

  constructor(operations: Operations<Ctx>, issues: FieldIssue[]) {
    this.#operations = operations;
    this.#issues = issues;
  }

  /** What stands in the object at `at`, whose place in the document is `path`. */
  section(value: unknown, path: readonly string[], at: Path): Wanted[] {
    if (!isObject(value)) return this.#refuse(at, 'must be an object', 'type');
    const below = kinds.filter((kind) => path.every((step, index) => kind.path[index] === step));
    const known = [...new Set(below.map((kind) => kind.path[path.length] as string))];
    return Object.entries(value).flatMap(([member, inner]) => {
      const place = [...path, member];
      const kind = below.find((one) => nameOfKind(one) === place.join('.'));
      if (kind !== undefined) return this.#kind(kind, inner, [...at, member]);
      if (known.includes(member)) return this.section(inner, place, [...at, member]);
      return this.#refuseMember(at, member, known, 'kind of setting');
    });
  }

  #kind(kind: Kind, value: unknown, at: Path): Wanted[] {
    if (kind.is === 'single') return this.#thing(kind, value, at);
    if (!Array.isArray(value)) return this.#refuse(at, 'must be a list', 'type');
    const seen = new Set<string>();
    return value.flatMap((item, index) => {
      const found = this.#thing(kind, item, [...at, index]);
      for (const { name } of found) {
        if (seen.has(name)) this.#refuse([...at, index, 'name'], 'is the name of another one above', 'unique');
        seen.add(name);
      }
      return found;
    });
  }

  #thing(kind: Kind, value: unknown, at: Path): Wanted[] {
    if (!isObject(value)) return this.#refuse(at, 'must be an object', 'type');
    const members = membersOf(this.#operations, kind);
    const known = kind.is === 'list' ? ['name', ...members] : members;
    const { name: given, ...settings } = value;
    const name = kind.is === 'single' ? nameOfKind(kind) : given;
    for (const member of Object.keys(kind.is === 'single' ? value : settings))
      if (!known.includes(member)) this.#refuseMember(at, member, known, 'setting');
    if (typeof name !== 'string' || name.trim() === '' || name.length > longestName)
      return this.#refuse([...at, 'name'], `must be a text of 1 to ${longestName} characters`, given === undefined ? 'required' : 'length');
    return [{ kind, name, at, settings }];
  }

  #refuseMember(at: Path, member: string, known: readonly string[], what: string): Wanted[] {
    const nearest = nearestName(member, known);
    return this.#refuse([...at, quotedName(member)], `is no ${what} here${nearest ? `: did you mean ${nearest}?` : ''}`, 'unknown');
  }

  #refuse(path: Path, message: string, rule: string): Wanted[] {
    this.#issues.push({ path, message, rule });
    return [];
  }
}
