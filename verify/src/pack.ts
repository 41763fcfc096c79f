// Reading a pack: its form, its leaves, and the parts that they show.
import { hold } from './broken.js';
import { bytesOf, compare, equal, fromBase64, fromBase64url, sha256, textOf } from './bytes.js';
import { fromCanonical, hasMembers, type Json, type JsonObject, listIn, member, textIn } from './json.js';

export const packFormat = 'agent-payments/evidence@1';
const partNames = ['act', 'said', 'outcome', 'money', 'offer', 'private', 'authority', 'decision', 'figures', 'delivery'];
const roles = ['payment', 'hold', 'capture', 'checkout', 'mandate', 'approval', 'delivery', 'refund', 'dispute', 'policy'];
const saltBytes = 16;
/** No pack is longer, in characters. */
const mostCharacters = 300_000;

/** A leaf, and what it shows. */
export interface Leaf {
  role: string;
  index: bigint;
  proof: Uint8Array[];
  written: Uint8Array[];
  sealed: Uint8Array[];
  parts: ReadonlyMap<string, Json>;
}

/** A pack whose form is right. */
export interface Pack {
  transferId: string;
  log: JsonObject;
  checkpoint: Json | undefined;
  consistency: { from: bigint; proof: Uint8Array[] } | null;
  leaves: Leaf[];
  attached: JsonObject;
}

const logMembers = ['continues', 'jwks', 'key_jws', 'origin', 'vkeys'];
const keyMembers = ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'];
const leafMembers = ['disclosures', 'index', 'proof', 'role', 'sealed', 'written'];
const members = ['attached', 'checkpoint', 'consistency', 'format', 'leaves', 'log', 'subject'];

/** Reads the text of a pack. Throws Broken where its form is wrong, null where it is no pack at all. */
export function readPack(text: string): Pack | null {
  if (text.length > mostCharacters || looseFormat(text) !== packFormat) return null;
  const value = fromCanonical(text);
  hold('format', value !== undefined, 'the file is not spelled as RFC 8785 says: something in it was changed or stands twice');
  hold('format', hasMembers(value, members), 'the file does not have the members of a pack, and these alone');
  const [log, attached, subject] = [member(value, 'log'), member(value, 'attached'), member(value, 'subject')];
  hold('format', hasMembers(log, logMembers), 'the log does not have its members, and these alone');
  hold('format', listIn(member(log, 'jwks'), 'keys').every((key) => hasMembers(key, keyMembers)), 'a key of the platform is no key of ES256');
  hold('format', hasMembers(attached, [], ['mandate_jwt', 'receipt_jws', 'refund_receipts', 'x402']), 'something is attached that nobody knows');
  const transferId = textIn(subject, 'id');
  hold('format', hasMembers(subject, ['id', 'type']) && textIn(subject, 'type') === 'transfer', 'the file is about no transfer');
  hold('format', transferId !== undefined, 'the file is about no transfer');
  const leaves = listIn(value, 'leaves').map(readLeaf);
  const order = leaves.map(({ index }) => index);
  hold('format', leaves.length > 0, 'the file has no leaves');
  hold('format', order.every((index, n) => n === 0 || index > (order[n - 1] ?? index)), 'the leaves are not in the order of the log');
  return { transferId, log, attached, leaves, checkpoint: member(value, 'checkpoint'), consistency: readConsistency(member(value, 'consistency')) };
}

function looseFormat(text: string): unknown {
  try {
    return (JSON.parse(text) as { format?: unknown } | null)?.format;
  } catch {
    return undefined;
  }
}

function readConsistency(value: Json | undefined): Pack['consistency'] {
  if (value === null) return null;
  hold('format', hasMembers(value, ['from', 'proof']), 'the proof of consistency does not have its members, and these alone');
  const from = sizeOf(member(value, 'from'));
  hold('format', from !== undefined, 'the proof of consistency has no size');
  return { from, proof: hashesOf(value, 'proof') };
}

/** Sizes beyond 2^53 stand as text. */
export function sizeOf(value: Json | undefined): bigint | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  return typeof value === 'string' && /^[1-9]\d{15,18}$/.test(value) && BigInt(value) > BigInt(Number.MAX_SAFE_INTEGER) ? BigInt(value) : undefined;
}

function hashesOf(value: Json | undefined, name: string): Uint8Array[] {
  return listIn(value, name).map((text) => {
    const bytes = fromBase64(text);
    hold('format', bytes?.length === 32, `a hash in ${name} is not 32 bytes in canonical base64`);
    return bytes;
  });
}

function readLeaf(value: Json): Leaf {
  hold('format', hasMembers(value, leafMembers), 'a leaf does not have its members, and these alone');
  const index = sizeOf(member(value, 'index'));
  const role = textIn(value, 'role');
  hold('format', index !== undefined && role !== undefined && roles.includes(role), 'a leaf has no place, or no known role');
  const [written, sealed] = [hashesOf(value, 'written'), hashesOf(value, 'sealed')];
  for (const digests of [written, sealed]) {
    const isOrdered = digests.every((digest, n) => n === 0 || compare(digests[n - 1] ?? digest, digest) < 0);
    hold('format', isOrdered, `the digests of leaf ${index} are not in order, or one stands twice`);
  }
  return { role, index, written, sealed, proof: hashesOf(value, 'proof'), parts: readParts(index, listIn(value, 'disclosures'), [...written, ...sealed]) };
}

function readParts(index: bigint, disclosures: readonly Json[], digests: readonly Uint8Array[]): Map<string, Json> {
  const parts = new Map<string, Json>();
  for (const disclosure of disclosures) {
    hold('format', typeof disclosure === 'string', `leaf ${index} shows something that is no disclosure`);
    const digest = sha256(bytesOf(disclosure));
    hold('format', digests.some((one) => equal(one, digest)), `leaf ${index} shows a part whose digest it does not have`);
    const text = textOf(fromBase64url(disclosure) ?? new Uint8Array());
    const triple = text === undefined ? undefined : fromCanonical(text);
    const [salt, name, part, ...rest] = Array.isArray(triple) ? (triple as Json[]) : [];
    const isTriple = rest.length === 0 && part !== undefined && typeof name === 'string' && (fromBase64url(salt)?.length ?? 0) >= saltBytes;
    hold('format', isTriple, `a part of leaf ${index} is not salt, name and value, or its salt is short`);
    hold('format', partNames.includes(name) && !parts.has(name), `leaf ${index} shows a part that is unknown, or shows one twice: ${name}`);
    parts.set(name, part);
  }
  return parts;
}
