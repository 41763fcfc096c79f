// Refused spends are kept as decisions after the answer: in groups, not too many, and without slowing or failing anybody.
import { describe, expect, it } from 'vitest';
import { InsufficientBalance } from '../../../src/contexts/spending/errors.js';
import { queueRefusal, writeRefusals } from '../../../src/contexts/spending/pipeline/refusal-writer.js';
import type { SpendFacts } from '../../../src/contexts/spending/pipeline/rule-result.js';
import type { RulesInForce } from '../../../src/contexts/spending/pipeline/rules-in-force.js';
import { workspaceOf } from '../../../src/platform/ctx.js';
import type { ReadyConfig } from '../../../src/platform/data-home.js';
import { newId } from '../../../src/platform/schema/id.js';
import { startServer } from '../../../src/server.js';
import { decisionsOf, newSpender } from '../../factories/decision.js';
import { transferBody, twoWallets } from '../../factories/payment.js';
import { Client, openWallet, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';

const harness = useHarness();
const refusedBy = (query: string) => decisionsOf(harness, harness.test, `outcome=deny&limit=200&${query}`);

describe('a refused spend', () => {
  it('is kept with what it said, whichever layer refused', async () => {
    const spender = await newSpender(harness.test, { tier: 3, funded: '10.00' });
    const mine = `agent_id=${spender.uuid}`;
    await harness.test.put('/v1/kya-limits', { tiers: [{ tier: 3, currency: 'USD', per_tx: '50.00' }] });
    const codes: string[] = [];
    const refuse = async (amount: string) => {
      const { status, body } = await spender.pay(amount);
      expect(status).toBeGreaterThanOrEqual(400);
      codes.unshift(`${body.code}: ${body.error}`);
    };
    await refuse('11.00');
    await refuse('51.00');
    await harness.test.post(`/v1/wallets/${spender.wallet.id}/freeze`, {});
    await refuse('1.00');
    await harness.test.post(`/v1/agents/${spender.id}/freeze`, { reason: 'why' });
    await refuse('1.00');
    const kept = await refusedBy(mine);
    expect(kept.map(({ code, message }) => `${code}: ${message}`)).toEqual(codes);
    const failed = kept.map(({ checks }) =>
      checks.filter(({ outcome }: { outcome: string }) => outcome === 'fail').map(({ layer }: { layer: string }) => layer),
    );
    expect(failed).toEqual([['agent', 'wallet'], ['wallet'], ['kya', 'balance'], ['balance']]);
  });

  it('is none when the request is faulty: 400, 404, 409, and what is no spend', async () => {
    const { from, to } = await twoWallets(harness.test, { funded: '5.00' });
    const before = (await refusedBy('')).length;
    await harness.test.make('/v1/transfers', transferBody(from, to, '1.00', { reference: 'once' }));
    const send = (body: object) => harness.test.post('/v1/transfers', body);
    expectRefused(await send(transferBody(from, to, '0.001')), 400, 'validation_failed');
    expectRefused(await send(transferBody(from, to, '1.00', { reference: 'once' })), 409, 'already_exists');
    expectRefused(await send(transferBody(from, to, '100.00', { reference: 'once' })), 409, 'already_exists');
    expectRefused(await harness.test.post(`/v1/wallets/${from.id}/wrap`, { amount: '100.00' }), 422, 'insufficient_balance');
    expectRefused(
      await harness.test.post('/v1/transfers?dry_run=true', { ...transferBody(from, to, '1.00'), to_wallet_id: from.id }),
      422,
      'same_wallet',
    );
    expect((await harness.test.post('/v1/transfers?dry_run=true', transferBody(from, to, '100.00'))).body.data.decision.outcome).toBe(
      'deny',
    );
    expect(await refusedBy('')).toHaveLength(before);
  });

  it('is kept at most ten times a second for an agent, and for a wallet from which no agent spends', async () => {
    harness.clock.advance(1);
    const poor = await newSpender(harness.test, { tier: 0, funded: '1.00' });
    const { wallet } = await openWallet(harness.test);
    const { wallet: other } = await openWallet(harness.test);
    const fromWallet = () => harness.test.post('/v1/transfers', transferBody(wallet, other, '1.00'));
    await Promise.all(Array.from({ length: 30 }, () => [poor.pay('2.00'), fromWallet()]).flat());
    const counts = async () => {
      const kept = await refusedBy('');
      return [kept.filter(({ agent_id }) => agent_id === poor.uuid), kept.filter(({ input }) => input.from_wallet_id === wallet.id)].map(
        ({ length }) => length,
      );
    };
    expect(await counts()).toEqual([10, 10]);
    harness.clock.advance(1);
    await poor.pay('2.00');
    expect(await counts()).toEqual([11, 10]);
  });

  it('of a scheduled transfer is told of that transfer', async () => {
    const { from, to } = await twoWallets(harness.test, { funded: '1.00' });
    const at = new Date(harness.clock.now().getTime() + 60_000).toISOString();
    const transfer = await harness.test.make('/v1/transfers', transferBody(from, to, '2.00', { scheduled_for: at }));
    await harness.advance(60);
    expect((await harness.test.get(`/v1/transfers/${transfer.id}`)).body.data).toMatchObject({ status: 'failed' });
    const [kept] = await refusedBy('');
    expect(kept).toMatchObject({ code: 'insufficient_balance', subject: { type: 'transfer', id: transfer.id }, evaluated_at: at });
  });

  it('is refused all the same when nothing can be written of it', async () => {
    const { from, to } = await twoWallets(harness.test, { funded: '1.00' });
    harness.clock.advance(1);
    const before = (await refusedBy('')).length;
    await harness.platform.database.pool.query('ALTER TABLE decision ADD CONSTRAINT nothing_goes CHECK (false) NOT VALID');
    expectRefused(await harness.test.post('/v1/transfers', transferBody(from, to, '2.00')), 422, 'insufficient_balance');
    await writeRefusals(harness.platform);
    await harness.platform.database.pool.query('ALTER TABLE decision DROP CONSTRAINT nothing_goes');
    harness.clock.advance(1);
    expectRefused(await harness.test.post('/v1/transfers', transferBody(from, to, '2.00')), 422, 'insufficient_balance');
    expect(await refusedBy('')).toHaveLength(before + 1);
  });

  it('is answered while nothing can be written yet, and kept when it can', async () => {
    const { from, to } = await twoWallets(harness.test, { funded: '1.00' });
    harness.clock.advance(1);
    const before = (await refusedBy('')).length;
    const lock = await harness.platform.database.pool.connect();
    await lock.query('BEGIN; LOCK TABLE decision IN ACCESS EXCLUSIVE MODE');
    for (let n = 0; n < 3; n += 1)
      expectRefused(await harness.test.post('/v1/transfers', transferBody(from, to, '2.00')), 422, 'insufficient_balance');
    await lock.query('COMMIT');
    lock.release();
    expect(await refusedBy('')).toHaveLength(before + 3);
  });

  it('is kept when the process ends right after the answer', async () => {
    const { from, to } = await twoWallets(harness.test, { funded: '1.00' });
    harness.clock.advance(1);
    const { config, log, database } = harness.platform;
    const count = async () => Number((await database.pool.query('SELECT count(*) FROM decision')).rows[0].count);
    const before = await count();
    const server = await startServer({ config: config as ReadyConfig, log, clock: harness.clock, pollMs: 0 });
    const client = new Client(server.urls.test ?? '', harness.test.key);
    const lock = await database.pool.connect();
    await lock.query('BEGIN; LOCK TABLE decision IN ACCESS EXCLUSIVE MODE');
    // One is being written, two wait.
    for (let n = 0; n < 3; n += 1) await client.post('/v1/transfers', transferBody(from, to, '2.00'));
    const { outbound, cache } = server.platform;
    const [closeOutbound, closeCache] = [outbound.close.bind(outbound), cache.close.bind(cache)];
    // The end has come to what is still to be written; then to what lets go of the database.
    outbound.close = () => {
      void lock.query('COMMIT').then(() => lock.release());
      return closeOutbound();
    };
    let written = 0;
    cache.close = async () => {
      written = await count();
      await closeCache();
    };
    await server.stop();
    expect(written).toBe(before + 3);
  });

  it('is left out when a thousand others wait to be written', async () => {
    const { from, to } = await twoWallets(harness.test);
    const { pool, unscoped } = harness.platform.database;
    const { workspaceId } = await unscoped.wallet.findFirstOrThrow({ where: { id: from.id } });
    const count = async () => Number((await pool.query('SELECT count(*) FROM decision')).rows[0].count);
    await writeRefusals(harness.platform);
    const before = await count();
    const at = harness.clock.now();
    const workspace = workspaceOf(await unscoped.workspace.findUniqueOrThrow({ where: { id: workspaceId } }));
    const ctx = { platform: harness.platform, clock: harness.clock, workspace };
    const error = new InsufficientBalance('Too little.', { details: { terminal: true } });
    const party = (walletId: string) => ({ walletId, accountId: from.account_id, agentId: null });
    for (let n = 0; n < 1_500; n += 1) {
      const facts: SpendFacts = {
        at,
        amount: 1n,
        currency: 'USD',
        protocol: 'internal',
        payer: party(newId(at)),
        payee: party(to.id),
        agent: null,
        traceId: null,
        mandateId: null,
        breakerTripId: null,
        lifted: null,
      };
      const rules = { kya: [], policies: [], budgets: [], rates: {} as RulesInForce['rates'] };
      const ruleResults = { uses: [], results: [], rateIds: [] };
      const authority = { at, agentId: undefined, guards: [], facts, rules, ruleResults };
      queueRefusal(ctx, { authority, refusals: [{ layer: 'balance', error }], requirements: [], used: new Map() });
    }
    await writeRefusals(harness.platform);
    // The first was taken up at once; a thousand waited.
    expect((await count()) - before).toBe(1_001);
  });
});
