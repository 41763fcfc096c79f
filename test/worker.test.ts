// What a worker does in the background (src/worker.ts): publishing, due work and sweeps, each by itself and when it is time.
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { manifest } from '../src/contexts.js';
import { publishEvents } from '../src/events/outbox.js';
import type { Platform } from '../src/platform/ctx.js';
import { rowStep } from '../src/platform/due/step.js';
import { caughtUp } from '../src/platform/due/sweep.js';
import { publisherRestMs, startWorker, type Work, type Worker } from '../src/worker.js';
import { payer } from './contexts/agents/payer.js';
import { tendEvents } from './events/leave.js';
import { openWallet, useHarness } from './harness.js';
import { query } from './ledger/wallet-ref.js';
import { addErrands, createErrands, Errands, runsOf, workspaces } from './platform/due/errand.js';

const harness = useHarness();
/** Longer than any test: what happens, happens without the poll. */
const noPoll = 3_600_000;
let worker: Worker | undefined;

function start(work: Partial<Work>, pollMs = noPoll): Worker {
  worker = startWorker(
    harness.platform,
    { followers: { ...manifest.followers, listeners: [] }, due: [], realTime: [], sweeps: [], ...work },
    pollMs,
  );
  return worker;
}

beforeAll(() => createErrands(harness));
afterEach(async () => {
  // The spy on the fake setTimeout goes first: restored last, it would leave the fake in place for the files that follow.
  vi.restoreAllMocks();
  vi.useRealTimers();
  await worker?.stop();
  worker = undefined;
  await harness.platform.database.pool.query('TRUNCATE errand');
});

describe('a publisher', () => {
  it('rests a moment while channels show what it publishes, but longer than it works; else as long as a batch needs', () => {
    const rests = [0, 1, 4, 9, 40].map((tookMs) => publisherRestMs({ shown: 1, tookMs }));
    expect(rests).toEqual([5, 5, 8, 18, 20]);
    expect(publisherRestMs({ shown: 0, tookMs: 1 })).toBe(20);
  });

  it('shows an event on a channel in the step that publishes it, by one statement', async () => {
    const { wallet, payee } = await payer(harness);
    const body = { type: 'internal', from_wallet_id: wallet.id, to_wallet_id: payee.id, amount: '1.00', currency: 'USD' };
    await harness.test.make('/v1/transfers', body);
    const query = vi.spyOn(harness.platform.database.pool, 'query');
    const connect = vi.spyOn(harness.platform.database.pool, 'connect');
    const { shown } = await publishEvents(harness.platform, manifest.followers);
    expect([shown, query.mock.calls.length, connect.mock.calls.length]).toEqual([1, 1, 1]);
  });

  it('that finds another at it publishes what that one did not see as soon as it is done', async () => {
    const pollMs = 5_000;
    start({}, pollMs);
    const other = await harness.platform.database.pool.connect();
    try {
      await pause(100);
      await other.query(`BEGIN; SELECT pg_advisory_xact_lock(x'6f757462'::int, 0)`);
      await harness.test.make('/v1/accounts', { type: 'person', name: 'Ada' });
      await pause(100);
      await other.query('COMMIT');
      await expect.poll(() => query(harness, 'SELECT id FROM outbox'), { timeout: pollMs / 5, interval: 10 }).toEqual([]);
    } finally {
      other.release();
    }
  });
});

