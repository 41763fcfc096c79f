import { describe, expect, it } from 'vitest';
import { resumeClocks } from '../../../src/contexts/sandbox/clock.js';
import { hasCells, type Json, openWallet, useHarness } from '../../harness.js';
import { expectInvalid } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const day = 86_400;
const now = async () => (await harness.test.get('/v1/test/clock')).body.data.now;

async function hold(seconds: number, amount = '1.00', client = harness.test): Promise<Json> {
  const from = await openWallet(client, { funded: '10.00' });
  const to = await openWallet(client);
  return client.make('/v1/transfers', {
    type: 'internal',
    from_wallet_id: from.wallet.id,
    to_wallet_id: to.wallet.id,
    amount,
    currency: 'USD',
    capture: 'manual',
    hold_expires_in: seconds,
  });
}

describe('POST /v1/test/clocks/advance', () => {
  it('200: what is due on the way happens in the order of its time', async () => {
    const start = harness.clock.now().getTime();
    const late = await hold(3 * day);
    const early = await hold(day);
    const after = await hold(5 * day);
    const elsewhere = await hold(day, '1.00', harness.other);
    const { status, body } = await harness.test.post('/v1/test/clocks/advance', { seconds: 4 * day });
    expect(status).toBe(200);
    expect(body.data).toEqual({
      id: expect.stringMatching(/^clk_/),
      now: new Date(start + 4 * day * 1000).toISOString(),
      status: 'ready',
    });
    const timed = await harness.test.get('/v1/me');
    expect(timed.headers.get('x-test-clock')).toBe(body.data.now);
    expect((await harness.live.get('/v1/me')).headers.get('x-test-clock')).toBeNull();
    const read = async (id: string) => (await harness.test.get(`/v1/transfers/${id}`)).body.data;
    expect(await read(early.id)).toMatchObject({ status: 'cancelled', failure: { code: 'hold_expired' } });
    expect((await read(early.id)).updated_at).toBe(new Date(start + day * 1000).toISOString());
    expect((await read(late.id)).updated_at).toBe(new Date(start + 3 * day * 1000).toISOString());
    expect(await read(after.id)).toMatchObject({ status: 'pending' });
    expect((await harness.other.get(`/v1/transfers/${elsewhere.id}`)).body.data.status).toBe('pending');
    expect((await harness.other.get('/v1/test/clock')).body.data.now).toBe(new Date(start).toISOString());
  });

  it.skipIf(hasCells)('200: nothing of another workspace is published or done', async () => {
    const { pool } = harness.platform.database;
    await harness.runDue();
    const held = await hold(60, '1.00', harness.other);
    const waiting = async () => (await pool.query("SELECT id FROM outbox WHERE event_ids <> '{}'")).rows.length;
    const before = await waiting();
    expect(before).toBeGreaterThan(0);
    harness.clock.advance(60);
    await harness.test.make('/v1/accounts', { type: 'person', name: 'Ada' });
    expect(await waiting()).toBe(before + 1);
    await harness.test.post('/v1/test/clocks/advance', { seconds: 60 });
    expect(await waiting()).toBe(before);
    expect((await harness.other.get(`/v1/transfers/${held.id}`)).body.data.status).toBe('pending');
    await harness.runDue();
    expect(await waiting()).toBe(0);
    expect((await harness.other.get(`/v1/transfers/${held.id}`)).body.data.status).toBe('cancelled');
  });

  it('200 to an instant; new things are of the new time', async () => {
    const to = new Date(new Date(await now()).getTime() + 7 * day * 1000).toISOString();
    expect((await harness.test.post('/v1/test/clocks/advance', { to })).body.data).toMatchObject({ now: to, status: 'ready' });
    const account = await harness.test.make('/v1/accounts', { type: 'person', name: 'Later' });
    expect(account.created_at).toBe(to);
    const [event] = (await harness.test.get('/v1/events')).body.data;
    expect(event).toMatchObject({ type: 'account.created', timestamp: to });
  });

  it('200: a scheduled transfer tells of the time at which it was carried out', async () => {
    const from = await openWallet(harness.test, { funded: '10.00' });
    const to = await openWallet(harness.test);
    const at = new Date(new Date(await now()).getTime() + 3_600_000).toISOString();
    await harness.test.make('/v1/transfers', {
      type: 'internal',
      from_wallet_id: from.wallet.id,
      to_wallet_id: to.wallet.id,
      amount: '2.00',
      currency: 'USD',
      scheduled_for: at,
    });
    await harness.test.post('/v1/test/clocks/advance', { seconds: 2 * 3_600 });
    const { body } = await harness.test.get('/v1/events?type=transfer.completed&limit=1');
    expect(body.data[0]).toMatchObject({ timestamp: at, data: { completed_at: at } });
  });

  it('200 once for one key', async () => {
    const before = new Date(await now()).getTime();
    const options = { headers: { 'Idempotency-Key': 'advance' } };
    const first = await harness.test.post('/v1/test/clocks/advance', { seconds: 60 }, options);
    const second = await harness.test.post('/v1/test/clocks/advance', { seconds: 60 }, options);
    expect(second.body).toEqual(first.body);
    expect(new Date(await now()).getTime()).toBe(before + 60_000);
  });

  it('400 for a time that does not exist', async () => {
    for (const to of ['2026-02-30', '2026-06-31T10:00:00Z', '2026-06-30T24:00:00Z'])
      expectInvalid(await harness.test.post('/v1/test/clocks/advance', { to }), 'to');
  });

  it('400 for the past, for more than five years, and for neither or both', async () => {
    const at = new Date(await now());
    const past = { to: at.toISOString() };
    const far = { to: new Date(at.getTime() + 6 * 365 * day * 1000).toISOString() };
    for (const body of [{}, past, far, { seconds: 0 }, { seconds: 6 * 365 * day }, { seconds: 60, to: far.to }]) {
      const answer = await harness.test.post('/v1/test/clocks/advance', body);
      expect(answer, JSON.stringify(body)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    }
    expect(await now()).toBe(at.toISOString());
  });

  it('401, 403 for an agent, 403 test_mode_only in production', async () => {
    const agent = await enrol(harness.test);
    for (const [method, path] of [
      ['GET', '/v1/test/clock'],
      ['POST', '/v1/test/clocks/advance'],
    ] as const) {
      const body = method === 'POST' ? { seconds: 1 } : undefined;
      expect((await harness.test.call(method, path, { body, as: null })).status).toBe(401);
      expect((await harness.test.call(method, path, { body, as: agent.token })).status).toBe(403);
      expect(await harness.live.call(method, path, { body })).toMatchObject({ status: 403, body: { code: 'test_mode_only' } });
    }
  });

  it('409 while it is being advanced; a process that ended on the way is followed by the sweep', async () => {
    const { unscoped } = harness.platform.database;
    const held = await hold(day);
    const at = new Date(await now());
    const target = new Date(at.getTime() + 2 * day * 1000);
    await unscoped.workspace.updateMany({ where: { tenantId: harness.tenantId, environment: 'test' }, data: { clockTarget: target } });
    const clock = await harness.test.get('/v1/test/clock');
    expect(clock.body.data).toMatchObject({ status: 'advancing', target: target.toISOString(), now: at.toISOString() });
    const refused = await harness.test.post('/v1/test/clocks/advance', { seconds: 1 });
    expect(refused).toMatchObject({ status: 409, body: { code: 'state_conflict', details: { current_status: 'advancing' } } });
    expect(await resumeClocks(harness.platform)).toBe(1);
    await expect.poll(async () => (await harness.test.get('/v1/test/clock')).body.data.status, { timeout: 20_000 }).toBe('ready');
    expect(await now()).toBe(target.toISOString());
    expect((await harness.test.get(`/v1/transfers/${held.id}`)).body.data.status).toBe('cancelled');
  });
});
