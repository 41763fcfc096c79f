// POST /v1/streams/{id}/cancel
import { describe, expect, it } from 'vitest';
import { readBudget } from '../../factories/budget.js';
import { balanceOf } from '../../factories/payment.js';
import { agentStream, newStream, readStream, step } from '../../factories/stream.js';
import { nowhere, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const cancel = (stream: { id: string }, body: object = {}, as?: string) => step(harness.test, stream, 'cancel', body, as);

describe('POST /v1/streams/{id}/cancel', () => {
  describe('200', () => {
    it('pays what has flowed and gives the rest back, the buffer with it', async () => {
      const { from, to, stream } = await newStream(harness.test, { buffer: '20.00', flow_rate: '0.00333' });
      harness.clock.advance(1_000);
      await step(harness.test, stream, 'withdraw', { amount: '1.00' });
      harness.clock.advance(1);
      const { status, body } = await cancel(stream, { reason: 'the work is done' });
      expect(status).toBe(200);
      expect(body.data).toMatchObject({
        status: 'cancelled',
        status_reason: 'the work is done',
        streamed_total: '3.33',
        withdrawn_total: '3.33',
        recipient_balance: '0.00',
        wrapped_balance: '0.00',
        runway_seconds: 0,
        health: 'exhausted',
      });
      expect(body.transfer).toMatchObject({
        type: 'stream_cancel',
        status: 'completed',
        amount: '2.33',
        protocol_metadata: { returned_amount: '96.67' },
        description: 'the work is done',
      });
      expect(await balanceOf(harness.test, from)).toMatchObject({ available: '996.67' });
      expect(await balanceOf(harness.test, to)).toMatchObject({ available: '3.33' });
      harness.clock.advance(1_000);
      expect(await readStream(harness.test, stream)).toMatchObject({ streamed_total: '3.33', status: 'cancelled' });
    });

    it('nothing has flowed: the transfer has 0.00; nothing is left: nothing goes back', async () => {
      const first = await newStream(harness.test);
      expect((await cancel(first.stream)).body.transfer).toMatchObject({
        amount: '0.00',
        protocol_metadata: { returned_amount: '100.00' },
      });
      const second = await newStream(harness.test);
      await harness.advance(10_000);
      await step(harness.test, second.stream, 'withdraw');
      const { body } = await cancel(second.stream);
      expect(body.transfer).toMatchObject({ amount: '0.00', protocol_metadata: { returned_amount: '0.00' } });
      expect(await balanceOf(harness.test, second.to)).toMatchObject({ available: '100.00' });
    });

    it('while the payer is frozen', async () => {
      const { from, stream } = await newStream(harness.test);
      await harness.test.post(`/v1/wallets/${from.id}/freeze`, {});
      await harness.test.post('/v1/spending/freeze', {});
      expect((await cancel(stream)).status).toBe(200);
      expect(await balanceOf(harness.test, from)).toMatchObject({ available: '1000.00' });
      await harness.test.post('/v1/spending/unfreeze', {});
    });

    it('gives back what a budget counted, in the same window alone', async () => {
      const spent = async (days: number) => {
        const { payer, stream } = await agentStream(harness, { budget: true });
        harness.clock.advance(1_000);
        await step(harness.test, stream, 'top-up', { amount: '50.00' }, payer.token);
        expect((await readBudget(harness.test, payer.budget)).spent).toBe('150.00');
        await harness.advance(days * 86_400);
        const { transfer } = (await cancel(stream, {}, payer.token)).body;
        expect(transfer.protocol_metadata).toEqual({ returned_amount: days === 0 ? '140.00' : '0.00' });
        return (await readBudget(harness.test, payer.budget)).spent;
      };
      expect(await spent(0)).toBe('10.00');
      expect(await spent(1)).toBe('0.00');
    });

    it('once when a keyed request is repeated', async () => {
      const { from, stream } = await newStream(harness.test);
      const send = () => harness.test.post(`/v1/streams/${stream.id}/cancel`, {}, { headers: { 'Idempotency-Key': 'end' } });
      const first = await send();
      expect((await send()).body).toEqual(first.body);
      expect(await balanceOf(harness.test, from)).toMatchObject({ available: '1000.00' });
    });
  });

  it('400: an empty reason, and one of 501 characters', async () => {
    for (const reason of ['', 'x'.repeat(501)]) expectInvalid(await cancel({ id: nowhere }, { reason }), 'reason');
  });

  it('403: the agent of the payee', async () => {
    const { payee, stream } = await agentStream(harness);
    expectRefused(await cancel(stream, {}, payee.token), 403, 'forbidden');
  });

  it('403: a frozen agent, whose tenant may', async () => {
    const { payer, stream } = await agentStream(harness);
    await harness.test.post(`/v1/agents/${payer.id}/freeze`, {});
    expectRefused(await cancel(stream, {}, payer.token), 403, 'agent_frozen');
    expect((await cancel(stream)).status).toBe(200);
  });

  it('409: one that has ended, by hand or by itself, swept or not', async () => {
    const { stream } = await newStream(harness.test);
    await cancel(stream);
    expectRefused(await cancel(stream), 409, 'state_conflict', { current_status: 'cancelled' });
    const other = await newStream(harness.test, { max_total: '1.00' });
    harness.clock.advance(100);
    expectRefused(await cancel(other.stream), 409, 'state_conflict', { current_status: 'completed' });
    await harness.runDue();
    expectRefused(await cancel(other.stream), 409, 'state_conflict', { current_status: 'completed' });
  });
});
