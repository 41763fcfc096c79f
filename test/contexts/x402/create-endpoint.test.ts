// POST /v1/x402/endpoints
import { describe, expect, it } from 'vitest';
import { eventsOf } from '../../factories/payment.js';
import { endpointBody, newEndpoint } from '../../factories/x402.js';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const path = '/v1/x402/endpoints';
const create = (body: Json) => harness.test.post(path, body);
const seller = (currency = 'USDC') => openWallet(harness.test, { currency });

describe('POST /v1/x402/endpoints', () => {
  describe('201', () => {
    it('with multipliers as numbers: the shortest decimal text of each is read', async () => {
      const { account } = await seller();
      const given = [0.9, '0.80', 0.7001, 0.3, 0.0001];
      const volume_discounts = given.map((price_multiplier, index) => ({ threshold: index + 1, price_multiplier }));
      const { status, body } = await create(endpointBody(account, { volume_discounts }));
      expect([status, body.data.volume_discounts.map(({ price_multiplier }: Json) => price_multiplier)]).toEqual([
        201,
        ['0.9', '0.80', '0.7001', '0.3', '0.0001'],
      ]);
      const mutation = `mutation ($account: AccountId!) { createX402Endpoint(input: { name: "N", path: "/n", method: GET, accountId: $account,
        basePrice: "1.00", currency: "USDC", volumeDiscounts: [{ threshold: 2, priceMultiplier: 0.8 }] }) { volumeDiscounts { priceMultiplier } } }`;
      const answer = await harness.test.graphql(mutation, { account: account.id });
      expect(answer.body.data.createX402Endpoint.volumeDiscounts).toEqual([{ priceMultiplier: '0.8' }]);
    });

    it('with every member of its resource', async () => {
      const { account, wallet } = await seller();
      const discounts = [
        { threshold: 2, price_multiplier: '0.9' },
        { threshold: 10, price_multiplier: '0.5' },
      ];
      const { status, body } = await create(
        endpointBody(account, { description: 'By the hour', volume_discounts: discounts, discoverable: true, metadata: { a: 1 } }),
      );
      const at = harness.clock.now().toISOString();
      expect([status, body]).toEqual([
        201,
        {
          data: {
            id: expect.stringMatching(/^epd_/),
            account_id: account.id,
            receiver_wallet_id: wallet.id,
            name: 'Weather',
            path: '/weather',
            method: 'GET',
            base_price: '0.10',
            currency: 'USDC',
            scheme: 'exact',
            network: 'ledger:test',
            pay_to: wallet.id,
            description: 'By the hour',
            volume_discounts: discounts,
            discoverable: true,
            status: 'active',
            total_calls: 0,
            total_revenue: '0.00',
            metadata: { a: 1 },
            created_at: at,
            updated_at: at,
          },
        },
      ]);
    });

    it('tells it', async () => {
      const endpoint = await newEndpoint(harness.test);
      expect(await eventsOf(harness, endpoint.id.slice('epd_'.length))).toEqual([
        {
          type: 'x402.endpoint.created',
          data: {
            endpoint_id: endpoint.id,
            account_id: `acc_${endpoint.account_id}`,
            name: 'Weather',
            path: '/weather',
            method: 'GET',
            base_price: '0.10',
            currency: 'USDC',
            network: 'ledger:test',
            status: 'active',
          },
        },
      ]);
    });

    it('on a chain, with the address of its wallet there', async () => {
      const { account } = await seller();
      const { body } = await create(endpointBody(account, { network: 'eip155:84532' }));
      expect(body.data).toMatchObject({ network: 'eip155:84532', pay_to: expect.stringMatching(/^0x[0-9a-f]{40}$/) });
      const again = await create(endpointBody(account, { network: 'base-sepolia' }));
      expect(again.body.data).toMatchObject({ network: 'eip155:84532', pay_to: body.data.pay_to });
    });

    it('once for one Idempotency-Key', async () => {
      const { account } = await seller();
      const headers = { 'Idempotency-Key': `endpoint-${account.id}` };
      const [first, again] = [
        await harness.test.post(path, endpointBody(account), { headers }),
        await harness.test.post(path, endpointBody(account), { headers }),
      ];
      expect([again.body.data.id, again.headers.get('idempotent-replayed')]).toEqual([first.body.data.id, 'true']);
    });
  });

  describe('400', () => {
    it('for what does not fit together', async () => {
      const { account } = await seller();
      const usd = await seller('USD');
      expectInvalid(await create({ ...endpointBody(account), path: undefined }), 'path');
      expectInvalid(await create(endpointBody(account, { path: 'weather' })), 'path');
      expectInvalid(await create(endpointBody(account, { base_price: '0' })), 'base_price');
      expectInvalid(await create(endpointBody(usd.account)), 'account_id');
      expectInvalid(await create(endpointBody(usd.account, { currency: 'USD', network: 'eip155:84532' })), 'currency');
      expectInvalid(await create(endpointBody(account, { scheme: 'upto', network: 'eip155:84532' })), 'scheme');
      expectInvalid(await create(endpointBody(account, { method: 'BREW' })), 'method');
    });

    it('for discounts that do not rise', async () => {
      const { account } = await seller();
      const withDiscounts = (...discounts: [number, string][]) =>
        create(
          endpointBody(account, { volume_discounts: discounts.map(([threshold, price_multiplier]) => ({ threshold, price_multiplier })) }),
        );
      expectInvalid(await withDiscounts([10, '0.5'], [10, '0.4']), 'volume_discounts.1.threshold');
      expectInvalid(await withDiscounts([10, '0.5'], [20, '0.5']), 'volume_discounts.1.price_multiplier');
      expectInvalid(await withDiscounts([10, '1.5']), 'volume_discounts.0.price_multiplier');
      for (const none of [1.5, 0, -0.5, 0.12345, 1e-7, 0.1 + 0.2, true, '0x1', null])
        expectInvalid(await withDiscounts([10, none as never]), 'volume_discounts.0.price_multiplier');
      expectInvalid(await withDiscounts([10_001, '0.5']), 'volume_discounts.0.threshold');
    });
  });

  describe('404', () => {
    it('for an account or a wallet that is none of it', async () => {
      const { account } = await seller();
      const other = await seller();
      expectRefused(await create(endpointBody({ id: nowhere })), 404, 'not_found');
      expectRefused(await create(endpointBody(account, { receiver_wallet_id: other.wallet.id })), 404, 'not_found');
    });
  });

  it('400 for an unknown network, with those that there are', async () => {
    const { account } = await seller();
    for (const network of ['eip155:1', 'ledger:live', 'solana']) {
      const answer = await create(endpointBody(account, { network }));
      expectInvalid(answer, 'network');
      expect(answer.body.details.fields[0].message).toBe('must be one of ledger:test, eip155:84532');
    }
  });

  describe('422', () => {
    it('for a wallet in another currency, and for a network that nobody serves', async () => {
      const { account } = await seller();
      const usd = await harness.test.make('/v1/wallets', { owner_type: 'account', owner_id: account.id, currency: 'USD' });
      expectRefused(await create(endpointBody(account, { receiver_wallet_id: usd.id })), 422, 'currency_mismatch');
      const live = await openWallet(harness.live, { currency: 'USDC' });
      const onChain = endpointBody(live.account, { network: 'eip155:8453' });
      expectRefused(await harness.live.post(path, onChain), 422, 'unsupported_network');
    });
  });
});
