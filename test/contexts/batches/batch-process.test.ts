// A batch in several processes, one of which is killed in the middle: each item is carried out once.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { stepBatch } from '../../../src/contexts/batches/due.js';
import { manifest } from '../../../src/contexts.js';
import { runDue } from '../../../src/platform/due/due-table.js';
import { systemCtx } from '../../../src/platform/due/step.js';
import { createLogger } from '../../../src/platform/log.js';
import { startServer } from '../../../src/server.js';
import { newBudget, spender, usedOf } from '../../factories/budget.js';
import { balanceOf, eventsOf, twoWallets } from '../../factories/payment.js';
import { hasCells, type Json, useHarness } from '../../harness.js';
import { ctxOf, query } from '../../ledger/wallet-ref.js';
import { isSlow } from '../../slow.js';
import { bare, bodies, readBatch, taken, times } from './transfer-batch.js';

const harness = useHarness();
const batchSteps = manifest.due.filter(({ table }) => table === 'batch');
const children: ChildProcess[] = [];
const available = async (wallet: Json) => (await balanceOf(harness.test, wallet)).available;

afterEach(async () => {
  for (const child of children) await kill(child);
});

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** A process that has begun to carry out what is due. */
async function start(): Promise<ChildProcess> {
  const { databaseUrl, secretsKey } = harness.platform.config;
  const file = fileURLToPath(new URL('./batch-process.ts', import.meta.url));
  const child = fork(file, [databaseUrl ?? '', secretsKey ?? '', harness.clock.now().toISOString()], { execArgv: ['--import', 'tsx'] });
  children.push(child);
  await once(child, 'message');
  return child;
}

/** Statements that wait for a lock. */
const waiting = async () =>
  (await query(harness, "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")).length;

/** Holds up whoever writes to a table, until it is let go. */
async function holdUp(table: string): Promise<() => Promise<void>> {
  const client: pg.PoolClient = await harness.platform.database.pool.connect();
  // A process that starts on a busy machine may take longer than a transaction may idle.
  await client.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; LOCK TABLE ${table} IN SHARE MODE`);
  return async () => {
    await client.query('COMMIT');
    client.release();
  };
}

/** The lease of a process that died runs out. */
const endLeases = () =>
  query(harness, "UPDATE batch SET lease_until = clock_timestamp() - interval '1 second' WHERE lease_until IS NOT NULL");

const transfersOf = async (batch: Json): Promise<number> =>
  (await query(harness, 'SELECT FROM transfer WHERE origin_id = $1', [bare(batch)])).length;

/** Everything was done once: the items, the transfers, the money, the events. */
async function expectDoneOnce(batch: Json, to: Json, count: number): Promise<void> {
  const after = await readBatch(harness.test, batch.id);
  expect(after.batch).toMatchObject({ status: 'completed', success_count: count, failed_count: 0 });
  expect(after.items.filter(({ status }) => status === 'succeeded')).toHaveLength(count);
  expect(await transfersOf(batch)).toBe(count);
  expect(await available(to)).toBe(`${count}.00`);
  const types = (await eventsOf(harness, bare(batch))).map(({ type }) => type);
  // Ids of one millisecond are in order within a process alone.
  expect(types.sort()).toEqual(['batch.completed', 'batch.created', 'batch.processing']);
}

// Both drive the platform of the first cell.
describe.skipIf(hasCells)('a process that is killed', { timeout: 240_000 }, () => {
  it('after it has posted a stretch, before it could note it', async () => {
    const { from, to } = await twoWallets(harness.test, { funded: '1000.00' });
    const batch = await taken(harness.test, bodies(from, to, times(250)));
    const letGo = await holdUp('batch_item');
    const child = await start();
    // What was posted cannot be noted as long as the items are held up.
    await expect.poll(() => transfersOf(batch), { timeout: 60_000 }).toBe(100);
    await kill(child);
    await letGo();
    await expect.poll(waiting, { timeout: 60_000 }).toBe(0);
    expect((await readBatch(harness.test, batch.id)).batch).toMatchObject({ status: 'processing', success_count: 0 });
    await endLeases();
    await harness.runDue();
    await expectDoneOnce(batch, to, 250);
  });

  it('while its postings are under way, which are committed after it is gone', async () => {
    const { from, to } = await twoWallets(harness.test, { funded: '120.00' });
    const batch = await taken(harness.test, bodies(from, to, times(120)));
    const letGo = await holdUp('transfer');
    const child = await start();
    await expect.poll(waiting, { timeout: 60_000 }).toBeGreaterThan(0);
    const held = await waiting();
    await kill(child);
    await endLeases();
    const running = runDue(harness.platform, batchSteps);
    await expect.poll(waiting, { timeout: 60_000 }).toBeGreaterThan(held);
    await letGo();
    await running;
    await harness.advance(1);
    await expectDoneOnce(batch, to, 120);
  });

  it.runIf(isSlow)('again and again', async () => {
    const { from, to } = await twoWallets(harness.test, { funded: '500.00' });
    const batch = await taken(harness.test, bodies(from, to, times(400)));
    for (const milliseconds of [1, 40]) {
      const child = await start();
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
      await kill(child);
      await endLeases();
    }
    await harness.runDue();
    await expectDoneOnce(batch, to, 400);
  });
});

describe.skipIf(hasCells)('two processes', { timeout: 60_000 }, () => {
  it('carry the same batch out at the same time, once, and within a budget', async () => {
    const { config, clock, database } = harness.platform;
    const ready = { ...config, databaseUrl: database.url, secretsKey: config.secretsKey ?? '' };
    const second = await startServer({ config: ready, log: createLogger('fatal'), clock, pollMs: 0 });
    try {
      const agent = await spender(harness.test);
      const budget = await newBudget(harness.test, { scope: { type: 'agent', id: agent.id }, amount: '150.00' });
      const batch = await taken(harness.test, bodies(agent.from, agent.to, times(200)), {}, { as: agent.token });
      const { workspace } = await ctxOf(harness, harness.test);
      for (let round = 0; round < 4; round += 1) {
        await Promise.all(
          [harness.platform, second.platform].map((platform) => stepBatch(systemCtx(platform, workspace, null), bare(batch))),
        );
      }
      const { batch: after, items } = await readBatch(harness.test, batch.id);
      expect(after).toMatchObject({ status: 'completed', success_count: 150, failed_count: 50 });
      expect(items.filter(({ status }) => status === 'succeeded')).toHaveLength(150);
      expect(await transfersOf(batch)).toBe(150);
      expect(await usedOf(harness.test, budget)).toEqual(['150.00', '0.00', '0.00']);
      expect(await available(agent.to)).toBe('150.00');
    } finally {
      await second.stop();
    }
  });

  it('carry an atomic batch out once', async () => {
    const { from, to } = await twoWallets(harness.test);
    const batch = await taken(harness.test, bodies(from, to, times(30)), { mode: 'atomic' });
    const { workspace } = await ctxOf(harness, harness.test);
    await Promise.all([1, 2, 3].map(() => stepBatch(systemCtx(harness.platform, workspace, null), bare(batch))));
    await expectDoneOnce(batch, to, 30);
  });
});
