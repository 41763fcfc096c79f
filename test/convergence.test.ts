// Money that enters and leaves, on rails that lose answers, repeat them, change amounts and send money back, while the server is killed and
// the clock jumps: within ten simulated days everything is final, the ledger says what the rails' statements say, nothing was paid
// twice, and every event was delivered. SLOW=1 plays twenty seeds of 500 operations with ten kills.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Receiver } from './contexts/webhooks/receiver.js';
import { randomOf } from './life/caller.js';
import { Trader } from './life/trader.js';
import { make } from './load.js';
import { ServerOnDatabase } from './server-database.js';
import { isSlow } from './slow.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as a client without types would
type Json = any;

const seeds = isSlow ? 20 : 1;
const [operations, kills] = isSlow ? [500, 10] : [30, 1];
const day = 86_400;
vi.setConfig({ testTimeout: 300_000, hookTimeout: 60_000 });

const receiver = await Receiver.start();
afterAll(() => receiver.stop());

async function play(trader: Trader): Promise<void> {
  for (let n = 1; n <= operations; n += 1) {
    if (n % Math.floor(operations / kills) === 0) trader.killNext();
    await trader.step();
  }
  for (let passed = 0; passed < 10; passed += 1) await trader.advance(day);
}

const final = {
  '/v1/payouts': ['complete', 'failed', 'returned'],
  '/v1/transfers': ['completed', 'failed', 'cancelled'],
  '/v1/batches': ['completed', 'partially_completed', 'failed'],
  '/v1/refunds': ['completed', 'failed'],
  '/v1/funding/transactions': ['completed', 'failed'],
};

/** Everything that was acknowledged is there, once, and everything is final. */
async function expectFinal(trader: Trader): Promise<void> {
  for (const [path, statuses] of Object.entries(final)) {
    const found = await trader.list(path);
    expect(found.filter(({ status }) => !statuses.includes(status)).map(({ id, status }) => [path, id, status])).toEqual([]);
    const ids = new Set(found.map(({ id }) => id));
    expect(trader.acknowledged.get(path)?.filter((id) => !ids.has(id)) ?? [], path).toEqual([]);
    expect(ids.size).toBe(found.length);
  }
}

/**
 * What the rails have in their books, read beside the platform: whatever was paid was paid by one order, no order was carried out that
 * nobody knows, and what went through clearing is what the orders were for.
 */
async function expectPaidOnce({ db }: ServerOnDatabase): Promise<void> {
  const { workspace_id: workspace } = (await db.query('SELECT workspace_id FROM webhook WHERE url = $1', [receiver.url()])).rows.at(-1);
  const { rows: wrong } = await db.query(
    `SELECT o.id, o.status, array_agg(s.direction::text ORDER BY s.id) AS lines FROM (${orders}) o
     LEFT JOIN rail_statement s ON s.workspace_id = $1 AND s.rail = o.rail AND s.reference = o.rail_reference
     GROUP BY o.id, o.status, o.lines HAVING array_remove(array_agg(s.direction::text ORDER BY s.id), NULL) <> o.lines`,
    [workspace],
  );
  expect(wrong).toEqual([]);
  const { rows: unknown } = await db.query(
    `SELECT r.reference, r.state FROM rail_order r
     WHERE r.workspace_id = $1 AND NOT EXISTS (SELECT FROM (${orders}) o WHERE o.rail_reference = r.reference)`,
    [workspace],
  );
  expect(unknown).toEqual([]);
  const { rows: rails } = await db.query(
    `SELECT r.rail, r.currency, sum(CASE s.direction WHEN 'debit' THEN r.amount ELSE -r.amount END) AS paid,
       (SELECT a.balance FROM ledger_account a
        WHERE a.workspace_id = $1 AND a.owner_id = $1 AND a.kind = 'rail.clearing:' || r.rail AND a.currency = r.currency) AS cleared
     FROM rail_order r JOIN rail_statement s ON s.workspace_id = r.workspace_id AND s.rail = r.rail AND s.reference = r.reference
     WHERE r.workspace_id = $1 GROUP BY r.rail, r.currency`,
    [workspace],
  );
  expect(rails.length).toBeGreaterThan(1);
  for (const { rail, paid, cleared } of rails) expect([rail, BigInt(cleared)]).toEqual([rail, BigInt(paid)]);
}

