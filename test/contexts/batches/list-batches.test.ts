// GET /v1/batches
import { beforeAll, describe, expect, it } from 'vitest';
import { type Spender, spender } from '../../factories/budget.js';
import { idsOf } from '../../factories/payment.js';
import { type Json, useHarness } from '../../harness.js';
import { expectInvalid } from '../../refusal.js';
import { bodies, readBatch, someBatch, taken } from './transfer-batch.js';

const harness = useHarness();
const list = (query = '', as = harness.test.key) => harness.test.get(`/v1/batches?${query}`, { as });
let agent: Spender;
/** Oldest first. */
let made: Json[];

beforeAll(async () => {
  agent = await spender(harness.test);
  made = [];
  for (const as of [harness.test.key, agent.token, agent.token]) {
    made.push(await taken(harness.test, bodies(agent.from, agent.to, ['1.00']), {}, { as }));
    harness.clock.advance(60);
  }
  await harness.test.make(`/v1/batches/${made[2].id}/cancel`, {});
  await harness.runDue();
  made.push(await someBatch(harness.test));
  await someBatch(harness.other);
  await someBatch(harness.live);
});

describe('GET /v1/batches', () => {
  describe('200', () => {
    it('those of the workspace, newest first, as each is read alone', async () => {
      const { body } = await list();
      expect(body.data.map(({ id }: Json) => id)).toEqual(made.map(({ id }) => id).reverse());
      expect(body.data[3]).toEqual((await readBatch(harness.test, made[0].id)).batch);
      expect(body.pagination).toMatchObject({ page: 1, total: 4 });
    });

    it('by status and by time', async () => {
      const found = async (query: string) => idsOf(await list(query)).map((id) => made.findIndex((one) => one.id === id));
      expect(await found('status=completed')).toEqual([1, 0]);
      expect(await found('status=failed')).toEqual([2]);
      expect(await found('status=pending')).toEqual([3]);
      expect(await found('status=processing')).toEqual([]);
      expect(await found(`since=${made[1].created_at}&until=${made[2].created_at}`)).toEqual([1]);
    });

    it('an agent sees those that it created', async () => {
      expect(idsOf(await list('', agent.token))).toEqual([made[2].id, made[1].id]);
    });

    it('page by page, behind a cursor too', async () => {
      const page = await list('limit=3');
      expect(page.body.pagination).toMatchObject({ has_more: true, total: 4 });
      const rest = await list(`limit=3&starting_after=${page.body.pagination.next_cursor}`);
      expect([...idsOf(page), ...idsOf(rest)]).toEqual(made.map(({ id }) => id).reverse());
    });
  });

  describe('400', () => {
    for (const [query, path] of [
      ['status=cancelled', 'status'],
      ['limit=201', 'limit'],
      ['mode=atomic', 'mode'],
      ['starting_after=me', 'starting_after'],
    ] as const)
      it(query, async () => expectInvalid(await list(query), path));
  });
});
