// POST /v1/funding/transactions
import { describe, expect, it } from 'vitest';
import { fundingBody, newFunding, type Way, ways } from '../../factories/funding.js';
import { balanceOf } from '../../factories/payment.js';
import { readTransfer } from '../../factories/payout.js';
import { type Client, type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const path = '/v1/funding/transactions';
const newWallet = async (currency = 'USD', client: Client = harness.test): Promise<Json> => (await openWallet(client, { currency })).wallet;
const create = (body: Json, client: Client = harness.test) => client.post(path, body);

describe('POST /v1/funding/transactions', () => {
  describe('201', () => {
    it('pending, with every member of its resource: nothing is credited yet', async () => {
      const wallet = await newWallet();
      const { status, body } = await create(fundingBody(wallet, 'card-simulated-us', { source_ref: 'tok_visa' }));
      const at = harness.clock.now().toISOString();
      expect([status, body.data]).toEqual([
        201,
        {
          id: expect.stringMatching(/^fnd_/),
          transfer_id: expect.any(String),
          provider: 'simulated-us',
          type: 'card',
          wallet_id: wallet.id,
          amount: '100.00',
          currency: 'USD',
          fee: '2.90',
          rail: 'card-simulated-us',
          source_ref: 'tok_visa',
          status: 'pending',
          created_at: at,
        },
      ]);
      expect(await balanceOf(harness.test, wallet)).toMatchObject({ available: '0.00', pending_in: '0.00' });
      const transfer = await readTransfer(harness.test, body.data);
      expect(transfer).toMatchObject({
        type: 'internal',
        protocol: 'internal',
        status: 'pending',
        amount: '100.00',
        fee: { amount: '2.90', currency: 'USD' },
        to_wallet_id: wallet.id,
        funding_transaction_id: body.data.id,
      });
      expect(transfer.from_wallet_id).toBeUndefined();
    });

    it('completed at once out of the sandbox, whole', async () => {
      const wallet = await newWallet();
      const { status, body } = await create(fundingBody(wallet, 'sandbox'));
      const at = harness.clock.now().toISOString();
      expect([status, body.data]).toMatchObject([201, { status: 'completed', fee: '0.00', rail: 'sandbox', completed_at: at }]);
      expect(await balanceOf(harness.test, wallet)).toMatchObject({ available: '100.00' });
      expect(await readTransfer(harness.test, body.data)).toMatchObject({ status: 'completed', funding_transaction_id: body.data.id });
    });

    it.each(Object.entries(ways))('by %s, as its provider serves the type and the currency', async (rail, { currency }) => {
      expect(await newFunding(harness.test, rail as Way)).toMatchObject({ rail, currency });
    });

    it.each([
      ['100.00', '2.90'],
      ['0.01', undefined],
      ['0.02', '0.01'],
      ['34.49', '1.01'],
    ])('the share of a card of %s is %s, rounded up', async (amount, fee) => {
      const answer = await create(fundingBody(await newWallet(), 'card-simulated-us', { amount }));
      if (fee === undefined) expectInvalid(answer, 'amount');
      else expect(answer.body.data).toMatchObject({ amount, fee });
    });

    it('once for a key, however often it is sent', async () => {
      for (const rail of ['sandbox', 'ach'] as const) {
        const wallet = await newWallet();
        const send = () => harness.test.post(path, fundingBody(wallet, rail), { headers: { 'Idempotency-Key': `fund-${rail}` } });
        const answers = [await send(), await send()];
        expect(answers[1]).toMatchObject({ status: 201, body: answers[0]?.body });
        expect((await harness.test.get(`${path}?wallet_id=${wallet.id}`)).body.data).toHaveLength(1);
      }
    });

    it('into a wallet that is frozen: it still takes money', async () => {
      const wallet = await newWallet();
      await harness.test.post(`/v1/wallets/${wallet.id}/freeze`, {});
      for (const rail of ['sandbox', 'card-simulated-us'] as const) expect((await create(fundingBody(wallet, rail))).status).toBe(201);
      await harness.runDue();
      await harness.advance(2);
      expect(await balanceOf(harness.test, wallet)).toMatchObject({ available: '197.10' });
    });
  });

  describe('400', () => {
    it.each([
      [{ amount: '0.00' }, 'amount'],
      [{ amount: '1.001' }, 'amount'],
      [{ amount: '10000000000000.01' }, 'amount'],
      [{ type: 'cash' }, 'type'],
      [{ provider: 'constructor' }, 'provider'],
      [{ provider: 'x'.repeat(65) }, 'provider'],
      [{ wallet_id: 'x' }, 'wallet_id'],
      [{ source_ref: '' }, 'source_ref'],
      [{ source_ref: 'x'.repeat(129) }, 'source_ref'],
      [{ source_ref: '4242 4242 4242 4242' }, 'source_ref'],
      [{ source: 'x' }, 'source'],
    ])('for %o', async (extra, member) => {
      expectInvalid(await create(fundingBody(await newWallet(), 'card-simulated-us', extra)), member);
    });

    it('for no more than the fee', async () => {
      expectInvalid(await create(fundingBody(await newWallet(), 'wire', { amount: '15.00' })), 'amount');
      expect((await create(fundingBody(await newWallet(), 'wire', { amount: '15.01' }))).status).toBe(201);
    });
  });

  describe('403', () => {
    it('into a wallet that is closed', async () => {
      const wallet = await newWallet();
      await harness.test.post(`/v1/wallets/${wallet.id}/close`, {});
      for (const rail of ['sandbox', 'ach'] as const) expectRefused(await create(fundingBody(wallet, rail)), 403, 'wallet_frozen');
      expect((await harness.test.get(`${path}?wallet_id=${wallet.id}`)).body.data).toEqual([]);
    });
  });

  it('404: for a wallet of nobody, and of another tenant', async () => {
    const foreign = await newWallet('USD', harness.other);
    for (const id of [nowhere, foreign.id]) expectRefused(await create(fundingBody({ id })), 404, 'not_found');
  });

  describe('422', () => {
    it('for a wallet of another currency', async () => {
      expectRefused(await create(fundingBody(await newWallet('EUR'))), 422, 'currency_mismatch');
    });

    it('for a type or a currency that the provider does not bring', async () => {
      const dollars = await newWallet();
      const asked = (extra: object) => create(fundingBody(dollars, 'ach', extra));
      expectRefused(await asked({ provider: 'simulated-wire', type: 'card' }), 422, 'unsupported_rail', { types: ['bank_transfer'] });
      expectRefused(await asked({ provider: 'simulated-eu' }), 422, 'unsupported_rail', { currencies: ['EUR'] });
      expectRefused(await asked({ provider: 'simulated-us', type: 'sandbox' }), 422, 'unsupported_rail', {
        next_actions: [{ method: 'GET', path: '/v1/funding/providers?type=sandbox' }],
      });
    });
  });

  it('503: in production, where no provider is connected: nothing is stored', async () => {
    const wallet = await newWallet('USD', harness.live);
    for (const rail of ['card-simulated-us', 'ach', 'sandbox'] as const)
      expectRefused(await create(fundingBody(wallet, rail), harness.live), 503, 'rail_unavailable', {
        reason: 'not_configured',
        retry: { safe: true },
      });
    expect((await harness.live.get(path)).body.data).toEqual([]);
    expect((await harness.live.get(`/v1/transfers?wallet_id=${wallet.id}`)).body.data).toEqual([]);
  });
});
