// Entries that no index finds: a page looks at so many of them along the key, says where it stopped, and the next one goes on there.
import { beforeAll, describe, expect, it } from 'vitest';
import { mostScanned } from '../../../src/platform/schema/scan.js';
import { type Json, useHarness } from '../../harness.js';

const harness = useHarness();

beforeAll(async () => {
  const { pool, unscoped } = harness.platform.database;
  await harness.test.make('/v1/accounts', { type: 'business', name: 'Scanned' });
  const { workspaceId } = await unscoped.account.findFirstOrThrow({ where: { name: 'Scanned' } });
  // A millisecond apart, the newest first: the oldest three are of another kind.
  await pool.query(
    `INSERT INTO audit_entry (workspace_id, id, at, actor_type, action, resource_type)
     SELECT $1, uuid_at(at), at, CASE WHEN n > $3 THEN 'portal' ELSE 'system' END, CASE WHEN n > $3 THEN 'rare' ELSE 'common' END,
       CASE WHEN n > $3 THEN 'rarity' ELSE 'thing' END
     FROM (SELECT n, $2::timestamptz - n * interval '1 ms' AS at FROM generate_series(1, $3::int + 3) n) x`,
    [workspaceId, new Date(harness.clock.now().getTime() - 60_000), mostScanned],
  );
  await pool.query('ANALYZE audit_entry');
}, 60_000);

const list = async (query: string): Promise<Json> => (await harness.test.get(`/v1/audit-log?${query}`)).body;

describe('a page of the audit log', () => {
  it.each(['action=rare', 'actor=portal', 'resource_type=rarity', 'action=rare&actor=portal&resource_type=rarity'])(
    '%s: is empty, says that there is more, and leads to what there is',
    async (query) => {
      const first = await list(query);
      expect(first.data).toEqual([]);
      expect(first.pagination).toMatchObject({ total: 0, total_is_minimum: true, has_more: true });
      const second = await list(`${query}&starting_after=${first.pagination.next_cursor}`);
      expect(second.data).toHaveLength(3);
      expect(second.pagination.has_more).toBe(false);
    },
  );

  it('gives every row once where a page is full', async () => {
    const first = await list('action=common&limit=200');
    const second = await list(`action=common&limit=200&starting_after=${first.pagination.next_cursor}`);
    const ids = new Set([...first.data, ...second.data].map(({ id }: Json) => id));
    expect(ids.size).toBe(400);
    expect(second.pagination).toMatchObject({ total: 10_000, total_is_minimum: true, has_more: true });
  });

  it('holds a resource that an index finds to the rest of what is asked for', async () => {
    const { id } = await harness.test.make('/v1/accounts', { type: 'business', name: 'Found' });
    expect((await list(`resource_id=${id}&action=createAccount`)).data).toHaveLength(1);
    expect((await list(`resource_id=${id}&action=rare`)).data).toEqual([]);
    expect((await list(`resource_id=${id}&actor=portal`)).data).toEqual([]);
  });
});
