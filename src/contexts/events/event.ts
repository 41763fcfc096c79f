// What happened, for whoever asks afterwards: the outbox read as a list, kept 30 days (CONTRACT.md 16).
import type { Event, Prisma } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound, ValidationFailed } from '../../platform/errors.js';
import { isEventPattern } from '../../platform/event-catalog.js';
import { eventRetentionSeconds } from '../../platform/events.js';
import { parseAnyId } from '../../platform/ids.js';
import { createdBetween, listPage, type Page, type PageInput } from '../../platform/page.js';

/** What an actor sees: an agent what concerns it, everyone else the workspace's; nothing older than 30 days. */
function visible({ actor, clock }: Ctx): Prisma.EventWhereInput {
  const kept: Prisma.EventWhereInput = { createdAt: { gte: addSeconds(clock.now(), -eventRetentionSeconds) } };
  return actor.agent === undefined ? kept : { ...kept, agentId: actor.agent.id };
}

/** The event, or 404. `query` is the caller's selection. */
export async function event(ctx: Ctx, id: string, query: object = {}): Promise<Event> {
  const found = await ctx.db.event.findFirst({ ...query, where: { AND: [{ id }, visible(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

export interface EventFilter extends PageInput {
  /** Types or wildcards, any of which. */
  types?: readonly string[] | null | undefined;
  objectId?: string | null | undefined;
  agentId?: string | null | undefined;
  delivered?: boolean | null | undefined;
  since?: Date | null | undefined;
  until?: Date | null | undefined;
}

/** Events, newest first. 400 for a type that is in no catalog. */
export function events(ctx: Ctx, filter: EventFilter, query: object = {}): Promise<Page<Event>> {
  const conditions: Prisma.EventWhereInput[] = [visible(ctx), createdBetween(filter.since, filter.until)];
  if (filter.types?.length) conditions.push(ofTypes(filter.types));
  if (filter.objectId) conditions.push({ objectId: bareObjectId(filter.objectId) });
  if (filter.agentId) conditions.push({ agentId: filter.agentId });
  if (typeof filter.delivered === 'boolean') conditions.push(whereDelivered(filter.delivered));
  return listPage(ctx.db.event, { AND: conditions }, filter, query);
}

/** Events that one of `patterns` names. 400 for a pattern that names no type. */
function ofTypes(patterns: readonly string[]): Prisma.EventWhereInput {
  checkPatterns(patterns, 'type');
  return {
    OR: patterns.map((pattern) => {
      if (pattern === '*') return {};
      return { type: pattern.endsWith('.*') ? { startsWith: pattern.slice(0, -1) } : pattern };
    }),
  };
}

/** 400 at `field` unless every pattern names a type of the catalog. */
export function checkPatterns(patterns: readonly string[], field: string): void {
  const wrong = patterns.filter((pattern) => !isEventPattern(pattern));
  if (wrong.length === 0) return;
  throw new ValidationFailed(
    wrong.map((pattern) => ({
      path: [field],
      message: `${JSON.stringify(pattern)} names no event type: see GET /v1/webhooks/events`,
      rule: 'event_type',
    })),
  );
}

/** `delivered`: there are deliveries and all arrived. Not `delivered`: some delivery has not, or not yet (Gap G-66). */
function whereDelivered(delivered: boolean): Prisma.EventWhereInput {
  const missing = { status: { not: 'delivered' } } as const;
  return delivered ? { AND: [{ deliveries: { some: {} } }, { deliveries: { none: missing } }] } : { deliveries: { some: missing } };
}

/** The UUID of an id of any kind; 400 for what cannot be one. */
export function bareObjectId(text: string): string {
  const id = parseAnyId(text);
  if (id === null) throw new ValidationFailed([{ path: ['objectId'], message: 'must be an id, such as tx_<uuid>', rule: 'id' }]);
  return id;
}
