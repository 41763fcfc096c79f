// GET /v1/merchants
import { describe, expect, it } from 'vitest';
import { idsOf, newMerchant } from '../../factories/payment.js';
import { useHarness } from '../../harness.js';
import { expectInvalid } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const list = (query: string, as?: string) => harness.test.get(`/v1/merchants?${query}`, as === undefined ? {} : { as });

describe('GET /v1/merchants', () => {
  describe('200', () => {
    it('filters by account, category and status, newest first', async () => {
      const [books, games] = [
        await newMerchant(harness.test, { category: 'books' }),
        await newMerchant(harness.test, { category: 'games' }),
      ];
      await harness.test.patch(`/v1/merchants/${games.id}`, { status: 'inactive' });
      expect(idsOf(await list(''))).toEqual([games.id, books.id]);
      expect(idsOf(await list('category=books'))).toEqual([books.id]);
      expect(idsOf(await list(`account_id=${games.account_id}`))).toEqual([games.id]);
      expect(idsOf(await list('status=active'))).toEqual([books.id]);
      expect(idsOf(await list('limit=1&page=2'))).toEqual([books.id]);
      expect(idsOf(await list(`starting_after=${games.id}`))).toEqual([books.id]);
    });

    it('to agents too, whom they sell to', async () => {
      const merchant = await newMerchant(harness.test, { category: 'for-agents' });
      const { token } = await enrol(harness.test);
      expect(idsOf(await list('category=for-agents', token))).toEqual([merchant.id]);
    });

    it('nothing of another tenant or environment', async () => {
      await Promise.all([newMerchant(harness.other, { category: 'theirs' }), newMerchant(harness.live, { category: 'theirs' })]);
      expect(idsOf(await list('category=theirs'))).toEqual([]);
    });
  });

  describe('400', () => {
    it('an unknown status', async () => expectInvalid(await list('status=gone'), 'status'));
    it('an account that can be no id', async () => expectInvalid(await list('account_id=me'), 'account_id'));
  });
});
