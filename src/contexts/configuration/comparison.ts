// What a file would change: each thing that it names beside the one that is there (CONTRACT.md 24). Nothing is changed here.
import { isDeepStrictEqual } from 'node:util';
import type { ConfigThing } from '../../generated/prisma/client.js';
import { canonicalJson } from '../../platform/canonical-json.js';
import { sha256 } from '../../platform/crypto.js';
import type { Ctx } from '../../platform/ctx.js';
import { ValidationFailed } from '../../platform/errors.js';
import type { Operations } from '../../platform/operation.js';
import { requireScope } from '../../platform/schema/audience.js';
import { type ChangedField, type PlannedChange, printChange } from './change.js';
import { type Naming, namingOf } from './document.js';
import { checkEdge } from './edge.js';
import { type Kind, kinds, nameOfKind } from './kind.js';
import { inOrder } from './order.js';
import type { Configuration } from './present.js';
import { asReference, idsOf, keyOf, type Reference, referencesIn } from './reference.js';
import { type Digests, digestsOf, isFree, isObject, isSame, type Present, type Settings, type Wanted, withBareIds } from './thing.js';

/** A reference that names nothing, or several things. */
export interface Unresolved {
  kind: string;
  name: string;
  /** Where it stands in the request. */
  path: readonly (string | number)[];
  ref: Reference;
  found: number;
}

/** Something that a person should know before applying. */
export interface Warning {
  kind: string;
  name: string;
  message: string;
}

export interface Comparison {
  plan: string;
  revision: string;
  changes: readonly PlannedChange[];
  unresolved: readonly Unresolved[];
  warnings: readonly Warning[];
  /** What the file names, with ids in place of references. */
  wanted: readonly Wanted[];
}

export interface Request {
  wanted: readonly Wanted[];
  source: string;
  /** Delete what the source made and does not name any more. */
  prune: boolean;
}

/**
 * Compares what a request names with what is there. 400 for a setting that cannot be changed, and for what the edge refuses; 403
 * `insufficient_scope` for things of a kind that the caller may not read.
 */
export async function compare(ctx: Ctx, there: Configuration, request: Request): Promise<Comparison> {
  for (const { kind } of request.wanted) requireScope(ctx.actor, ctx.platform.operations.scopeOf(kind.show));
  const { wanted, unresolved } = await resolve(ctx, there, request.wanted);
  checkEdge(ctx.platform.operations, wanted);
  const naming = await namingOf(
    ctx,
    there,
    wanted.map(({ settings }) => settings),
  );
  const pairs = pairsOf(ctx.platform.operations, there, wanted);
  const changes = inOrder([
    ...(request.prune ? deletions(there, wanted, pairs, request.source, naming) : []),
    ...pairs.flatMap((pair) => changeOf(ctx.platform.operations, pair, naming)),
  ]);
  const warnings = warningsOf(there, pairs, request.source);
  const plan = sha256(canonicalJson({ revision: there.revision, changes: changes.map(printChange) }))
    .toString('hex')
    .slice(0, 32);
  return { plan, revision: there.revision, changes, unresolved, warnings, wanted };
}

/** The things with ids in place of references. A budget that the file itself makes keeps its reference. */
async function resolve(
  ctx: Ctx,
  { things }: Configuration,
  given: readonly Wanted[],
): Promise<{ wanted: Wanted[]; unresolved: Unresolved[] }> {
  const references = given.flatMap(({ settings }) => referencesIn(settings));
  const found = new Map(await idsOf(ctx, references));
  for (const { kind, name, id } of things) if (isBudget(kind) && id !== null) found.set(keyOf({ budget: name }), [id]);
  const coming = new Set(given.flatMap(({ kind, name }) => (isBudget(kind) ? [keyOf({ budget: name })] : [])));
  const unresolved: Unresolved[] = [];
  const wanted = given.map((thing) => {
    const settings = mapWithPlaces(thing.settings, thing.at, (reference, path) => {
      const ids = found.get(keyOf(reference)) ?? [];
      if (ids.length === 1) return ids[0];
      if (!coming.has(keyOf(reference)))
        unresolved.push({ kind: nameOfKind(thing.kind), name: thing.name, path, ref: reference, found: ids.length });
      return reference;
    });
    return { ...thing, settings: withBareIds(settings as Settings) };
  });
  return { wanted, unresolved };
}

