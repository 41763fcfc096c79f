// A test event: the example of its type with one's own members, emitted like any other (CONTRACT.md 19).
import type { Event } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { ValidationFailed } from '../../platform/errors.js';
import { type CatalogEntry, catalog } from '../../platform/event-catalog.js';
import { eventRow, writeEvents } from '../../platform/events.js';
import { transact } from '../../platform/idempotency.js';
import { parseAnyId, parseId } from '../../platform/ids.js';
import { requireTestMode } from './clock.js';

export interface TriggerEventInput {
  type: string;
  data?: Record<string, unknown> | null | undefined;
  objectId?: string | null | undefined;
}

/**
 * Emits an event of any type of the catalog, announced ones too (Gap G-68). `data` replaces members of the example, `objectId`
 * the id of what it is about. 403 `test_mode_only`, 400 for an unknown type and for data that its schema refuses.
 */
export function triggerEvent(ctx: Ctx, { type, data, objectId }: TriggerEventInput): Promise<Event> {
  requireTestMode(ctx);
  const entry = catalog.get(type);
  if (entry === undefined) {
    const message = `${JSON.stringify(type)} is no event type: see GET /v1/webhooks/events`;
    throw new ValidationFailed([{ path: ['type'], message, rule: 'event_type' }]);
  }
  const said = dataOf(entry, data ?? {}, objectId ?? null);
  return transact(ctx, async (tx) => {
    const at = ctx.clock.now();
    const agentId = parseId('agent', said['agent_id']);
    // The example's agent is nobody's: only an agent of this workspace has a channel to tell.
    const agent = agentId === null ? null : await tx.agent.findFirst({ where: { id: agentId }, select: { id: true } });
    const told = eventRow(at, type, said, { objectId: parseAnyId(String(said[entry.subject])) ?? undefined, agentId: agent?.id ?? null });
    await writeEvents(tx, ctx.workspace.id, [told]);
    return tx.event.findFirstOrThrow({ where: { id: told.id } });
  });
}

function dataOf({ schema, example, subject }: CatalogEntry, data: Record<string, unknown>, objectId: string | null) {
  const whole: Record<string, unknown> = { ...(example as object), ...data };
  if (objectId !== null) {
    const bare = parseAnyId(objectId);
    if (bare === null) throw new ValidationFailed([{ path: ['objectId'], message: 'must be an id, such as tx_<uuid>', rule: 'id' }]);
    const prefix = String((example as Record<string, unknown>)[subject]).slice(0, -bare.length);
    whole[subject] = prefix + bare;
  }
  const result = schema.safeParse(whole);
  if (result.success) return whole;
  const fields = result.error.issues.map(({ path, message }) => ({
    path: ['data', ...path.map((step) => (typeof step === 'number' ? step : String(step)))],
    message,
    rule: 'schema',
  }));
  throw new ValidationFailed(fields);
}
