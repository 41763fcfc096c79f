// Deliveries that wait for their turn are sent as their subscription is then (src/contexts/webhooks/recipient.ts).
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { deliveryStep } from '../../../src/contexts/webhooks/attempt.js';
import { type DueDelivery, loadDeliveries } from '../../../src/contexts/webhooks/due-delivery.js';
import { manifest } from '../../../src/contexts.js';
import { publishEvents } from '../../../src/events/outbox.js';
import type { Ctx } from '../../../src/platform/ctx.js';
import { type Json, useHarness } from '../../harness.js';
import { ctxOf } from '../../ledger/wallet-ref.js';
import { happen, Receiver, subscribe, verifyWithStripe } from './receiver.js';

const receiver = await Receiver.start();
const harness = useHarness({ allowHosts: [receiver.host] });
afterAll(() => receiver.stop());

/** A delivery that was loaded and waits until what was read of its subscription is old. */
async function waiting(path: string): Promise<{ ctx: Ctx; webhook: Json; due: DueDelivery }> {
  const ctx = await ctxOf(harness, harness.test);
  const webhook = await subscribe(harness.test, receiver, path, ['account.created']);
  await happen(harness.test);
  while ((await publishEvents(harness.platform, manifest.followers)).events > 0);
  const where = { webhookId: webhook.id.slice('wh_'.length) };
  await ctx.db.webhookDelivery.updateMany({ where, data: { status: 'processing' } });
  const row = await ctx.db.webhookDelivery.findFirstOrThrow({ where });
  const due = (await loadDeliveries(ctx, [row])).get(row.id);
  if (due === undefined) throw new Error('there is nothing to be sent');
  await pause(60);
  return { ctx, webhook, due };
}

describe('a delivery that waits for its turn', () => {
  it('is signed with the secret of its send', async () => {
    const { ctx, webhook, due } = await waiting('/rotated');
    const { secret } = await harness.test.make(`/v1/webhooks/${webhook.id}/rotate-secret`, { strategy: 'immediate' });
    await deliveryStep.take(ctx, due);
    const [got] = receiver.at('/rotated');
    if (got === undefined) throw new Error('nothing came');
    verifyWithStripe(got, secret, harness.clock.now());
    expect(() => verifyWithStripe(got, webhook.secret, harness.clock.now())).toThrow();
  });

  it('goes to the URL of its send', async () => {
    const { ctx, webhook, due } = await waiting('/before');
    await harness.test.patch(`/v1/webhooks/${webhook.id}`, { url: receiver.url('/after') });
    expect(await deliveryStep.take(ctx, due)).toMatchObject({ result: { status: 200 } });
    expect([receiver.at('/before').length, receiver.at('/after').length]).toEqual([0, 1]);
  });

  it('is not sent when its subscription was paused or deleted', async () => {
    const paused = await waiting('/paused');
    await harness.test.patch(`/v1/webhooks/${paused.webhook.id}`, { status: 'paused' });
    expect(await deliveryStep.take(paused.ctx, paused.due)).toMatchObject({ result: null, refusal: 'subscription_paused' });
    const deleted = await waiting('/deleted');
    await harness.test.delete(`/v1/webhooks/${deleted.webhook.id}`);
    expect(await deliveryStep.take(deleted.ctx, deleted.due)).toMatchObject({ result: null, refusal: 'subscription_deleted' });
    expect([...receiver.at('/paused'), ...receiver.at('/deleted')]).toEqual([]);
  });
});

describe('a batch of deliveries', () => {
  it('is loaded as far as its bodies fit, and one of them always', async () => {
    const ctx = await ctxOf(harness, harness.test);
    const webhook = await subscribe(harness.test, receiver, '/large', ['account.created']);
    for (let n = 0; n < 3; n += 1) await happen(harness.test);
    while ((await publishEvents(harness.platform, manifest.followers)).events > 0);
    const where = { webhookId: webhook.id.slice('wh_'.length) };
    const rows = await ctx.db.webhookDelivery.findMany({ where });
    const ids = rows.map(({ id }) => id);
    const loaded = await loadDeliveries(ctx, rows);
    expect([...loaded.keys()].sort()).toEqual([...ids].sort());
    expect(ids.length).toBeGreaterThan(2);
    const body = String(loaded.get(ids[0] ?? '')?.body);
    expect(JSON.parse(body)).toMatchObject({ type: 'account.created', data: { name: expect.any(String) } });
    const first = body.length - 1 - (body.indexOf('"data":') + '"data":'.length);
    expect((await loadDeliveries(ctx, rows, 1)).size).toBe(1);
    expect((await loadDeliveries(ctx, rows, first)).size).toBe(1);
    expect((await loadDeliveries(ctx, rows, first + 1)).size).toBe(2);
  });
});
