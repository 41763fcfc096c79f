// Reading the audit log: every change by anybody, newest first (CONTRACT.md 18).
import type { AuditEntry, Prisma } from '../../generated/prisma/client.js';
import { type WireActorType, wireActorTypes } from '../../platform/actor.js';
import type { ActorType, Ctx } from '../../platform/ctx.js';
import { writeDenials } from '../../platform/denial.js';
import { NotFound, ValidationFailed } from '../../platform/errors.js';
import { parseAnyId, parseId } from '../../platform/schema/id.js';
import { listOf } from '../../platform/schema/list.js';
import { firstIdAt, type Page, readPage, type Source, type Window } from '../../platform/schema/page.js';
import { countScanned, type Scan, scanIds } from '../../platform/schema/scan.js';

const indexed = listOf('auditEntry', {}, { actor: actorOf, resourceId: (id: string) => ({ resourceId: parseAnyId(id) ?? id }) });
type Filter = Parameters<typeof indexed>[1];

/**
 * Entries, newest first, with what was denied until now. Those of a resource or of one actor are found by index; what is asked for by action,
 * resource type or kind of actor alone is looked for entry by entry, on pages that may have fewer than asked for (decision 0061). 400 for an
 * actor that is neither a kind nor an id.
 */
export async function auditEntries(ctx: Ctx, input: Filter): Promise<Page<AuditEntry>> {
  await writeDenials(ctx.platform);
  const scan = scanOf(ctx, input);
  if (scan === null) return indexed(ctx, input);
  const source: Source<AuditEntry> = {
    read: async (window) => {
      const { rows: ids, stoppedAt } = await scanIds(ctx.platform.database.pool, below(scan, window), window);
      const rows = await ctx.db.auditEntry.findMany({ where: { id: { in: ids } }, orderBy: { id: 'desc' } });
      return { rows, stoppedAt };
    },
    count: (most) => countScanned(ctx.platform.database.pool, scan, most),
    parse: (text) => parseId('auditEntry', text),
  };
  return readPage(ctx, 'auditEntry', source, input);
}

/** What is looked for entry by entry; null where an index finds it, or nothing is asked for. */
function scanOf(ctx: Ctx, { actor, action, resourceType, resourceId, since, until }: Filter): Scan | null {
  const kind = isActorType(actor) ? actor : undefined;
  if (resourceId || (actor && kind === undefined)) return null;
  const values: unknown[] = [ctx.workspace.id, since ? firstIdAt(since) : lowestId, until ? firstIdAt(until) : highestId];
  const conditions: string[] = [];
  for (const [column, value] of [
    ['action', action],
    ['resource_type', resourceType],
  ] as const)
    if (value) conditions.push(`o.${column} = $${values.push(value)}`);
  if (kind !== undefined) conditions.push(`o.actor_type = ANY ($${values.push(storedTypes(kind))})`);
  return conditions.length === 0 ? null : { table: 'audit_entry', conditions, values };
}
const lowestId = '00000000-0000-0000-0000-000000000000';
const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The scan of a page that begins after a row. */
function below(scan: Scan, { after }: Window): Scan {
  const [workspaceId, from, until, ...others] = scan.values;
  const end = after !== undefined && after < (until as string) ? after : until;
  return { ...scan, values: [workspaceId, from, end, ...others] };
}

/** The kinds of actor that the wire calls by this name. */
function storedTypes(type: WireActorType): ActorType[] {
  return type === 'user' ? ['user', 'member'] : [type];
}

function isActorType(actor: string | null | undefined): actor is WireActorType {
  return (wireActorTypes as readonly (string | null | undefined)[]).includes(actor);
}

// Gap G-368: `actor` filters by an id, bare or prefixed, or by a kind such as `agent`.
/** A kind of actor, or the id of one. */
function actorOf(actor: string): Prisma.AuditEntryWhereInput {
  if (isActorType(actor)) return { actorType: { in: storedTypes(actor) } };
  const actorId = parseAnyId(actor);
  if (actorId !== null) return { actorId };
  const message = `must be an id, or one of ${wireActorTypes.join(', ')}`;
  throw new ValidationFailed([{ path: ['actor'], message, rule: 'actor' }]);
}

/** The entry, or 404. */
export async function auditEntry(ctx: Ctx, id: string): Promise<AuditEntry> {
  await writeDenials(ctx.platform);
  const found = await ctx.db.auditEntry.findFirst({ where: { id } });
  if (found === null) throw new NotFound();
  return found;
}
