// GET /v1/accounts/{id}/balances
import { describe, expect, it } from 'vitest';
import { newAccount, pay } from '../../factories/payment.js';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { expectInvalid } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const balances = async ({ id }: Json, query = '') => (await harness.test.get(`/v1/accounts/${id}/balances${query}`)).body.data;
const line = (currency: string, available: string, more: object = {}) => {
  const zero = currency === 'JPY' ? '0' : '0.00';
  return { currency, available, held: zero, wrapped: zero, pending_in: zero, total: available, ...more };
};

describe('GET /v1/accounts/{id}/balances', () => {
  describe('200', () => {
    it('nothing without wallets', async () => expect(await balances(await newAccount(harness.test))).toEqual([]));

    it('one line per currency, over all wallets of the account and of its agents', async () => {
      const { account, wallet } = await openWallet(harness.test, { funded: '10.00' });
      const agent = await enrol(harness.test, { parent_account_id: account.id });
      const open = (owner: object, currency: string) => harness.test.make('/v1/wallets', { ...owner, currency });
      const own = { owner_type: 'account', owner_id: account.id };
      const [second, yen, agentWallet] = await Promise.all([
        open(own, 'USD'),
        open(own, 'JPY'),
        open({ owner_type: 'agent', owner_id: agent.id }, 'USD'),
      ]);
      await harness.test.make(`/v1/wallets/${yen.id}/fund`, { amount: '500' });
      await harness.test.make(`/v1/wallets/${agentWallet.id}/fund`, { amount: '1.25' });
      await harness.test.make(`/v1/wallets/${wallet.id}/wrap`, { amount: '4.00' });
      await pay(harness.test, wallet, second, '2.00', { capture: 'manual' });
      expect(await balances(account)).toEqual([
        line('JPY', '500'),
        line('USD', '5.25', { held: '2.00', wrapped: '4.00', pending_in: '2.00', total: '11.25' }),
      ]);
    });

    it('as they were at any time', async () => {
      const { account, wallet } = await openWallet(harness.test);
      const { wallet: payee } = await openWallet(harness.test);
      const times: string[] = [];
      const tick = () => {
        times.push(harness.clock.now().toISOString());
        harness.clock.advance(10);
      };
      tick();
      await harness.test.make(`/v1/wallets/${wallet.id}/fund`, { amount: '10.00' });
      tick();
      const held = await pay(harness.test, wallet, payee, '3.00', { capture: 'manual' });
      tick();
      await harness.test.make(`/v1/transfers/${held.id}/capture`, { amount: '1.00' });
      tick();
      const then = await Promise.all(times.map((at) => balances(account, `?at=${at}`)));
      expect(then).toEqual([
        [line('USD', '0.00')],
        [line('USD', '10.00')],
        [line('USD', '7.00', { held: '3.00', total: '10.00' })],
        [line('USD', '9.00')],
      ]);
      const incoming = await Promise.all(times.map((at) => balances({ id: payee.account_id }, `?at=${at}`)));
      expect(incoming.map(([one]) => [one.available, one.pending_in])).toEqual([
        ['0.00', '0.00'],
        ['0.00', '0.00'],
        ['0.00', '3.00'],
        ['1.00', '0.00'],
      ]);
      expect(await balances(account)).toEqual(then.at(-1));
    });
  });

  describe('400', () => {
    for (const at of ['yesterday', '2026-13-01T00:00:00Z', '1.5', '2026-03-02T10:00:00']) {
      it(`at=${at}`, async () => {
        expectInvalid(await harness.test.get(`/v1/accounts/${nowhere}/balances?at=${at}`), 'at');
      });
    }
  });
});
