// The lines of the audit log (CONTRACT.md 18): every change leaves one, written with it where it stays. contexts/audit makes them leaves of the
// tree of the workspace once they are committed.
import type pg from 'pg';
import { type LeafLine, lineDigest, type Part } from './audit-leaf.js';
import type { Clock } from './clock.js';
import { fewRandomBytes } from './crypto.js';
import type { Act, Ctx } from './ctx.js';
import { type Row, rowOf } from './postgres/column.js';
import type { Database, Tx } from './postgres/database.js';
import { newId } from './schema/id.js';

/** What is told of a request. */
export type AuditSubject = Pick<Ctx, 'actor' | 'requestId' | 'ip' | 'act'> & {
  workspace: Pick<Ctx['workspace'], 'id'>;
  platform: { clock: Clock };
};

/** A posting that a line stands with. */
export interface PostedWith {
  transactionId: string;
  /** The transfer that it paid, and what that was after it; null where it paid none. */
  transfer: { id: string; status: string } | null;
  decisionId: string | null;
  /** What it says in the leaf of its line. */
  parts: readonly Part[];
}

/** Work that nobody has named. */
const unnamed: Act = { action: 'unnamed' };

// Gap G-364: An audit entry has real time, also in a sandbox whose clock was moved.
/**
 * The line of what `ctx` is doing, for a change whose result is `reference`; null for what keeps books and changes nothing. It lives in
 * real time: it says who did what when, also in a sandbox whose clock has moved.
 */
export function auditLine(ctx: AuditSubject, reference: string | null, act = ctx.act, posted?: PostedWith): Row | null {
  if (act === null) return null;
  const { action, resourceType, resourceId, changes, outcome } = act ?? unnamed;
  const { type, id } = ctx.actor;
  const at = ctx.platform.clock.now();
  const isSystem = type === 'system';
  const line: LeafLine = {
    id: newId(at),
    at,
    actorType: type,
    actorId: isSystem || type === 'anonymous' ? null : id,
    via: isSystem || type === 'anonymous' ? null : ctx.actor.credential.kind,
    keyThumbprint: ctx.actor.credential.keyThumbprint ?? null,
    action,
    resourceType: resourceType ?? null,
    // A reference may name several things; the first is what was made.
    resourceId: resourceId ?? reference?.split(' ')[0] ?? null,
    requestId: isSystem ? null : ctx.requestId,
    ip: isSystem || ctx.ip === '' ? null : ctx.ip,
    changes: changes?.() ?? null,
    outcome: outcome ?? null,
  };
  return sealLine(ctx.workspace.id, line, posted);
}

/** The row of a line, with the digest that its leaf is made of. A posting with the id of the resource is not named again. */
export function sealLine(workspaceId: string, line: LeafLine, posted?: PostedWith): Row {
  const seed = fewRandomBytes(16);
  const digest = lineDigest(line, seed, posted?.parts);
  if (posted === undefined) return rowOf({ workspaceId, ...line, seed, digest });
  const { transactionId, transfer, decisionId } = posted;
  return rowOf({
    workspaceId,
    ...line,
    seed,
    digest,
    transactionId: transactionId === line.resourceId ? null : transactionId,
    transferStatus: transfer?.status,
    decisionId,
  });
}

const columns = [
  'workspace_id',
  'id',
  'at',
  'actor_type',
  'actor_id',
  'via',
  'key_thumbprint',
  'action',
  'resource_type',
  'resource_id',
  'request_id',
  'ip',
  'changes',
  'outcome',
  'seed',
  'digest',
  'transaction_id',
  'transfer_status',
  'decision_id',
];

/**
 * The statement that writes lines `l`, `source` of them, where `condition` holds, beside a posting, whose line in the outbox names them: what
 * is not published never becomes a leaf.
 */
export function insertLines(source: string, condition: string): string {
  return `INSERT INTO audit_entry (${columns.join(', ')}) SELECT ${columns.map((column) => `l.${column}`).join(', ')} FROM ${source} WHERE ${condition}`;
}

