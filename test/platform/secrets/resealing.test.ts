// Sealing again reads a large table stretch by stretch: all of it, and in each step a few pages alone.
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { valuesToReseal } from '../../../src/platform/secrets/sealed-value.js';
import { headOf } from '../../../src/platform/secrets/vault.js';
import { useHarness } from '../../harness.js';

const harness = useHarness();
const column = { table: 'oauth_artifact', column: 'payload', rowId: "encode(hash, 'hex')" };
const count = 20_000;

/** Values under the first data key, but for a stretch in the middle, which another one has sealed. */
async function fill(): Promise<void> {
  const hashes = Array.from({ length: count }, () => randomBytes(32));
  const payloads = hashes.map((_, at) => Buffer.concat([headOf(at > 5_000 && at < 15_000 ? 2 : 1), randomBytes(100)]));
  await harness.platform.database.pool.query(
    `INSERT INTO oauth_artifact (hash, kind, environment, payload, created_at, expires_at)
     SELECT hash, 'Session', 'test', payload, now(), now() + interval '1 day' FROM unnest($1::bytea[], $2::bytea[]) AS r (hash, payload)`,
    [hashes, payloads],
  );
  await harness.platform.database.pool.query('ANALYZE oauth_artifact');
}

it('finds every value that another key has sealed, and reads the pages of a step alone', async () => {
  await fill();
  const { pool } = harness.platform.database;
  const found = new Set<string>();
  const read: number[] = [];
  /** Asks PostgreSQL how many pages it looks at, beside what it finds. */
  const watched = {
    query: async (text: string, values: unknown[]) => {
      if (text.includes('ctid >')) {
        const { rows } = await pool.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values);
        const { 'Shared Hit Blocks': hit, 'Shared Read Blocks': missed } = rows[0]['QUERY PLAN'][0].Plan;
        read.push(hit + missed);
      }
      return pool.query(text, values);
    },
  } as unknown as typeof pool;
  for (let after: string | null = '(0,0)'; after !== null; ) {
    const stretch: Awaited<ReturnType<typeof valuesToReseal>> = await valuesToReseal(watched, column, {
      after,
      pages: 8,
      key: 2,
      most: 100,
    });
    expect(stretch.values.length).toBeLessThanOrEqual(100);
    for (const { rowId } of stretch.values) found.add(rowId);
    after = stretch.next;
  }
  expect(found.size).toBe(count - 9_999);
  expect(read.length).toBeGreaterThan(100);
  expect(Math.max(...read)).toBeLessThanOrEqual(16);
  await pool.query('TRUNCATE oauth_artifact');
});
