// GET /v1/approvals
import { beforeAll, describe, expect, it } from 'vitest';
import { type Spender, spender, storedApproval } from '../../factories/approval.js';
import { idsOf } from '../../factories/payment.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { expectInvalid } from '../../refusal.js';
import { countQueries } from '../agents/identity.js';

const harness = useHarness();
const list = (query = '', as = harness.test.key) => harness.test.get(`/v1/approvals?${query}`, { as });
let first: Spender;
let second: Spender;
/** Oldest first. */
let asked: Json[];

beforeAll(async () => {
  [first, second] = [await spender(harness), await spender(harness)];
  asked = [];
  for (const agent of [first, second, first, second]) {
    asked.push((await agent.wait()).approval);
    harness.clock.advance(60);
  }
  await harness.test.make(`/v1/approvals/${asked[0].id}/approve`, {});
  await harness.test.make(`/v1/approvals/${asked[1].id}/reject`, {});
  await storedApproval(harness, harness.other);
});

describe('GET /v1/approvals', () => {
  describe('200', () => {
    it('those of the workspace, newest first, as each is read alone', async () => {
      const { body } = await list();
      expect(idsOf({ body } as never)).toEqual(asked.map(({ id }) => id).reverse());
      expect(body.data[0]).toEqual(asked[3]);
      expect(body.pagination).toMatchObject({ page: 1, total: 4 });
    });

    it('by status, by agent, and by time', async () => {
      const found = async (query: string) => idsOf(await list(query)).map((id) => asked.findIndex((one) => one.id === id));
      expect(await found('status=pending')).toEqual([3, 2]);
      expect(await found('status=approved')).toEqual([0]);
      expect(await found('status=rejected')).toEqual([1]);
      expect(await found('status=expired')).toEqual([]);
      expect(await found(`agent_id=${first.uuid}`)).toEqual([2, 0]);
      expect(await found(`agent_id=${second.id}&status=pending`)).toEqual([3]);
      expect(await found(`agent_id=${nowhere}`)).toEqual([]);
      expect(await found(`since=${asked[1].requested_at}&until=${asked[3].requested_at}`)).toEqual([2, 1]);
    });

    it('an agent sees those of its own spends', async () => {
      expect(idsOf(await list('', first.token))).toEqual([asked[2].id, asked[0].id]);
      expect(idsOf(await list(`agent_id=${second.uuid}`, first.token))).toEqual([]);
    });

    it('page by page, behind a cursor too', async () => {
      const page = await list('limit=3');
      expect(page.body.pagination).toMatchObject({ has_more: true, total: 4 });
      const rest = await list(`limit=3&starting_after=${page.body.pagination.next_cursor}`);
      expect([...idsOf(page), ...idsOf(rest)]).toEqual(asked.map(({ id }) => id).reverse());
    });

    it('reads the agents of a page together', async () => {
      const queries = async (limit: number) => countQueries(harness.platform, async () => void (await list(`limit=${limit}`)));
      await list();
      expect(await queries(3)).toBe(await queries(1));
    });

    it('nothing of another tenant', async () => {
      const { data } = (await harness.other.get('/v1/approvals')).body;
      expect(data).toHaveLength(1);
      expect(asked.map(({ id }) => id)).not.toContain(data[0].id);
    });
  });

  describe('400', () => {
    it('a status that there is not, an id that cannot be one', async () => {
      expectInvalid(await list('status=open'), 'status');
      expectInvalid(await list('agent_id=x'), 'agent_id');
    });
  });
});

describe('GET /v1/me', () => {
  it('counts the approvals that wait: those of an agent, or all', async () => {
    const pending = async (as?: string) => (await harness.test.get('/v1/me', as === undefined ? {} : { as })).body.data.pending_approvals;
    expect([await pending(), await pending(first.token), await pending(second.token)]).toEqual([2, 1, 1]);
    const { approval } = await first.wait();
    expect([await pending(), await pending(first.token)]).toEqual([3, 2]);
    await harness.test.post(`/v1/approvals/${approval.id}/cancel`, {}, { as: first.token });
    expect([await pending(), await pending(first.token)]).toEqual([2, 1]);
    expect((await harness.live.get('/v1/me')).body.data.pending_approvals).toBe(0);
  });
});
