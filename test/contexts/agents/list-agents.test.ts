import { describe, expect, it } from 'vitest';
import { type Json, useHarness } from '../../harness.js';
import { countQueries, enrol } from './identity.js';

const harness = useHarness();
const ids = (answer: Json) => answer.body.data.map(({ id }: Json) => id);

describe('GET /v1/agents', () => {
  it('200: newest first, by status, account and tier, with totals and a cursor', async () => {
    const first = await enrol(harness.test, { kya_tier: 2 });
    const second = await enrol(harness.test, { parent_account_id: first.account.id });
    const third = await enrol(harness.test);
    await harness.test.post(`/v1/agents/${second.id}/freeze`, {});
    const all = await harness.test.get('/v1/agents');
    expect(ids(all)).toEqual([third.id, second.id, first.id]);
    expect(all.body.pagination).toMatchObject({ page: 1, limit: 50, total: 3, totalPages: 1, has_more: false });
    expect(ids(await harness.test.get('/v1/agents?status=frozen'))).toEqual([second.id]);
    expect(ids(await harness.test.get(`/v1/agents?parent_account_id=${first.account.id}`))).toEqual([second.id, first.id]);
    expect(ids(await harness.test.get('/v1/agents?kya_tier=2'))).toEqual([first.id]);
    const page = await harness.test.get('/v1/agents?limit=1');
    expect(ids(await harness.test.get(`/v1/agents?limit=1&starting_after=${page.body.pagination.next_cursor}`))).toEqual([second.id]);
  });

  it('200: an agent sees itself, another tenant nothing', async () => {
    const { id, token } = await enrol(harness.test);
    expect(ids(await harness.test.get('/v1/agents', { as: token }))).toEqual([id]);
    expect(ids(await harness.other.get('/v1/agents'))).toEqual([]);
    expect(ids(await harness.live.get('/v1/agents'))).toEqual([]);
  });

  it('200: keys and wallets of a whole page come in a handful of queries', async () => {
    for (let i = 0; i < 3; i += 1) await enrol(harness.test, { wallet: { currency: 'USD' } });
    const queries = async (limit: number) => {
      let answer: Json;
      const count = await countQueries(harness.platform, async () => {
        answer = await harness.test.get(`/v1/agents?limit=${limit}`);
      });
      expect(answer.body.data).toHaveLength(limit);
      expect(answer.body.data[0]).toMatchObject({ public_key: expect.any(String), default_wallet_id: expect.any(String) });
      return count;
    };
    await queries(1);
    const count = await queries(1);
    expect(count).toBeGreaterThan(0);
    expect(await queries(3)).toBe(count);
  });

  it('400: a status, a tier and a flag that are none', async () => {
    for (const query of ['status=asleep', 'kya_tier=9', 'kya_tier=x', 'connected=1', 'limit=201']) {
      expect((await harness.test.get(`/v1/agents?${query}`)).body.code, query).toBe('validation_failed');
    }
  });

  it('401 without a credential', async () => {
    expect((await harness.test.get('/v1/agents', { as: null })).status).toBe(401);
  });
});
