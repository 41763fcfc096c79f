// What a line of the audit log is in the tree of its workspace: parts, each with a digest, and a leaf over the digests (CONTRACT.md 25). A
// part can be shown or erased by itself: whoever has the digests can still check the leaf.
import { createHmac, hash } from 'node:crypto';
import { printActor, wireActorType } from './actor.js';
import { canonicalJson } from './canonical-json.js';
import { printTime } from './postgres/column.js';
import { printId, printSubject } from './schema/id.js';

/** What of a line its parts say. Times and ids as the database has them. */
export interface LeafLine {
  id: string;
  at: Date;
  actorType: string;
  actorId: string | null;
  /** The kind of credential that was used. */
  via: string | null;
  /** Of the agent's key behind the credential; null where there is none. */
  keyThumbprint: string | null;
  action: string;
  resourceType: string | null;
  resourceId: string | null;
  requestId: string | null;
  ip: string | null;
  changes: unknown;
  outcome: unknown;
}

/** What parts are called. Salts are made from these names: one never changes. */
export const partNames = ['act', 'said', 'outcome', 'money', 'offer', 'private', 'authority', 'decision', 'figures', 'delivery'] as const;
export type PartName = (typeof partNames)[number];

/** The parts of a line that people can be found in: they are erased with whom they tell of. */
const erasable: ReadonlySet<string> = new Set<PartName>(['said', 'private']);

/** True for a part that is erased with whom it tells of. */
export function isErasable(name: string): boolean {
  return erasable.has(name);
}

/** What is kept of the seed of a line whose content was erased: the salts of the parts that stay, and the digests of those that went. */
export interface KeptSalts {
  salts: Partial<Record<PartName, string>>;
  /** In base64. */
  digests: Partial<Record<PartName, string>>;
}

/** The secret that salts are made from, or what is left of it. */
export type LeafSecret = Uint8Array | KeptSalts;

/** A part, its value as RFC 8785 spells it. */
export interface Part {
  name: PartName;
  value: string;
}

const leafLabel = Buffer.from('agent-payments leaf v1\n');
/** Stands for parts that are added when the leaf is made, where there are none. */
export const noneAdded = Buffer.alloc(32);
const leafPrefix = Buffer.of(0);

/** SHA-256, its bytes as characters: asked for so it takes half the time that a buffer does. */
const digest = (content: string | Uint8Array): string => hash('sha256', content, 'binary');
const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');

/** The id of what was changed, as the wire has it. A resource may have a name in place of an id. */
export function printResource(type: string | null, id: string): string {
  return type !== null && /^[0-9a-f-]{36}$/.test(id) ? printSubject(type, id) : id;
}

/** The parts of a line. Members stand in the order of RFC 8785, so that only what callers sent has to be sorted. */
function partsOf(line: LeafLine): Part[] {
  const act = {
    action: line.action,
    actor: { id: line.actorId && printActor(line.actorType, line.actorId), type: wireActorType(line.actorType) },
    at: printTime(line.at),
    line_id: printId('auditEntry', line.id),
    resource: { id: line.resourceId && printResource(line.resourceType, line.resourceId), type: line.resourceType },
    via: { ...(line.keyThumbprint !== null && { key_thumbprint: line.keyThumbprint }), kind: line.via },
  };
  const parts: Part[] = [{ name: 'act', value: JSON.stringify(act) }];
  const said: string[] = [];
  if (line.changes !== null) said.push(`"changes":${canonicalJson(line.changes)}`);
  if (line.ip !== null) said.push(`"ip":${JSON.stringify(line.ip)}`);
  if (line.requestId !== null) said.push(`"request_id":${JSON.stringify(line.requestId)}`);
  if (said.length > 0) parts.push({ name: 'said', value: `{${said.join(',')}}` });
  if (line.outcome !== null) parts.push({ name: outcomePart(line), value: canonicalJson(line.outcome) });
  return parts;
}

