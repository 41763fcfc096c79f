// What a rail may do to the platform: hang, fail, forget, answer late. Real ones are connected in the place of the simulated.
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Rail, type RailAnswer, type RailOrder, rails } from '../../../src/contexts/settlement/rail/rail.js';
import { balanceOf } from '../../factories/payment.js';
import { newPayer, newPayout, readPayout, toldOf } from '../../factories/payout.js';
import { useHarness } from '../../harness.js';

const harness = useHarness();
let wire: Rail;
beforeAll(() => {
  wire = harness.platform.extensions.of(rails).of({ environment: 'test' }, 'wire') as Rail;
});
afterEach(() => connectWire(wire));

function connectWire(provider: Rail): void {
  harness.platform.extensions.of(rails).connect({ environment: 'test', name: 'wire', provider });
}

/** Puts another rail in the place of wire; answers what it was sent. */
function connect(
  answer: (order: RailOrder) => Promise<RailAnswer>,
  status: () => Promise<RailAnswer> = async () => ({ state: 'unknown' }),
): RailOrder[] {
  const sent: RailOrder[] = [];
  connectWire({
    name: 'wire',
    fee: 1_500n,
    latencySeconds: 3_600,
    submit: (_ctx, order) => {
      sent.push(order);
      return answer(order);
    },
    status: () => status(),
  });
  return sent;
}

describe('a rail', () => {
  it('that hangs delays no other', { timeout: 30_000 }, async () => {
    const hung: (() => void)[] = [];
    const sent = connect(() => new Promise((resolve) => hung.push(() => resolve({ state: 'settled' }))));
    const [slow, quick] = [await newPayer(harness.test, 'wire'), await newPayer(harness.test, 'pix')];
    for (let n = 0; n < 20; n += 1) await newPayout(harness.test, slow, { amount: '1.00' });
    const payout = await newPayout(harness.test, quick);
    let ended = false;
    const running = harness.runDue().then(() => {
      ended = true;
    });
    try {
      const status = async () => (await readPayout(harness.test, payout)).status;
      await expect.poll(status, { interval: 20, timeout: 20_000 }).toBe('confirmed');
      // As many of its orders are under way as its lane has places, and no more.
      await expect.poll(() => sent.length, { interval: 20, timeout: 20_000 }).toBe(8);
      expect(ended).toBe(false);
    } finally {
      const release = setInterval(() => {
        for (const end of hung.splice(0)) end();
      }, 10);
      await running;
      clearInterval(release);
    }
    expect(new Set(sent.map(({ reference }) => reference)).size).toBe(20);
  });

  it('is told the whole destination, and a reference that is stored', async () => {
    let stored: string | undefined;
    const sent = connect(async ({ reference }) => {
      stored = (await harness.platform.database.unscoped.payout.findFirst({ where: { railReference: reference } }))?.id;
      return { state: 'settled' };
    });
    const payout = await newPayout(harness.test, await newPayer(harness.test, 'wire'));
    await harness.runDue();
    expect(`po_${stored}`).toBe(payout.id);
    expect(sent).toMatchObject([
      {
        amount: 10_000n,
        currency: 'USD',
        destination: { holder_name: 'Ada Lovelace', bic: 'DEUTDEFF500', accountNumber: 'DE89370400440532013000' },
      },
    ]);
    expect((await readPayout(harness.test, payout)).status).toBe('complete');
    expect((await toldOf(harness, payout)).payout).toEqual(['settlement.initiated', 'settlement.processing', 'settlement.completed']);
  });

  it('that throws is asked, ever more seldom, and never sent anything again', async () => {
    let asked = 0;
    const sent = connect(
      async () => {
        throw new Error('the line is dead');
      },
      async () => {
        asked += 1;
        return asked < 5 ? { state: 'unknown' } : { state: 'rejected', code: 'AC01', reason: 'no' };
      },
    );
    const payer = await newPayer(harness.test, 'wire');
    const payout = await newPayout(harness.test, payer);
    await harness.runDue();
    for (const seconds of [30, 60, 120, 240]) {
      await harness.advance(seconds);
      expect((await readPayout(harness.test, payout)).status).toBe('pending');
    }
    await harness.advance(480);
    expect(await readPayout(harness.test, payout)).toMatchObject({ status: 'failed', error_code: 'incorrect_account_number' });
    expect([sent.length, asked]).toEqual([1, 5]);
    expect(await balanceOf(harness.test, payer.wallet)).toMatchObject({ available: '1000.00', held: '0.00' });
  });

  it('that has received nothing gets another order once the first has expired, three in all', async () => {
    const sent = connect(
      async () => ({ state: 'unknown' }),
      async () => ({ state: 'missing' }),
    );
    const payer = await newPayer(harness.test, 'wire');
    const payout = await newPayout(harness.test, payer);
    await harness.runDue();
    await harness.advance(30);
    expect(sent).toHaveLength(1);
    for (let n = 0; n < 6; n += 1) await harness.advance(61);
    const failed = await readPayout(harness.test, payout);
    expect(failed).toMatchObject({ status: 'failed', error_code: 'not_received' });
    expect(new Set(sent.map(({ reference }) => reference)).size).toBe(3);
    expect(await balanceOf(harness.test, payer.wallet)).toMatchObject({ available: '1000.00', held: '0.00' });
  });
});
