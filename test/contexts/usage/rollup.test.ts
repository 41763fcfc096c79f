// Rollups equal a plain count of the raw rows, whatever happens: after random traffic, across a listener that dies in the middle of a
// stretch, while they are made again, and when raw rows are swept (CONTRACT.md 17).
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rebuildReports } from '../../../src/cli/usage.js';
import { rebuildDemand } from '../../../src/contexts/analytics/demand.sql.js';
import { rebuildUsage } from '../../../src/contexts/usage/rebuild.sql.js';
import { sweepOperations, sweepRollups } from '../../../src/contexts/usage/retention.sql.js';
import { usageListener } from '../../../src/contexts/usage/rollup.sql.js';
import { manifest } from '../../../src/contexts.js';
import { Listening } from '../../../src/events/listener.js';
import { publishEvents } from '../../../src/events/outbox.js';
import { workspaceOf } from '../../../src/platform/ctx.js';
import { newShop } from '../../factories/checkout.js';
import { newSpender, type Spender } from '../../factories/decision.js';
import { pay, transferBody, twoWallets } from '../../factories/payment.js';
import { type Json, useHarness } from '../../harness.js';
import { isSlow } from '../../slow.js';

const harness = useHarness();
const query = async (text: string, values: unknown[] = []): Promise<Json[]> =>
  (await harness.platform.database.pool.query(text, values)).rows;

/** Rollups that differ from a plain count, by owner and size, in every workspace. */
const differences = () =>
  query(`
    WITH plain AS (
      SELECT o.workspace_id, owner.id AS owner_id, size, date_bin(size * interval '1 s', o.at, '1970-01-01Z') AS start, o.protocol, o.category,
        o.success, o.currency, coalesce(o.provider, '') AS provider, count(*) AS operations, sum(o.amount) AS amount,
        sum(CASE WHEN o.category = 'funding' OR o.account_id = o.counterparty_id THEN 0 ELSE coalesce(o.amount_usd, 0) END) AS amount_usd, sum(o.external_cost_usd) AS external_cost_usd
      FROM operation o, unnest(ARRAY[300, 3600, 86400]) AS size,
        unnest(ARRAY[o.workspace_id, coalesce(o.account_id, o.counterparty_id), o.agent_id]) AS owner (id)
      WHERE owner.id IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9)
    (SELECT 'missing' AS what, * FROM (TABLE plain EXCEPT SELECT * FROM usage_rollup) a)
    UNION ALL (SELECT 'too much', * FROM (SELECT * FROM usage_rollup EXCEPT TABLE plain) b)`);
const workspaces = async () => (await harness.platform.database.unscoped.workspace.findMany()).map(workspaceOf as never) as Json[];

