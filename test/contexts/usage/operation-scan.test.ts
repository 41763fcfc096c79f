// Operations that no index finds: a page looks at so many of them along the key, says where it stopped, and the next one goes on there.
import { beforeAll, describe, expect, it } from 'vitest';
import { mostScanned } from '../../../src/platform/schema/scan.js';
import { type Json, useHarness } from '../../harness.js';
import { explain, recordStatements } from '../../plan.js';

const harness = useHarness();
const rare = '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e01';
const common = '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e02';
/** Rows beyond what one page looks at. */
const beyond = 10;

beforeAll(async () => {
  const { pool, unscoped } = harness.platform.database;
  await harness.test.make('/v1/accounts', { type: 'business', name: 'Scanned' });
  const { workspaceId } = await unscoped.account.findFirstOrThrow({ where: { name: 'Scanned' } });
  // A millisecond apart, the newest first: the rare actor made the oldest three, of which one failed.
  await pool.query(
    `INSERT INTO operation (workspace_id, id, at, category, operation, protocol, success, amount, currency, actor_type, actor_id, subject_id)
     SELECT $1, uuid_at(at), at, 'transfer', 'transfer.internal', 'internal', n <> $4, 1, 'USD', 'api_key',
       CASE WHEN n > $4::int - 3 THEN $5::uuid ELSE $6::uuid END, $1
     FROM (SELECT n, $2::timestamptz - n * interval '1 ms' AS at FROM generate_series(1, $3::int) n) x`,
    [workspaceId, harness.clock.now(), mostScanned + beyond, mostScanned + beyond, rare, common],
  );
  await pool.query('ANALYZE operation');
}, 60_000);

const list = async (query: string): Promise<Json> => (await harness.test.get(`/v1/usage/operations?${query}`)).body;

describe('a page of operations', () => {
  it('of an actor that was last seen long ago is empty, says that there is more, and leads to what there is', async () => {
    const first = await list(`actor_id=${rare}`);
    expect(first.data).toEqual([]);
    expect(first.pagination).toMatchObject({ total: 0, total_is_minimum: true, has_more: true });
    const second = await list(`actor_id=${rare}&starting_after=${first.pagination.next_cursor}`);
    expect(second.data).toHaveLength(3);
    expect(second.pagination.has_more).toBe(false);
    expect(await list(`actor_id=${rare}&success=false`)).toMatchObject({ data: [], pagination: { has_more: true } });
  });

  it('gives every row once where a page is full, and where the scan stops within one', async () => {
    const seen = new Set<string>();
    const query = `actor_id=${common}&limit=200`;
    let pagination: Json = { next_cursor: '', has_more: true };
    let pages = 0;
    while (pagination.has_more && pages < 3) {
      const page: Json = await list(`${query}${pagination.next_cursor === '' ? '' : `&starting_after=${pagination.next_cursor}`}`);
      expect(page.data).toHaveLength(200);
      for (const { id } of page.data) seen.add(id);
      pagination = page.pagination;
      pages += 1;
    }
    expect(seen.size).toBe(600);
    expect(pagination).toMatchObject({ total: 10_000, total_is_minimum: true });
  });

  it('of a rare kind reads its index, however long ago it was', async () => {
    const recorded = recordStatements(harness.platform.database.pool);
    const { data } = await list('success=false&protocol=internal&category=transfer');
    recorded.stop();
    expect(data).toHaveLength(1);
    const [page] = recorded.statements.filter(({ text }) => text.includes('FROM operation o'));
    if (page === undefined) throw new Error('no statement reads operations');
    const read = await explain(harness.platform.database.url, page, 'force_custom_plan');
    const nodes = read.filter(({ table }) => table === 'operation');
    expect(nodes.length).toBeGreaterThan(0);
    for (const { rows, removed } of nodes) expect(rows + removed).toBeLessThanOrEqual(1);
  });
});
