// GET /v1/accounts
import { describe, expect, it } from 'vitest';
import { idsOf, newAccount } from '../../factories/payment.js';
import { useHarness } from '../../harness.js';
import { expectInvalid } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const limit = 30;
const harness = useHarness({ limits: { general: limit } });
const list = (query: string) => harness.test.get(`/v1/accounts?${query}`);

describe('GET /v1/accounts', () => {
  describe('200', () => {
    it('pages, newest first, each account once', async () => {
      const customer = 'customer_reference=paged';
      const made: string[] = [];
      for (let n = 0; n < 5; n += 1) made.unshift((await newAccount(harness.test, { customer_reference: 'paged' })).id);
      const first = await list(`${customer}&limit=2`);
      expect(first.body.pagination).toEqual({
        page: 1,
        limit: 2,
        total: 5,
        totalPages: 3,
        has_more: true,
        next_cursor: expect.stringMatching(/^cur_/),
      });
      const pages = [first, await list(`${customer}&limit=2&page=2`), await list(`${customer}&limit=2&page=3`)];
      expect(pages.map(idsOf)).toEqual([made.slice(0, 2), made.slice(2, 4), made.slice(4)]);
      expect(pages.at(-1)?.body.pagination.has_more).toBe(false);
      expect(pages.at(-1)?.body.pagination).not.toHaveProperty('next_cursor');
      expect(idsOf(await list(`${customer}&limit=2&page=4`))).toEqual([]);
    });

    it('goes on after a cursor, whatever came meanwhile', async () => {
      const customer = 'customer_reference=cursor';
      const made: string[] = [];
      for (let n = 0; n < 3; n += 1) made.unshift((await newAccount(harness.test, { customer_reference: 'cursor' })).id);
      const first = await list(`${customer}&limit=2`);
      await newAccount(harness.test, { customer_reference: 'cursor' });
      expect(idsOf(await list(`${customer}&limit=2&starting_after=${first.body.pagination.next_cursor}`))).toEqual([made[2]]);
      expect(idsOf(await list(`${customer}&starting_after=acc_${made[0]}`))).toEqual(made.slice(1));
    });

    it('filters by type, status, reference and time', async () => {
      const person = await newAccount(harness.test, { type: 'person', customer_reference: 'filtered' });
      const business = await newAccount(harness.test, { customer_reference: 'filtered' });
      await harness.test.patch(`/v1/accounts/${business.id}`, { status: 'suspended' });
      harness.clock.advance(60);
      const later = await newAccount(harness.test, { customer_reference: 'filtered' });
      const found = async (query: string) => idsOf(await list(`customer_reference=filtered&${query}`));
      expect(await found('')).toEqual([later.id, business.id, person.id]);
      expect(await found('type=person')).toEqual([person.id]);
      expect(await found('status=suspended')).toEqual([business.id]);
      expect(await found('type=business&status=active')).toEqual([later.id]);
      expect(await found(`since=${later.created_at}`)).toEqual([later.id]);
      expect(await found(`until=${later.created_at}`)).toEqual([business.id, person.id]);
    });

    it('shows nothing of another tenant or environment', async () => {
      await Promise.all([
        newAccount(harness.other, { customer_reference: 'mine' }),
        newAccount(harness.live, { customer_reference: 'mine' }),
      ]);
      expect((await list('customer_reference=mine')).body).toMatchObject({ data: [], pagination: { total: 0, totalPages: 0 } });
    });

    it('shows an agent the account that it acts for', async () => {
      const { token, account } = await enrol(harness.test);
      await newAccount(harness.test);
      expect(idsOf(await harness.test.get('/v1/accounts', { as: token }))).toEqual([account.id]);
    });
  });

  describe('400', () => {
    for (const [query, path] of [
      ['limit=0', 'limit'],
      ['limit=201', 'limit'],
      ['limit=ten', 'limit'],
      ['page=0', 'page'],
      ['page=1.5', 'page'],
      ['type=robot', 'type'],
      ['status=gone', 'status'],
      ['since=yesterday', 'since'],
      ['since=2026-02-30', 'since'],
      ['until=2026-02-29T10:00:00Z', 'until'],
      ['until=2026-02-28T24:00:00Z', 'until'],
      ['starting_after=x', 'starting_after'],
      ['pages=2', 'pages'],
      ['limit=1&limit=2', 'limit'],
    ] as const) {
      it(query, async () => expectInvalid(await list(query), path));
    }
  });

  describe('429', () => {
    it('past the budget of a minute', async () => {
      const answers = await Promise.all(Array.from({ length: limit + 2 }, () => harness.live.get('/v1/accounts')));
      const refused = answers.filter(({ status }) => status === 429);
      expect(refused.length).toBeGreaterThanOrEqual(2);
      for (const { headers, body } of refused) {
        expect(body).toEqual({ error: 'rate_limit_exceeded', retry_after: Number(headers.get('retry-after')) });
        expect(headers.get('x-ratelimit-remaining')).toBe('0');
      }
    });
  });
});
