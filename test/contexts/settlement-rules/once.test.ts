// Nothing that a rule does is done twice: not when events are heard again, two processes take one execution, or one is killed within it
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stepExecution } from '../../../src/contexts/settlement-rules/execution-due.js';
import { workspaceOf } from '../../../src/platform/ctx.js';
import { systemCtx } from '../../../src/platform/due/step.js';
import { balanceOf, pay } from '../../factories/payment.js';
import { executionsOf, newRule, newSettler } from '../../factories/settlement-rule.js';
import { openWallet, useHarness } from '../../harness.js';
import { ask, make } from '../../load.js';
import { ServerOnDatabase } from '../../server-database.js';

describe('in one process', () => {
  const harness = useHarness();

  it('what is heard again fires nothing again', async () => {
    const [a, b] = [await openWallet(harness.test, { funded: '100.00' }), await openWallet(harness.test)];
    const trigger = { trigger_type: 'event_based', trigger_config: { event_type: 'transfer.completed' } };
    const rule = await newRule(harness.test, b.wallet, trigger);
    await pay(harness.test, a.wallet, b.wallet, '1.00');
    await harness.runDue();
    const { rowCount } = await harness.platform.database.pool.query("UPDATE event_listener SET number = 0 WHERE name = 'settlement_rules'");
    expect(rowCount).toBeGreaterThan(0);
    await harness.runDue();
    expect(await executionsOf(harness.test, rule)).toHaveLength(1);
  });

  it('of steps that take one execution at once one pays', async () => {
    const { wallet, rule } = await newSettler(harness.test, { action_config: { retain_reserve_cents: 100 } });
    const { body } = await harness.test.post(`/v1/settlement-rules/${rule.id}/run`);
    const { unscoped } = harness.platform.database;
    const { workspaceId } = await unscoped.wallet.findFirstOrThrow({ where: { id: wallet.id } });
    const workspace = workspaceOf(await unscoped.workspace.findUniqueOrThrow({ where: { id: workspaceId } }));
    const step = () => stepExecution(systemCtx(harness.platform, workspace, null), body.data.execution_id.slice('exe_'.length));
    await Promise.all([step(), step(), step()]);
    expect(await executionsOf(harness.test, rule)).toMatchObject([{ status: 'completed' }]);
    expect((await harness.test.get(`/v1/payouts?wallet_id=${wallet.id}`)).body.data).toHaveLength(1);
    expect(await balanceOf(harness.test, wallet)).toMatchObject({ available: '1.00', held: '999.00' });
  });
});

describe('kill -9 of a process that carries an execution out', () => {
  let server: ServerOnDatabase;
  beforeAll(async () => {
    server = await ServerOnDatabase.start();
  }, 120_000);
  afterAll(() => server?.stop());

  it('it is done once, by another', { timeout: 120_000 }, async () => {
    const { db, sandbox } = server;
    const account = await make(sandbox, '/v1/accounts', { type: 'business', name: 'Ada' });
    const wallet = await make(sandbox, '/v1/wallets', { owner_type: 'account', owner_id: account.id, currency: 'BRL' });
    await make(sandbox, '/v1/bank-accounts', {
      account_id: account.id,
      rail: 'pix',
      holder_name: 'A',
      details: { key: 'ada@example.com' },
    });
    const trigger_config = { threshold_cents: 5_000, currency: 'BRL', direction: 'above' };
    const body = { name: 'Rule', wallet_id: wallet.id, trigger_type: 'balance_threshold', trigger_config, action_type: 'settle_to_bank' };
    const rule = await make(sandbox, '/v1/settlement-rules', body);
    // The money is posted, and the payout cannot be written.
    await db.query('BEGIN; LOCK TABLE payout IN EXCLUSIVE MODE');
    await make(sandbox, `/v1/wallets/${wallet.id}/fund`, { amount: '100.00' });
    const waits = async () => (await db.query("SELECT FROM pg_locks WHERE relation = 'payout'::regclass AND NOT granted")).rowCount;
    await expect.poll(waits, { interval: 20, timeout: 20_000 }).toBeGreaterThan(0);
    await server.crash();
    await db.query('ROLLBACK');
    await server.startAgain();
    const executions = async () => (await ask(server.sandbox, 'GET', `/v1/settlement-rules/${rule.id}/executions`)).body.data;
    await expect.poll(async () => (await executions())[0]?.status, { interval: 50, timeout: 30_000 }).toBe('completed');
    expect(await executions()).toHaveLength(1);
    expect((await ask(server.sandbox, 'GET', `/v1/payouts?wallet_id=${wallet.id}`)).body.data).toMatchObject([{ amount: '100.00' }]);
    expect((await ask(server.sandbox, 'GET', `/v1/wallets/${wallet.id}/balance`)).body.data).toMatchObject({ available: '0.00' });
  });
});
