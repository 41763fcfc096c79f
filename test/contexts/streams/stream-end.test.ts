// What happens to a stream by itself: its money is used up, it comes to its end or its maximum, and the agents are told in time.
import { describe, expect, it } from 'vitest';
import { channelLines } from '../../factories/channel.js';
import { balanceOf } from '../../factories/payment.js';
import { agentStream, inSeconds, newStream, readStream, step } from '../../factories/stream.js';
import { type Json, useHarness } from '../../harness.js';

const harness = useHarness();

/** What the channel of an agent was told of a stream. */
async function alertsOf(agentId: string, { id }: Json): Promise<[severity: string, runway: number][]> {
  const lines = await channelLines(harness, agentId);
  return lines
    .filter(({ type }) => type === 'stream_alert')
    .map(({ data }) => data)
    .filter(({ stream_id }) => stream_id === id)
    .map(({ severity, runway_seconds }) => [severity, runway_seconds]);
}

describe('the money of a stream', () => {
  it('is used up to the last cent, however late its step runs; the checkpoint has the instant', async () => {
    const { to, stream } = await newStream(harness.test, { flow_rate: '0.03' });
    const end = new Date(harness.clock.now().getTime() + 3_333_334).toISOString();
    await harness.advance(50_000);
    expect(await readStream(harness.test, stream)).toMatchObject({
      status: 'exhausted',
      streamed_total: '100.00',
      checkpoint_at: end,
      health: 'exhausted',
      version: 2,
    });
    expect(await balanceOf(harness.test, to)).toMatchObject({ available: '0.00' });
  });

  it('is told of to both agents when it lasts a day, an hour, and no longer; again after a top-up', async () => {
    const { payer, payee, stream } = await agentStream(harness, { flow_rate: '0.0005' });
    const left = [86_400, 3_600, 0];
    let passed = 0;
    for (const seconds of left) {
      await harness.advance(200_000 - seconds - passed - 1);
      passed = 200_000 - seconds - 1;
      const before = (await alertsOf(payer.uuid, stream)).length;
      await harness.advance(1);
      passed += 1;
      expect((await alertsOf(payer.uuid, stream)).length).toBe(before + 1);
    }
    const told = [
      ['warning', 86_400],
      ['critical', 3_600],
      ['exhausted', 0],
    ];
    expect(await alertsOf(payer.uuid, stream)).toEqual(told);
    expect(await alertsOf(payee.uuid, stream)).toEqual(told);
    await step(harness.test, stream, 'top-up', { amount: '100.00' }, payer.token);
    await harness.advance(300_000);
    expect(await alertsOf(payer.uuid, stream)).toEqual([...told, ...told]);
  });

  it('that a change brings near its end is told of at once; one that begins so is not', async () => {
    const { payer, stream } = await agentStream(harness, { flow_rate: '0.0001' });
    await harness.test.patch(`/v1/streams/${stream.id}`, { flow_rate: '0.1' });
    await harness.runDue();
    expect(await alertsOf(payer.uuid, stream)).toEqual([['critical', 1_000]]);
    const short = await agentStream(harness, { flow_rate: '0.1' });
    await harness.runDue();
    expect(await alertsOf(short.payer.uuid, short.stream)).toEqual([]);
    await harness.advance(1_000);
    expect(await alertsOf(short.payer.uuid, short.stream)).toEqual([['exhausted', 0]]);
  });
});

describe('the end of a stream', () => {
  it('comes at ends_at: what has flowed is paid, the rest goes back, and nobody is warned of it', async () => {
    const ends_at = inSeconds(harness, 1_000);
    const { payer, stream } = await agentStream(harness, { ends_at });
    await harness.advance(5_000);
    expect(await readStream(harness.test, stream)).toMatchObject({
      status: 'completed',
      streamed_total: '10.00',
      withdrawn_total: '10.00',
      wrapped_balance: '0.00',
      checkpoint_at: ends_at,
    });
    const { data } = (await harness.test.get(`/v1/streams/${stream.id}/transfers`)).body;
    expect(data[0]).toMatchObject({
      type: 'stream_cancel',
      amount: '10.00',
      protocol_metadata: { returned_amount: '90.00' },
      initiated_by: { type: 'system' },
    });
    expect(await balanceOf(harness.test, { id: stream.from_wallet_id })).toMatchObject({ available: '990.00' });
    expect(await balanceOf(harness.test, { id: stream.to_wallet_id })).toMatchObject({ available: '10.00' });
    expect(await alertsOf(payer.uuid, stream)).toEqual([]);
  });

  it('comes when max_total has flowed', async () => {
    const { from, stream } = await newStream(harness.test, { max_total: '0.05', flow_rate: '0.003' });
    await harness.advance(16);
    expect(await readStream(harness.test, stream)).toMatchObject({ status: 'active', streamed_total: '0.04' });
    await harness.advance(1);
    expect(await readStream(harness.test, stream)).toMatchObject({ status: 'completed', withdrawn_total: '0.05' });
    expect(await balanceOf(harness.test, from)).toMatchObject({ available: '999.95' });
  });

  it('comes at ends_at to one that is paused or exhausted too', async () => {
    const ends_at = inSeconds(harness, 20_000);
    const paused = await newStream(harness.test, { ends_at });
    await harness.advance(100);
    await step(harness.test, paused.stream, 'pause');
    const exhausted = await newStream(harness.test, { ends_at });
    await harness.advance(50_000);
    expect(await readStream(harness.test, paused.stream)).toMatchObject({ status: 'completed', withdrawn_total: '1.00' });
    expect(await readStream(harness.test, exhausted.stream)).toMatchObject({ status: 'completed', withdrawn_total: '100.00' });
    const versions = await harness.platform.database.unscoped.streamCheckpoint.findMany({
      where: { streamId: exhausted.stream.id.slice(4) },
      orderBy: { version: 'asc' },
    });
    expect(versions.map(({ status }) => status)).toEqual(['active', 'exhausted', 'completed']);
  });

  it('in a sandbox whose clock is advanced everything happens at its instant', async () => {
    const { stream } = await newStream(harness.test, {
      rate: { amount: '100.00', per: 'month30' },
      ends_at: inSeconds(harness, 86_400 * 31),
    });
    const answer = await harness.test.post('/v1/test/clocks/advance', { seconds: 86_400 * 40 });
    expect(answer.status).toBe(200);
    await expect.poll(async () => (await harness.test.get('/v1/test/clock')).body.data.status).toBe('ready');
    const { data } = (await harness.test.get(`/v1/streams/${stream.id}/transfers`)).body;
    expect(data[0]).toMatchObject({ type: 'stream_cancel', amount: '100.00', created_at: stream.ends_at });
  });
});
