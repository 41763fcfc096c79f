import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/schema/id.js';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { startSecond } from '../../second-server.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const types = ({ body }: { body: Json }) => body.data.map(({ type }: { type: string }) => type);

let payer: { account: Json; wallet: Json };
let payee: { account: Json; wallet: Json };
let transfer: Json;
beforeAll(async () => {
  payer = await openWallet(harness.test, { funded: '100.00' });
  harness.clock.advance(60);
  payee = await openWallet(harness.test);
  transfer = await harness.test.make('/v1/transfers', {
    type: 'internal',
    from_wallet_id: payer.wallet.id,
    to_wallet_id: payee.wallet.id,
    amount: '10.00',
    currency: 'USD',
  });
});

describe('GET /v1/events', () => {
  it('200: the envelope of every event, newest first', async () => {
    const answer = await harness.test.get('/v1/events');
    expect(answer.status).toBe(200);
    expect(types(answer)).toEqual([
      'transfer.completed',
      'transfer.created',
      'account.created',
      'transfer.completed',
      'transfer.created',
      'account.created',
    ]);
    expect(answer.body.data[0]).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'transfer.completed',
      timestamp: harness.clock.now().toISOString(),
      data: {
        transfer_id: `tx_${transfer.id}`,
        type: 'internal',
        status: 'completed',
        amount: '10.00',
        currency: 'USD',
        from_account_id: `acc_${payer.account.id}`,
        to_account_id: `acc_${payee.account.id}`,
        protocol: 'internal',
        completed_at: transfer.completed_at,
      },
      deliveries: { total: 0, pending: 0, delivered: 0, failed: 0, dlq: 0 },
    });
  });

  it('200 by type, by several and by wildcard', async () => {
    expect(types(await harness.test.get('/v1/events?type=account.created'))).toEqual(['account.created', 'account.created']);
    expect(types(await harness.test.get('/v1/events?type=account.*&type=transfer.created'))).toHaveLength(4);
    expect(types(await harness.test.get('/v1/events?type=transfer.*'))).toHaveLength(4);
    expect(types(await harness.test.get('/v1/events?type=*'))).toHaveLength(6);
    expect(types(await harness.test.get('/v1/events?type=stream.*'))).toEqual([]);
  });

  it('200 by object, bare or prefixed, and by time', async () => {
    for (const id of [transfer.id, `tx_${transfer.id}`])
      expect(types(await harness.test.get(`/v1/events?object_id=${id}`))).toEqual(['transfer.completed', 'transfer.created']);
    const now = harness.clock.now().toISOString();
    expect(types(await harness.test.get(`/v1/events?since=${now}`))).toHaveLength(3);
    expect(types(await harness.test.get(`/v1/events?until=${now}`))).toHaveLength(3);
  });

  it('200 page by page, without a gap', async () => {
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await harness.test.get(`/v1/events?limit=4${cursor}`);
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      if (!body.pagination.has_more) break;
      cursor = `&starting_after=${body.data.at(-1).id}`;
    }
    const all = (await harness.test.get('/v1/events')).body.data;
    expect(seen).toEqual(all.map(({ id }: { id: string }) => id));
  });

  it('200 by delivered: all arrived, or some have not', async () => {
    const db = harness.platform.database.unscoped;
    const [first, second] = await db.event.findMany({ where: { type: 'account.created' }, orderBy: { id: 'desc' } });
    if (first === undefined || second === undefined) throw new Error('two accounts were created');
    const { workspaceId } = first;
    const at = harness.clock.now();
    const webhook = await db.webhook.create({
      data: {
        id: newId(at),
        workspaceId,
        url: 'https://example.com',
        events: [],
        sealedSecret: Buffer.from('x'),
        createdAt: at,
        updatedAt: at,
      },
    });
    const delivery = (eventId: string, status: 'delivered' | 'dlq') =>
      db.webhookDelivery.create({
        data: { id: newId(at), workspaceId, webhookId: webhook.id, eventId, eventType: 'account.created', status, createdAt: at },
      });
    await delivery(first.id, 'delivered');
    await delivery(second.id, 'delivered');
    await delivery(second.id, 'dlq');
    const delivered = await harness.test.get('/v1/events?delivered=true');
    expect(delivered.body.data).toMatchObject([{ id: `evt_${first.id}`, deliveries: { total: 1, delivered: 1, dlq: 0 } }]);
    const missing = await harness.test.get('/v1/events?delivered=false');
    expect(missing.body.data).toMatchObject([{ id: `evt_${second.id}`, deliveries: { total: 2, delivered: 1, dlq: 1 } }]);
  });

  it('200: an agent sees what concerns it alone', async () => {
    const agent = await enrol(harness.test, { wallet: { currency: 'USD' } });
    expect((await harness.test.get('/v1/events', { as: agent.token })).body.data).toEqual([]);
    await harness.test.make(`/v1/wallets/${agent.agent.default_wallet_id}/fund`, { amount: '5.00' });
    await harness.test.make(
      '/v1/transfers',
      { type: 'internal', from_wallet_id: agent.agent.default_wallet_id, to_wallet_id: payee.wallet.id, amount: '1.00', currency: 'USD' },
      { as: agent.token },
    );
    const own = await harness.test.get('/v1/events', { as: agent.token });
    expect(types(own)).toEqual(['transfer.completed', 'transfer.created']);
    expect(types(await harness.test.get(`/v1/events?agent_id=${agent.id}`))).toEqual(types(own));
  });

  it('400 for a type that no catalog has, and for an object that is no id', async () => {
    for (const query of ['type=transfer', 'type=transfer.completed&type=nothing.*', 'object_id=tx_1', 'delivered=yes', 'limit=0']) {
      const answer = await harness.test.get(`/v1/events?${query}`);
      expect(answer, query).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    }
    expect((await harness.test.get('/v1/events?type=transfer')).body.details.fields[0].path).toBe('type');
  });

  it('401 without a credential', async () => {
    expect((await harness.test.get('/v1/events', { as: null })).status).toBe(401);
  });

  it('shows nothing of another tenant or environment, and nothing older than 30 days', async () => {
    expect((await harness.other.get('/v1/events')).body.data).toEqual([]);
    expect((await harness.live.get('/v1/events')).body.data).toEqual([]);
    harness.clock.advance(30 * 86_400 - 1);
    expect(types(await harness.test.get('/v1/events'))).not.toEqual([]);
    harness.clock.advance(2);
    expect(types(await harness.test.get('/v1/events'))).toEqual([]);
    const longer = await startSecond(harness, undefined, { retentionEventsDays: 31 });
    const { data } = (await (
      await fetch(`${longer.urls.test}/v1/events`, { headers: { Authorization: `Bearer ${harness.test.key}` } })
    ).json()) as Json;
    expect(data).not.toEqual([]);
    await longer.stop();
  });
});

describe('GET /v1/events/{id}', () => {
  it('200, and 404 for what is nowhere or another tenant’s, with the same body', async () => {
    await openWallet(harness.test);
    const [newest] = (await harness.test.get('/v1/events')).body.data;
    expect((await harness.test.get(`/v1/events/${newest.id}`)).body).toEqual({ data: newest });
    const hidden = await harness.other.get(`/v1/events/${newest.id}`);
    const missing = await harness.test.get(`/v1/events/evt_${nowhere}`);
    expect(hidden.status).toBe(404);
    expect({ ...hidden.body, request_id: '' }).toEqual({ ...missing.body, request_id: '' });
    expect((await harness.test.get('/v1/events/tx_1')).status).toBe(404);
  });
});
