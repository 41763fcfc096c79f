// The lines of the audit log (CONTRACT.md 18): every change leaves one, written with it where it stays. contexts/audit makes them leaves of the
// tree of the workspace once they are committed.
import { type LeafLine, lineDigest } from './audit-leaf.js';
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

/** Work that nobody has named. */
const unnamed: Act = { action: 'unnamed' };

/**
 * The line of what `ctx` is doing, for a change whose result is `reference`; null for what keeps books and changes nothing. It lives in real
 * time: it says who did what when, also in a sandbox whose clock has moved. Gap G-364
 */
export function auditLine(ctx: AuditSubject, reference: string | null, act = ctx.act): Row | null {
  if (act === null) return null;
  const { action, resourceType, resourceId, changes } = act ?? unnamed;
  const { type, id } = ctx.actor;
  const at = ctx.platform.clock.now();
  const isSystem = type === 'system';
  return sealLine(ctx.workspace.id, {
    id: newId(at),
    at,
    actorType: type,
    actorId: isSystem || type === 'anonymous' ? null : id,
    via: isSystem || type === 'anonymous' ? null : ctx.actor.credential.kind,
    action,
    resourceType: resourceType ?? null,
    // A reference may name several things; the first is what was made.
    resourceId: resourceId ?? reference?.split(' ')[0] ?? null,
    requestId: isSystem ? null : ctx.requestId,
    ip: isSystem || ctx.ip === '' ? null : ctx.ip,
    changes: changes?.() ?? null,
    outcome: null,
  });
}

/** The row of a line, with the digest that its leaf is made of. */
export function sealLine(workspaceId: string, line: LeafLine): Row {
  const seed = fewRandomBytes(16);
  return rowOf({ workspaceId, ...line, seed, digest: lineDigest(line, seed) });
}

const columns = [
  'workspace_id',
  'id',
  'at',
  'actor_type',
  'actor_id',
  'via',
  'action',
  'resource_type',
  'resource_id',
  'request_id',
  'ip',
  'changes',
  'outcome',
  'seed',
  'digest',
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

/** Writes the line of what a transaction does: of what `ctx` is doing, or of a change within that work which it would not name. */
export async function writeLine(ctx: Ctx, tx: Tx, reference: string | null, act = ctx.act): Promise<void> {
  const line = auditLine(ctx, reference, act);
  if (line !== null) await tx.$executeRawUnsafe(insertAlone, JSON.stringify([line]));
}

/** Writes lines by themselves, in no transaction of a change. */
export async function writeLines({ pool, written }: Pick<Database, 'pool' | 'written'>, lines: readonly (Row | null)[]): Promise<void> {
  await pool.query(insertAlone, [JSON.stringify(lines.filter((line) => line !== null))]);
  written.ring();
}