describe('rollups', () => {
  it('equal a plain count after any traffic, however it is heard', { timeout: isSlow ? 600_000 : 120_000 }, async () => {
    const { from, to } = await twoWallets(harness.test, { funded: '100000.00' });
    const spenders: Spender[] = [await newSpender(harness.test), await newSpender(harness.test, { currency: 'USDC' })];
    const shop = await newShop(harness.test);
    const cents = fc.integer({ min: 1, max: 900 }).map((minor) => (minor / 100).toFixed(2));
    const kinds = ['pay', 'spend', 'hold', 'checkout', 'leave', 'wait', 'publish', 'hear', 'die', 'rebuild'] as const;
    const step = fc.record({ kind: fc.constantFrom(...kinds), amount: cents, who: fc.constantFrom(0, 1) });
    const listening = new Listening(harness.platform, usageListener);
    const dying = new Listening(harness.platform, {
      ...usageListener,
      hear: async (tx, stretch) => {
        await usageListener.hear(tx, stretch);
        throw new Error('it dies after it has written');
      },
    });
    const run: Record<(typeof kinds)[number], (amount: string, who: number) => Promise<unknown>> = {
      pay: (amount) => pay(harness.test, from, to, amount),
      spend: (amount, who) => (spenders[who] as Spender).pay(amount),
      hold: async (amount) => {
        const { id } = await harness.test.make('/v1/transfers', transferBody(from, to, amount, { capture: 'manual' }));
        await harness.test.make(`/v1/transfers/${id}/${amount > '5' ? 'cancel' : 'capture'}`, {});
      },
      checkout: async () => shop.complete(await shop.begin()),
      leave: async () => harness.test.post(`${shop.path}/${(await shop.begin()).id}/cancel`, {}),
      wait: async (amount) => harness.clock.advance(Number(amount) * 400),
      publish: () => publishEvents(harness.platform, manifest.followers),
      hear: () => listening.round(),
      die: () => dying.round(),
      rebuild: async () => {
        for (const workspace of await workspaces()) await rebuildUsage(harness.platform, workspace, () => {});
      },
    };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (history) => {
        for (const { kind, amount, who } of history) await run[kind](amount, who);
        await harness.runDue();
        expect(await differences()).toEqual([]);
      }),
      { numRuns: isSlow ? 60 : 4 },
    );
    expect((await query('SELECT count(*)::int FROM usage_rollup WHERE size = 300'))[0].count).toBeGreaterThan(20);
  });

  it('count once what a process has written that is killed before its commit', { timeout: 60_000 }, async () => {
    const { from, to } = await twoWallets(harness.test);
    await pay(harness.test, from, to, '1.00');
    await publishEvents(harness.platform, manifest.followers);
    const file = fileURLToPath(new URL('./hanging-process.ts', import.meta.url));
    const child = fork(file, [harness.platform.config.databaseUrl ?? ''], { execArgv: ['--import', 'tsx'] });
    await once(child, 'message');
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    // The server notices that its client is gone, and lets the position go.
    const differencesNow = async () => {
      await harness.runDue();
      return differences();
    };
    await expect.poll(differencesNow, { timeout: 30_000, interval: 20 }).toEqual([]);
  });

  it('are made again from the raw rows, those of checkouts too', async () => {
    const shop = await newShop(harness.test);
    await shop.complete(await shop.begin());
    await harness.test.post(`${shop.path}/${(await shop.begin()).id}/cancel`, {});
    await harness.runDue();
    const all = 'SELECT * FROM checkout_rollup ORDER BY workspace_id, size, start, dimension, key, outcome';
    const before = await query(all);
    expect(before.length).toBeGreaterThan(0);
    await query('UPDATE usage_rollup SET operations = operations + 1');
    await query('DELETE FROM checkout_rollup; DELETE FROM counted_checkout');
    expect((await differences()).length).toBeGreaterThan(0);
    const days: number[] = [];
    for (const workspace of await workspaces()) {
      await rebuildUsage(harness.platform, workspace, (done) => days.push(done));
      await rebuildDemand(harness.platform, workspace.id);
    }
    expect(days.length).toBeGreaterThan(0);
    expect(await rebuildReports(harness.platform, 'no tenant', () => {})).toBe(0);
    expect(await differences()).toEqual([]);
    expect(await query(all)).toEqual(before);
  });

  it('stay by the hour and day when raw rows are swept after 400 days', async () => {
    const { from, to } = await twoWallets(harness.test);
    await pay(harness.test, from, to, '1.00');
    await harness.runDue();
    const at = harness.clock.now();
    const summary = () => harness.test.get(`/v1/usage/summary?start=2026-01-01&end=${at.toISOString().slice(0, 10)}`);
    const before = (await summary()).body;
    expect(before.total_operations).toBeGreaterThan(0);
    harness.clock.advance(500 * 86_400);
    while ((await sweepOperations(harness.platform, 500)) > 0);
    while ((await sweepRollups(harness.platform, 500)) > 0);
    expect(await query('SELECT count(*)::int FROM operation')).toEqual([{ count: 0 }]);
    expect(await query('SELECT DISTINCT size FROM usage_rollup ORDER BY 1')).toEqual([{ size: 3600 }, { size: 86400 }]);
    expect((await summary()).body).toEqual(before);
    for (const workspace of await workspaces()) await rebuildUsage(harness.platform, workspace, () => {});
    expect((await summary()).body).toEqual(before);
  });
});
