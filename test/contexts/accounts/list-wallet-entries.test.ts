// GET /v1/wallets/{id}/entries
import { describe, expect, it } from 'vitest';
import { idsOf, pay, twoWallets } from '../../factories/payment.js';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { expectInvalid } from '../../refusal.js';

const harness = useHarness();
const entries = ({ id }: Json, query = '') => harness.test.get(`/v1/wallets/${id}/entries?${query}`);
const short = ({ direction, bucket, amount, balance_after }: Json) => `${direction} ${bucket} ${amount} → ${balance_after}`;

describe('GET /v1/wallets/{id}/entries', () => {
  describe('200', () => {
    it('every movement in every bucket, newest first', async () => {
      const { from, to } = await twoWallets(harness.test, { funded: '100.00' });
      const step = async (path: string, body: object = {}) => {
        harness.clock.advance(1);
        return harness.test.make(path, body);
      };
      harness.clock.advance(1);
      const held = await pay(harness.test, from, to, '30.00', { capture: 'manual' });
      await step(`/v1/transfers/${held.id}/capture`, { amount: '20.00' });
      await step(`/v1/wallets/${from.id}/wrap`, { amount: '5.00' });
      await step(`/v1/wallets/${from.id}/unwrap`, { amount: '1.00' });
      const { body } = await entries(from);
      const byTime = new Map<string, string[]>();
      for (const entry of body.data) byTime.set(entry.created_at, [...(byTime.get(entry.created_at) ?? []), short(entry)].sort());
      expect([...byTime.values()]).toEqual([
        ['credit available 1.00 → 76.00', 'debit wrapped 1.00 → 4.00'],
        ['credit wrapped 5.00 → 5.00', 'debit available 5.00 → 75.00'],
        ['credit available 10.00 → 80.00', 'debit held 10.00 → 0.00', 'debit held 20.00 → 10.00'],
        ['credit held 30.00 → 30.00', 'debit available 30.00 → 70.00'],
        ['credit available 100.00 → 100.00'],
      ]);
      expect(body.data[0]).toEqual({
        id: expect.stringMatching(/^ent_/),
        transaction_id: expect.stringMatching(/^ltx_/),
        transfer_id: expect.any(String),
        wallet_id: from.id,
        account: expect.stringMatching(/^wallet\.(available|wrapped)$/),
        direction: expect.any(String),
        bucket: expect.any(String),
        amount: '1.00',
        currency: 'USD',
        balance_after: expect.any(String),
        created_at: harness.clock.now().toISOString(),
      });
      expect(body.pagination).toMatchObject({ total: 10, totalPages: 1, has_more: false });
    });

    it('pages by number and by cursor, each entry once, also within one millisecond', async () => {
      const { from, to } = await twoWallets(harness.test);
      for (let n = 0; n < 4; n += 1) await pay(harness.test, from, to, '1.00');
      const all = idsOf(await entries(from));
      expect(all).toHaveLength(5);
      const seen: string[] = [];
      for (let cursor = ''; ; ) {
        const { body } = await entries(from, `limit=2${cursor}`);
        seen.push(...body.data.map(({ id }: Json) => id));
        if (!body.pagination.has_more) break;
        cursor = `&starting_after=${body.pagination.next_cursor}`;
      }
      expect(seen).toEqual(all);
      expect(idsOf(await entries(from, 'limit=2&page=2'))).toEqual(all.slice(2, 4));
    });

    it('between two times, the first included', async () => {
      const { from, to } = await twoWallets(harness.test);
      const times: string[] = [];
      for (const amount of ['1.00', '2.00', '3.00']) {
        harness.clock.advance(10);
        times.push(harness.clock.now().toISOString());
        await pay(harness.test, from, to, amount);
      }
      const { body } = await entries(from, `since=${times[0]}&until=${times[2]}`);
      expect(body.data.map(({ amount }: Json) => amount)).toEqual(['2.00', '1.00']);
      expect(body.pagination.total).toBe(2);
    });

    it('empty for a new wallet', async () => {
      const { wallet } = await openWallet(harness.test);
      expect((await entries(wallet)).body).toMatchObject({ data: [], pagination: { total: 0, totalPages: 0, has_more: false } });
    });
  });

  describe('400', () => {
    it('a cursor that is none', async () => {
      const { wallet } = await openWallet(harness.test);
      for (const cursor of ['x', nowhere, `ent_${nowhere}`, `ent_${nowhere}_1`])
        expectInvalid(await entries(wallet, `starting_after=${cursor}`), 'starting_after');
    });

    it('a limit out of range', async () => expectInvalid(await entries({ id: nowhere }, 'limit=500'), 'limit'));
  });
});
