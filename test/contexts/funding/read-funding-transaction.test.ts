// GET /v1/funding/transactions and GET /v1/funding/transactions/{id}
import { describe, expect, it } from 'vitest';
import { newFunding, readFunding } from '../../factories/funding.js';
import { idsOf } from '../../factories/payment.js';
import { openWallet, useHarness } from '../../harness.js';
import { expectInvalid } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const path = '/v1/funding/transactions';

describe('GET /v1/funding/transactions', () => {
  it('200: newest first, by status, provider, type and wallet; nobody else’s', async () => {
    const { wallet } = await openWallet(harness.test);
    const card = await newFunding(harness.test, 'card-simulated-us', {}, wallet);
    const bank = await newFunding(harness.test, 'ach', {}, wallet);
    const sandbox = await newFunding(harness.test, 'sandbox');
    const read = async (query: string) => idsOf(await harness.test.get(`${path}?${query}`));
    expect(await read('limit=3')).toEqual([sandbox.id, bank.id, card.id]);
    expect(await read(`wallet_id=${wallet.id}`)).toEqual([bank.id, card.id]);
    expect(await read('type=bank_transfer')).toEqual([bank.id]);
    expect(await read('provider=simulated-us&type=card')).toEqual([card.id]);
    expect(await read('status=completed')).toEqual([sandbox.id]);
    expect(await read('status=failed')).toEqual([]);
    expect(await read(`starting_after=${bank.id}`)).toEqual([card.id]);
    expect(idsOf(await harness.other.get(path))).toEqual([]);
  });

  it('200: an agent sees what came into its own wallets, and no more', async () => {
    const { token, agent } = await enrol(harness.test, { wallet: { currency: 'USD' } });
    const own = await newFunding(harness.test, 'ach', {}, { id: agent.default_wallet_id });
    const other = await newFunding(harness.test);
    expect(idsOf(await harness.test.get(path, { as: token }))).toEqual([own.id]);
    expect((await harness.test.get(`${path}/${own.id}`, { as: token })).status).toBe(200);
    expect((await harness.test.get(`${path}/${other.id}`, { as: token })).status).toBe(404);
  });

  it('400: for a filter that is none', async () => {
    expectInvalid(await harness.test.get(`${path}?status=returned`), 'status');
  });
});

describe('GET /v1/funding/transactions/{id}', () => {
  it('200: the transaction, and through GraphQL too', async () => {
    const funding = await newFunding(harness.test);
    expect(await readFunding(harness.test, funding)).toEqual(funding);
    const { body } = await harness.test.graphql('query ($id: FundingTransactionId!) { fundingTransaction(id: $id) { id fee status } }', {
      id: funding.id,
    });
    expect(body.data.fundingTransaction).toEqual({ id: funding.id, fee: '2.90', status: 'pending' });
  });
});
