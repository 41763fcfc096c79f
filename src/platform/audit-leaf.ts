// What a line of the audit log is in the tree of its workspace: parts, each with a digest, and a leaf over the digests (CONTRACT.md 25). A
// part can be shown or erased by itself: whoever has the digests can still check the leaf.
import { createHmac, hash } from 'node:crypto';
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
  action: string;
  resourceType: string | null;
  resourceId: string | null;
  requestId: string | null;
  ip: string | null;
  changes: unknown;
  outcome: unknown;
}

/** A part, its value as RFC 8785 spells it. */
interface Part {
  name: 'act' | 'said' | 'outcome';
  value: string;
}

const leafLabel = Buffer.from('agent-payments leaf v1\n');
/** Stands for parts that are added when the leaf is made: there are none. */
const noneAdded = Buffer.alloc(32);
const leafPrefix = Buffer.of(0);

/** SHA-256, its bytes as characters: asked for so it takes half the time that a buffer does. */
const digest = (content: string | Uint8Array): string => hash('sha256', content, 'binary');
const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');

const actorKinds = { api_key: 'apiKey', user: 'apiKey', agent: 'agent', portal: 'portalToken' } as const;

/** The id of who did something, as the wire has it. */
export function printActor(type: string, id: string): string {
  return type in actorKinds ? printId(actorKinds[type as keyof typeof actorKinds], id) : id;
}

/** The id of what was changed, as the wire has it. A resource may have a name in place of an id. */
export function printResource(type: string | null, id: string): string {
  return type !== null && /^[0-9a-f-]{36}$/.test(id) ? printSubject(type, id) : id;
}

/** The parts of a line. Members stand in the order of RFC 8785, so that only what callers sent has to be sorted. */
function partsOf(line: LeafLine): Part[] {
  const act = {
    action: line.action,
    actor: { id: line.actorId && printActor(line.actorType, line.actorId), type: line.actorType },
    at: printTime(line.at),
    line_id: printId('auditEntry', line.id),
    resource: { id: line.resourceId && printResource(line.resourceType, line.resourceId), type: line.resourceType },
    via: { kind: line.via },
  };
  const parts: Part[] = [{ name: 'act', value: JSON.stringify(act) }];
  const said: string[] = [];
  if (line.changes !== null) said.push(`"changes":${canonicalJson(line.changes)}`);
  if (line.ip !== null) said.push(`"ip":${JSON.stringify(line.ip)}`);
  if (line.requestId !== null) said.push(`"request_id":${JSON.stringify(line.requestId)}`);
  if (said.length > 0) parts.push({ name: 'said', value: `{${said.join(',')}}` });
  if (line.outcome !== null) parts.push({ name: 'outcome', value: canonicalJson(line.outcome) });
  return parts;
}

/** The digest of a part: SHA-256 of its SD-JWT disclosure (RFC 9901). Its salt is made from the seed of the line. */
function partDigest(seed: Uint8Array, { name, value }: Part): string {
  const salt = createHmac('sha256', seed).update(name).digest().toString('base64url', 0, saltBytes);
  return digest(Buffer.from(`["${salt}","${name}",${value}]`).toString('base64url'));
}
const saltBytes = 16;

/** W: SHA-256 over the digests of the parts that are written with the line, in order. `seed` is a secret of 16 random bytes. */
export function lineDigest(line: LeafLine, seed: Uint8Array): Buffer {
  // Characters of single bytes are in the order of the bytes.
  const digests = partsOf(line).map((part) => partDigest(seed, part));
  return bytesOf(digest(bytesOf(digests.sort().join(''))));
}

/** The hash of the leaf (RFC 6962) of a line with the digest W. */
export function leafHash(written: Uint8Array): Buffer {
  const entry = digest(Buffer.concat([leafLabel, written, noneAdded]));
  return bytesOf(digest(Buffer.concat([leafPrefix, bytesOf(entry)])));
}
