// Changes of one stream at the same time: each counts once, none waits for ever, and at the end every cent is somewhere.
import { describe, expect, it } from 'vitest';
import { balanceOf } from '../../factories/payment.js';
import { newStream, readStream, step } from '../../factories/stream.js';
import { type Answer, type Json, useHarness } from '../../harness.js';

const harness = useHarness();
const cents = (amount: string) => Math.round(Number(amount) * 100);

describe('changes of one stream at the same time', () => {
  it('leave no cent out, whatever their order', async () => {
    const { from, to, stream } = await newStream(harness.test, { flow_rate: '0.0137' });
    const answers: Answer[] = [];
    for (let round = 0; round < 6; round += 1) {
      harness.clock.advance(37.123);
      const send = (name: string, body: object = {}) => step(harness.test, stream, name, body);
      answers.push(
        ...(await Promise.all([
          send('withdraw'),
          send('top-up', { amount: '3.33' }),
          send('withdraw', { amount: '0.01' }),
          harness.test.patch(`/v1/streams/${stream.id}`, { flow_rate: `0.0${round + 1}37` }),
          send('pause'),
          send('top-up', { amount: '0.07' }),
          send('resume'),
          harness.test.post(`/v1/wallets/${from.id}/${round % 2 === 0 ? 'freeze' : 'unfreeze'}`, {}),
        ])),
      );
    }
    // Refusals are of the contract: nothing broke, and nobody waited for somebody who waited.
    for (const { status, body } of answers) expect([200, 403, 409, 422], JSON.stringify(body)).toContain(status);
    const toppedUp = answers.filter(({ status, body }) => status === 200 && body.transfer?.protocol_metadata?.top_up === true);
    const put = 10_000 + toppedUp.reduce((sum, { body }) => sum + cents(body.transfer.amount), 0);
    const before = await readStream(harness.test, stream);
    expect(cents(before.streamed_total) + cents(before.wrapped_balance)).toBe(put);
    const { transfer, data } = (await step(harness.test, stream, 'cancel')).body;
    expect(cents(data.streamed_total) + cents(transfer.protocol_metadata.returned_amount)).toBe(put);
    expect(cents((await balanceOf(harness.test, to)).available)).toBe(cents(data.streamed_total));
    expect(cents((await balanceOf(harness.test, from)).available)).toBe(100_000 - cents(data.streamed_total));
    const versions = await harness.platform.database.unscoped.streamCheckpoint.findMany({
      where: { streamId: stream.id.slice(4) },
      orderBy: { version: 'asc' },
    });
    expect(versions.map(({ version }) => version)).toEqual(versions.map((_, n) => n + 1));
    const instants = versions.map(({ at }: Json) => at.getTime());
    expect(instants).toEqual(instants.toSorted((a: number, b: number) => a - b));
  });

  it('of many cancels one ends it', async () => {
    const { from, stream } = await newStream(harness.test);
    const answers = await Promise.all(Array.from({ length: 8 }, () => step(harness.test, stream, 'cancel')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 409)]);
    expect(await balanceOf(harness.test, from)).toMatchObject({ available: '1000.00' });
  });
});
