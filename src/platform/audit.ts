// The lines of the audit log (CONTRACT.md 18): every change leaves one, written with it. contexts/audit puts them into chains.
import type { Clock } from './clock.js';
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
  return rowOf({
    workspaceId: ctx.workspace.id,
    id: newId(at),
    at,
    actorType: type,
    actorId: isSystem || type === 'anonymous' ? null : id,
    action,
    resourceType: resourceType ?? null,
    // A reference may name several things; the first is what was made.
    resourceId: resourceId ?? reference?.split(' ')[0] ?? null,
    requestId: isSystem ? null : ctx.requestId,
    ip: isSystem || ctx.ip === '' ? null : ctx.ip,
    changes: changes?.() ?? null,
  });
}

const columns = [
  'workspace_id',
  'id',
  'at',
  'actor_type',
  'actor_id',
  'action',
  'resource_type',
  'resource_id',
  'request_id',
  'ip',
  'changes',
];

/** The statement that writes lines `l` of a JSON list, `source` of them, where `condition` holds: alone, or as a part of another one. */
export function insertLines(source: string, condition = 'true'): string {
  return `INSERT INTO audit_line (${columns.join(', ')}) SELECT ${columns.map((column) => `l.${column}`).join(', ')} FROM ${source} WHERE ${condition}`;
}

/** The lines of the JSON list `list`. */
export function linesOf(list: string): string {
  return `json_populate_recordset(NULL::audit_line, ${list}::json) l`;
}

/** Writes the line of what a transaction does: of what `ctx` is doing, or of a change within that work which it would not name. */
export async function writeLine(ctx: Ctx, tx: Tx, reference: string | null, act = ctx.act): Promise<void> {
  const line = auditLine(ctx, reference, act);
  if (line !== null) await tx.$executeRawUnsafe(insertLines(linesOf('$1')), JSON.stringify([line]));
}

/** Writes lines by themselves, in no transaction of a change. */
export async function writeLines({ pool, written }: Pick<Database, 'pool' | 'written'>, lines: readonly (Row | null)[]): Promise<void> {
  await pool.query(insertLines(linesOf('$1')), [JSON.stringify(lines.filter((line) => line !== null))]);
  written.ring();
}
