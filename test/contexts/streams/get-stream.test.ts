// GET /v1/streams/{id}
import { describe, expect, it } from 'vitest';
import { agentStream, inSeconds, newStream, readStream, step } from '../../factories/stream.js';
import { type Json, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();

describe('GET /v1/streams/{id}', () => {
  describe('200', () => {
    it('?at= answers from checkpoints: what was shown then is shown for ever', async () => {
      const { stream } = await newStream(harness.test, { flow_rate: '0.0137', buffer: '5.00' });
      const shown: [at: string, Json][] = [];
      const look = async (seconds: number) => {
        harness.clock.advance(seconds);
        shown.push([harness.clock.now().toISOString(), await readStream(harness.test, stream)]);
        // What happens at an instant belongs to it.
        harness.clock.advance(0.001);
      };
      await look(0);
      await look(99);
      await step(harness.test, stream, 'withdraw');
      await look(50);
      await harness.test.patch(`/v1/streams/${stream.id}`, { flow_rate: '0.5' });
      await look(3);
      await step(harness.test, stream, 'pause');
      await look(1_000);
      await step(harness.test, stream, 'resume');
      await look(10_000);
      await step(harness.test, stream, 'top-up', { amount: '10.00' });
      await look(5);
      await step(harness.test, stream, 'cancel');
      await look(5);
      // What the row says as a whole is not part of the state.
      const state = ({ updated_at: _, status_reason: __, ...rest }: Json) => rest;
      for (const [at, then] of shown) {
        const again = await readStream(harness.test, stream, at);
        expect(state({ ...again, version: then.version }), at).toEqual(state(then));
      }
    });

    it('keeps its metadata for the payer: its payee sees none, from any root', async () => {
      const metadata = { secret: 'plan' };
      const { payer, payee, stream } = await agentStream(harness, { metadata });
      const path = `/v1/streams/${stream.id}`;
      for (const as of [payer.token, harness.test.key]) expect((await harness.test.get(path, { as })).body.data.metadata).toEqual(metadata);
      expect((await harness.test.get(path, { as: payee.token })).body.data).not.toHaveProperty('metadata');
      const listed = (await harness.test.get('/v1/streams', { as: payee.token })).body.data;
      expect(listed.find(({ id }: Json) => id === stream.id)).not.toHaveProperty('metadata');
      const { body } = await harness.test.graphql(
        'query ($id: StreamId!) { stream(id: $id) { metadata } }',
        { id: stream.id },
        { as: payee.token },
      );
      expect(body.data.stream).toEqual({ metadata: null });
    });

    it('an instant to come is shown as it will be if nobody changes the stream', async () => {
      const { stream } = await newStream(harness.test, { ends_at: inSeconds(harness, 20_000) });
      const at = (seconds: number) => readStream(harness.test, stream, inSeconds(harness, seconds));
      expect(await at(5_000)).toMatchObject({ status: 'active', streamed_total: '50.00' });
      expect(await at(9_999)).toMatchObject({ status: 'active', streamed_total: '99.99', health: 'critical' });
      expect(await at(10_000)).toMatchObject({ status: 'exhausted', health: 'exhausted' });
      expect(await at(20_000)).toMatchObject({ status: 'completed', withdrawn_total: '100.00', wrapped_balance: '0.00' });
    });

    it('the health of it follows from the time that the money lasts', async () => {
      const { stream } = await newStream(harness.test, { flow_rate: '0.001' });
      const at = (seconds: number) => readStream(harness.test, stream, inSeconds(harness, seconds));
      expect(await at(100_000 - 86_401)).toMatchObject({ health: 'healthy', runway_seconds: 86_401 });
      expect(await at(100_000 - 86_400)).toMatchObject({ health: 'warning' });
      expect(await at(100_000 - 3_600)).toMatchObject({ health: 'critical', runway_seconds: 3_600 });
      expect(await at(100_000)).toMatchObject({ health: 'exhausted', runway_seconds: 0 });
    });

    it('both agents read it, a third one does not', async () => {
      const { payer, payee, stream } = await agentStream(harness);
      const third = await enrol(harness.test);
      const read = (as: string) => harness.test.get(`/v1/streams/${stream.id}`, { as });
      const { metadata: _, ...shared } = (await read(payer.token)).body.data;
      expect(shared).toEqual((await read(payee.token)).body.data);
      expectRefused(await read(third.token), 404, 'not_found');
    });
  });

  it('400: an instant before it was made, and what is none', async () => {
    const { stream } = await newStream(harness.test);
    for (const at of ['2020-01-01T00:00:00Z', 'yesterday']) {
      expectInvalid(await harness.test.get(`/v1/streams/${stream.id}?at=${at}`), 'at');
    }
  });
});
