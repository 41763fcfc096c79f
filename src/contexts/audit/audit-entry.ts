// Reading the audit log: every change by anybody, newest first (CONTRACT.md 18).
import type { AuditEntry, Prisma } from '../../generated/prisma/client.js';
import type { ActorType, Ctx } from '../../platform/ctx.js';
import { NotFound, ValidationFailed } from '../../platform/errors.js';
import { parseAnyId } from '../../platform/schema/id.js';
import { listOf } from '../../platform/schema/list.js';
import type { Page } from '../../platform/schema/page.js';
import { catchUp } from './chain.js';

/** Who may be found in the log. */
export const auditActorTypes = ['api_key', 'user', 'agent', 'portal', 'system', 'anonymous'] as const satisfies readonly ActorType[];

const rows = listOf('auditEntry', {}, { actor: actorOf, resourceId: (id: string) => ({ resourceId: parseAnyId(id) ?? id }) });

/** Entries, newest first, with what was done until now. 400 for an actor that is neither a kind nor an id. */
export async function auditEntries(ctx: Ctx, input: Parameters<typeof rows>[1]): Promise<Page<AuditEntry>> {
  await catchUp(ctx);
  return rows(ctx, input);
}

/** A kind of actor, or the id of one. Gap G-368 */
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
