// Two requests that meet in the middle: the first is held up just before it commits, the second is sent while it waits.
import { expect } from 'vitest';
import type { Answer, Harness } from './harness.js';

/**
 * Sends `first`, which stops when it writes to `table`; then `second`, which has to wait for what the first one holds. Lets both
 * go on, and returns their answers.
 */
export async function meet(
  { platform }: Harness,
  table: 'event' | 'claim',
  first: () => Promise<Answer>,
  second: () => Promise<Answer>,
): Promise<[Answer, Answer]> {
  const client = await platform.database.pool.connect();
  const waiting = async () => {
    const { rows } = await platform.database.pool.query<{ count: number }>(
      "SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    return rows[0]?.count;
  };
  try {
    await client.query('BEGIN');
    await client.query(`LOCK TABLE ${table} IN SHARE MODE`);
    const one = first();
    await expect.poll(waiting, { timeout: 20_000 }).toBe(1);
    const two = second();
    await expect.poll(waiting, { timeout: 20_000 }).toBe(2);
    await client.query('COMMIT');
    return [await one, await two];
  } finally {
    client.release(true);
  }
}
