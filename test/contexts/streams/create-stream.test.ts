// POST /v1/streams
import { describe, expect, it } from 'vitest';
import { spender } from '../../factories/approval.js';
import { balanceOf, eventsOf, twoWallets } from '../../factories/payment.js';
import { inSeconds, newStream, readStream, step, streamBody } from '../../factories/stream.js';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';
import { newPolicy } from '../spending/policies.js';

const harness = useHarness();
const create = (body: object, as?: string) => harness.test.post('/v1/streams', body, as === undefined ? {} : { as });

describe('POST /v1/streams', () => {
  describe('201', () => {
    it('puts the deposit in, and what flows follows from the time', async () => {
      const { from, to } = await twoWallets(harness.test);
      const { status, body } = await create(streamBody(from, to, { buffer: '10.00', metadata: { salary: 'May' } }));
      expect(status).toBe(201);
      const now = harness.clock.now().toISOString();
      expect(body).toEqual({
        data: {
          id: expect.stringMatching(/^str_/),
          from_wallet_id: from.id,
          to_wallet_id: to.id,
          currency: 'USD',
          flow_rate: '0.01',
          rate: { amount: '0.01', per: 'second' },
          status: 'active',
          wrapped_balance: '100.00',
          buffer: '10.00',
          streamed_total: '0.00',
          withdrawn_total: '0.00',
          recipient_balance: '0.00',
          runway_seconds: 9_000,
          depletes_at: inSeconds(harness, 9_000),
          checkpoint_at: now,
          health: 'warning',
          version: 1,
          metadata: { salary: 'May' },
          created_at: now,
          updated_at: now,
        },
        transfer: expect.objectContaining({
          type: 'stream_start',
          status: 'completed',
          amount: '100.00',
          from_wallet_id: from.id,
          to_wallet_id: to.id,
          protocol: 'internal',
          stream_id: body.data.id,
        }),
      });
      expect(await balanceOf(harness.test, from)).toMatchObject({ available: '0.00', held: '0.00', wrapped: '0.00' });
      expect((await eventsOf(harness, body.transfer.id)).map(({ type }) => type)).toEqual(['transfer.created', 'transfer.completed']);
      harness.clock.advance(1_234);
      expect(await readStream(harness.test, body.data)).toMatchObject({
        wrapped_balance: '87.66',
        streamed_total: '12.34',
        recipient_balance: '12.34',
        runway_seconds: 7_766,
      });
    });

    it('takes what is wrapped first, then what is available', async () => {
      const { from, to } = await twoWallets(harness.test, { funded: '150.00' });
      await harness.test.make(`/v1/wallets/${from.id}/wrap`, { amount: '60.00' });
      const { body } = await create(streamBody(from, to));
      expect(await balanceOf(harness.test, from)).toMatchObject({ available: '50.00', wrapped: '0.00' });
      const entries = (await harness.test.get(`/v1/transfers/${body.transfer.id}/entries`)).body.data;
      expect(entries.map(({ bucket, direction, amount }: Json) => [direction, bucket, amount])).toEqual([
        ['debit', 'wrapped', '60.00'],
        ['debit', 'available', '40.00'],
        ['credit', undefined, '40.00'],
        ['credit', undefined, '60.00'],
      ]);
    });

    it('keeps a rate as it was given, and prints what it is a second', async () => {
      const { stream } = await newStream(harness.test, { rate: { amount: '5000', per: 'month30' } });
      expect(stream).toMatchObject({ rate: { amount: '5000', per: 'month30' }, flow_rate: '0.001929012345679012' });
      harness.clock.advance(86_400 / 2);
      expect(await readStream(harness.test, stream)).toMatchObject({ streamed_total: '83.33' });
    });

    it('less than a cent a second, in a currency of two digits and of none', async () => {
      const slow = await newStream(harness.test, { flow_rate: '0.000000000000000001' });
      expect(slow.stream).toMatchObject({ flow_rate: '0.000000000000000001', health: 'healthy' });
      expect(slow.stream).not.toHaveProperty('runway_seconds');
      const yen = await newStream(harness.test, { currency: 'JPY', funded: '1000', initial_deposit: '10', flow_rate: '0.3' });
      harness.clock.advance(10);
      expect(await readStream(harness.test, yen.stream)).toMatchObject({ streamed_total: '3', wrapped_balance: '7' });
    });

    it('by the agent whose wallet pays, which its policies bind', async () => {
      const agent = await enrol(harness.test, { wallet: { currency: 'USD' } });
      const from = { id: agent.agent.default_wallet_id, currency: 'USD' };
      await harness.test.make(`/v1/wallets/${from.id}/fund`, { amount: '500.00' });
      const { wallet: to } = await openWallet(harness.test);
      const rules = [{ kind: 'max_amount', per: 'day', amount: '150.00', currency: 'USD' }];
      await newPolicy(harness.test, { target: { type: 'agent', id: agent.id }, rules });
      const { status, body } = await create(streamBody(from, to), agent.token);
      expect(status, JSON.stringify(body)).toBe(201);
      expect(body.data).toMatchObject({ agent_id: agent.uuid });
      expect(body.transfer).toMatchObject({ agent_id: agent.uuid, decision_id: expect.stringMatching(/^dec_/) });
      const refused = await create(streamBody(from, to), agent.token);
      expectRefused(refused, 403, 'policy_violation', { limit: { max: '150.00', used: '100.00', requested: '100.00' } });
    });

    it('the same when a keyed request is repeated', async () => {
      const { from, to } = await twoWallets(harness.test, { funded: '500.00' });
      const key = { headers: { 'Idempotency-Key': 'stream-once' } };
      const first = await harness.test.post('/v1/streams', streamBody(from, to), key);
      const again = await harness.test.post('/v1/streams', streamBody(from, to), key);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(again.body).toEqual(first.body);
      const { pool } = harness.platform.database;
      await expect.poll(async () => (await pool.query('DELETE FROM keyed_answer')).rowCount).toBe(1);
      const rendered = await harness.test.post('/v1/streams', streamBody(from, to), key);
      expect(rendered.body).toEqual(first.body);
      expect(await balanceOf(harness.test, from)).toMatchObject({ available: '400.00' });
    });
  });

  describe('202', () => {
    it('waits for an approval with its money held, and flows from then on', async () => {
      const agent = await spender(harness);
      await harness.test.make(`/v1/wallets/${agent.wallet.id}/wrap`, { amount: '30.00' });
      const { status, body } = await create(streamBody(agent.wallet, agent.payee), agent.token);
      expect(status).toBe(202);
      expect(body).toMatchObject({
        data: { status: 'pending', wrapped_balance: '100.00', streamed_total: '0.00' },
        transfer: { status: 'pending', hold: { amount: '100.00' } },
        approval: { status: 'pending' },
      });
      expect(await balanceOf(harness.test, agent.wallet)).toMatchObject({ available: '900.00', held: '100.00', wrapped: '0.00' });
      await harness.advance(600);
      const approved = await harness.test.post(`/v1/approvals/${body.approval.id}/approve`, {});
      expect(approved.body).toMatchObject({ data: { status: 'approved', subject: { type: 'stream', id: body.data.id } } });
      expect(approved.body.stream).toMatchObject({ status: 'active', streamed_total: '0.00', version: 2 });
      expect(await balanceOf(harness.test, agent.wallet)).toMatchObject({ available: '900.00', held: '0.00' });
      await harness.advance(100);
      expect(await readStream(harness.test, body.data)).toMatchObject({ streamed_total: '1.00' });
      const { data } = (await harness.test.get(`/v1/streams/${body.data.id}/transfers`)).body;
      expect(data).toMatchObject([{ type: 'stream_start', status: 'completed', approval_id: body.approval.id }]);
    });

    it('is cancelled when the approval is rejected, expires, or the stream is cancelled; all of it is available again', async () => {
      for (const end of ['reject', 'expire', 'cancel'] as const) {
        const agent = await spender(harness);
        await harness.test.make(`/v1/wallets/${agent.wallet.id}/wrap`, { amount: '30.00' });
        const { body } = await create(streamBody(agent.wallet, agent.payee), agent.token);
        expectRefused(await harness.test.post(`/v1/transfers/${body.transfer.id}/cancel`, {}), 409, 'state_conflict');
        expectRefused(await step(harness.test, body.data, 'pause'), 409, 'state_conflict', { current_status: 'pending' });
        if (end === 'reject') await harness.test.post(`/v1/approvals/${body.approval.id}/reject`, {});
        else if (end === 'expire') await harness.advance(3_601);
        else expect((await step(harness.test, body.data, 'cancel', { reason: 'changed my mind' })).status).toBe(200);
        expect(await readStream(harness.test, body.data), end).toMatchObject({ status: 'cancelled', wrapped_balance: '0.00' });
        expect(await balanceOf(harness.test, agent.wallet), end).toMatchObject({ available: '1000.00', held: '0.00', wrapped: '0.00' });
      }
    });

    it('fails when the check after the approval fails', async () => {
      const agent = await spender(harness);
      const { body } = await create(streamBody(agent.wallet, agent.payee, { ends_at: inSeconds(harness, 60) }), agent.token);
      await harness.advance(61);
      const { data, stream } = (await harness.test.post(`/v1/approvals/${body.approval.id}/approve`, {})).body;
      expect(data).toMatchObject({ status: 'approved', result_error: { code: 'state_conflict' } });
      expect(stream).toMatchObject({ status: 'cancelled', status_reason: 'state_conflict' });
      expect(await balanceOf(harness.test, agent.wallet)).toMatchObject({ available: '1000.00' });
    });
  });

  describe('400', () => {
    it('a rate of zero, of 19 digits, none, and two', async () => {
      const { from, to } = await twoWallets(harness.test);
      for (const flow_rate of ['0', '0.000', '0.0000000000000000001', '-1', 1]) {
        expectInvalid(await create(streamBody(from, to, { flow_rate })), 'flow_rate');
        expectInvalid(await create(streamBody(from, to, { rate: { amount: flow_rate, per: 'day' } })), 'rate.amount');
      }
      const { flow_rate: _, ...without } = streamBody(from, to);
      expectInvalid(await create(without), 'flow_rate');
      expectInvalid(await create({ ...streamBody(from, to), rate: { amount: '1.00', per: 'day' } }), 'flow_rate');
      expectInvalid(await create(streamBody(from, to, { rate: { amount: '1.00', per: 'week' } })), 'rate.per');
    });

    it('a buffer that leaves nothing, an end that is past, sums that are none', async () => {
      const { from, to } = await twoWallets(harness.test);
      const past = { buffer: '100.00', ends_at: harness.clock.now().toISOString() };
      expectInvalid(await create(streamBody(from, to, past)), 'ends_at', 'buffer');
      expectInvalid(await create(streamBody(from, to, { initial_deposit: '0.00' })), 'initial_deposit');
      expectInvalid(await create(streamBody(from, to, { initial_deposit: '1.001' })), 'initial_deposit');
      expectInvalid(await create(streamBody(from, to, { max_total: '0.00' })), 'max_total');
      expectInvalid(await create(streamBody(from, to, { deposit: '1.00' })), 'deposit');
    });
  });

  describe('403', () => {
    it('an agent whose wallet it is not, and payers who may not spend', async () => {
      const { from, to } = await twoWallets(harness.test);
      const agent = await enrol(harness.test);
      expectRefused(await create(streamBody(from, to), agent.token), 403, 'forbidden');
      await harness.test.post(`/v1/wallets/${from.id}/freeze`, {});
      expectRefused(await create(streamBody(from, to)), 403, 'wallet_frozen');
      await harness.test.post(`/v1/wallets/${from.id}/unfreeze`, {});
      await harness.test.post('/v1/spending/freeze', {});
      expectRefused(await create(streamBody(from, to)), 403, 'workspace_frozen');
      await harness.test.post('/v1/spending/unfreeze', {});
    });
  });

  describe('404', () => {
    it('a wallet that is not there, of another tenant, or an agent', async () => {
      const { from, to } = await twoWallets(harness.test);
      const { wallet: theirs } = await openWallet(harness.other);
      for (const id of [nowhere, theirs.id]) {
        for (const side of ['from_wallet_id', 'to_wallet_id']) {
          expectRefused(await create(streamBody(from, to, { [side]: id })), 404, 'not_found', { fields: [{ path: side }] });
        }
      }
      expectRefused(await create(streamBody(from, to, { agent_id: nowhere })), 404, 'not_found');
    });
  });

  describe('422', () => {
    it('too little money, one wallet twice, and another currency', async () => {
      const { from, to } = await twoWallets(harness.test, { funded: '99.99' });
      const short = await create(streamBody(from, to));
      expectRefused(short, 422, 'insufficient_balance', { available: '99.99', missing: '0.01' });
      expectRefused(await create(streamBody(from, from)), 422, 'same_wallet');
      const { wallet: euros } = await openWallet(harness.test, { currency: 'EUR' });
      expectRefused(await create(streamBody(from, euros)), 422, 'currency_mismatch');
      expect((await harness.test.get(`/v1/streams?wallet_id=${from.id}`)).body.data).toEqual([]);
    });
  });
});

