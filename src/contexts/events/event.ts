// Events as a list and one by one, for as long as they are kept (CONTRACT.md 16).

import { catalogOf } from '../../events/catalog.js';
import { oldestEvents } from '../../events/event.js';
import { notInternal, whereNamed } from '../../events/pattern.js';
import type { Event, Prisma } from '../../generated/prisma/client.js';
import { loadTogether } from '../../platform/batch.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound, ValidationFailed } from '../../platform/errors.js';
import { parseAnyId } from '../../platform/schema/id.js';
import { listOf } from '../../platform/schema/list.js';
import { createdBetween } from '../../platform/schema/page.js';
import { Visibility } from '../../platform/visibility.js';

/** An agent sees the events that concern it. */
const ofAgent = new Visibility<Prisma.EventWhereInput>({ scope: 'webhooks:read', agent: ({ id }) => ({ agentId: id }) });

/** What the actor sees of the events that are kept, as a filter. */
export function visibleEvents(ctx: Ctx): Prisma.EventWhereInput {
  return {
    AND: [ofAgent.where(ctx), notInternal, createdBetween(oldestEvents(ctx.platform, ctx.clock.now()), null)],
  };
}

/** The event, or 404. `query` is the caller's selection. */
export async function event(ctx: Ctx, id: string, query: object = {}): Promise<Event> {
  const found = await ctx.db.event.findFirst({ ...query, where: { AND: [{ id }, visibleEvents(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

/** The data of an event: its own, or that of the event that it shares it with (decision 0057). Those of one page are read together. */
export async function dataOfEvent(ctx: Ctx, { data, dataOf }: Pick<Event, 'data' | 'dataOf'>): Promise<Prisma.JsonObject> {
  if (dataOf === null) return data as Prisma.JsonObject;
  const found = await loadTogether(ctx, 'data of events', dataOf, async (ids) => {
    const rows = await ctx.db.event.findMany({ where: { id: { in: [...ids] } }, select: { id: true, data: true } });
    return new Map(rows.map((row) => [row.id, row.data]));
  });
  return found as Prisma.JsonObject;
}

/** Events, newest first. 400 for a type that is in no catalog. */
export const events = listOf(
  'event',
  { visible: { where: visibleEvents } },
  {
    type: (patterns: readonly string[], ctx: Ctx) => {
      catalogOf(ctx).checkPatterns(patterns, () => ['type']);
      return patterns.length === 0 ? {} : whereNamed('type', patterns);
    },
    objectId: (id: string) => ({ objectId: bareObjectId(id) }),
    delivered: whereDelivered,
  },
);

// Gap G-77: `delivered=true` means that there are deliveries and all arrived; false means that some have not.
/** `delivered`: there are deliveries and all arrived. Not `delivered`: some delivery has not, or not yet. */
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
