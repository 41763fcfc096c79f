// A test event: the example of its type with one's own members, emitted like any other (CONTRACT.md 19).

import { type CatalogEntry, catalogOf } from '../../events/catalog.js';
import { eventRow, writeEvents } from '../../events/event.js';
import type { Event } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { ValidationFailed } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { parseAnyId, parseId } from '../../platform/schema/id.js';
import { requireTestMode } from './clock.js';
import type { TriggerEventInput } from './sandbox.input.js';

// Gap G-79: Any type of the catalog can be triggered; `data` replaces members of its example, `object_id` the id of its object.
/**
 * Emits an event of any type of the catalog, announced ones too. `data` replaces members of the example, `objectId` the id of what it is
 * about. 403 `test_mode_only`, 400 for an unknown type and for data that its schema refuses.
 */
export function triggerEvent(ctx: Ctx, { type, data, objectId }: TriggerEventInput): Promise<Event> {
  requireTestMode(ctx);
  const entry = catalogOf(ctx).type(type, 'type');
  const whole = dataOf(entry, data ?? {}, objectId ?? null);
  return transact(ctx, async (tx) => {
    const agentId = parseId('agent', whole['agent_id']);
    // The agent of an example does not exist: only an agent of this workspace may read the event.
    const agent = agentId === null ? null : await tx.agent.findFirst({ where: { id: agentId }, select: { id: true } });
    const row = eventRow(ctx, type, whole, { objectId: parseAnyId(String(whole[entry.subject])), agentId: agent?.id ?? null });
    await writeEvents(tx, ctx.workspace.id, [row]);
    return tx.event.findFirstOrThrow({ where: { id: row.id } });
  });
}

function dataOf({ data: schema, example, subject }: CatalogEntry, data: Record<string, unknown>, objectId: string | null) {
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
