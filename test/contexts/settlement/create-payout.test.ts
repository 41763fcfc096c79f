// POST /v1/payouts
import { describe, expect, it } from 'vitest';
import { ownersKey, spender, trip } from '../../factories/approval.js';
import { balanceOf } from '../../factories/payment.js';
import {
  address,
  newBankAccount,
  newPayer,
  newPayout,
  payoutBody,
  readPayout,
  readTransfer,
  solanaAddress,
  toldOf,
} from '../../factories/payout.js';
import { nowhere, openWallet, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { newPolicy } from '../spending/policies.js';

const harness = useHarness();
const path = '/v1/payouts';
const create = (body: object, as?: string) => harness.test.post(path, body, as === undefined ? {} : { as });

describe('POST /v1/payouts', () => {
  describe('201', () => {
    it('with every member of its resource', async () => {
      const payer = await newPayer(harness.test);
      const { status, body } = await create(payoutBody(payer, { description: 'Rent' }));
      expect([status, body]).toEqual([
        201,
        {
          data: {
            id: expect.stringMatching(/^po_/),
            transfer_id: expect.any(String),
            wallet_id: payer.wallet.id,
            amount: '100.00',
            currency: 'USD',
            fee: '0.25',
            rail: 'ach',
            destination: { type: 'bank', ref: payer.bank?.id },
            status: 'pending',
            description: 'Rent',
            created_at: harness.clock.now().toISOString(),
          },
        },
      ]);
    });

    it.each([
      [address, undefined, 'usdc-base'],
      [address, 'usdc-polygon', 'usdc-polygon'],
      [solanaAddress, undefined, 'usdc-solana'],
    ])('to the address %s of a chain, by %s', async (ref, rail, taken) => {
      const payer = await newPayer(harness.test, 'usdc-base');
      const payout = await newPayout(harness.test, payer, { destination: { type: 'wallet', ref }, ...(rail && { rail }) });
      expect(payout).toMatchObject({ rail: taken, fee: '0.01', destination: { type: 'wallet', ref } });
    });

    it('once for a key, however often it is sent', async () => {
      const payer = await newPayer(harness.test);
      const headers = { 'Idempotency-Key': 'rent-march' };
      const first = await harness.test.post(path, payoutBody(payer), { headers });
      const again = await harness.test.post(path, payoutBody(payer), { headers });
      expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([201, first.body, 'true']);
      expect(await balanceOf(harness.test, payer.wallet)).toMatchObject({ held: '100.25' });
    });

    it('by an agent, from its own wallet to a bank account of its account', async () => {
      const agent = await spender(harness);
      await harness.platform.database.pool.query('DELETE FROM breaker_trip');
      const { account_id: accountId } = (await harness.test.get(`/v1/wallets/${agent.wallet.id}`)).body.data;
      const other = await spender(harness);
      const [own, foreign] = [await newBankAccount(harness.test, accountId), await newPayer(harness.test)];
      const body = (ref: string, wallet = agent.wallet) => ({
        wallet_id: wallet.id,
        amount: '1.00',
        currency: 'USD',
        destination: { type: 'bank', ref },
      });
      expectRefused(await create(body(foreign.bank?.id), agent.token), 404, 'not_found');
      expectRefused(await create(body(own.id, other.wallet), agent.token), 403, 'forbidden');
      const waits = await create(body(own.id), agent.token);
      expect([201, 202]).toContain(waits.status);
      expect(waits.body.data).toMatchObject({ agent_id: agent.uuid });
      expect((await harness.test.get(`${path}/${waits.body.data.id}`, { as: agent.token })).status).toBe(200);
      expect((await harness.test.get(`${path}/${waits.body.data.id}`, { as: other.token })).status).toBe(404);
    });
  });

  describe('202', () => {
    async function waiting(extra: object = {}) {
      const payer = await newPayer(harness.test);
      const agent = await harness.test.make('/v1/agents', { parent_account_id: payer.account.id, name: 'Agent' });
      await trip(harness, agent.id.slice('agt_'.length));
      const asked = await harness.test.post(path, payoutBody(payer, { agent_id: agent.id, ...extra }), {
        as: await ownersKey(harness),
      });
      expect(asked.status, JSON.stringify(asked.body)).toBe(202);
      return { payer, payout: asked.body.data, approval: asked.body.approval };
    }

    it('waits for its approval, and goes its way when it is given', async () => {
      const { payer, payout, approval } = await waiting();
      await harness.runDue();
      expect(await readPayout(harness.test, payout)).toMatchObject({ status: 'pending' });
      expect((await readPayout(harness.test, payout)).rail_reference).toBeUndefined();
      expect(await balanceOf(harness.test, payer.wallet)).toMatchObject({ available: '899.75', held: '100.25' });
      expect((await toldOf(harness, payout)).payout).toEqual([]);
      expect((await harness.test.get(`/v1/approvals/${approval.id}`)).body.data).toMatchObject({ amount: '100.25' });
      const { status, body } = await harness.test.post(`/v1/approvals/${approval.id}/approve`, {});
      expect([status, body.payout]).toMatchObject([200, { id: payout.id, amount: '100.00' }]);
      await harness.runDue();
      await harness.advance(86_400);
      expect((await readPayout(harness.test, payout)).status).toBe('complete');
      expect((await toldOf(harness, payout)).payout).toEqual(['settlement.initiated', 'settlement.processing', 'settlement.completed']);
    });

    it.each([
      ['reject', 'approval_rejected'],
      ['cancel', 'approval_cancelled'],
    ])('fails when its approval ends by %s', async (verb, code) => {
      const { payer, payout, approval } = await waiting();
      expect((await harness.test.post(`/v1/approvals/${approval.id}/${verb}`, {})).status).toBe(200);
      expect(await readPayout(harness.test, payout)).toMatchObject({ status: 'failed', error_code: code });
      expect((await readTransfer(harness.test, payout)).status).toBe('cancelled');
      expect(await balanceOf(harness.test, payer.wallet)).toMatchObject({ available: '1000.00', held: '0.00' });
    });

    it('fails when nobody decides, and when a check fails at the approval', async () => {
      const late = await waiting();
      await harness.advance(3_600);
      expect(await readPayout(harness.test, late.payout)).toMatchObject({ status: 'failed', error_code: 'approval_expired' });
      const frozen = await waiting();
      await harness.test.post(`/v1/wallets/${frozen.payer.wallet.id}/freeze`, {});
      await harness.test.post(`/v1/approvals/${frozen.approval.id}/approve`, {});
      expect(await readPayout(harness.test, frozen.payout)).toMatchObject({ status: 'failed', error_code: 'wallet_frozen' });
      expect((await readTransfer(harness.test, frozen.payout)).status).toBe('failed');
    });
  });

  describe('a dry run', () => {
    it('says what would be held and told, and changes nothing', async () => {
      const payer = await newPayer(harness.test);
      const { status, body } = await harness.test.post(`${path}?dry_run=true`, payoutBody(payer));
      expect([status, body.data]).toEqual([
        200,
        {
          decision: expect.objectContaining({ outcome: 'allow' }),
          would_post: [
            { account: 'wallet.available', direction: 'debit', amount: '100.25', currency: 'USD' },
            { account: 'wallet.held', direction: 'credit', amount: '100.25', currency: 'USD' },
          ],
          would_emit: ['transfer.created', 'settlement.initiated'],
        },
      ]);
      expect(await balanceOf(harness.test, payer.wallet)).toMatchObject({ available: '1000.00', held: '0.00' });
      const refused = await harness.test.post(`${path}?dry_run=true`, payoutBody(payer, { amount: '1000.00' }));
      expect(refused.body.data.decision).toMatchObject({ outcome: 'deny' });
    });
  });

  describe('400', () => {
    it.each([
      [{ amount: '0.00' }, 'amount'],
      [{ amount: '1.001' }, 'amount'],
      [{ destination: { type: 'wallet', ref: '0x123' } }, 'destination.ref'],
      [{ destination: { type: 'wallet', ref: `${solanaAddress}x` } }, 'destination.ref'],
      [{ destination: { type: 'pix', ref: 'x' } }, 'destination.type'],
      [{ wallet_id: 'x' }, 'wallet_id'],
      [{ window_id: 'x' }, 'window_id'],
    ])('for %o', async (extra, member) => {
      expectInvalid(await create(payoutBody(await newPayer(harness.test), extra)), member);
    });
  });

  describe('403', () => {
    it('by a limit, which counts the fee too', async () => {
      const payer = await newPayer(harness.test);
      const rules = [{ kind: 'max_amount', per: 'day', amount: '200.49', currency: 'USD' }];
      await newPolicy(harness.test, { target: { type: 'wallet', id: payer.wallet.id }, rules });
      expect((await create(payoutBody(payer))).status).toBe(201);
      expectRefused(await create(payoutBody(payer)), 403, 'policy_violation', {
        limit: { used: '100.25', requested: '100.25', remaining: '100.24' },
      });
      expect((await create(payoutBody(payer, { amount: '99.99' }))).status).toBe(201);
    });

    it('of 200 at once as many as the limit allows are paid', { timeout: 60_000 }, async () => {
      const payer = await newPayer(harness.test, 'pix', '10000.00');
      const rules = [{ kind: 'max_amount', per: 'day', amount: '70.00', currency: 'BRL' }];
      await newPolicy(harness.test, { target: { type: 'wallet', id: payer.wallet.id }, rules });
      const answers = await Promise.all(Array.from({ length: 200 }, () => create(payoutBody(payer, { amount: '10.00' }))));
      const codes = answers.map(({ status, body }) => body.code ?? status);
      expect(codes.filter((code) => code === 201)).toHaveLength(7);
      expect(codes.filter((code) => code === 'policy_violation')).toHaveLength(193);
      await harness.runDue();
      await harness.advance(10);
      expect(await balanceOf(harness.test, payer.wallet)).toMatchObject({ available: '9930.00', held: '0.00' });
    });

    it('gives back what the limit had counted when the rail rejects it', async () => {
      const payer = await newPayer(harness.test, 'pix');
      const rules = [{ kind: 'max_amount', per: 'day', amount: '100.00', currency: 'BRL' }];
      await newPolicy(harness.test, { target: { type: 'wallet', id: payer.wallet.id }, rules });
      await harness.test.make('/v1/test/rails/pix/faults', { kind: 'reject', next_n: 1 });
      await newPayout(harness.test, payer);
      await harness.runDue();
      await harness.advance(10);
      expect((await create(payoutBody(payer))).status).toBe(201);
    });

    it('from a wallet that is frozen', async () => {
      const payer = await newPayer(harness.test);
      await harness.test.post(`/v1/wallets/${payer.wallet.id}/freeze`, {});
      expectRefused(await create(payoutBody(payer)), 403, 'wallet_frozen');
    });
  });

  describe('404', () => {
    it('for a wallet or a bank account of nobody, of another tenant, or that was deleted', async () => {
      const [payer, foreign, gone] = [await newPayer(harness.test), await newPayer(harness.other), await newPayer(harness.test)];
      await harness.test.delete(`/v1/bank-accounts/${gone.bank?.id}`);
      for (const id of [nowhere, foreign.wallet.id]) expectRefused(await create(payoutBody(payer, { wallet_id: id })), 404, 'not_found');
      for (const ref of [nowhere, 'x', foreign.bank?.id, gone.bank?.id])
        expectRefused(await create(payoutBody(payer, { destination: { type: 'bank', ref } })), 404, 'not_found');
    });
  });

  describe('422', () => {
    it('for more than the wallet has, with the fee', async () => {
      const payer = await newPayer(harness.test, 'ach', '100.24');
      expectRefused(await create(payoutBody(payer)), 422, 'insufficient_balance', { requested: '100.25', missing: '0.01' });
    });

    it('for rails that are crossed or none', async () => {
      const [dollars, euros] = [await newPayer(harness.test), await newPayer(harness.test, 'sepa')];
      for (const rail of ['wire', 'sepa', 'card-simulated-us', 'constructor', 'nonsense'])
        expectRefused(await create(payoutBody(dollars, { rail })), 422, 'unsupported_rail', { rails: ['ach'] });
      const crossed = payoutBody(dollars, { destination: { type: 'bank', ref: euros.bank?.id } });
      expectRefused(await create(crossed), 422, 'unsupported_rail', { rail: 'sepa', currency: 'USD' });
      expectRefused(await create(payoutBody(dollars, { destination: { type: 'wallet', ref: address } })), 422, 'unsupported_rail');
    });

    it('for a wallet of another currency', async () => {
      expectRefused(await create(payoutBody(await newPayer(harness.test), { currency: 'EUR' })), 422, 'currency_mismatch');
    });
  });

  describe('503', () => {
    it('in production, where no provider is connected: nothing is held', async () => {
      const { account, wallet } = await openWallet(harness.live);
      const bank = await newBankAccount(harness.live, account.id);
      const answer = await harness.live.post(path, payoutBody({ account, wallet, bank }));
      expectRefused(answer, 503, 'rail_unavailable', {
        reason: 'not_configured',
        retry: { safe: true },
        next_actions: [{ actor: 'operator' }],
      });
      expect((await harness.live.get(path)).body.data).toEqual([]);
    });
  });
});
