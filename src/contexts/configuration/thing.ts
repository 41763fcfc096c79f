// One thing of a configuration, as it is and as a file wants it.
import { isDeepStrictEqual } from 'node:util';
import { canonicalJson } from '../../platform/canonical-json.js';
import { sha256 } from '../../platform/crypto.js';
import { parseAnyId } from '../../platform/schema/id.js';
import type { Kind } from './kind.js';

export type Settings = Readonly<Record<string, unknown>>;

/** A thing that is there. `settings` has bare ids, and no null. */
export interface Present {
  kind: Kind;
  name: string;
  /** Bare; null for what a workspace has once, and for what is found by its name. */
  id: string | null;
  settings: Settings;
}

/** A thing that a file names. `settings` has bare ids where they are known, else the reference. */
export interface Wanted {
  kind: Kind;
  name: string;
  /** Where it stands in the request. */
  at: readonly (string | number)[];
  settings: Settings;
}

/** Free text and free JSON: what looks like an id there is none. */
const free = new Set(['name', 'description', 'metadata', 'filter', 'message', 'url', 'path']);

/** `value` with each text replaced by what `replace` gives; what stands under a free member stays. */
export function mapValues(value: unknown, replace: (value: unknown) => unknown): unknown {
  const replaced = replace(value);
  if (replaced !== value) return replaced;
  if (Array.isArray(value)) return value.map((item) => mapValues(item, replace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, isFree(name) ? item : mapValues(item, replace)]));
}

/** True for a member that has free text or free JSON: nothing in it is an id or a reference. */
export function isFree(member: string): boolean {
  return free.has(member);
}

/** The settings with bare ids and without null: two that say the same are equal. */
export function withBareIds(settings: Settings): Settings {
  const bare = mapValues(settings, (value) => (typeof value === 'string' ? (parseAnyId(value) ?? value) : value));
  return withoutNull(bare) as Settings;
}

function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNull);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => (item == null ? [] : [[name, isFree(name) ? item : withoutNull(item)]])),
  );
}

/** The ids among the settings. */
export function idsIn(settings: Settings): string[] {
  const found: string[] = [];
  mapValues(settings, (value) => {
    if (typeof value === 'string' && parseAnyId(value) !== null) found.push(value);
    return value;
  });
  return found;
}

/** Members whose text is a figure: `5` says what `5.00` says. */
const figures = new Set(['amount', 'threshold', 'base_price', 'rate', 'per_tx', 'per_day', 'per_month', 'price_multiplier']);

/** Whether two values say the same, under a member of this name. */
export function isSame(before: unknown, after: unknown, name = ''): boolean {
  if (figures.has(name)) return plainFigure(before) === plainFigure(after);
  if (Array.isArray(before) && Array.isArray(after))
    return before.length === after.length && before.every((item, index) => isSame(item, after[index], name));
  if (!isObject(before) || !isObject(after)) return isDeepStrictEqual(before, after);
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].every((member) => isSame(before[member], after[member], member));
}

function plainFigure(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\d+(\.\d+)?$/.test(value)) return value;
  return value.includes('.') ? value.replace(/\.?0+$/, '') : value;
}

/** True for an object that is no list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The digest of each setting, by its name. */
export type Digests = Readonly<Record<string, string>>;

/** SHA-256 of each setting, whatever the order of its members: 32 hexadecimal digits. */
export function digestsOf(settings: Settings): Digests {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, digest(value)]));
}

function digest(value: unknown): string {
  return sha256(canonicalJson(value)).toString('hex').slice(0, 32);
}
