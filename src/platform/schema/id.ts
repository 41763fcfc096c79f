// Identifiers: UUIDv7 in storage; bare or prefixed on the wire, field by field; both accepted on input (CONTRACT.md 0 "Ids").
import { randomInt } from 'node:crypto';
import { v7 } from 'uuid';
import { idKinds as ofNouns } from '../../generated/id-kind.js';
import { fewRandomBytes } from '../crypto.js';
import { camelCase } from '../snake-case.js';

// Gap G-03: Ids are stored as UUIDv7 and printed bare or prefixed, as the field's scalar says; both forms are accepted as input.
/**
 * Every kind of id: its prefix, as printed in events and where the spec types the id as a string, and its scalars with the form that each
 * prints. A kind without a scalar is no member of the schema. Nouns declare theirs; that of a request is the platform's own.
 */
export const idKinds = { ...ofNouns, request: { prefix: 'req', scalars: {} } } as const satisfies Record<
  string,
  { prefix: string; scalars: Readonly<Record<string, 'bare' | 'prefixed'>> }
>;
export type IdKind = keyof typeof idKinds;

type NamesOf<K> = K extends IdKind ? keyof (typeof idKinds)[K]['scalars'] : never;
/** The scalars of ids: `AccountId`, `WalletId`... */
export type IdScalar = NamesOf<IdKind>;

const anyIdPattern = /^(?:[a-z][a-z0-9_]{0,15}_)?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i;
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Clocks that may be used in turn: that of the machine, and those of workspaces that were moved. */
const clocks = 16;
/** The last sequence number of each of the milliseconds that ids were made in last. */
const sequences = new Map<number, number>();

/**
 * A new UUIDv7 whose time is `at` (workspace time): ids sort as the things happened, also those that one process makes
 * within one millisecond, whatever it makes by other clocks in between.
 */
export function newId(at: Date): string {
  const msecs = at.getTime();
  const last = sequences.get(msecs);
  const seq = last === undefined ? randomInt(0x7fff_ffff) : (last + 1) >>> 0;
  // A Map lists what was set first, so what was not used for the longest time is forgotten.
  sequences.delete(msecs);
  sequences.set(msecs, seq);
  const [oldest] = sequences.size > clocks ? sequences.keys() : [];
  if (oldest !== undefined) sequences.delete(oldest);
  return v7({ msecs, seq, random: fewRandomBytes(16) });
}

/** `agt_0198...`: the prefixed form of an id. */
export function printId(kind: IdKind, id: string): string {
  return `${idKinds[kind].prefix}_${id}`;
}

/** The id of a thing of any type, as REST prints it where it stands by itself; of a type without a form of its own the bare UUID. */
export function printSubject(type: string, id: string): string {
  const name = camelCase(type) as IdKind;
  const kind = idKinds[name] as (typeof idKinds)[IdKind] | undefined;
  return kind === undefined || Object.values(kind.scalars)[0] === 'bare' ? id : printId(name, id);
}

/** The bare UUID of `text`, which may be bare or carry the prefix of its kind; null when it cannot be such an id. */
export function parseId(kind: IdKind, text: unknown): string | null {
  if (typeof text !== 'string') return null;
  const prefix = `${idKinds[kind].prefix}_`;
  const bare = text.startsWith(prefix) ? text.slice(prefix.length) : text;
  return uuidPattern.test(bare) ? bare.toLowerCase() : null;
}

/** The bare UUID of an id of any kind; null when `text` cannot be one. */
export function parseAnyId(text: string): string | null {
  return anyIdPattern.exec(text)?.[1]?.toLowerCase() ?? null;
}
