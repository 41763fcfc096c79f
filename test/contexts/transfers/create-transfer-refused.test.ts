// POST /v1/transfers: what is refused although the request is well formed.
import { describe, expect, it } from 'vitest';
import { balanceOf, pay, transferBody, twoWallets, waitingTransfer } from '../../factories/payment.js';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { expectRefused, plain } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const limit = 60;
const harness = useHarness({ limits: { general: limit } });
const create = (body: object, as?: string) => harness.test.post('/v1/transfers', body, as === undefined ? {} : { as });
const available = async (wallet: Json) => (await balanceOf(harness.test, wallet)).available;

describe('POST /v1/transfers', () => {
  describe('403', () => {
    it('an agent from a wallet that is not its own, and from none of its account', async () => {
      const { account, wallet } = await openWallet(harness.test, { funded: '10.00' });
      const { id, token } = await enrol(harness.test, { parent_account_id: account.id });
      const { wallet: payee } = await openWallet(harness.test, { funded: '10.00' });
      for (const from of [wallet, payee]) {
        const to = from === wallet ? payee : wallet;
        expectRefused(await create(transferBody(from, to, '1.00'), token), 403, 'forbidden', { wallet_id: from.id });
      }
      expectRefused(await create(transferBody(payee, wallet, '1.00', { agent_id: id })), 403, 'forbidden');
    });

    it('an agent that is frozen or suspended', async () => {
      const { id, token } = await enrol(harness.test);
      const agentWallet = await harness.test.make('/v1/wallets', { owner_type: 'agent', owner_id: id, currency: 'USD' });
      await harness.test.make(`/v1/wallets/${agentWallet.id}/fund`, { amount: '10.00' });
      const { wallet: payee } = await openWallet(harness.test);
      await harness.test.post(`/v1/agents/${id}/freeze`, { reason: 'why' });
      expectRefused(await create(transferBody(agentWallet, payee, '1.00'), token), 403, 'agent_frozen');
      expectRefused(await create(transferBody(agentWallet, payee, '1.00', { agent_id: id })), 403, 'agent_frozen');
      await harness.test.post(`/v1/agents/${id}/suspend`, { reason: 'why' });
      expectRefused(await create(transferBody(agentWallet, payee, '1.00'), token), 403, 'agent_suspended');
      expectRefused(await create(transferBody(agentWallet, payee, '1.00', { agent_id: id })), 403, 'agent_suspended');
      expect(await available(agentWallet)).toBe('10.00');
    });
  });

  describe('404', () => {
    it('one body for a payer of nobody, another tenant and production; the same for a payee', async () => {
      const { from, to } = await twoWallets(harness.test);
      const [foreign, live] = await Promise.all([openWallet(harness.other, { funded: '10.00' }), openWallet(harness.live)]);
      for (const [member, id, known, others] of [
        ['from_wallet_id', nowhere, { to_wallet_id: to.id }, [foreign.wallet.id, live.wallet.id, `wal_${foreign.wallet.id}`]],
        ['to_wallet_id', nowhere, { from_wallet_id: from.id }, [foreign.wallet.id, live.wallet.id]],
        ['from_account_id', nowhere, { to_wallet_id: to.id }, [foreign.account.id, live.account.id]],
        ['to_account_id', nowhere, { from_wallet_id: from.id }, [foreign.account.id, live.account.id]],
      ] as const) {
        const ask = (value: string) => create({ type: 'internal', amount: '1.00', currency: 'USD', ...known, [member]: value });
        const missing = await ask(id);
        expectRefused(missing, 404, 'not_found', { fields: [{ path: member }] });
        for (const other of others) expect(plain(await ask(other)), member).toEqual(plain(missing));
      }
      expect((await balanceOf(harness.other, foreign.wallet)).available).toBe('10.00');
    });

    it('another tenant’s agent to act for', async () => {
      const { from, to } = await twoWallets(harness.test);
      const foreign = await enrol(harness.other);
      const missing = await create(transferBody(from, to, '1.00', { agent_id: nowhere }));
      expectRefused(missing, 404, 'not_found', { fields: [{ path: 'agent_id' }] });
      expect(plain(await create(transferBody(from, to, '1.00', { agent_id: foreign.uuid })))).toEqual(plain(missing));
    });

    it('an account without a wallet in the currency', async () => {
      const { from, to } = await twoWallets(harness.test);
      const body = { type: 'internal', from_wallet_id: from.id, to_account_id: to.account_id, amount: '1', currency: 'JPY' };
      expectRefused(await create({ ...body, from_wallet_id: undefined, from_account_id: from.account_id }), 404, 'not_found');
    });
  });

  describe('409', () => {
    it('a reference that another transfer has, at once, held, or scheduled; another tenant may have it', async () => {
      const { from, to } = await twoWallets(harness.test);
      await pay(harness.test, from, to, '1.00', { reference: 'once' });
      for (const extra of [{}, { capture: 'manual' }, { scheduled_for: '2030-01-01T00:00:00Z' }]) {
        expectRefused(await create(transferBody(from, to, '1.00', { reference: 'once', ...extra })), 409, 'already_exists', {
          reference: 'once',
        });
      }
      expect(await available(from)).toBe('99.00');
      const others = await twoWallets(harness.other);
      await pay(harness.other, others.from, others.to, '1.00', { reference: 'once' });
    });

    it('not one that another account has: nobody takes, or learns of, another’s', async () => {
      const [first, second] = await Promise.all([twoWallets(harness.test), twoWallets(harness.test)]);
      await pay(harness.test, first.from, first.to, '1.00', { reference: 'mine' });
      for (const extra of [{}, { scheduled_for: '2030-01-01T00:00:00Z' }]) {
        expectRefused(await create(transferBody(first.from, second.to, '1.00', { reference: 'mine', ...extra })), 409, 'already_exists');
      }
      await pay(harness.test, second.from, second.to, '1.00', { reference: 'mine' });
      await pay(harness.test, first.to, first.from, '1.00', { reference: 'mine', scheduled_for: '2030-01-01T00:00:00Z' });
      const second_wallet = await harness.test.make('/v1/wallets', {
        owner_type: 'account',
        owner_id: first.from.account_id,
        currency: 'USD',
      });
      expectRefused(await create(transferBody(second_wallet, second.to, '1.00', { reference: 'mine' })), 409, 'already_exists', {
        reference: 'mine',
        next_actions: [{ path: `/v1/transfers?reference=mine&from_account_id=${first.from.account_id}` }],
      });
    });

    it('one that the account has taken before references were an account’s', async () => {
      const { from, to } = await twoWallets(harness.test);
      const old = await pay(harness.test, from, to, '1.00', { reference: 'of-before' });
      const { unscoped } = harness.platform.database;
      const named = { kind: 'reference', reference: old.id };
      expect(await unscoped.claim.updateMany({ where: named, data: { key: 'of-before' } })).toEqual({ count: 1 });
      for (const extra of [{}, { scheduled_for: '2030-01-01T00:00:00Z' }]) {
        expectRefused(await create(transferBody(from, to, '1.00', { reference: 'of-before', ...extra })), 409, 'already_exists', {
          reference: 'of-before',
        });
      }
      await pay(harness.test, to, from, '0.50', { reference: 'of-before' });
      expect(await unscoped.claim.count({ where: { kind: 'reference', key: { endsWith: 'of-before' } } })).toBe(2);
    });

    it('of many at once with one reference, one', async () => {
      const { from, to } = await twoWallets(harness.test);
      const answers = await Promise.all(Array.from({ length: 10 }, () => create(transferBody(from, to, '1.00', { reference: 'crowd' }))));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
      expect(await available(from)).toBe('99.00');
    });

    it('a refused transfer leaves its reference free', async () => {
      const { from, to } = await twoWallets(harness.test, { funded: '1.00' });
      expect((await create(transferBody(from, to, '2.00', { reference: 'free' }))).status).toBe(422);
      await pay(harness.test, from, to, '1.00', { reference: 'free' });
    });
  });

  describe('422', () => {
    it('more than there is: says what is missing, and what would help', async () => {
      const { from, to } = await twoWallets(harness.test, { funded: '10.00' });
      const refused = await create(transferBody(from, to, '10.01'));
      expectRefused(refused, 422, 'insufficient_balance', {
        wallet_id: from.id,
        currency: 'USD',
        available: '10.00',
        requested: '10.01',
        missing: '0.01',
        next_actions: [{ rel: 'fund', method: 'POST', path: `/v1/wallets/${from.id}/fund`, body: { amount: '0.01' } }],
      });
      const [help] = refused.body.details.next_actions;
      await harness.test.make(help.path, help.body);
      await pay(harness.test, from, to, '10.01');
    });

    it('what is held or wrapped is not there to spend', async () => {
      const { from, to } = await twoWallets(harness.test, { funded: '10.00' });
      await pay(harness.test, from, to, '4.00', { capture: 'manual' });
      await harness.test.make(`/v1/wallets/${from.id}/wrap`, { amount: '4.00' });
      expectRefused(await create(transferBody(from, to, '2.01')), 422, 'insufficient_balance', { available: '2.00' });
      expectRefused(await create(transferBody(to, from, '4.00')), 422, 'insufficient_balance', { available: '0.00' });
      await pay(harness.test, from, to, '2.00');
    });

    it('a wallet in another currency, on either side', async () => {
      const { from } = await twoWallets(harness.test);
      const { wallet: euros } = await openWallet(harness.test, { currency: 'EUR' });
      expectRefused(await create(transferBody(from, euros, '1.00')), 422, 'currency_mismatch', {
        wallet_id: euros.id,
        wallet_currency: 'EUR',
      });
      expectRefused(await create(transferBody(from, euros, '1.00', { currency: 'EUR' })), 422, 'currency_mismatch', { wallet_id: from.id });
    });

    it('payer and payee one wallet, also by way of the account', async () => {
      const { from } = await twoWallets(harness.test);
      expectRefused(await create(transferBody(from, from, '1.00')), 422, 'same_wallet');
      const body = { type: 'internal', from_wallet_id: from.id, to_account_id: from.account_id, amount: '1.00', currency: 'USD' };
      expectRefused(await create(body), 422, 'same_wallet');
    });
  });

  describe('429', () => {
    it('past the budget of a minute, and the transfer is not made', async () => {
      const { from_wallet_id, to_wallet_id } = await waitingTransfer(harness.live);
      const body = { type: 'internal', from_wallet_id, to_wallet_id, amount: '1.00', currency: 'USD' };
      const answers = await Promise.all(Array.from({ length: limit }, () => harness.live.post('/v1/transfers', body)));
      const refused = answers.filter(({ status }) => status === 429);
      expect(refused.length).toBeGreaterThan(0);
      for (const { headers, body: told } of refused) {
        expect(told).toEqual({ error: 'rate_limit_exceeded', retry_after: Number(headers.get('retry-after')) });
      }
    });
  });
});