/** The steps (of WITH) that write lines and put them into the outbox, where there is no posting. */
export function linesPublished(source: string, condition = 'true'): string {
  return `line AS (${insertLines(source, condition)} RETURNING workspace_id, id), line_outbox AS (
    INSERT INTO outbox (workspace_id, event_ids, line_ids) SELECT workspace_id, '{}', array_agg(id) FROM line GROUP BY workspace_id
  )`;
}

/** The lines of the JSON list `list`. */
export function linesOf(list: string): string {
  return `json_populate_recordset(NULL::audit_entry, ${list}::json) l`;
}

const insertAlone = `WITH ${linesPublished(linesOf('$1'))} SELECT`;

/** What transactions have posted, for their lines. */
const postings = new WeakMap<Tx, PostedWith[]>();

/** Notes what a transaction has posted without a line. */
export function notePosted(tx: Tx, posted: PostedWith): void {
  const noted = postings.get(tx) ?? [];
  postings.set(tx, [...noted, posted]);
}

/** What the changes of transactions came to, for their lines. */
const outcomes = new WeakMap<Tx, Record<string, unknown>>();

/**
 * Says what the change of a transaction came to: the resource as it is now, without free text. Its line tells it in the part `outcome`. Of
 * several the last one counts.
 */
export function noteOutcome(tx: Tx, outcome: Record<string, unknown>): void {
  outcomes.set(tx, outcome);
}

function actWithOutcome(act: Act | null | undefined, outcome: Record<string, unknown> | undefined): Act | null | undefined {
  return act === null || outcome === undefined ? act : { ...(act ?? unnamed), outcome };
}

/**
 * Writes the lines of what `ctx` does in a transaction. Its one posting stands with its line. Of several each has a line of its own. `hasLine`:
 * a posting has taken the line with it.
 */
export async function writeLinesOf(ctx: Ctx, tx: Tx, reference: string, hasLine: boolean): Promise<void> {
  const posted = postings.get(tx) ?? [];
  const isAlone = !hasLine && posted.length === 1;
  const act = actWithOutcome(ctx.act, outcomes.get(tx));
  const own = hasLine ? [] : [auditLine(ctx, reference, act, isAlone ? posted[0] : undefined)];
  const others = isAlone ? [] : posted.map((one) => lineOfPosting(ctx, one));
  // A transaction may be made of several changes, each with lines of its own.
  postings.delete(tx);
  outcomes.delete(tx);
  await insertInto(tx, [...own, ...others]);
}

/** The line of one of several postings: it is about the transfer that was paid. */
function lineOfPosting(ctx: Ctx, posted: PostedWith): Row | null {
  const { transfer, transactionId } = posted;
  const act = ctx.act && {
    ...ctx.act,
    resourceType: transfer === null ? 'posting' : 'transfer',
    resourceId: transfer?.id ?? transactionId,
  };
  return auditLine(ctx, null, act, posted);
}

/** Writes the line of a change within what a transaction does, which that would not name. */
export async function writeLine(ctx: Ctx, tx: Tx, act: Act): Promise<void> {
  await insertInto(tx, [auditLine(ctx, null, act)]);
}

async function insertInto(tx: Tx, lines: readonly (Row | null)[]): Promise<void> {
  const written = lines.filter((line) => line !== null);
  if (written.length > 0) await tx.$executeRawUnsafe(insertAlone, JSON.stringify(written));
}

/** Writes the line of what a transaction of plain statements does, and returns its id. */
export async function writeLineIn(ctx: Ctx, tx: pg.ClientBase, act: Act): Promise<string> {
  const line = auditLine(ctx, null, act);
  await tx.query(insertAlone, [JSON.stringify([line])]);
  return line?.['id'] as string;
}

/** Writes lines by themselves, in no transaction of a change. */
export async function writeLines({ pool, written }: Pick<Database, 'pool' | 'written'>, lines: readonly (Row | null)[]): Promise<void> {
  await pool.query(insertAlone, [JSON.stringify(lines.filter((line) => line !== null))]);
  written.ring();
}
