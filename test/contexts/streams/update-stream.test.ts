// PATCH /v1/streams/{id}
import { describe, expect, it } from 'vitest';
import { agentStream, newStream, readStream, step } from '../../factories/stream.js';
import { useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const update = ({ id }: { id: string }, body: object, as?: string) =>
  harness.test.patch(`/v1/streams/${id}`, body, as === undefined ? {} : { as });

describe('PATCH /v1/streams/{id}', () => {
  describe('200', () => {
    it('a new rate counts from now on, to the fraction', async () => {
      const { stream } = await newStream(harness.test, { flow_rate: '0.0001' });
      harness.clock.advance(150);
      const { status, body } = await update(stream, { rate: { amount: '0.06', per: 'minute' } });
      expect(status).toBe(200);
      expect(body.data).toMatchObject({
        flow_rate: '0.001',
        rate: { amount: '0.06', per: 'minute' },
        streamed_total: '0.01',
        version: 2,
        checkpoint_at: harness.clock.now().toISOString(),
      });
      // 0.015 and 0.005.
      harness.clock.advance(5);
      expect(await readStream(harness.test, stream)).toMatchObject({ streamed_total: '0.02' });
    });

    it('a maximum, and none; metadata', async () => {
      const { stream } = await newStream(harness.test);
      expect((await update(stream, { max_total: '50.00' })).body.data).toMatchObject({ max_total: '50.00', health: 'healthy' });
      const { data } = (await update(stream, { max_total: null, metadata: { a: 1 } })).body;
      expect(data).toMatchObject({ metadata: { a: 1 }, version: 3, health: 'warning' });
      expect(data).not.toHaveProperty('max_total');
    });

    it('nothing: it stays as it is', async () => {
      const { stream } = await newStream(harness.test);
      expect((await update(stream, {})).body.data).toEqual(stream);
    });

    it('a paused one', async () => {
      const { stream } = await newStream(harness.test);
      harness.clock.advance(100);
      await step(harness.test, stream, 'pause');
      expect((await update(stream, { flow_rate: '1' })).body.data).toMatchObject({ status: 'paused', streamed_total: '1.00' });
    });
  });

  it('400: two rates, one of zero, a maximum that is reached', async () => {
    const { stream } = await newStream(harness.test);
    harness.clock.advance(100);
    expectInvalid(await update(stream, { flow_rate: '1', rate: { amount: '1', per: 'day' } }), 'flow_rate');
    expectInvalid(await update(stream, { flow_rate: '0.0' }), 'flow_rate');
    expectInvalid(await update(stream, { max_total: '1.00' }), 'max_total');
    expectInvalid(await update(stream, { initial_deposit: '1.00' }), 'initial_deposit');
    expect((await update(stream, { max_total: '1.01' })).status).toBe(200);
  });

  it('403: the agent of the payee', async () => {
    const { payer, payee, stream } = await agentStream(harness);
    expectRefused(await update(stream, { flow_rate: '9' }, payee.token), 403, 'forbidden');
    expect((await update(stream, { flow_rate: '0.02' }, payer.token)).status).toBe(200);
  });

  it('409: one that has ended', async () => {
    const { stream } = await newStream(harness.test);
    await step(harness.test, stream, 'cancel');
    expectRefused(await update(stream, { flow_rate: '1' }), 409, 'state_conflict', { current_status: 'cancelled' });
  });
});