const isBudget = (kind: Kind) => nameOfKind(kind) === 'budgets';

type Path = readonly (string | number)[];

/** Replaces references, each with the place where it stands. */
function mapWithPlaces(value: unknown, at: Path, replace: (reference: Reference, at: Path) => unknown): unknown {
  const reference = asReference(value);
  if (reference !== undefined) return replace(reference, at);
  if (Array.isArray(value)) return value.map((item, index) => mapWithPlaces(item, [...at, index], replace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, isFree(name) ? item : mapWithPlaces(item, [...at, name], replace)]),
  );
}

interface Pair {
  wanted: Wanted;
  present: Present | undefined;
  record: ConfigThing | undefined;
  /** The thing has lost its name by hand, and gets it back. */
  isRenamed: boolean;
}

/** Each thing that the request names beside the one of that name; a thing that was renamed by hand is known by what was applied. */
function pairsOf(operations: Operations<Ctx>, { things, records }: Configuration, wanted: readonly Wanted[]): Pair[] {
  const named = new Map(things.map((thing) => [`${nameOfKind(thing.kind)} ${thing.name}`, thing]));
  const recorded = new Map(records.map((row) => [`${row.kind} ${row.name}`, row]));
  const wantedNames = new Set(wanted.map(({ kind, name }) => `${nameOfKind(kind)} ${name}`));
  const byId = new Map(things.flatMap((thing) => (thing.id === null ? [] : [[thing.id, thing] as const])));
  return wanted.map((one) => {
    const key = `${nameOfKind(one.kind)} ${one.name}`;
    const row = recorded.get(key);
    const own = named.get(key);
    if (own !== undefined || one.kind.is === 'single' || !operations.takes(one.kind.change).includes('name'))
      return { wanted: one, present: own, record: recordOf(row, own), isRenamed: false };
    const renamed = row?.id == null ? undefined : byId.get(row.id);
    const isFree = renamed !== undefined && !wantedNames.has(`${nameOfKind(renamed.kind)} ${renamed.name}`);
    return { wanted: one, present: isFree ? renamed : undefined, record: isFree ? row : undefined, isRenamed: isFree };
  });
}

/** What was applied to the thing; nothing where it was made anew since. */
function recordOf(row: ConfigThing | undefined, present: Present | undefined): ConfigThing | undefined {
  return row !== undefined && present !== undefined && row.id === present.id ? row : undefined;
}

function changeOf(operations: Operations<Ctx>, { wanted, present, record, isRenamed }: Pair, naming: Naming): PlannedChange[] {
  const { kind, name } = wanted;
  if (present === undefined) return [{ op: 'create', kind, name, fields: fieldsOf({}, wanted.settings, naming), wanted }];
  const changed = changedSettings(operations, wanted, present, record);
  if (isRenamed) changed['name'] = name;
  if (Object.keys(changed).length === 0) return [];
  refuseFixed(operations, wanted, changed);
  const before = { ...(isRenamed && { name: present.name }), ...present.settings };
  const after: Record<string, unknown> = { ...before, ...changed };
  return [{ op: 'update', kind, name, fields: fieldsOf(before, after, naming), wanted, present, changed }];
}

// Gap G-832: A setting that a file leaves out is cleared where it may be empty, and else stays as it is.
/**
 * The settings that differ, each with its new value; null clears it. A setting of which the file says what it said when it was applied, and which
 * is what it became then, does not differ, however the two are written.
 */
