import { ownChallenge } from '@agent-payments/sdk/webhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { deliveriesOf, Receiver } from './receiver.js';
import { challengesAt, proves, reroute, subscribeTo } from './strange-host.js';

const receiver = await Receiver.start();
const harness = useHarness({ allowHosts: [receiver.host] });
beforeAll(() => reroute(harness, receiver));
afterAll(() => receiver.stop());

const asked = (path: string) => challengesAt(receiver, path).length;

describe('POST /v1/webhooks/{id}/verify', () => {
  it('200 with the subscription as it is after the answer', async () => {
    const { id } = await subscribeTo(harness.test, 'https://verified.example/hook');
    const pending = await harness.test.post(`/v1/webhooks/${id}/verify`);
    expect([pending.status, pending.body.data]).toMatchObject([200, { id, status: 'active', verification: 'pending' }]);
    expect(pending.body.data).not.toHaveProperty('secret');
    receiver.answer('/verified.example/hook', proves);
    const verified = await harness.test.post(`/v1/webhooks/${id}/verify`);
    expect([verified.status, verified.body.data.verification]).toEqual([200, 'verified']);
    // What is proved is not asked again.
    receiver.answer('/verified.example/hook', 500);
    const again = await harness.test.post(`/v1/webhooks/${id}/verify`);
    expect([again.body.data.verification, asked('/verified.example/hook')]).toEqual(['verified', 2]);
    await harness.advance(10_000);
    expect(asked('/verified.example/hook')).toBe(2);
  });

  it('200: one that was given up is asked again as after its creation', async () => {
    const { id } = await subscribeTo(harness.test, 'https://again.example/hook');
    for (const wait of [1, 60, 300, 900, 10_000]) await harness.advance(wait);
    expect(asked('/again.example/hook')).toBe(4);
    await harness.test.post(`/v1/webhooks/${id}/verify`);
    for (const [index, wait] of [60, 300, 900].entries()) {
      expect(asked('/again.example/hook')).toBe(5 + index);
      await harness.advance(wait);
    }
    expect(asked('/again.example/hook')).toBe(8);
  });

  it('200: what waits for nothing any more is let go, although it was asked meanwhile', async () => {
    const { id } = await subscribeTo(harness.test, 'https://paused.example/hook');
    for (const name of ['One', 'Two', 'Three']) await harness.test.make('/v1/accounts', { type: 'person', name });
    await harness.runDue();
    const waiting = async () => {
      const deliveries = await deliveriesOf(harness.test, id);
      return deliveries.filter(({ status }: Json) => status === 'pending').length;
    };
    expect(await waiting()).toBe(2);
    await harness.test.patch(`/v1/webhooks/${id}`, { status: 'paused' });
    await harness.test.post(`/v1/webhooks/${id}/verify`);
    await harness.runDue();
    expect(await waiting()).toBe(0);
  });

  it('200: a receiver with the secret of before proves itself while that still counts', async () => {
    const { id, secret } = await subscribeTo(harness.test, 'https://rotated.example/hook');
    const rotated = await harness.test.make(`/v1/webhooks/${id}/rotate-secret`, { strategy: 'overlap', overlap_seconds: 3_600 });
    receiver.answer('/rotated.example/hook', (response, { body }) => {
      const challenge = ownChallenge(body, secret);
      response.writeHead(challenge === undefined ? 400 : 200).end(JSON.stringify({ challenge }));
    });
    const { body } = await harness.test.post(`/v1/webhooks/${id}/verify`);
    expect([rotated.secret === secret, body.data.verification]).toEqual([false, 'verified']);
  });

  it('200: a replay asks nobody', async () => {
    const { id } = await subscribeTo(harness.test, 'https://replayed.example/hook');
    const headers = { 'Idempotency-Key': 'verify-once' };
    for (const replayed of [null, 'true']) {
      const answer = await harness.test.post(`/v1/webhooks/${id}/verify`, {}, { headers });
      expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([200, replayed]);
    }
    expect(asked('/replayed.example/hook')).toBe(1);
  });

  it('401 without a credential, 403 for a JWT session', async () => {
    const { id } = await subscribeTo(harness.test, 'https://guarded.example/hook');
    expect((await harness.test.post(`/v1/webhooks/${id}/verify`, undefined, { as: null })).status).toBe(401);
    const { token } = await harness.test.make('/v1/auth/session', { api_key: harness.test.key }, { as: null });
    const answer = await harness.test.post(`/v1/webhooks/${id}/verify`, undefined, { as: token });
    expect([answer.status, answer.body.code]).toEqual([403, 'api_key_required']);
  });

  it('404 for a subscription that is not there, deleted, or another tenant’s', async () => {
    const { id } = await subscribeTo(harness.test, 'https://gone.example/hook');
    const stranger = await harness.other.post(`/v1/webhooks/${id}/verify`);
    await harness.test.delete(`/v1/webhooks/${id}`);
    const answers = [
      stranger,
      await harness.test.post(`/v1/webhooks/${id}/verify`),
      await harness.test.post(`/v1/webhooks/wh_${nowhere}/verify`),
    ];
    for (const { status, body } of answers) expect([status, body.code]).toEqual([404, 'not_found']);
    expect(asked('/gone.example/hook')).toBe(0);
  });
});