describe('POST /v1/streams?dry_run=true', () => {
  const dryRun = (body: object, as?: string) => harness.test.post('/v1/streams?dry_run=true', body, as === undefined ? {} : { as });

  it('200: says what would be posted, and changes nothing', async () => {
    const { from, to } = await twoWallets(harness.test);
    await harness.test.make(`/v1/wallets/${from.id}/wrap`, { amount: '60.00' });
    const { body, status } = await dryRun(streamBody(from, to));
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ decision: { outcome: 'allow' }, would_emit: ['transfer.created', 'transfer.completed'] });
    expect(body.data.would_post.map(({ account, direction, amount }: Json) => `${direction} ${account} ${amount}`)).toEqual([
      'debit wallet.wrapped 60.00',
      'credit stream.escrow 60.00',
      'debit wallet.available 40.00',
      'credit stream.escrow 40.00',
    ]);
    expect((await harness.test.get(`/v1/streams?wallet_id=${from.id}`)).body.data).toEqual([]);
    expect(await balanceOf(harness.test, from)).toMatchObject({ available: '40.00', wrapped: '60.00' });
  });

  it('200: that it would be refused, or would have to wait', async () => {
    const { from, to } = await twoWallets(harness.test, { funded: '50.00' });
    expect((await dryRun(streamBody(from, to))).body.data).toMatchObject({
      decision: { outcome: 'deny', code: 'insufficient_balance' },
      would_post: [],
    });
    const agent = await spender(harness);
    const { data } = (await dryRun(streamBody(agent.wallet, agent.payee), agent.token)).body;
    expect(data.decision).toMatchObject({ outcome: 'require_approval' });
    expect(data.would_post.map(({ account }: Json) => account)).toEqual(['wallet.available', 'wallet.held']);
  });

  it('400 and 404: a request that is faulty', async () => {
    const { from, to } = await twoWallets(harness.test);
    expectInvalid(await dryRun(streamBody(from, to, { flow_rate: '0' })), 'flow_rate');
    expectRefused(await dryRun(streamBody(from, { id: nowhere })), 404, 'not_found');
  });
});
