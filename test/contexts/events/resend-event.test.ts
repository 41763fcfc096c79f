import { beforeAll, describe, expect, it } from 'vitest';
import type { Event } from '../../../src/generated/prisma/client.js';
import { newId } from '../../../src/platform/schema/id.js';
import { leave } from '../../events/leave.js';
import { nowhere, openWallet, useHarness } from '../../harness.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
let event: Event;

/** A subscription as it stands in the database; nothing is sent to it here. */
async function subscribe(events: string[], status: 'active' | 'paused' = 'active', deletedAt: Date | null = null) {
  const at = harness.clock.now();
  const { id } = await harness.platform.database.unscoped.webhook.create({
    data: {
      id: newId(at),
      workspaceId: event.workspaceId,
      url: 'https://hooks.example.com/',
      events,
      status,
      deletedAt,
      sealedSecret: Buffer.from('sealed'),
      createdAt: at,
      updatedAt: at,
    },
  });
  return id;
}

beforeAll(async () => {
  await openWallet(harness.test);
  event = await harness.platform.database.unscoped.event.findFirstOrThrow({ where: { type: 'account.created' } });
});

describe('POST /v1/events/{id}/resend', () => {
  it('202 queues it for every active subscription that names it, with its id', async () => {
    const wanted = [await subscribe(['account.*']), await subscribe(['*'])];
    await subscribe(['transfer.*']);
    await subscribe(['*'], 'paused');
    await subscribe(['*'], 'active', harness.clock.now());
    const { status, body } = await harness.test.post(`/v1/events/evt_${event.id}/resend`, {}, { headers: { 'Idempotency-Key': 'again' } });
    expect(status).toBe(202);
    expect(body.data).toMatchObject({ event_id: `evt_${event.id}`, queued: 2 });
    const rows = await harness.platform.database.unscoped.webhookDelivery.findMany({
      where: { eventId: event.id },
      orderBy: { id: 'asc' },
    });
    expect(rows).toMatchObject(wanted.map((webhookId) => ({ webhookId, eventType: 'account.created', dueAt: harness.clock.now() })));
    expect(body.data.delivery_ids).toEqual(rows.map(({ id }) => `dlv_${id}`));
    expect((await harness.test.get(`/v1/events/${event.id}`)).body.data.deliveries.total).toBe(2);

    const replay = await harness.test.post(`/v1/events/evt_${event.id}/resend`, {}, { headers: { 'Idempotency-Key': 'again' } });
    expect(replay.body).toEqual(body);
    expect(await harness.platform.database.unscoped.webhookDelivery.count({ where: { eventId: event.id } })).toBe(2);
  });

  it('202 queues it for a given subscription, whatever that names', async () => {
    const id = await subscribe(['transfer.failed']);
    const { status, body } = await harness.test.post(`/v1/events/${event.id}/resend`, { webhook_id: `wh_${id}` });
    expect(status).toBe(202);
    expect(body.data.queued).toBe(1);
  });

  it('401, and 403 for an agent', async () => {
    const agent = await enrol(harness.test);
    expect((await harness.test.post(`/v1/events/${event.id}/resend`, {}, { as: null })).status).toBe(401);
    expect((await harness.test.post(`/v1/events/${event.id}/resend`, {}, { as: agent.token })).status).toBe(403);
  });

  it('404 for an unknown event, another tenant’s, and an unknown or deleted subscription', async () => {
    const gone = await subscribe(['*'], 'active', harness.clock.now());
    expect((await harness.test.post(`/v1/events/${nowhere}/resend`, {})).status).toBe(404);
    expect((await harness.other.post(`/v1/events/${event.id}/resend`, {})).status).toBe(404);
    for (const webhook_id of [nowhere, gone]) {
      const answer = await harness.test.post(`/v1/events/${event.id}/resend`, { webhook_id });
      expect(answer).toMatchObject({ status: 404, body: { details: { fields: [{ path: 'webhook_id' }] } } });
    }
  });

  it('409 for a subscription that is paused', async () => {
    const webhook_id = await subscribe(['*'], 'paused');
    const answer = await harness.test.post(`/v1/events/${event.id}/resend`, { webhook_id });
    expect(answer).toMatchObject({ status: 409, body: { code: 'state_conflict', details: { current_status: 'paused' } } });
  });

  it('is forgotten with its deliveries after 30 days', async () => {
    const { unscoped } = harness.platform.database;
    const counts = async () => [await unscoped.event.count(), await unscoped.webhookDelivery.count()];
    const before = await counts();
    harness.clock.advance(30 * 86_400 - 1);
    await leave(harness.platform);
    expect(await counts()).toEqual(before);
    harness.clock.advance(2);
    await leave(harness.platform);
    expect(await counts()).toEqual([before[0], 0]);
    // Clocks of processes differ: events leave an hour later.
    harness.clock.advance(3_600);
    await leave(harness.platform);
    expect(await counts()).toEqual([0, 0]);
  });
});