/** What went over the rails, and the lines that the statement must have of each. */
const orders = `
  SELECT id, rail, rail_reference, status::text, CASE
    WHEN status = 'complete' THEN ARRAY['debit']
    WHEN status = 'returned' AND completed_at IS NOT NULL THEN ARRAY['debit', 'credit']
    ELSE ARRAY[]::text[] END AS lines
  FROM payout WHERE workspace_id = $1
  UNION ALL
  SELECT id, rail, rail_reference, status::text, CASE
    WHEN status = 'completed' AND returned_at IS NULL THEN ARRAY['credit']
    WHEN status = 'completed' THEN ARRAY['credit', 'debit']
    ELSE ARRAY[]::text[] END
  FROM funding_transaction WHERE workspace_id = $1
  UNION ALL
  SELECT id, rail, rail_reference, status::text, CASE
    WHEN status = 'paid' AND returned_at IS NULL THEN ARRAY['credit']
    WHEN status = 'paid' THEN ARRAY['credit', 'debit']
    ELSE ARRAY[]::text[] END
  FROM card_charge WHERE workspace_id = $1
  UNION ALL
  SELECT id, rail, rail_reference, status::text, CASE
    WHEN status = 'paid' AND returned_at IS NULL THEN ARRAY['debit']
    WHEN status = 'paid' THEN ARRAY['debit', 'credit']
    ELSE ARRAY[]::text[] END
  FROM card_refund WHERE workspace_id = $1`;

/**
 * The platform says so itself: nothing is on its way, and all that differs are the minor units that rails booked too much. When these
 * are found by reconciliation and written off, everything has converged.
 */
async function expectConverged({ db }: ServerOnDatabase, trader: Trader): Promise<void> {
  const { open, mismatches } = await trader.convergence();
  expect(open).toEqual([]);
  const { rows: booked } = await db.query(
    `SELECT DISTINCT reference FROM rail_statement JOIN rail_order USING (workspace_id, rail, reference) WHERE 'amount_mismatch' = ANY (faults)`,
  );
  const known = new Set(booked.map(({ reference }) => reference));
  expect(mismatches.filter(({ kind, id }: Json) => kind !== 'amount_mismatch' || !known.has(id))).toEqual([]);
  await trader.reconcile();
  expect(await trader.convergence()).toMatchObject({ converged: true, open: [], mismatches: [] });
}

/** Each event was emitted once per state, and reached the subscription. */
async function expectDelivered(trader: Trader): Promise<void> {
  const events = await trader.list('/v1/events');
  const settlements = events.filter(({ type }) => type.startsWith('settlement.'));
  const states = settlements.map(({ type, data }) => `${type} of ${data.payoutId}`);
  expect(states.filter((state, n) => states.indexOf(state) !== n)).toEqual([]);
  // How many there are depends on when the server is killed.
  expect(settlements.length).toBeGreaterThan(operations / 2);
  const missing = () => {
    const arrived = new Set(receiver.received.map(({ json }) => json.id));
    return settlements.filter(({ id }) => !arrived.has(id)).length;
  };
  await expect.poll(missing, { interval: 100, timeout: 60_000 }).toBe(0);
}

describe('Convergence', () => {
  let server: ServerOnDatabase;
  beforeAll(async () => {
    server = await ServerOnDatabase.start({ WEBHOOK_ALLOW_HOSTS: receiver.host });
  });
  afterAll(() => server?.stop());

  for (let seed = 1; seed <= seeds; seed += 1) {
    it(`of ${operations} operations with ${kills} kills, seed ${seed}`, async ({ annotate }) => {
      const { key } = await server.newTenant();
      const platform = { key, url: () => server.sandbox.url, kill: () => server.kill() };
      const trader = new Trader(platform, randomOf(seed));
      await trader.open();
      receiver.received.length = 0;
      await make(trader.server, '/v1/webhooks', { url: receiver.url(), events: ['*'] });
      await play(trader);
      await expectFinal(trader);
      await expectPaidOnce(server);
      await expectConverged(server, trader);
      await expectDelivered(trader);
      await server.expectBalanced();
      await annotate([...trader.acknowledged].map(([path, ids]) => `${ids.length} of ${path}`).join(', '));
    });
  }
});
