// Identifiers: UUIDv7 in storage; bare or prefixed on the wire, field by field; both accepted on input (Gap G-03) (CONTRACT.md 0 "Ids").
import { randomInt } from 'node:crypto';
import { v7 } from 'uuid';

/** Prefix of each kind of id, as printed in events and where the spec types the id as a string. */
export const idPrefixes = {
  account: 'acc',
  wallet: 'wal',
  merchant: 'mer',
  transfer: 'tx',
  agent: 'agt',
  authKey: 'auth',
  session: 'ses',
  apiKey: 'key',
  event: 'evt',
  webhook: 'wh',
  delivery: 'dlv',
  attempt: 'del',
  testClock: 'clk',
  request: 'req',
  ledgerTransaction: 'ltx',
} as const;
export type IdKind = keyof typeof idPrefixes;

const anyIdPattern = /^(?:[a-z][a-z0-9_]{0,15}_)?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i;
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

let lastMs = 0;
let sequence = 0;

/**
 * A new UUIDv7 whose time is `at` (workspace time): ids sort as the things happened, also those that one process makes
 * within one millisecond.
 */
export function newId(at: Date): string {
  const msecs = at.getTime();
  sequence = msecs === lastMs ? (sequence + 1) >>> 0 : randomInt(0x7fff_ffff);
  lastMs = msecs;
  return v7({ msecs, seq: sequence });
}

/** `agt_0198...`: the prefixed form of an id. */
export function printId(kind: IdKind, id: string): string {
  return `${idPrefixes[kind]}_${id}`;
}

/** The bare UUID of `text`, which may be bare or carry the prefix of its kind; null when it cannot be such an id. */
export function parseId(kind: IdKind, text: unknown): string | null {
  if (typeof text !== 'string') return null;
  const prefix = `${idPrefixes[kind]}_`;
  const bare = text.startsWith(prefix) ? text.slice(prefix.length) : text;
  return uuidPattern.test(bare) ? bare.toLowerCase() : null;
}

/** The bare UUID of an id of any kind; null when `text` cannot be one. */
export function parseAnyId(text: string): string | null {
  return anyIdPattern.exec(text)?.[1]?.toLowerCase() ?? null;
}