function changedSettings(
  operations: Operations<Ctx>,
  { kind, settings: to }: Wanted,
  { settings: from }: Present,
  record: ConfigThing | undefined,
): Record<string, unknown> {
  const [given, made] = [digestsOf(to), digestsOf(from)];
  const isAsApplied = (member: string): boolean => {
    if (record === undefined) return false;
    return (record.given as Digests)[member] === given[member] && (record.made as Digests)[member] === made[member];
  };
  const changed: Record<string, unknown> = {};
  for (const [member, value] of Object.entries(to))
    if (!isAsApplied(member) && !isSame(from[member], value, member)) changed[member] = value;
  const shown = operations.shows(kind.show);
  for (const member of Object.keys(from))
    if (!(member in to) && !isAsApplied(member) && shown.get(member)?.nullable) changed[member] = null;
  return changed;
}

/** 400 for a setting that stays as it was made. */
function refuseFixed(operations: Operations<Ctx>, { kind, at }: Wanted, changed: Settings): void {
  if (kind.is === 'single' || kind.bodyOf !== undefined) return;
  const taken = operations.takes(kind.change);
  const fixed = Object.keys(changed).filter((member) => !taken.includes(member));
  if (fixed.length === 0) return;
  const message = 'stays as it was made: give the thing another name, and delete the one of this name';
  throw new ValidationFailed(fixed.map((member) => ({ path: [...at, member], message, rule: 'fixed' })));
}

/** What the source made and does not name any more. What builds on others goes first: the newest. */
function deletions(
  { things, records }: Configuration,
  wanted: readonly Wanted[],
  pairs: readonly Pair[],
  source: string,
  naming: Naming,
): PlannedChange[] {
  const kept = new Set(pairs.map(({ present }) => present));
  const own = new Map(records.map((row) => [`${row.kind} ${row.id}`, row]));
  const named = new Set(wanted.map(({ kind, name }) => `${nameOfKind(kind)} ${name}`));
  return [...kinds].reverse().flatMap((kind) => {
    if (kind.is === 'single' || kind.remove === undefined) return [];
    const gone = things.filter((thing) => {
      if (thing.kind !== kind || kept.has(thing) || named.has(`${nameOfKind(kind)} ${thing.name}`)) return false;
      return own.get(`${nameOfKind(kind)} ${thing.id}`)?.source === source;
    });
    return gone
      .sort((a, b) => (String(a.id) < String(b.id) ? 1 : -1))
      .map((present) => ({ op: 'delete' as const, kind, name: present.name, fields: fieldsOf(present.settings, {}, naming), present }));
  });
}

/** The settings that differ, down to the members of objects; lists are compared as a whole where they differ in length. */
function fieldsOf(from: Settings, to: Settings, naming: Naming): ChangedField[] {
  const fields: ChangedField[] = [];
  const look = (path: string, before: unknown, after: unknown, member = '') => {
    if (isSame(before, after, member)) return;
    if (isObject(before) && isObject(after) && asReference(after) === undefined) {
      for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
        look(path === '' ? name : `${path}.${name}`, before[name], after[name], name);
      return;
    }
    if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
      for (const [index, item] of before.entries()) look(`${path}[${index}]`, item, after[index], member);
      return;
    }
    fields.push({ path, from: naming(before ?? null), to: naming(after ?? null) });
  };
  look('', from, to);
  return fields;
}

function warningsOf({ things, records }: Configuration, pairs: readonly Pair[], source: string): Warning[] {
  const recorded = new Map(records.map((row) => [`${row.kind} ${row.id ?? row.name}`, row]));
  const paired = new Set(pairs.flatMap(({ present }) => present ?? []));
  return things.flatMap((thing): Warning[] => {
    const kind = nameOfKind(thing.kind);
    const { name } = thing;
    const row = recorded.get(`${kind} ${thing.id ?? name}`);
    const say = (message: string): Warning[] => [{ kind, name, message }];
    if (row === undefined) return paired.has(thing) || thing.kind.is === 'single' ? [] : say('no file names it: it was made by hand');
    if (!isDeepStrictEqual(digestsOf(thing.settings), row.made)) return say(`was changed by hand since ${row.source} applied it`);
    if (paired.has(thing) && row.source !== source) return say(`is managed by ${row.source}, and will be managed by ${source}`);
    return [];
  });
}