/** What was delivered is told under a name of its own: the payee sees it. */
function outcomePart({ resourceType }: LeafLine): PartName {
  return resourceType === 'evidence_delivery' ? 'delivery' : 'outcome';
}

/** The SD-JWT disclosure of a part (RFC 9901): base64url of salt, name and value. */
function disclosureOf(secret: LeafSecret, { name, value }: Part): string {
  // A part that was written beside what was erased has no salt, and so not the digest of any part.
  const salt = secret instanceof Uint8Array ? saltOf(secret, name) : (secret.salts[name] ?? '');
  return Buffer.from(`["${salt}","${name}",${value}]`).toString('base64url');
}

function saltOf(seed: Uint8Array, name: PartName): string {
  return createHmac('sha256', seed).update(name).digest().toString('base64url', 0, saltBytes);
}
const saltBytes = 16;

/** What is to be kept of the seed of a line, so that all but what people have said can still be shown and checked. */
export function keptSalts(line: LeafLine, seed: Uint8Array): KeptSalts {
  const gone = disclose(
    seed,
    partsOf(line).filter(({ name }) => isErasable(name)),
  );
  return {
    salts: Object.fromEntries(partNames.filter((name) => !isErasable(name)).map((name) => [name, saltOf(seed, name)])),
    digests: Object.fromEntries(gone.map((part) => [part.name, part.digest.toString('base64')])),
  };
}

/** The digests of parts that were erased. */
export function erasedDigests(secret: LeafSecret): Buffer[] {
  return secret instanceof Uint8Array ? [] : Object.values(secret.digests).map((text) => Buffer.from(text, 'base64'));
}

/** A part of a leaf, as it is shown to who may read it. */
export interface Disclosure {
  name: PartName;
  text: string;
  /** SHA-256 of the text. */
  digest: Buffer;
}

/** What the parts of a line say: its own, and those of what stands with it. */
export function disclosuresOf(line: LeafLine, secret: LeafSecret, others: readonly Part[] = []): Disclosure[] {
  return disclose(secret, [...partsOf(line), ...others]);
}

/** Parts as they are shown. */
export function disclose(secret: LeafSecret, parts: readonly Part[]): Disclosure[] {
  return parts.map((part) => {
    const text = disclosureOf(secret, part);
    return { name: part.name, text, digest: bytesOf(digest(text)) };
  });
}

/**
 * W: SHA-256 over the digests of the parts that are written with the line, in order: its own, and `others` of what stands with it. `secret` is 16
 * random bytes, or what erasing has left of them.
 */
export function lineDigest(line: LeafLine, secret: LeafSecret, others: readonly Part[] = []): Buffer {
  const gone = secret instanceof Uint8Array ? [] : erasedDigests(secret).map((each) => each.toString('latin1'));
  return digestOver(secret, others.length === 0 ? partsOf(line) : [...partsOf(line), ...others], gone);
}

/** S: the same over the parts that are added when the leaf is made. */
export function addedDigest(secret: LeafSecret, added: readonly Part[]): Buffer {
  return added.length === 0 ? noneAdded : digestOver(secret, added);
}

function digestOver(secret: LeafSecret, parts: readonly Part[], gone: readonly string[] = []): Buffer {
  // Characters of single bytes are in the order of the bytes.
  const digests = [...parts.map((part) => digest(disclosureOf(secret, part))), ...gone];
  return bytesOf(digest(bytesOf(digests.sort().join(''))));
}

/** What the log has of a line with the digests W and S, 32 bytes each: nothing else of it is published. */
export function leafEntry(written: Uint8Array, added: Uint8Array = noneAdded): Buffer {
  return bytesOf(digest(Buffer.concat([leafLabel, written, added])));
}

/** The hash of the leaf (RFC 6962) of a line with the digests W and S. */
export function leafHash(written: Uint8Array, added?: Uint8Array): Buffer {
  return bytesOf(digest(Buffer.concat([leafPrefix, leafEntry(written, added)])));
}
