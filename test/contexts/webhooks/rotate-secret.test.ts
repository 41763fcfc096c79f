import { afterAll, describe, expect, it } from 'vitest';
import { parseId } from '../../../src/platform/schema/id.js';
import { Vault } from '../../../src/platform/secrets/vault.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { happen, type Received, Receiver, subscribe, verifyWithStripe } from './receiver.js';

const receiver = await Receiver.start();
const harness = useHarness({ allowHosts: [receiver.host] });
afterAll(() => receiver.stop());

let n = 0;
async function webhookAt(): Promise<{ webhook: Json; next: () => Promise<Received> }> {
  n += 1;
  const path = `/rotated-${n}`;
  const webhook = await subscribe(harness.test, receiver, path, ['account.created']);
  const next = async () => {
    await happen(harness.test);
    await harness.runDue();
    return receiver.at(path).at(-1) as Received;
  };
  return { webhook, next };
}
const accepts = (got: Received, secret: string) => {
  try {
    verifyWithStripe(got, secret, harness.clock.now());
    return true;
  } catch {
    return false;
  }
};

describe('POST /v1/webhooks/{id}/rotate-secret', () => {
  it('200: with no body both secrets sign for 24 h, and then the new one alone', async () => {
    const { webhook, next } = await webhookAt();
    const { status, body } = await harness.test.post(`/v1/webhooks/${webhook.id}/rotate-secret`);
    const end = new Date(harness.clock.now().getTime() + 86_400_000).toISOString();
    expect([status, body.data]).toEqual([
      200,
      { id: webhook.id, secret: expect.stringMatching(/^whsec_/), strategy: 'overlap', previous_secret_expires_at: end },
    ]);
    const during = await next();
    expect(String(during.headers['x-svc-signature'])).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    expect([accepts(during, body.data.secret), accepts(during, webhook.secret)]).toEqual([true, true]);
    harness.clock.advance(86_401);
    const after = await next();
    expect([accepts(after, body.data.secret), accepts(after, webhook.secret)]).toEqual([true, false]);
  });

  it('200: immediate ends the old secret at once', async () => {
    const { webhook, next } = await webhookAt();
    const rotated = await harness.test.make(`/v1/webhooks/${webhook.id}/rotate-secret`, { strategy: 'immediate' });
    expect(rotated).toEqual({ id: webhook.id, secret: rotated.secret, strategy: 'immediate' });
    const got = await next();
    expect([accepts(got, rotated.secret), accepts(got, webhook.secret)]).toEqual([true, false]);
  });

  it('200: a secret that was sealed under another SECRETS_KEY ends at once, and deliveries go on', async () => {
    const { webhook, next } = await webhookAt();
    const id = String(parseId('webhook', webhook.id));
    const sealedSecret = new Vault('07'.repeat(32)).seal(webhook.secret, id);
    await harness.platform.database.unscoped.webhook.updateMany({ where: { id }, data: { sealedSecret } });
    const rotated = await harness.test.make(`/v1/webhooks/${webhook.id}/rotate-secret`, {});
    expect(rotated).toEqual({ id: webhook.id, secret: rotated.secret, strategy: 'immediate' });
    expect(accepts(await next(), rotated.secret)).toBe(true);
  });

  it('200: an overlap of its own length', async () => {
    const { webhook } = await webhookAt();
    const rotated = await harness.test.make(`/v1/webhooks/${webhook.id}/rotate-secret`, { overlap_seconds: 604_800 });
    expect(rotated.previous_secret_expires_at).toBe(new Date(harness.clock.now().getTime() + 604_800_000).toISOString());
  });

  it('400 for an overlap longer than a week, or with immediate', async () => {
    const { webhook } = await webhookAt();
    for (const body of [{ overlap_seconds: 604_801 }, { strategy: 'immediate', overlap_seconds: 60 }, { strategy: 'later' }])
      expect((await harness.test.post(`/v1/webhooks/${webhook.id}/rotate-secret`, body)).status).toBe(400);
  });

  it("404 for one that is not there, or another tenant's", async () => {
    const theirs = await harness.other.make('/v1/webhooks', { url: 'https://example.com/', events: ['*'] });
    for (const id of [nowhere, theirs.id]) expect((await harness.test.post(`/v1/webhooks/${id}/rotate-secret`)).status).toBe(404);
  });
});
