// GET /v1/streams/{id}/transfers
import { describe, expect, it } from 'vitest';
import { agentStream, newStream, step } from '../../factories/stream.js';
import { type Json, useHarness } from '../../harness.js';

const harness = useHarness();

describe('GET /v1/streams/{id}/transfers', () => {
  it('200: all that moved its money, newest first, on both sides', async () => {
    const { payer, payee, stream } = await agentStream(harness);
    await newStream(harness.test);
    harness.clock.advance(1_000);
    await step(harness.test, stream, 'top-up', { amount: '5.00' }, payer.token);
    await step(harness.test, stream, 'withdraw', {}, payee.token);
    harness.clock.advance(1_000);
    await step(harness.test, stream, 'cancel', {}, payer.token);
    for (const as of [harness.test.key, payer.token, payee.token]) {
      const { data } = (await harness.test.get(`/v1/streams/${stream.id}/transfers`, { as })).body;
      expect(data.map(({ type, amount }: Json) => `${type} ${amount}`)).toEqual([
        'stream_cancel 10.00',
        'stream_withdraw 10.00',
        'stream_start 5.00',
        'stream_start 100.00',
      ]);
    }
  });
});
