// The shard of a workspace is the same in TypeScript and in SQL.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shardOf } from '../../src/platform/shard.js';
import { useHarness } from '../harness.js';
import { query } from '../ledger/wallet-ref.js';

const harness = useHarness();

it('is one of the shards, and what shard_of() says', async () => {
  const workspaces = fc.sample(fc.uuid(), 200);
  for (const count of [1, 2, 7, 64]) {
    const shards = workspaces.map((id) => shardOf(id, count));
    expect(Math.min(...shards)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...shards)).toBeLessThan(count);
    if (count > 1) expect(new Set(shards).size).toBeGreaterThan(1);
    const rows = await query(harness, 'SELECT shard_of(id, $2) AS shard FROM unnest($1::uuid[]) WITH ORDINALITY u (id, n) ORDER BY n', [
      workspaces,
      count,
    ]);
    expect(rows.map(({ shard }) => shard)).toEqual(shards);
  }
});
