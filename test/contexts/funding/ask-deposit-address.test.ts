// POST and GET /v1/wallets/{id}/deposit-addresses in the sandbox; over a chain: test/contexts/evm/deposit.test.ts
import { describe, expect, it } from 'vitest';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const newWallet = async (currency = 'USDC'): Promise<Json> => (await openWallet(harness.test, { currency })).wallet;
const path = ({ id }: Json) => `/v1/wallets/${id}/deposit-addresses`;
const ask = (wallet: Json, rail: unknown = 'usdc-base', options: object = {}) => harness.test.post(path(wallet), { rail }, options);

describe('POST /v1/wallets/{id}/deposit-addresses', () => {
  it('201 with the address of the simulated chain, and 200 with the same one again', async () => {
    const wallet = await newWallet();
    const { status, body } = await ask(wallet);
    expect([status, body]).toEqual([
      201,
      {
        data: {
          address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
          rail: 'usdc-base',
          network: 'eip155:84532',
          chain_id: 84_532,
          token: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
          minimum: '0.00',
          confirmations: '1',
        },
      },
    ]);
    const again = await ask(wallet);
    expect([again.status, again.body]).toEqual([200, { data: body.data, repeated: true }]);
    expect((await ask(await newWallet())).body.data.address).not.toBe(body.data.address);
  });

  it('201 for the same key, as at first', async () => {
    const wallet = await newWallet();
    const keyed = () => ask(wallet, 'usdc-base', { headers: { 'Idempotency-Key': 'address-1' } });
    const first = await keyed();
    expect(await keyed()).toMatchObject({ status: first.status, body: first.body });
    const { status, body } = await harness.test.graphql(
      'mutation ($id: WalletId!) { askDepositAddress(id: $id, input: { rail: "usdc-base" }) { depositAddress { address } repeated } }',
      { id: wallet.id },
    );
    expect([status, body.data.askDepositAddress]).toEqual([200, { depositAddress: { address: first.body.data.address }, repeated: true }]);
  });

  it('201 for an agent and a wallet of its own, 403 for one of its account', async () => {
    const { token, wallet, account } = await agentWithWallet();
    expect((await ask(wallet, 'usdc-base', { as: token })).status).toBe(201);
    const { data } = (await harness.test.get(path(wallet), { as: token })).body;
    expect(data).toHaveLength(1);
    const ofAccount = await harness.test.make('/v1/wallets', { owner_type: 'account', owner_id: account, currency: 'USDC' });
    expectRefused(await ask(ofAccount, 'usdc-base', { as: token }), 403, 'forbidden');
    expectRefused(await harness.test.get(path(ofAccount), { as: token }), 403, 'forbidden');
  });

  it('400 for a rail that is none', async () => {
    const wallet = await newWallet();
    expectInvalid(await ask(wallet, 'usdc-mars'), 'rail');
    expectInvalid(await ask(wallet, 7), 'rail');
    expectInvalid(await harness.test.post(path(wallet), {}), 'rail');
  });

  it('403 for a wallet that is closed', async () => {
    const wallet = await newWallet();
    await harness.test.make(`/v1/wallets/${wallet.id}/close`, {});
    expectRefused(await ask(wallet), 403, 'wallet_frozen');
  });

  it('404 for a wallet of nobody, of another tenant, and of another agent', async () => {
    expectRefused(await ask({ id: nowhere }), 404, 'not_found');
    const wallet = await newWallet();
    expectRefused(await harness.other.post(path(wallet), { rail: 'usdc-base' }), 404, 'not_found');
    expectRefused(await harness.other.get(path(wallet)), 404, 'not_found');
    const stranger = await enrol(harness.test);
    expectRefused(await ask((await agentWithWallet()).wallet, 'usdc-base', { as: stranger.token }), 404, 'not_found');
  });

  it('422 for a wallet in another currency than the rail', async () => {
    expectRefused(await ask(await newWallet('USD')), 422, 'currency_mismatch', { wallet_currency: 'USD', currency: 'USDC' });
  });

  it('503 for a rail that takes no deposits, here and in production', async () => {
    const reason = { rail: 'usdc-polygon', reason: 'not_configured' };
    expectRefused(await ask(await newWallet(), 'usdc-polygon'), 503, 'rail_unavailable', reason);
    const { wallet } = await openWallet(harness.live, { currency: 'USDC' });
    const refused = await harness.live.post(path(wallet), { rail: 'usdc-base' });
    expectRefused(refused, 503, 'rail_unavailable', { rail: 'usdc-base', reason: 'not_configured' });
    expect((await harness.live.get(path(wallet))).body.data).toEqual([]);
  });
});

describe('GET /v1/wallets/{id}/deposit-addresses', () => {
  it('lists those that were asked for', async () => {
    const wallet = await newWallet();
    expect((await harness.test.get(path(wallet))).body).toEqual({ data: [] });
    const { body } = await ask(wallet);
    expect((await harness.test.get(path(wallet))).body.data).toEqual([body.data]);
    const { data } = (
      await harness.test.graphql('query ($id: WalletId!) { depositAddresses(walletId: $id) { address chainId } }', { id: wallet.id })
    ).body;
    expect(data.depositAddresses).toEqual([{ address: body.data.address, chainId: 84_532 }]);
  });
});

async function agentWithWallet() {
  const agent = await enrol(harness.test);
  const wallet = await harness.test.make('/v1/wallets', { owner_type: 'agent', owner_id: agent.id, currency: 'USDC' });
  return { ...agent, wallet, account: (await harness.test.get(`/v1/agents/${agent.id}`)).body.data.parent_account_id };
}
