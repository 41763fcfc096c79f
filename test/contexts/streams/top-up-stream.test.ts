// POST /v1/streams/{id}/top-up
import { describe, expect, it } from 'vitest';
import { trip } from '../../factories/approval.js';
import { balanceOf, pay } from '../../factories/payment.js';
import { agentStream, newStream, readStream, step } from '../../factories/stream.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const topUp = (stream: { id: string }, amount: unknown = '50.00', as?: string) => step(harness.test, stream, 'top-up', { amount }, as);

describe('POST /v1/streams/{id}/top-up', () => {
  describe('200', () => {
    it('more money, which lasts longer', async () => {
      const { from, stream } = await newStream(harness.test);
      await harness.test.make(`/v1/wallets/${from.id}/wrap`, { amount: '20.00' });
      const { status, body } = await topUp(stream);
      expect(status).toBe(200);
      expect(body.data).toMatchObject({ wrapped_balance: '150.00', runway_seconds: 15_000, version: 2 });
      expect(body.transfer).toMatchObject({ type: 'stream_start', amount: '50.00', protocol_metadata: { top_up: true } });
      expect(await balanceOf(harness.test, from)).toMatchObject({ available: '850.00', wrapped: '0.00' });
      const operations = await harness.platform.database.unscoped.operation.findMany({ where: { subjectId: body.transfer.id } });
      expect(operations).toMatchObject([{ category: 'stream_action', operation: 'stream.top_up', amount: 0n }]);
    });

    it('an exhausted one flows again, from now on; a paused one stays paused', async () => {
      const { stream } = await newStream(harness.test);
      await harness.advance(20_000);
      expect(await readStream(harness.test, stream)).toMatchObject({ status: 'exhausted', streamed_total: '100.00' });
      expect((await topUp(stream)).body.data).toMatchObject({ status: 'active', streamed_total: '100.00', wrapped_balance: '50.00' });
      harness.clock.advance(100);
      expect(await readStream(harness.test, stream)).toMatchObject({ streamed_total: '101.00' });
      await step(harness.test, stream, 'pause');
      expect((await topUp(stream)).body.data).toMatchObject({ status: 'paused' });
    });

    it('an exhausted one whose step has not run yet: not a cent more has flowed', async () => {
      const { stream } = await newStream(harness.test);
      harness.clock.advance(20_000);
      expect((await topUp(stream)).body.data).toMatchObject({ status: 'active', streamed_total: '100.00', version: 3 });
    });
  });

  describe('202', () => {
    it('waits for an approval, and the stream stays as it is until then', async () => {
      const { payer, stream } = await agentStream(harness);
      await trip(harness, payer.uuid);
      const before = await readStream(harness.test, stream);
      const { status, body } = await topUp(stream, '50.00', payer.token);
      expect(status).toBe(202);
      expect(body).toMatchObject({
        data: before,
        transfer: { status: 'pending', hold: { amount: '50.00' } },
        approval: { status: 'pending' },
      });
      await harness.advance(100);
      const approved = (await harness.test.post(`/v1/approvals/${body.approval.id}/approve`, {})).body;
      expect(approved).toMatchObject({
        data: { subject: { type: 'stream_top_up', id: body.transfer.id } },
        stream: { id: stream.id, wrapped_balance: '149.00', streamed_total: '1.00' },
      });
    });

    it('gives the money back when it is rejected, when it expires, and when the stream ends', async () => {
      for (const end of ['reject', 'expire', 'cancel', 'complete'] as const) {
        const { payer, stream } = await agentStream(harness, { ...(end === 'complete' && { max_total: '10.00' }) });
        await trip(harness, payer.uuid);
        const { body } = await topUp(stream, '50.00', payer.token);
        if (end === 'reject') await harness.test.post(`/v1/approvals/${body.approval.id}/reject`, {});
        else if (end === 'cancel') await step(harness.test, stream, 'cancel');
        else await harness.advance(3_601);
        const wallet = { id: stream.from_wallet_id };
        const available = end === 'cancel' ? '1000.00' : end === 'complete' ? '990.00' : '900.00';
        expect(await balanceOf(harness.test, wallet), end).toMatchObject({ available, held: '0.00' });
        expect((await harness.test.get(`/v1/transfers/${body.transfer.id}`)).body.data.status, end).toBe('cancelled');
        expect((await harness.test.get(`/v1/approvals/${body.approval.id}`)).body.data.status, end).not.toBe('pending');
      }
    });
  });

  it('400: an amount that is none', async () => {
    const { stream } = await newStream(harness.test);
    for (const amount of ['0.00', '1.001', 1, null]) expectInvalid(await topUp(stream, amount), 'amount');
  });

  it('400: more than can be counted in the life of a stream, however often it is paid out', async () => {
    const most = '1000000000000000.00';
    const { from, to, stream } = await newStream(harness.test, { funded: most, initial_deposit: most, flow_rate: '999999999999999999' });
    const goRound = async () => {
      harness.clock.advance(1);
      await step(harness.test, stream, 'withdraw');
      await pay(harness.test, to, from, most);
    };
    for (let n = 0; n < 8; n += 1) {
      await goRound();
      expect((await topUp(stream, most)).status).toBe(200);
    }
    await goRound();
    expectInvalid(await topUp(stream, '0.01'), 'amount');
    expect((await step(harness.test, stream, 'cancel')).status).toBe(200);
  });

  it('403: the agent of the payee, and a payer who may not spend', async () => {
    const { payee, stream } = await agentStream(harness);
    expectRefused(await topUp(stream, '1.00', payee.token), 403, 'forbidden');
    await harness.test.post(`/v1/wallets/${stream.from_wallet_id}/freeze`, {});
    expectRefused(await topUp(stream, '1.00'), 403, 'wallet_frozen');
  });

  it('409: one that has ended', async () => {
    const { stream } = await newStream(harness.test);
    await step(harness.test, stream, 'cancel');
    expectRefused(await topUp(stream), 409, 'state_conflict', { current_status: 'cancelled' });
  });

  it('422: more than the wallet has', async () => {
    const { stream } = await newStream(harness.test);
    expectRefused(await topUp(stream, '900.01'), 422, 'insufficient_balance', { available: '900.00' });
  });
});

describe('POST /v1/streams/{id}/top-up?dry_run=true', () => {
  const dryRun = (id: string, amount: string) => harness.test.post(`/v1/streams/${id}/top-up?dry_run=true`, { amount });

  it('200: says what it would do, and changes nothing', async () => {
    const { from, stream } = await newStream(harness.test);
    const { body } = await dryRun(stream.id, '50.00');
    expect(body.data).toMatchObject({ decision: { outcome: 'allow' } });
    expect(body.data.would_post.map(({ account, direction }: Json) => `${direction} ${account}`)).toEqual([
      'debit wallet.available',
      'credit stream.escrow',
    ]);
    expect((await dryRun(stream.id, '5000.00')).body.data.decision).toMatchObject({ outcome: 'deny', code: 'insufficient_balance' });
    expect(await balanceOf(harness.test, from)).toMatchObject({ available: '900.00' });
    expect(await readStream(harness.test, stream)).toEqual(stream);
  });

  it('404 and 409: a request that is faulty', async () => {
    expectRefused(await dryRun(nowhere, '1.00'), 404, 'not_found');
    const { stream } = await newStream(harness.test);
    await step(harness.test, stream, 'cancel');
    expectRefused(await dryRun(stream.id, '1.00'), 409, 'state_conflict');
  });
});
