// Events: what happened, as a row written in the transaction of the change it tells of (SPEC.md "Events"). What there is to
// tell is in event-catalog.ts.
import type { Ctx } from './ctx.js';
import type { Tx } from './database.js';
import type { EventData, EventType } from './event-catalog.js';
import { newId } from './ids.js';

/** How long events are kept. */
export const eventRetentionSeconds = 30 * 86_400;

/** An event as the outbox keeps it. `objectId` is the bare id of what it is about. */
export interface EventRow {
  id: string;
  type: EventType;
  data: object;
  objectId: string | null;
  agentId: string | null;
}

/** An event of now, typed by the catalog. The caller writes it: with a posting, or through `emit`. */
export function event<T extends EventType>(
  at: Date,
  type: T,
  data: EventData<T>,
  about: { objectId?: string; agentId?: string | null } = {},
): EventRow {
  return { id: newId(at), type, data, objectId: about.objectId ?? null, agentId: about.agentId ?? null };
}

/** Writes an event in the transaction of the change it tells of. */
export async function emit<T extends EventType>(
  ctx: Ctx,
  tx: Tx,
  type: T,
  data: EventData<T>,
  about: { objectId?: string; agentId?: string | null } = {},
): Promise<void> {
  const at = ctx.clock.now();
  const row = event(at, type, data, about);
  await tx.event.create({ data: { ...row, data: data as object, createdAt: at } });
}
