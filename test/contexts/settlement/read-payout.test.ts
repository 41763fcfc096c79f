// GET /v1/payouts, GET /v1/payouts/{id} and POST /v1/payouts/{id}/cancel.
import { describe, expect, it } from 'vitest';
import { balanceOf, idsOf } from '../../factories/payment.js';
import { newPayer, newPayout, readPayout, readTransfer, toldOf } from '../../factories/payout.js';
import { useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';

const harness = useHarness();
const pathOf = (id: string) => `/v1/payouts/${id}`;

describe('GET /v1/payouts', () => {
  it('200: newest first, by status, wallet and rail', async () => {
    const [dollars, reais] = [await newPayer(harness.test), await newPayer(harness.test, 'pix')];
    const [first, second] = [await newPayout(harness.test, dollars), await newPayout(harness.test, reais)];
    expect(idsOf(await harness.test.get(`/v1/payouts?limit=2`))).toEqual([second.id, first.id]);
    expect(idsOf(await harness.test.get(`/v1/payouts?wallet_id=${dollars.wallet.id}`))).toEqual([first.id]);
    await harness.runDue();
    await harness.advance(10);
    expect(idsOf(await harness.test.get('/v1/payouts?rail=pix&status=complete'))).toEqual([second.id]);
    expect(idsOf(await harness.test.get(`/v1/payouts?status=pending`))).toEqual([]);
    expect(idsOf(await harness.other.get('/v1/payouts'))).toEqual([]);
  });
});

describe('GET /v1/payouts/{id}', () => {
  it('200: the payout, and through GraphQL too', async () => {
    const payout = await newPayout(harness.test, await newPayer(harness.test));
    expect((await harness.test.get(pathOf(payout.id))).body.data).toEqual(payout);
    const { body } = await harness.test.graphql('query ($id: PayoutId!) { payout(id: $id) { id destination { ref } fee } }', {
      id: payout.id,
    });
    expect(body.data.payout).toEqual({ id: payout.id, destination: { ref: payout.destination.ref }, fee: '0.25' });
  });
});

describe('POST /v1/payouts/{id}/cancel', () => {
  const cancel = (id: string) => harness.test.post(`${pathOf(id)}/cancel`, {});

  it('200: it has failed, its transfer is cancelled, and everything comes back', async () => {
    const payer = await newPayer(harness.test);
    const payout = await newPayout(harness.test, payer);
    const { status, body } = await cancel(payout.id);
    expect([status, body.data]).toEqual([200, { ...payout, status: 'failed', error_code: 'cancelled' }]);
    expect(await readTransfer(harness.test, payout)).toMatchObject({ status: 'cancelled', failure: { code: 'cancelled' } });
    expect(await balanceOf(harness.test, payer.wallet)).toMatchObject({ available: '1000.00', held: '0.00' });
    expect((await toldOf(harness, payout)).payout).toEqual(['settlement.initiated', 'settlement.failed']);
    await harness.advance(200_000);
    expect((await readPayout(harness.test, payout)).rail_reference).toBeUndefined();
  });

  it('200: of twenty at once one has cancelled it', async () => {
    const payout = await newPayout(harness.test, await newPayer(harness.test));
    const answers = await Promise.all(Array.from({ length: 20 }, () => cancel(payout.id)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  describe('409', () => {
    it('once it was submitted, whether or not the rail has answered, and when it has ended', async () => {
      const payer = await newPayer(harness.test, 'pix');
      await harness.test.make('/v1/test/rails/pix/faults', { kind: 'lost_ack', next_n: 1 });
      const payout = await newPayout(harness.test, payer);
      await harness.runDue();
      expectRefused(await cancel(payout.id), 409, 'state_conflict', { current_status: 'pending', reason: 'submitted' });
      await harness.advance(30);
      await harness.advance(3_600);
      expectRefused(await cancel(payout.id), 409, 'state_conflict', { current_status: 'complete' });
    });

    it('by way of its transfer: the payout speaks for it', async () => {
      const payout = await newPayout(harness.test, await newPayer(harness.test));
      for (const verb of ['cancel', 'capture']) {
        const next = [{ path: pathOf(payout.id) }, { rel: 'cancel_payout', path: `${pathOf(payout.id)}/cancel` }];
        const answer = await harness.test.post(`/v1/transfers/${payout.transfer_id}/${verb}`, {});
        expectRefused(answer, 409, 'state_conflict', { next_actions: next });
      }
    });
  });
});
