// Files of archived lines of the audit log: JSON lines, of which the first says from where on, one stands for each leaf, and the last has the head
// under which all of them are. What is in a file suffices to compute every leaf again, and the root over them.
import { z } from 'zod';
import { addedDigest, type LeafLine, leafHash, lineDigest, type Part } from '../../platform/audit-leaf.js';
import { printId } from '../../platform/schema/id.js';
import { type StoredLine, secretOf } from './block.sql.js';
import { type ErasureOutcome, erasingActions } from './erased-line.js';
import { rootOf, type Tree, withLeaf } from './tree.js';

/** What the first member of the first line of a file says. */
const format = 'agent-payments/audit-archive@1';

const base64 = z.base64().transform((text): Buffer => Buffer.from(text, 'base64'));
const leafNumber = z.int().min(0).transform(BigInt);
const part = z.strictObject({ name: z.string(), value: z.string() });

const firstLine = z.strictObject({
  archive: z.literal(format),
  /** The name of the log, and the keys that have signed for it. */
  origin: z.string(),
  keys: z.array(z.string()),
  first_leaf: leafNumber,
  /** The roots of the complete trees that the tree before the first leaf is made of. */
  peaks: z.array(base64),
  /** SHA-256 of the file before; null for the first one. */
  previous_sha256: z.string().nullable(),
});

const leafLine = z.strictObject({
  leaf: leafNumber,
  line: z.strictObject({
    id: z.uuid(),
    at: z.iso.datetime().transform((text) => new Date(text)),
    actor_type: z.string(),
    actor_id: z.string().nullable(),
    via: z.string().nullable(),
    key_thumbprint: z.string().nullable(),
    action: z.string(),
    resource_type: z.string().nullable(),
    resource_id: z.string().nullable(),
    request_id: z.string().nullable(),
    ip: z.string().nullable(),
    changes: z.unknown(),
    outcome: z.unknown(),
  }),
  seed: base64.nullable(),
  /** Of a line whose content was erased. */
  kept: z.strictObject({ by: z.uuid(), salts: z.record(z.string(), z.string()), digests: z.record(z.string(), z.string()) }).nullable(),
  /** The digest over the parts that were written with the line. */
  w: base64,
  /** What stands with it in its leaf: written with it, and added when the leaf was made. */
  written: z.array(part),
  added: z.array(part),
});

const lastLine = z.strictObject({
  end: leafNumber,
  /** The signed head of so many leaves, as a note. */
  head: z.string(),
});

/** The first line of a file. */
export type ArchiveStart = z.output<typeof firstLine>;

/** The first line, as it is written. */
export function printStart({ first_leaf: firstLeaf, peaks, ...start }: Omit<ArchiveStart, 'archive'>): object {
  return { archive: format, ...start, first_leaf: Number(firstLeaf), peaks: peaks.map((peak) => peak.toString('base64')) };
}

/** The line of a leaf, as it is written. */
export function printLeaf(
  leaf: bigint,
  stored: StoredLine,
  { written, added }: { written: readonly Part[]; added: readonly Part[] },
): object {
  const { id, at, actorType, actorId, via, keyThumbprint, action, resourceType, resourceId, requestId, ip, changes, outcome } = stored;
  return {
    leaf: Number(leaf),
    line: {
      id,
      at: at.toISOString(),
      actor_type: actorType,
      actor_id: actorId,
      via,
      key_thumbprint: keyThumbprint,
      action,
      resource_type: resourceType,
      resource_id: resourceId,
      request_id: requestId,
      ip,
      changes,
      outcome,
    },
    seed: stored.seed?.toString('base64') ?? null,
    kept: stored.kept,
    w: stored.digest?.toString('base64'),
    written,
    added,
  };
}

/** The last line, as it is written. */
export function printEnd(end: bigint, head: string): object {
  return { end: Number(end), head };
}

/** Why a file is not what it says. `line` counts the lines of the file from 1. */
export class ArchiveBroken extends Error {
  constructor(line: number, fault: string) {
    super(`Line ${line}: ${fault}`);
  }
}

/** What a file came to. */
export interface ArchiveCheck {
  start: ArchiveStart;
  /** The leaf after its last one. */
  end: bigint;
  root: Buffer;
  /** The head that it ends with, as a note. */
  head: string;
  checked: number;
  /** Entries whose content was erased. */
  erased: number;
  /** Ids of entries that name erased ones, and are in no line of this file: in a later file, or in the log still. */
  namedElsewhere: string[];
  /** The root of the tree with `sizeOf` leaves, where that is within the file. */
  rootAt: Buffer | undefined;
}

