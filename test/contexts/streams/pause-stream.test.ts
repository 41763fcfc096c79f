// POST /v1/streams/{id}/pause
import { describe, expect, it } from 'vitest';
import { agentStream, newStream, readStream, step } from '../../factories/stream.js';
import { useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';

const harness = useHarness();
const pause = (stream: { id: string }, as?: string) => step(harness.test, stream, 'pause', {}, as);

describe('POST /v1/streams/{id}/pause', () => {
  it('200: nothing flows from then on', async () => {
    const { stream } = await newStream(harness.test);
    harness.clock.advance(100);
    const { status, body } = await pause(stream);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ status: 'paused', streamed_total: '1.00', version: 2, runway_seconds: 9_900 });
    expect(body.data).not.toHaveProperty('depletes_at');
    await harness.advance(100_000);
    expect(await readStream(harness.test, stream)).toMatchObject({ status: 'paused', streamed_total: '1.00' });
    const operations = await harness.platform.database.unscoped.operation.findMany({ where: { subjectId: stream.id.slice(4) } });
    expect(operations).toMatchObject([{ category: 'stream_action', operation: 'stream.pause', amount: 0n }]);
  });

  it('403: the agent of the payee; that of the payer may', async () => {
    const { payer, payee, stream } = await agentStream(harness);
    expectRefused(await pause(stream, payee.token), 403, 'forbidden');
    expect((await pause(stream, payer.token)).status).toBe(200);
  });

  it('409: one that is not active', async () => {
    const { stream } = await newStream(harness.test);
    await pause(stream);
    expectRefused(await pause(stream), 409, 'state_conflict', { current_status: 'paused', allowed_from: ['active'] });
    const used = await newStream(harness.test);
    harness.clock.advance(10_000);
    expectRefused(await pause(used.stream), 409, 'state_conflict', { current_status: 'exhausted' });
  });
});
