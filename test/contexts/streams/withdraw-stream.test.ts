// POST /v1/streams/{id}/withdraw
import { describe, expect, it } from 'vitest';
import { balanceOf, eventsOf } from '../../factories/payment.js';
import { agentStream, newStream, readStream, step } from '../../factories/stream.js';
import { useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const withdraw = (stream: { id: string }, body: object = {}, as?: string) => step(harness.test, stream, 'withdraw', body, as);

describe('POST /v1/streams/{id}/withdraw', () => {
  describe('200', () => {
    it('pays out all that has flowed, in whole cents, and carries the rest over', async () => {
      const { to, stream } = await newStream(harness.test, { flow_rate: '0.0033333' });
      const seen: string[] = [];
      for (let i = 0; i < 3; i += 1) {
        harness.clock.advance(100);
        const { status, body } = await withdraw(stream);
        expect(status).toBe(200);
        expect(body.transfer).toMatchObject({ type: 'stream_withdraw', status: 'completed', stream_id: stream.id, to_wallet_id: to.id });
        seen.push(body.transfer.amount);
      }
      // 0.99999 has flowed: what is below a cent is not lost, and not paid twice.
      expect(seen).toEqual(['0.33', '0.33', '0.33']);
      harness.clock.advance(1);
      expect((await withdraw(stream)).body).toMatchObject({
        transfer: { amount: '0.01' },
        data: { streamed_total: '1.00', withdrawn_total: '1.00', recipient_balance: '0.00', wrapped_balance: '99.00' },
      });
      expect(await balanceOf(harness.test, to)).toMatchObject({ available: '1.00' });
    });

    it('a part, by the agent of the payee, who is told', async () => {
      const { payee, stream } = await agentStream(harness);
      harness.clock.advance(500);
      const { body } = await withdraw(stream, { amount: '2.00' }, payee.token);
      expect(body.data).toMatchObject({ withdrawn_total: '2.00', recipient_balance: '3.00', status: 'active' });
      expect((await eventsOf(harness, body.transfer.id)).map(({ type }) => type)).toEqual(['transfer.created', 'transfer.completed']);
      const operations = await harness.platform.database.unscoped.operation.findMany({ where: { subjectId: body.transfer.id } });
      expect(operations).toMatchObject([{ category: 'stream_action', operation: 'stream.withdraw', amount: 200n, agentId: payee.uuid }]);
    });

    it('of a paused and of an exhausted stream, also while the payer is frozen', async () => {
      const { from, stream } = await newStream(harness.test);
      await harness.advance(100);
      await step(harness.test, stream, 'pause');
      await harness.test.post(`/v1/wallets/${from.id}/freeze`, {});
      await harness.advance(100);
      expect((await withdraw(stream)).body.transfer).toMatchObject({ amount: '1.00' });
      const other = await newStream(harness.test);
      await harness.advance(20_000);
      expect((await withdraw(other.stream)).body).toMatchObject({ transfer: { amount: '100.00' }, data: { status: 'exhausted' } });
    });

    it('once when a keyed request is repeated', async () => {
      const { to, stream } = await newStream(harness.test);
      harness.clock.advance(1_000);
      const send = () => harness.test.post(`/v1/streams/${stream.id}/withdraw`, {}, { headers: { 'Idempotency-Key': 'take' } });
      const first = await send();
      harness.clock.advance(1_000);
      expect((await send()).body).toEqual(first.body);
      expect(await balanceOf(harness.test, to)).toMatchObject({ available: '10.00' });
    });

    it('of many at once each cent is paid once', async () => {
      const { to, stream } = await newStream(harness.test);
      harness.clock.advance(1_000);
      const answers = await Promise.all(Array.from({ length: 12 }, () => withdraw(stream, { amount: '1.00' })));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
      for (const answer of answers) if (answer.status !== 200) expectRefused(answer, 422, 'insufficient_balance');
      expect(await balanceOf(harness.test, to)).toMatchObject({ available: '10.00' });
    });
  });

  it('400: an amount that is none', async () => {
    const { stream } = await newStream(harness.test);
    for (const amount of ['0.00', '1.001', 1]) expectInvalid(await withdraw(stream, { amount }), 'amount');
  });

  it('403: the agent of the payer', async () => {
    const { payer, stream } = await agentStream(harness);
    harness.clock.advance(100);
    expectRefused(await withdraw(stream, {}, payer.token), 403, 'forbidden');
  });

  it('403: a frozen agent, whose tenant may', async () => {
    const { payee, stream } = await agentStream(harness);
    harness.clock.advance(100);
    await harness.test.post(`/v1/agents/${payee.id}/freeze`, {});
    expectRefused(await withdraw(stream, {}, payee.token), 403, 'agent_frozen');
    expect((await withdraw(stream)).status).toBe(200);
  });

  it('409: one that has ended', async () => {
    const { stream } = await newStream(harness.test);
    await step(harness.test, stream, 'cancel');
    expectRefused(await withdraw(stream), 409, 'state_conflict', { current_status: 'cancelled' });
  });

  it('422: more than has flowed, and nothing', async () => {
    const { stream } = await newStream(harness.test);
    expectRefused(await withdraw(stream), 422, 'insufficient_balance', { available: '0.00' });
    harness.clock.advance(100);
    expectRefused(await withdraw(stream, { amount: '1.01' }), 422, 'insufficient_balance', { available: '1.00', missing: '0.01' });
    expect(await readStream(harness.test, stream)).toMatchObject({ recipient_balance: '1.00' });
  });
});
