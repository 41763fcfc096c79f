// POST /v1/wallets/{id}/freeze
import { describe, expect, it } from 'vitest';
import { balanceOf, pay, transferBody, twoWallets } from '../../factories/payment.js';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { meet } from '../../standstill.js';

const harness = useHarness();
const freeze = ({ id }: Json, body: unknown = {}) => harness.test.post(`/v1/wallets/${id}/freeze`, body);

describe('POST /v1/wallets/{id}/freeze', () => {
  describe('200', () => {
    it('says since when and why', async () => {
      const { wallet } = await openWallet(harness.test);
      const { status, body } = await freeze(wallet, { reason: 'lost phone' });
      const at = harness.clock.now().toISOString();
      expect(status).toBe(200);
      expect(body.data).toEqual({ ...wallet, status: 'frozen', frozen_at: at, frozen_reason: 'lost phone', updated_at: at });
      expect((await freeze((await openWallet(harness.test)).wallet)).body.data).not.toHaveProperty('frozen_reason');
    });

    it('an empty body does', async () => {
      const { wallet } = await openWallet(harness.test);
      expect((await harness.test.post(`/v1/wallets/${wallet.id}/freeze`)).body.data.status).toBe('frozen');
    });

    it('stops every way of spending, takes money, and gives held money back', async () => {
      const { from, to } = await twoWallets(harness.test, { funded: '100.00' });
      await harness.test.make(`/v1/wallets/${from.id}/wrap`, { amount: '10.00' });
      const held = await pay(harness.test, from, to, '20.00', { capture: 'manual' });
      await freeze(from);
      const spending: [string, object][] = [
        ['/v1/transfers', transferBody(from, to, '1.00')],
        ['/v1/transfers', transferBody(from, to, '1.00', { capture: 'manual' })],
        [`/v1/wallets/${from.id}/wrap`, { amount: '1.00' }],
        [`/v1/wallets/${from.id}/unwrap`, { amount: '1.00' }],
        [`/v1/transfers/${held.id}/capture`, {}],
      ];
      for (const [path, body] of spending) {
        expectRefused(await harness.test.post(path, body), 403, 'wallet_frozen', {
          wallet_id: from.id,
          next_actions: [{ rel: 'unfreeze', path: `/v1/wallets/${from.id}/unfreeze` }],
        });
      }
      await pay(harness.test, await funded('USD'), from, '5.00');
      await harness.test.make(`/v1/wallets/${from.id}/fund`, { amount: '1.00' });
      await harness.test.make(`/v1/transfers/${held.id}/cancel`, {});
      expect(await balanceOf(harness.test, from)).toMatchObject({ available: '96.00', held: '0.00', wrapped: '10.00' });
    });
  });

  it('holds when its account is made active at the same moment', async () => {
    const { from, to } = await twoWallets(harness.test);
    const account = `/v1/accounts/${from.account_id}`;
    await harness.test.patch(account, { status: 'suspended' });
    const [frozen, activated] = await meet(
      harness,
      'claim',
      () => harness.test.post(`/v1/wallets/${from.id}/freeze`, {}, { headers: { 'Idempotency-Key': 'freeze-1' } }),
      () => harness.test.patch(account, { status: 'active' }),
    );
    expect([frozen.status, activated.status]).toEqual([200, 200]);
    expectRefused(await harness.test.post('/v1/transfers', transferBody(from, to, '1.00')), 403, 'wallet_frozen');
  });

  describe('400', () => {
    it('a reason of 501 characters', async () => expectInvalid(await freeze({ id: nowhere }, { reason: 'x'.repeat(501) }), 'reason'));
    it('a reason that is no text', async () => expectInvalid(await freeze({ id: nowhere }, { reason: 1 }), 'reason'));
  });

  describe('409', () => {
    it('a wallet that is frozen already, and of many at once all but one', async () => {
      const { wallet } = await openWallet(harness.test);
      const answers = await Promise.all(Array.from({ length: 5 }, () => freeze(wallet)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
      expectRefused(await freeze(wallet), 409, 'state_conflict', { current_status: 'frozen', allowed_from: ['active'] });
    });
  });
});

async function funded(currency: string): Promise<Json> {
  return (await openWallet(harness.test, { currency, funded: '50.00' })).wallet;
}
