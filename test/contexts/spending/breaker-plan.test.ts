// What the runaway breaker reads of a workspace with a long past: by index, and no more than the window of one agent.
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { writePast } from '../../../bench/history.js';
import { countStretch, failuresOf, paymentsBack, scheduleSuspects, spendsOf } from '../../../src/contexts/spending/breaker/breaker.sql.js';
import { firstIdAt } from '../../../src/platform/schema/page.js';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { explain } from '../../plan.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const from = new Date('2026-02-01T00:00:00.000Z');
const everyMs = 40_000;
const count = 40_000;
/** The end of the past: its last hour holds 90 transfers, of which an agent made a few. */
const at = new Date(from.getTime() + count * everyMs);
const hour = firstIdAt(new Date(at.getTime() - 3_600_000));
const big = new Set(['transfer', 'event', 'decision', 'spend_minute']);
let workspaceId: string;
let agents: Json[];
let wallets: string[];

beforeAll(async () => {
  agents = await Promise.all(Array.from({ length: 10 }, () => enrol(harness.test, { wallet: { currency: 'USD' } })));
  wallets = agents.map(({ agent }) => agent.default_wallet_id);
  await openWallet(harness.test);
  ({ workspaceId } = await harness.platform.database.unscoped.wallet.findFirstOrThrow({ where: { id: wallets[0] ?? '' } }));
  const db = new pg.Client({ connectionString: harness.platform.database.url });
  await db.connect();
  await writePast(db, { workspaceId, transfers: count, from, everyMs });
  await db.query(
    `INSERT INTO event (workspace_id, id, type, data, object_id, agent_id, created_at)
     SELECT workspace_id, uuid_at(created_at), CASE status WHEN 'failed' THEN 'transfer.failed' ELSE 'transfer.completed' END,
       json_build_object('transfer_id', 'tx_' || id, 'type', type, 'status', status, 'amount', money_text(amount, currency),
         'currency', currency, 'from_account_id', 'acc_' || from_account_id, 'to_account_id', 'acc_' || to_account_id, 'protocol', protocol,
         'completed_at', NULL),
       id, agent_id, created_at
     FROM transfer WHERE workspace_id = $1 AND agent_id IS NOT NULL`,
    [workspaceId],
  );
  await db.query(
    `INSERT INTO publication (workspace_id, number, event_ids, published_at)
     SELECT $1, part, array_agg(id ORDER BY id), min(created_at)
     FROM (SELECT id, created_at, ntile(400) OVER (ORDER BY id) AS part FROM event WHERE workspace_id = $1) e GROUP BY part`,
    [workspaceId],
  );
  const minutes = 'generate_series(0, 1439) n CROSS JOIN unnest($2::uuid[]) a (id)';
  await db.query(`INSERT INTO spend_minute SELECT $1, a.id, $3::timestamptz - n * interval '1 minute', 1 + n % 7 FROM ${minutes}`, [
    workspaceId,
    agents.map(({ uuid }) => uuid),
    at,
  ]);
  await db.query(
    `INSERT INTO decision (workspace_id, id, outcome, code, agent_id, input, checks, evaluated_at)
     SELECT $1, uuid_at(at), CASE WHEN n % 50 = 0 THEN 'deny' ELSE 'allow' END::decision_outcome, 'policy_violation', a.id, '{}', '[]', at
     FROM ${minutes} CROSS JOIN LATERAL (SELECT $3::timestamptz - n * interval '1 minute') AS t (at)`,
    [workspaceId, agents.map(({ uuid }) => uuid), at],
  );
  await db.query('VACUUM (ANALYZE)');
  await db.end();
}, 180_000);

/** Rows that a statement reads of the big tables, planned for its values and for any. */
async function expectFrugal(text: string, values: unknown[], most: number): Promise<void> {
  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    const nodes = await explain(harness.platform.database.url, { name: undefined, text, values }, mode);
    const read = nodes.filter(({ table }) => big.has(table ?? ''));
    expect(read.length, 'plans of big tables').toBeGreaterThan(0);
    const about = `${mode}: ${JSON.stringify(read)}`;
    expect(
      read.filter(({ type }) => type === 'Seq Scan'),
      about,
    ).toEqual([]);
    for (const { rows, removed } of read) expect(rows + removed, about).toBeLessThanOrEqual(most);
  }
}

describe('the breaker reads', () => {
  it('of a stretch its transfers alone', () => expectFrugal(countStretch.text, [workspaceId, '200', '201', true], 101));

  it('of suspects their own window, and a day of minutes', async () => {
    const suspects = agents.slice(0, 2).map(({ uuid }) => uuid);
    const times = [at.toISOString(), at.toISOString()];
    await expectFrugal(scheduleSuspects.text, [workspaceId, suspects, times, [false, false], true, 3_600, 50, 50, 1_000, 1], 4 * 1_440);
    await expectFrugal(scheduleSuspects.text, [workspaceId, suspects, times, [false, false], true, 3_600, 50, 50, null, 10], 2 * 100);
  });

  it('of one agent its window', async () => {
    const [{ uuid }] = agents as [Json];
    await expectFrugal(spendsOf.text, [workspaceId, uuid, hour], 100);
    await expectFrugal(paymentsBack.text, [workspaceId, wallets.slice(0, 2), hour, wallets.slice(2, 4)], 200);
    await expectFrugal(failuresOf.text, [workspaceId, uuid, hour, [], []], 100);
  });
});
