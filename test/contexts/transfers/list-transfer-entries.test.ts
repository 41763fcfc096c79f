// GET /v1/transfers/{id}/entries
import { describe, expect, it } from 'vitest';
import { pay, twoWallets, waitingTransfer } from '../../factories/payment.js';
import { type Json, useHarness } from '../../harness.js';

const harness = useHarness();
const entries = async ({ id }: Json) => (await harness.test.get(`/v1/transfers/${id}/entries`)).body.data;
const short = ({ direction, account, wallet_id, amount }: Json) => `${direction} ${account} ${wallet_id ?? '-'} ${amount}`;

describe('GET /v1/transfers/{id}/entries', () => {
  describe('200', () => {
    it('the two legs of a payment', async () => {
      const { from, to } = await twoWallets(harness.test);
      const transfer = await pay(harness.test, from, to, '1.00');
      const [debit, credit] = await entries(transfer);
      expect(debit).toMatchObject({
        direction: 'debit',
        wallet_id: from.id,
        transfer_id: transfer.id,
        amount: '1.00',
        balance_after: '99.00',
      });
      expect(credit).toMatchObject({ direction: 'credit', wallet_id: to.id, transaction_id: debit.transaction_id, balance_after: '1.00' });
    });

    it('a hold and its capture, oldest first', async () => {
      const { from, to } = await twoWallets(harness.test);
      const transfer = await pay(harness.test, from, to, '3.00', { capture: 'manual' });
      harness.clock.advance(1);
      await harness.test.make(`/v1/transfers/${transfer.id}/capture`, { amount: '2.00' });
      expect((await entries(transfer)).map(short)).toEqual([
        `debit wallet.available ${from.id} 3.00`,
        `credit wallet.held ${from.id} 3.00`,
        `debit wallet.held ${from.id} 2.00`,
        `debit wallet.held ${from.id} 1.00`,
        `credit wallet.available ${from.id} 1.00`,
        `credit wallet.available ${to.id} 2.00`,
      ]);
    });

    it('money from the world, which may go below zero', async () => {
      const { to } = await twoWallets(harness.test);
      const funding = await harness.test.make(`/v1/wallets/${to.id}/fund`, { amount: '9.00' });
      const [world, credit] = await entries(funding);
      expect(world).toMatchObject({ account: 'world', direction: 'debit', balance_after: expect.stringMatching(/^-/) });
      expect(world).not.toHaveProperty('wallet_id');
      expect(world).not.toHaveProperty('bucket');
      expect(short(credit)).toBe(`credit wallet.available ${to.id} 9.00`);
    });

    it('none while it waits for its time', async () => expect(await entries(await waitingTransfer(harness.test))).toEqual([]));
  });
});
