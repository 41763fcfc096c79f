// What REST leaves to GraphQL: accounts with their wallets, balances and entries in one request, at a cost that does not grow
// with their number.
import pg from 'pg';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { newAccount } from '../../factories/payment.js';
import { type Json, useHarness } from '../../harness.js';

const harness = useHarness();
afterEach(() => vi.restoreAllMocks());

const query = `query ($reference: String) {
  accounts(customerReference: $reference, limit: 200) {
    nodes { id wallets { id currency balance { available total } account { name } } }
    pagination { total }
  }
}`;

async function open(reference: string, accounts: number): Promise<void> {
  for (let n = 0; n < accounts; n += 1) {
    const account = await newAccount(harness.test, { customer_reference: reference, name: `${reference} ${n}` });
    for (const currency of ['USD', 'JPY']) {
      const wallet = await harness.test.make('/v1/wallets', { owner_type: 'account', owner_id: account.id, currency });
      await harness.test.make(`/v1/wallets/${wallet.id}/fund`, { amount: String(n + 1) });
    }
  }
}

async function ask(reference: string): Promise<{ nodes: Json[]; total: number; queries: number }> {
  const spy = vi.spyOn(pg.Client.prototype, 'query');
  const { body } = await harness.test.graphql(query, { reference });
  const queries = spy.mock.calls.length;
  spy.mockRestore();
  expect(body.errors).toBeUndefined();
  const { nodes, pagination } = body.data.accounts;
  return { nodes, total: pagination.total, queries };
}

describe('accounts with their wallets', () => {
  it('come whole', async () => {
    await open('whole', 2);
    const { nodes, total } = await ask('whole');
    expect(total).toBe(2);
    expect(
      nodes.map(({ wallets }) => wallets.map((wallet: Json) => `${wallet.account.name} ${wallet.balance.total} ${wallet.currency}`).sort()),
    ).toEqual([
      ['whole 1 2 JPY', 'whole 1 2.00 USD'],
      ['whole 0 1 JPY', 'whole 0 1.00 USD'],
    ]);
  });

  it('cost as many queries for eight as for two', async () => {
    await open('two', 2);
    await open('eight', 8);
    await ask('two');
    const [two, eight] = [await ask('two'), await ask('eight')];
    expect([two.nodes.length, eight.nodes.length]).toEqual([2, 8]);
    expect(two.queries).toBeGreaterThan(0);
    expect(eight.queries).toBe(two.queries);
  });
});
