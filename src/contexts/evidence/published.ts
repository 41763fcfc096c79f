// What anybody may read of a log whose tenant publishes it: its public members, its checkpoint, and its tiles (C2SP tlog-tiles).
import type { EvidenceLog } from '../../generated/prisma/client.js';
import { addedDigest, leafEntry } from '../../platform/audit-leaf.js';
import type { Ctx, Environment, Platform } from '../../platform/ctx.js';
import { systemCtx } from '../../platform/due/step.js';
import { NotFound } from '../../platform/errors.js';
import { parseId, printId } from '../../platform/schema/id.js';
import { TreeReader } from '../audit/proof.js';
import { linesOfTile } from '../audit/tile.sql.js';
import { tileWidth } from '../audit/tree.js';
import { findEntry } from '../identity/directory.sql.js';
import { addedParts } from '../spending/evidence/stored-part.sql.js';
import { headOf } from './head.js';
import { logHash } from './log.js';
import { keyJws, keysOf, printKeys } from './log-key.js';

/** A log that is published, and a ctx of its workspace: nobody has shown a credential. */
export interface PublishedLog {
  ctx: Ctx;
  log: EvidenceLog;
}

/** The published log with this id, in the listener's environment; 404 for any other. */
export async function publishedLog({ cells }: Platform, text: string | undefined, environment: Environment): Promise<PublishedLog> {
  const id = parseId('evidenceLog', text);
  if (id === null) throw new NotFound();
  const hash = logHash(id);
  const platform = cells.only ?? (await cells.find({ hash }));
  const entry = await findEntry(platform.database.pool, 'evidence_log', hash);
  if (entry === null || entry.workspace.environment !== environment) throw new NotFound();
  const ctx = systemCtx(platform, entry.workspace, null);
  const log = await ctx.db.evidenceLog.findFirst({ where: { id, publish: { not: 'off' } } });
  if (log === null) throw new NotFound();
  return { ctx, log };
}

/** The public members of a log. */
export async function aboutLog({ ctx, log }: PublishedLog): Promise<object> {
  const keys = await keysOf(ctx, log);
  const newest = keys.at(-1);
  const continuedBy = (await ctx.db.evidenceLog.findFirst({ where: { continues: log.id }, select: { id: true } }))?.id ?? null;
  return {
    id: printId('evidenceLog', log.id),
    origin: log.origin,
    vkeys: printKeys(log, keys),
    key_jws: newest === undefined ? null : await keyJws(ctx, log, newest),
    state: log.state,
    publish: log.publish,
    continues: log.continues && printId('evidenceLog', log.continues),
    continued_by: continuedBy && printId('evidenceLog', continuedBy),
  };
}

/** The newest signed checkpoint. 404 before the first. */
export async function newestCheckpoint({ ctx, log }: PublishedLog): Promise<string> {
  const head = await headOf(ctx, log, log.treeSize);
  if (head === null) throw new NotFound();
  return head.checkpoint;
}

/** A tile, or the entries below it: `partial` of its hashes, or all. */
export interface TileName {
  level: number | 'entries';
  index: bigint;
  /** Null: a full tile. */
  partial: number | null;
}

/** `<N>` in groups of three digits, all but the last with an `x` before them: `x001/x234/067`, with `.p/<W>` behind it for a partial tile. */
const tilePattern = /^(entries|[0-9]|[1-5][0-9]|6[0-3])\/((?:x[0-9]{3}\/){0,5}[0-9]{3})(?:\.p\/([1-9][0-9]{0,2}))?$/;

/** The name of a tile in a path below `/tile/`; null for what names none. */
export function readTileName(path: string): TileName | null {
  const [, level = '', number = '', partial] = tilePattern.exec(path) ?? [];
  const isShort = !number.startsWith('x000/');
  if (level === '' || !isShort || (partial !== undefined && Number(partial) >= tileWidth)) return null;
  return {
    level: level === 'entries' ? level : Number(level),
    index: BigInt(number.replaceAll(/[x/]/g, '')),
    partial: partial === undefined ? null : Number(partial),
  };
}

/** The bytes of a tile. 404 for one that is not under a head that was signed, and where the tenant publishes heads alone. */
export async function tileBytes({ ctx, log }: PublishedLog, name: TileName): Promise<Buffer> {
  const { index, partial } = name;
  const level = name.level === 'entries' ? 0 : name.level;
  const width = partial ?? tileWidth;
  if (log.publish !== 'tiles' || !(await isUnderHead(ctx, log, { level, index, partial }))) throw new NotFound();
  const { pool } = ctx.platform.database;
  if (name.level === 'entries') {
    const lines = (await linesOfTile(pool, ctx.workspace.id, index)).slice(0, width);
    const added = await addedParts(pool, ctx.workspace.id, lines);
    const entries = lines.map(({ id, seed, digest }) => leafEntry(digest, addedDigest(seed, added.get(id) ?? [])));
    return Buffer.concat(entries.flatMap((entry) => [entryLength, entry]));
  }
  const hashes = (await new TreeReader(pool, ctx.workspace.id).tile(level, index)).slice(0, width);
  if (hashes.length < width) throw new NotFound();
  return Buffer.concat(hashes);
}

/** Entries are 32 bytes: their length stands before each, in two bytes. */
const entryLength = Buffer.of(0, 32);

/** True for a full tile of a tree that was signed, and for the partial tile at the edge of one that was. */
async function isUnderHead(
  { db }: Ctx,
  { id: logId, treeSize }: EvidenceLog,
  { level, index, partial }: { level: number; index: bigint; partial: number | null },
): Promise<boolean> {
  const below = BigInt(tileWidth) ** BigInt(level);
  const first = index * BigInt(tileWidth);
  if (partial === null) return (first + BigInt(tileWidth)) * below <= treeSize;
  const least = (first + BigInt(partial)) * below;
  if (least > treeSize) return false;
  const head = await db.evidenceHead.findFirst({
    where: { logId, treeSize: { gte: least, lt: least + below }, checkpoint: { not: null } },
    select: { treeSize: true },
  });
  return head !== null;
}
