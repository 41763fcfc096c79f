// Reading the audit log: every change by anybody, newest first (CONTRACT.md 18).
import type { AuditEntry, Prisma } from '../../generated/prisma/client.js';
import type { ActorType, Ctx } from '../../platform/ctx.js';
import { NotFound, ValidationFailed } from '../../platform/errors.js';
import { parseAnyId } from '../../platform/schema/id.js';
import { createdBetween, listPage, type Page, type PageInput } from '../../platform/schema/page.js';
import { catchUp } from './chain.js';

/** Who may be found in the log. */
export const auditActorTypes = ['api_key', 'user', 'agent', 'portal', 'system', 'anonymous'] as const satisfies readonly ActorType[];

export interface AuditFilter extends PageInput {
  /** A kind of actor, or the id of one. Gap G-368 */
  actor?: string | null | undefined;
  action?: string | null | undefined;
  resourceType?: string | null | undefined;
  /** As printed anywhere: bare or with its prefix. */
  resourceId?: string | null | undefined;
  since?: Date | null | undefined;
  until?: Date | null | undefined;
}

/** Entries, newest first, with what was done until now. 400 for an actor that is neither a kind nor an id. */
export async function auditEntries(ctx: Ctx, filter: AuditFilter): Promise<Page<AuditEntry>> {
  await catchUp(ctx);
  const { actor, action, resourceType, resourceId, since, until } = filter;
  const conditions: Prisma.AuditEntryWhereInput[] = [createdBetween(since, until)];
  if (actor) conditions.push(actorOf(actor));
  if (action) conditions.push({ action });
  if (resourceType) conditions.push({ resourceType });
  if (resourceId) conditions.push({ resourceId: parseAnyId(resourceId) ?? resourceId });
  return listPage(ctx, 'auditEntry', ctx.db.auditEntry, { AND: conditions }, filter);
}

function actorOf(actor: string): Prisma.AuditEntryWhereInput {
  if ((auditActorTypes as readonly string[]).includes(actor)) return { actorType: actor };
  const actorId = parseAnyId(actor);
  if (actorId !== null) return { actorId };
  const message = `must be an id, or one of ${auditActorTypes.join(', ')}`;
  throw new ValidationFailed([{ path: ['actor'], message, rule: 'actor' }]);
}

/** The entry, or 404. */
export async function auditEntry(ctx: Ctx, id: string): Promise<AuditEntry> {
  await catchUp(ctx);
  const found = await ctx.db.auditEntry.findFirst({ where: { id } });
  if (found === null) throw new NotFound();
  return found;
}