describe('due work', () => {
  it('of one table does not wait for a slow step of another', async () => {
    const [own] = await workspaces(harness);
    const from = await openWallet(harness.test, { funded: '10.00' });
    const to = await openWallet(harness.test);
    await harness.test.make('/v1/transfers', {
      type: 'internal',
      from_wallet_id: from.wallet.id,
      to_wallet_id: to.wallet.id,
      amount: '1.00',
      currency: 'USD',
      scheduled_for: new Date(harness.clock.now().getTime() + 1_000).toISOString(),
    });
    harness.clock.advance(1);
    let slow: (() => void) | undefined;
    const transfers = rowStep({
      table: 'transfer',
      concurrency: 8,
      run: () =>
        new Promise((resolve) => {
          slow = resolve;
        }),
    });
    const errands = new Errands();
    errands.isQuick = true;
    start({ due: [transfers, errands.step({ concurrency: 8 })] });
    await expect.poll(() => slow).toBeDefined();
    await addErrands(harness, own, { count: 3 });
    harness.platform.due.ring('errand');
    await expect.poll(() => runsOf(harness)).toEqual([1, 1, 1]);
    slow?.();
  });

  it('is done when it becomes due, without a poll', async () => {
    const [own] = await workspaces(harness);
    const claims = vi.spyOn(pg.Client.prototype, 'query');
    const claimed = () =>
      claims.mock.calls.filter(([config]) => (config as { name?: string } | undefined)?.name?.startsWith('claim-errand'));
    const errands = new Errands();
    errands.isQuick = true;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    start({ due: [errands.step({ concurrency: 8 })] });
    await expect.poll(() => claimed().length).toBe(1);
    await addErrands(harness, own, { dueIn: 3 });
    // Whoever wrote the row says when it is due: nothing is claimed before.
    harness.platform.due.ring('errand', 3_000);
    await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(2_900);
    expect(claimed()).toHaveLength(1);
    harness.clock.advance(3);
    vi.advanceTimersByTime(100);
    await expect.poll(() => runsOf(harness)).toEqual([1]);
  });

  it('that nobody rang for is seen by a look before it, and done at its time', async () => {
    const [own] = await workspaces(harness);
    const errands = new Errands();
    errands.isQuick = true;
    await addErrands(harness, own, { dueIn: 3 });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const timers = vi.spyOn(globalThis, 'setTimeout');
    start({ due: [errands.step({ concurrency: 8 })] });
    await expect.poll(() => timers.mock.calls.some(([, ms = 0]) => ms > 2_900 && ms <= 3_000)).toBe(true);
    harness.clock.advance(3);
    vi.advanceTimersByTime(3_000);
    await expect.poll(() => runsOf(harness)).toEqual([1]);
  });

  it('costs an idle worker one look over all tables at each poll, and no claim', async () => {
    const statements = vi.spyOn(pg.Client.prototype, 'query');
    const named = (start: string) =>
      statements.mock.calls.filter(([config]) => (config as { name?: string } | undefined)?.name?.startsWith(start)).length;
    start({ due: [new Errands().step({ concurrency: 8 })] }, 20);
    await expect.poll(() => named('due-tables')).toBeGreaterThan(5);
    expect([named('claim-errand'), named('lost-leases')]).toEqual([1, 0]);
  });

  it('whose process died is seen by a poll, and taken up', async () => {
    const [own] = await workspaces(harness);
    const errands = new Errands();
    errands.isQuick = true;
    const claims = vi.spyOn(pg.Client.prototype, 'query');
    start({ due: [errands.step({ concurrency: 8 })] }, 20);
    await expect.poll(() => claims.mock.calls.length).toBeGreaterThan(20);
    await addErrands(harness, own);
    await harness.platform.database.pool.query("UPDATE errand SET lease_until = clock_timestamp() + interval '300 ms'");
    await expect.poll(() => runsOf(harness)).toEqual([1]);
  });

  it('rings for a hold that expires soon', async () => {
    const rings: number[] = [];
    const silence = harness.platform.due.listen('transfer', (inMs) => rings.push(inMs));
    const from = await openWallet(harness.test, { funded: '10.00' });
    const to = await openWallet(harness.test);
    const body = { type: 'internal', from_wallet_id: from.wallet.id, to_wallet_id: to.wallet.id, amount: '1.00', currency: 'USD' };
    await harness.test.make('/v1/transfers', { ...body, capture: 'manual', hold_expires_in: 60 });
    await harness.test.make('/v1/transfers', body);
    await expect.poll(() => rings).toEqual([60_000]);
    silence();
  });
});

describe('a sweep', () => {
  it('repeats while it finds a full batch, and is not held up by another that fails', async () => {
    const [own] = await workspaces(harness);
    await harness.platform.database.pool.query(
      `INSERT INTO event (workspace_id, id, type, data, created_at)
       SELECT $1, uuid_at($2::timestamptz - interval '31 days'), 'account.created', '{}', $2::timestamptz - interval '31 days'
       FROM generate_series(1, 2500)`,
      [own, harness.clock.now()],
    );
    const calls: number[] = [];
    const failing = async () => {
      throw new Error('this sweep is broken');
    };
    const counting = async (platform: Platform, most: number) => {
      const removed = await tendEvents(platform, most);
      calls.push(removed);
      return removed;
    };
    caughtUp.reset();
    start({ sweeps: [failing, counting] });
    await expect.poll(() => calls, { timeout: 10_000 }).toEqual([1_000, 1_000, 500]);
    // What fails is never caught up.
    const at = harness.clock.now().getTime() / 1_000;
    await expect.poll(async () => (await caughtUp.get()).values).toEqual([{ labels: { sweep: 'counting' }, value: at }]);
  });

  it('is interrupted between two batches when the worker stops', async () => {
    let calls = 0;
    const endless = start({
      sweeps: [
        async (_, most) => {
          calls += 1;
          return most;
        },
      ],
    });
    await expect.poll(() => calls).toBeGreaterThan(2);
    await endless.stop();
    const stoppedAt = calls;
    await pause(20);
    expect(calls).toBe(stoppedAt);
  });
});
