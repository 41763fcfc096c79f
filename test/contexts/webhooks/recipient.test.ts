// Deliveries that wait for their turn are sent as their subscription is then (src/contexts/webhooks/recipient.ts).
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { deliveryStep, letters } from '../../../src/contexts/webhooks/attempt.js';
import type { Letter } from '../../../src/contexts/webhooks/dead-letter.js';
import { eventListeners } from '../../../src/contexts.js';
import type { Ctx } from '../../../src/platform/ctx.js';
import { publishEvents } from '../../../src/platform/outbox.js';
import { type Json, useHarness } from '../../harness.js';
import { ctxOf } from '../../ledger/purse.js';
import { happen, Receiver, subscribe, verifyWithStripe } from './receiver.js';

const receiver = await Receiver.start();
const harness = useHarness({ env: { WEBHOOK_ALLOW_HOSTS: receiver.host } });
afterAll(() => receiver.stop());

/** A delivery that was loaded and waits until what was read of its subscription is old. */
async function waiting(path: string): Promise<{ ctx: Ctx; webhook: Json; letter: Letter }> {
  const ctx = await ctxOf(harness, harness.test);
  const webhook = await subscribe(harness.test, receiver, path, ['account.created']);
  await happen(harness.test);
  while ((await publishEvents(harness.platform, eventListeners)).events > 0);
  const where = { webhookId: webhook.id.slice('wh_'.length) };
  await ctx.db.webhookDelivery.updateMany({ where, data: { status: 'processing' } });
  const { id } = await ctx.db.webhookDelivery.findFirstOrThrow({ where });
  const letter = (await letters(ctx, [id])).get(id);
  if (letter === undefined) throw new Error('there is nothing to be sent');
  await pause(60);
  return { ctx, webhook, letter };
}

describe('a delivery that waits for its turn', () => {
  it('is signed with the secret of its send', async () => {
    const { ctx, webhook, letter } = await waiting('/rotated');
    const { secret } = await harness.test.make(`/v1/webhooks/${webhook.id}/rotate-secret`, { strategy: 'immediate' });
    await deliveryStep.take(ctx, letter);
    const [got] = receiver.at('/rotated');
    if (got === undefined) throw new Error('nothing came');
    verifyWithStripe(got, secret, harness.clock.now());
    expect(() => verifyWithStripe(got, webhook.secret, harness.clock.now())).toThrow();
  });

  it('goes to the URL of its send', async () => {
    const { ctx, webhook, letter } = await waiting('/before');
    await harness.test.patch(`/v1/webhooks/${webhook.id}`, { url: receiver.url('/after') });
    expect(await deliveryStep.take(ctx, letter)).toMatchObject({ result: { status: 200 } });
    expect([receiver.at('/before').length, receiver.at('/after').length]).toEqual([0, 1]);
  });

  it('is not sent when its subscription was paused or deleted', async () => {
    const paused = await waiting('/paused');
    await harness.test.patch(`/v1/webhooks/${paused.webhook.id}`, { status: 'paused' });
    expect(await deliveryStep.take(paused.ctx, paused.letter)).toMatchObject({ result: null, refusal: 'subscription_paused' });
    const deleted = await waiting('/deleted');
    await harness.test.delete(`/v1/webhooks/${deleted.webhook.id}`);
    expect(await deliveryStep.take(deleted.ctx, deleted.letter)).toMatchObject({ result: null, refusal: 'subscription_deleted' });
    expect([...receiver.at('/paused'), ...receiver.at('/deleted')]).toEqual([]);
  });
});
