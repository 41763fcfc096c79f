// POST /v1/transfers?dry_run=true
import { describe, expect, it } from 'vitest';
import { newSpender, watch } from '../../factories/decision.js';
import { balanceOf, transferBody, twoWallets } from '../../factories/payment.js';
import { nowhere, openWallet, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const path = '/v1/transfers?dry_run=true';
const dryRun = (body: object, as?: string) => harness.test.post(path, body, as === undefined ? {} : { as });
const everyLayer = ['workspace', 'agent', 'wallet', 'kya', 'policy', 'budget', 'mandate', 'balance'];
const layers = (body: { data: { decision: { checks: { layer: string; outcome: string }[] } } }) =>
  body.data.decision.checks.map(({ layer, outcome }) => `${layer} ${outcome}`);

async function traces() {
  const { unscoped, pool } = harness.platform.database;
  const counts = await Promise.all([
    unscoped.transfer.count(),
    unscoped.hold.count(),
    unscoped.event.count(),
    unscoped.ledgerEntry.count(),
  ]);
  return [...counts, (await pool.query('SELECT sum(used + reserved) FROM limit_counter')).rows[0].sum];
}

describe('POST /v1/transfers?dry_run=true', () => {
  describe('200', () => {
    it('says what would be posted and told, and changes nothing', async () => {
      const { from, to } = await twoWallets(harness.test);
      const before = await traces();
      const { status, body } = await dryRun(transferBody(from, to, '42.00', { reference: 'dry' }));
      expect(status).toBe(200);
      expect(body.data).toEqual({
        decision: {
          outcome: 'allow',
          checks: everyLayer.map((layer) => ({ layer, outcome: 'pass' })),
          rate_ids: [],
          evaluated_at: harness.clock.now().toISOString(),
        },
        would_post: [
          { account: 'wallet.available', direction: 'debit', amount: '42.00', currency: 'USD' },
          { account: 'wallet.available', direction: 'credit', amount: '42.00', currency: 'USD' },
        ],
        would_emit: ['transfer.created', 'transfer.completed'],
      });
      expect(await traces()).toEqual(before);
      expect(await balanceOf(harness.test, from)).toMatchObject({ available: '100.00' });
      expect((await harness.test.post('/v1/transfers', transferBody(from, to, '42.00', { reference: 'dry' }))).status).toBe(201);
    });

    it('of a hold, a wrap, an unwrap and a scheduled transfer', async () => {
      const { from, to } = await twoWallets(harness.test);
      const within = { from_wallet_id: from.id, amount: '1.00', currency: 'USD' };
      await harness.test.make(`/v1/wallets/${from.id}/wrap`, { amount: '5.00' });
      const posted = async (body: object) => {
        const { data } = (await dryRun(body)).body;
        return [data.would_post.map(({ account, direction }: Record<string, string>) => `${direction} ${account}`), data.would_emit];
      };
      expect(await posted(transferBody(from, to, '1.00', { capture: 'manual' }))).toEqual([
        ['debit wallet.available', 'credit wallet.held'],
        ['transfer.created'],
      ]);
      expect((await posted({ type: 'wrap', ...within }))[0]).toEqual(['debit wallet.available', 'credit wallet.wrapped']);
      expect((await posted({ type: 'unwrap', ...within }))[0]).toEqual(['debit wallet.wrapped', 'credit wallet.available']);
      expect(await posted(transferBody(from, to, '1.00', { scheduled_for: '2030-01-01T00:00:00Z' }))).toEqual([[], ['transfer.created']]);
    });

    it('a refusal is a decision: too little money, a frozen wallet', async () => {
      const { from, to } = await twoWallets(harness.test, { funded: '10.00' });
      const poor = await dryRun(transferBody(from, to, '10.01'));
      expect(poor.status).toBe(200);
      expect(poor.body.data).toMatchObject({
        decision: { outcome: 'deny', code: 'insufficient_balance', message: expect.stringContaining('10.00 USD') },
        would_post: [],
        would_emit: [],
      });
      expect(layers(poor.body)).toEqual([...everyLayer.slice(0, -1).map((layer) => `${layer} pass`), 'balance fail']);
      expect(poor.body.data.decision.checks.at(-1).message).toBe(poor.body.data.decision.message);
      await harness.test.post(`/v1/wallets/${from.id}/freeze`, {});
      const frozen = (await dryRun(transferBody(from, to, '1.00'))).body;
      expect(frozen.data.decision).toMatchObject({ outcome: 'deny', code: 'wallet_frozen' });
      expect(layers(frozen)).toEqual([
        'workspace pass',
        'agent pass',
        'wallet fail',
        ...everyLayer.slice(3).map((layer) => `${layer} skipped`),
      ]);
    });

    it('a refusal is a decision: an agent that is frozen, or that has spent what it may', async () => {
      const { id, token } = await enrol(harness.test, { kya_tier: 1 });
      const agentWallet = await harness.test.make('/v1/wallets', { owner_type: 'agent', owner_id: id, currency: 'USD' });
      await harness.test.make(`/v1/wallets/${agentWallet.id}/fund`, { amount: '100.00' });
      const { wallet: payee } = await openWallet(harness.test);
      await harness.test.put('/v1/kya-limits', { tiers: [{ tier: 1, currency: 'USD', per_day: '10.00' }] });
      expect((await harness.test.post('/v1/transfers', transferBody(agentWallet, payee, '7.00'), { as: token })).status).toBe(201);
      const before = await traces();
      const capped = (await dryRun(transferBody(agentWallet, payee, '3.01'), token)).body;
      expect(capped.data.decision).toMatchObject({ outcome: 'deny', code: 'kya_limit_exceeded' });
      expect(capped.data.decision.checks[3]).toEqual({
        layer: 'kya',
        rule_id: 'kya.tier.1',
        outcome: 'fail',
        limit: {
          kind: 'kya',
          per: 'day',
          currency: 'USD',
          max: '10.00',
          used: '7.00',
          requested: '3.01',
          remaining: '3.00',
          resets_at: '2026-03-03T00:00:00.000Z',
        },
        used: '7.00',
        remaining: '3.00',
        message: 'The tier of this agent has 3.00 USD left for this day, and this needs 3.01 USD.',
      });
      expect((await dryRun(transferBody(agentWallet, payee, '3.00'), token)).body.data.decision.outcome).toBe('allow');
      expect(await traces()).toEqual(before);
      await harness.test.post(`/v1/agents/${id}/freeze`, { reason: 'why' });
      const frozen = (await dryRun(transferBody(agentWallet, payee, '1.00'), token)).body;
      expect(frozen.data.decision.code).toBe('agent_frozen');
      expect(layers(frozen)).toEqual(['workspace pass', 'agent fail', ...everyLayer.slice(2).map((layer) => `${layer} skipped`)]);
    });

    it('of a spend that needs an approval: the decision, and the hold that would wait for it', async () => {
      const spender = await newSpender(harness.test, { funded: '10.00' });
      const trip = await watch(harness, spender);
      const before = await traces();
      const body = transferBody(spender.wallet, spender.payee, '4.00', { request_approval: true });
      const { data } = (await dryRun(body, spender.token)).body;
      expect(data).toMatchObject({
        decision: { outcome: 'require_approval', message: expect.stringContaining('approval') },
        would_post: [
          { account: 'wallet.available', direction: 'debit', amount: '4.00', currency: 'USD' },
          { account: 'wallet.held', direction: 'credit', amount: '4.00', currency: 'USD' },
        ],
        would_emit: ['transfer.created', 'approval.requested'],
      });
      expect(data.decision).not.toHaveProperty('code');
      expect(data.decision.checks[4]).toMatchObject({ layer: 'policy', rule_id: `breaker.${trip}`, outcome: 'approve' });
      const poor = (await dryRun(transferBody(spender.wallet, spender.payee, '10.01'), spender.token)).body;
      expect(poor.data).toMatchObject({ decision: { outcome: 'deny', code: 'insufficient_balance' }, would_post: [] });
      expect(layers(poor)).toContain('policy approve');
      expect(await traces()).toEqual(before);
      const real = await harness.test.post('/v1/transfers', body, { as: spender.token });
      expect(real).toMatchObject({ status: 202, body: { data: { status: 'pending' }, approval: { status: 'pending' } } });
      expect(await balanceOf(harness.test, spender.wallet)).toMatchObject({ available: '6.00', held: '4.00' });
    });

    it('no approval lifts what neither a policy nor a budget refuses', async () => {
      const { from, to } = await twoWallets(harness.test, { funded: '1.00' });
      const { decision } = (await dryRun(transferBody(from, to, '2.00', { request_approval: true }))).body.data;
      expect(decision).toMatchObject({ outcome: 'deny', code: 'insufficient_balance' });
      const spender = await newSpender(harness.test, { tier: 3 });
      await harness.test.put('/v1/kya-limits', { tiers: [{ tier: 3, currency: 'USD', per_tx: '5.00' }] });
      const body = transferBody(spender.wallet, spender.payee, '6.00', { request_approval: true });
      expect((await dryRun(body, spender.token)).body.data.decision).toMatchObject({ outcome: 'deny', code: 'kya_limit_exceeded' });
      expectRefused(await harness.test.post('/v1/transfers', body, { as: spender.token }), 403, 'kya_limit_exceeded');
    });

    it('takes nothing of the real call’s Idempotency-Key', async () => {
      const { from, to } = await twoWallets(harness.test);
      const headers = { 'Idempotency-Key': 'dry-then-real' };
      const body = transferBody(from, to, '1.00');
      expect((await harness.test.post(path, body, { headers })).status).toBe(200);
      const real = await harness.test.post('/v1/transfers', body, { headers });
      expect(real.status).toBe(201);
      expect(real.headers.get('idempotent-replayed')).toBeNull();
    });

    it('ignores an Idempotency-Key on both faces, for it has no effect that could happen twice', async () => {
      const { from, to } = await twoWallets(harness.test);
      const headers = { 'Idempotency-Key': 'x'.repeat(256) };
      expect((await harness.test.post(path, transferBody(from, to, '1.00'), { headers })).status).toBe(200);
      const document = 'mutation ($input: CreateTransferInput!) { dryRunTransfer(input: $input) { decision { outcome } } }';
      const input = { type: 'internal', fromWalletId: from.id, toWalletId: to.id, amount: '1.00', currency: 'USD' };
      const answer = await harness.test.graphql(document, { input }, { headers });
      expect(answer.body).toEqual({ data: { dryRunTransfer: { decision: { outcome: 'allow' } } } });
    });

    it('dry_run=false is the real call', async () => {
      const { from, to } = await twoWallets(harness.test);
      expect((await harness.test.post('/v1/transfers?dry_run=false', transferBody(from, to, '1.00'))).status).toBe(201);
      expect(await balanceOf(harness.test, to)).toMatchObject({ available: '1.00' });
    });
  });

  describe('400', () => {
    it('a faulty request is no decision', async () => {
      expectInvalid(await dryRun({}), 'type');
      expectInvalid(await dryRun({ type: 'internal', from_wallet_id: nowhere, amount: '1.00', currency: 'USD' }), 'to_wallet_id');
    });

    it('dry_run that is neither true nor false', async () => {
      const { from, to } = await twoWallets(harness.test);
      expectInvalid(await harness.test.post('/v1/transfers?dry_run=1', transferBody(from, to, '1.00')), 'dry_run');
      expect(await balanceOf(harness.test, to)).toMatchObject({ available: '0.00' });
    });
  });

  describe('403', () => {
    it('an agent from a wallet that is not its own', async () => {
      const { from, to } = await twoWallets(harness.test);
      const { token } = await enrol(harness.test);
      expectRefused(await dryRun(transferBody(from, to, '1.00'), token), 403, 'forbidden');
    });
  });

  describe('404', () => {
    it('another tenant’s wallet', async () => {
      const { from } = await twoWallets(harness.test);
      const { wallet: foreign } = await openWallet(harness.other);
      expectRefused(await dryRun(transferBody(from, foreign, '1.00')), 404, 'not_found', { fields: [{ path: 'to_wallet_id' }] });
    });
  });

  describe('409', () => {
    it('a reference that another transfer has', async () => {
      const { from, to } = await twoWallets(harness.test);
      const body = transferBody(from, to, '1.00', { reference: 'taken' });
      await harness.test.make('/v1/transfers', body);
      expectRefused(await dryRun(body), 409, 'already_exists');
      expectRefused(await dryRun({ ...body, scheduled_for: '2030-01-01T00:00:00Z' }), 409, 'already_exists');
    });
  });

  describe('422', () => {
    it('payer and payee one wallet, or another currency', async () => {
      const { from } = await twoWallets(harness.test);
      expectRefused(await dryRun(transferBody(from, from, '1.00')), 422, 'same_wallet');
      const { wallet: euros } = await openWallet(harness.test, { currency: 'EUR' });
      expectRefused(await dryRun(transferBody(from, euros, '1.00')), 422, 'currency_mismatch');
    });
  });
});
