// What a delivery reads does not grow with the rows that wait, have arrived or are dead, although its statements, and those of foreign
// keys, were planned while there were next to none.
import { afterAll, expect, it } from 'vitest';
import { eventRow, writeEvents } from '../../../src/events/event.js';
import { newId } from '../../../src/platform/schema/id.js';
import { useHarness } from '../../harness.js';
import { happen, Receiver, subscribe } from './receiver.js';

const receiver = await Receiver.start();
const harness = useHarness({ allowHosts: [receiver.host] });
afterAll(() => receiver.stop());

const many = 3_000;
const sent = 300;

/** Entries that were read of the indexes of deliveries and of what they refer to, so far. */
async function entriesRead(): Promise<number> {
  const { pool } = harness.platform.database;
  const clients = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()));
  // Each connection counts for itself and tells it at the end of a transaction, now and then.
  for (const client of clients) await client.query('SELECT pg_stat_force_next_flush()');
  for (const client of clients) client.release();
  const { rows } = await pool.query<{ read: string }>(
    `SELECT sum(idx_tup_read) AS read FROM pg_stat_user_indexes WHERE relname IN ('webhook_delivery', 'delivery_attempt', 'event', 'webhook')`,
  );
  return Number(rows[0]?.read);
}

/** Rows of the subscription that wait for an hour, that have arrived, and that are dead. */
async function fill(webhookId: string): Promise<void> {
  const states = [`'failed', $2::timestamptz + interval '1 hour', NULL`, `'delivered', NULL, NULL`, `'dlq', NULL, $2::timestamptz`];
  for (const state of states) {
    await harness.platform.database.pool.query(
      `INSERT INTO webhook_delivery (id, workspace_id, webhook_id, event_id, event_type, status, due_at, dlq_at, created_at)
       SELECT uuid_at($2::timestamptz), d.workspace_id, d.webhook_id, d.event_id, d.event_type, ${state}, $2::timestamptz
       FROM (SELECT * FROM webhook_delivery WHERE webhook_id = $1 LIMIT 1) d, generate_series(1, ${many})`,
      [webhookId, harness.clock.now()],
    );
  }
}

it('a delivery reads the same few entries of indexes, however many rows there are', async ({ annotate }) => {
  const { id } = await subscribe(harness.test, receiver, '/hook', ['account.created']);
  const webhookId = id.slice('wh_'.length);
  for (let n = 0; n < 10; n += 1) {
    await happen(harness.test);
    await harness.runDue();
  }
  await fill(webhookId);
  const { unscoped } = harness.platform.database;
  const { workspaceId } = await unscoped.webhook.findFirstOrThrow();
  const data = { account_id: `acc_${newId(harness.clock.now())}`, type: 'business', status: 'active', name: 'Cost' };
  const events = Array.from({ length: sent }, () => eventRow({ clock: harness.clock }, 'account.created', data));
  await unscoped.$transaction((tx) => writeEvents(tx, workspaceId, events));

  const before = await entriesRead();
  await harness.runDue();
  const perDelivery = ((await entriesRead()) - before) / sent;
  expect(await unscoped.deliveryAttempt.count({ where: { responseCode: 200 } })).toBe(10 + sent);
  await annotate(`${perDelivery.toFixed(1)} entries read for each of ${sent} deliveries`);
  expect(perDelivery).toBeGreaterThan(1);
  expect(perDelivery).toBeLessThan(80);
});