/**
 * Computes the leaves of a file again, line by line, and the root over them. `sizeOf`: of which tree the root is wanted besides.
 * @throws ArchiveBroken for the first line that is not as it was written
 */
export async function checkArchive(lines: AsyncIterable<string>, sizeOf?: bigint): Promise<ArchiveCheck> {
  let number = 0;
  let start: ArchiveStart | undefined;
  let tree: Tree = { size: 0n, peaks: [] };
  let end: z.output<typeof lastLine> | undefined;
  let rootAt: Buffer | undefined;
  let checked = 0;
  const erased: NamedLeaf[] = [];
  const named = new Map<string, ReadonlySet<string>>();
  for await (const text of lines) {
    number += 1;
    if (end !== undefined) throw new ArchiveBroken(number, 'something stands behind the end.');
    const json = jsonOf(text, number);
    if (start === undefined) {
      start = read(firstLine, json, number);
      tree = { size: start.first_leaf, peaks: start.peaks };
    } else if (isEnd(json)) {
      end = read(lastLine, json, number);
      if (end.end !== tree.size)
        throw new ArchiveBroken(number, `it says that the file ends before leaf ${end.end}, but it ends before ${tree.size}.`);
    } else {
      const leaf = read(leafLine, json, number);
      if (leaf.leaf !== tree.size) throw new ArchiveBroken(number, `leaf ${tree.size} is missing.`);
      const hash = hashOf(leaf, number);
      const id = printId('auditEntry', leaf.line.id);
      if (leaf.kept !== null) erased.push({ id, by: leaf.kept.by, hash: hash.toString('hex'), line: number });
      else if (isErasure(leaf.line.action)) named.set(leaf.line.id, namesIn(leaf.line.outcome));
      tree = withLeaf(tree, hash);
      checked += 1;
    }
    if (tree.size === sizeOf && tree.size > 0n) rootAt ??= rootOf(tree);
  }
  if (start === undefined) throw new ArchiveBroken(1, 'the file is empty.');
  if (end === undefined) throw new ArchiveBroken(number + 1, 'the file is cut off.');
  const elsewhere = new Set<string>();
  for (const { id, by, hash, line } of erased) {
    const names = named.get(by);
    if (names === undefined) elsewhere.add(printId('auditEntry', by));
    else if (!names.has(`${id} ${hash}`)) throw new ArchiveBroken(line, `the content of ${id} is gone, and no erasure names it.`);
  }
  const found = { checked, erased: erased.length, namedElsewhere: [...elsewhere].sort(), rootAt };
  return { start, end: end.end, root: rootOf(tree), head: end.head, ...found };
}

/** A line whose content was erased, and the one that is to name it. */
interface NamedLeaf {
  id: string;
  by: string;
  hash: string;
  line: number;
}

const isErasure = (action: string): boolean => (erasingActions as readonly string[]).includes(action);

function namesIn(outcome: unknown): ReadonlySet<string> {
  const { lines = [] } = (outcome ?? {}) as Partial<ErasureOutcome>;
  return new Set(lines.map(({ line_id: id, leaf_hash: hash }) => `${id} ${hash}`));
}

function jsonOf(text: string, number: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ArchiveBroken(number, 'it is not JSON.');
  }
}

function isEnd(json: unknown): boolean {
  return typeof json === 'object' && json !== null && 'end' in json;
}

function read<Schema extends z.ZodType>(schema: Schema, json: unknown, number: number): z.output<Schema> {
  const { data, error } = schema.safeParse(json);
  if (error === undefined) return data as z.output<Schema>;
  const [issue] = error.issues;
  throw new ArchiveBroken(number, `it is no line of an archive: ${[...(issue?.path ?? [])].join('.')}: ${issue?.message}.`);
}

/** The hash of the leaf, where the line and what stands with it come to the digest that is kept. */
function hashOf({ line, seed, kept, w, written, added }: z.output<typeof leafLine>, number: number): Buffer {
  const secret = secretOf({ seed, kept: kept as StoredLine['kept'] });
  if (secret === null) throw new ArchiveBroken(number, 'it has neither a seed nor salts.');
  const said: LeafLine = {
    id: line.id,
    at: line.at,
    actorType: line.actor_type,
    actorId: line.actor_id,
    via: line.via,
    keyThumbprint: line.key_thumbprint,
    action: line.action,
    resourceType: line.resource_type,
    resourceId: line.resource_id,
    requestId: line.request_id,
    ip: line.ip,
    changes: line.changes ?? null,
    outcome: line.outcome ?? null,
  };
  if (!lineDigest(said, secret, written as Part[]).equals(w))
    throw new ArchiveBroken(number, `${printId('auditEntry', line.id)} is not as it was written.`);
  return leafHash(w, addedDigest(secret, added as Part[]));
}
