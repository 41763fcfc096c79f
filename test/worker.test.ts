// What several workers do beside each other (src/worker.ts).
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startWorker } from '../src/worker.js';
import { useHarness } from './harness.js';
import { query } from './ledger/purse.js';

const harness = useHarness();

describe('a publisher', () => {
  it('that finds another at it publishes what that one did not see as soon as it is done', async () => {
    const { platform } = harness;
    const pollMs = 5_000;
    const worker = startWorker(platform, { listeners: [], steps: [], sweeps: [] }, pollMs);
    const other = await platform.database.pool.connect();
    try {
      await pause(100);
      await other.query(`BEGIN; SELECT pg_advisory_xact_lock(x'6f757462'::bigint)`);
      await harness.test.make('/v1/accounts', { type: 'person', name: 'Ada' });
      await pause(100);
      await other.query('COMMIT');
      await expect.poll(() => query(harness, 'SELECT id FROM outbox'), { timeout: pollMs / 5, interval: 10 }).toEqual([]);
    } finally {
      other.release();
      await worker.stop();
    }
  });
});
