import { afterAll, describe, expect, it } from 'vitest';
import { useHarness } from '../../harness.js';
import { Receiver } from './receiver.js';

const receiver = await Receiver.start();
const harness = useHarness({ allowHosts: [receiver.host] });
afterAll(() => receiver.stop());

const url = 'https://example.com/hook';

describe('POST /v1/webhooks', () => {
  it('201 with the secret, once', async () => {
    const { status, body } = await harness.test.post('/v1/webhooks', {
      url,
      events: ['transfer.*', 'account.created'],
      description: 'Orders',
    });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      id: expect.stringMatching(/^wh_[0-9a-f-]{36}$/),
      url,
      events: ['transfer.*', 'account.created'],
      description: 'Orders',
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9_-]{43}$/),
      status: 'active',
      created_at: harness.clock.now().toISOString(),
    });
    const { body: read } = await harness.test.get(`/v1/webhooks/${body.data.id}`);
    expect(read.data).not.toHaveProperty('secret');
    const row = await harness.platform.database.unscoped.webhook.findFirstOrThrow({ where: { id: body.data.id.slice(3) } });
    expect(Buffer.from(row.sealedSecret).toString('latin1')).not.toContain(body.data.secret.slice(6));
    expect(harness.platform.vault.open(row.sealedSecret, row.id)).toBe(body.data.secret);
    expect(() => harness.platform.vault.open(row.sealedSecret, row.workspaceId)).toThrow();
  });

  it('201 for a receiver on loopback that is allowed, in the sandbox', async () => {
    const { status } = await harness.test.post('/v1/webhooks', { url: receiver.url(), events: ['*'] });
    expect(status).toBe(201);
    const live = await harness.live.post('/v1/webhooks', { url: receiver.url(), events: ['*'] });
    expect([live.status, live.body.code]).toEqual([422, 'invalid_webhook_url']);
  });

  it('a replay leaves the secret out', async () => {
    const headers = { 'Idempotency-Key': 'create-webhook-once' };
    const first = await harness.test.post('/v1/webhooks', { url, events: ['*'] }, { headers });
    const again = await harness.test.post('/v1/webhooks', { url, events: ['*'] }, { headers });
    const { secret, ...rest } = first.body.data;
    expect(secret).toMatch(/^whsec_/);
    expect([again.status, again.headers.get('idempotent-replayed'), again.body.data]).toEqual([201, 'true', rest]);
  });

  it('400 for events that are in no catalog, each named', async () => {
    const { status, body } = await harness.test.post('/v1/webhooks', {
      url,
      events: ['transfer.completed', 'transfer.complete', 'nothing.*'],
    });
    expect([status, body.code]).toEqual([400, 'validation_failed']);
    expect(JSON.stringify(body.details.fields)).toMatch(/events.*1.*events.*2/);
  });

  it('400 for no events, no url, an unknown member', async () => {
    for (const body of [{ url, events: [] }, { events: ['*'] }, { url, events: ['*'], secret: 'mine' }]) {
      expect((await harness.test.post('/v1/webhooks', body)).status).toBe(400);
    }
  });

  it('401 without a credential', async () => {
    expect((await harness.test.post('/v1/webhooks', { url, events: ['*'] }, { as: null })).status).toBe(401);
  });

  it('403 for a JWT session and for an agent', async () => {
    const { token } = await harness.test.make('/v1/auth/session', { api_key: harness.test.key }, { as: null });
    const account = await harness.test.make('/v1/accounts', { type: 'business', name: 'Ada' });
    const agent = await harness.test.post('/v1/agents', { parent_account_id: account.id, name: 'Agent' });
    for (const as of [token, agent.body.data?.credentials?.token ?? agent.body.credentials.token]) {
      const answer = await harness.test.post('/v1/webhooks', { url, events: ['*'] }, { as });
      expect([answer.status, answer.body.code]).toEqual([403, 'api_key_required']);
    }
  });

  it('409 for the seventeenth, also when they are made at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => harness.other.post('/v1/webhooks', { url, events: ['*'] })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(16);
    const refused = answers.filter(({ status }) => status !== 201);
    for (const { status, body } of refused) {
      expect([status, body.code, body.details.limit]).toEqual([409, 'state_conflict', { name: 'webhooks', maximum: 16, used: 16 }]);
    }
    const [one] = answers.filter(({ status }) => status === 201);
    await harness.other.delete(`/v1/webhooks/${one?.body.data.id}`);
    expect((await harness.other.post('/v1/webhooks', { url, events: ['*'] })).status).toBe(201);
  });

  it('422 for a receiver of a developer, which says in the sandbox how it is reached', async () => {
    const refusal = async (client: typeof harness.test, bad: string) => {
      const { status, body } = await client.post('/v1/webhooks', { url: bad, events: ['*'] });
      expect([status, body.code]).toEqual([422, 'invalid_webhook_url']);
      return body.error as string;
    };
    for (const bad of ['http://localhost:3999/hooks', 'https://localhost:3999/hooks', 'https://127.0.0.1:3999/hooks']) {
      const said = await refusal(harness.test, bad);
      expect(said).toContain(`WEBHOOK_ALLOW_HOSTS=${new URL(bad).host}`);
      expect(said).toContain(`cli -- listen --forward-to ${bad}`);
    }
    expect(await refusal(harness.live, 'https://localhost:3999/hooks')).not.toContain('WEBHOOK_ALLOW_HOSTS');
    expect(await refusal(harness.test, 'http://example.com/')).not.toContain('WEBHOOK_ALLOW_HOSTS');
  });

  it('422 for a URL that nothing is sent to', async () => {
    for (const bad of [
      'http://example.com/',
      'https://127.0.0.1/',
      'https://user:pw@example.com/',
      'https://[::ffff:10.0.0.1]/',
      'https://x:81/',
    ]) {
      const { status, body } = await harness.test.post('/v1/webhooks', { url: bad, events: ['*'] });
      expect([bad, status, body.code]).toEqual([bad, 422, 'invalid_webhook_url']);
    }
  });
});
