// What REST leaves to GraphQL: accounts with their wallets, balances and entries in one request, at a cost that does not grow
// with their number.
import pg from 'pg';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { newAccount } from '../../factories/payment.js';
import { type Json, useHarness } from '../../harness.js';

const harness = useHarness();
afterEach(() => vi.restoreAllMocks());

const query = `query ($reference: String) {
  accounts(customerReference: $reference, limit: 100) {
    nodes {
      id
      wallets(limit: 10) {
        nodes { id currency balance { available total } account { name } entries(limit: 3) { nodes { amount } pagination { total } } }
        pagination { total }
      }
      again: wallets(limit: 1) { nodes { name } }
      agents(limit: 5) { nodes { name wallets(limit: 5) { nodes { currency } } } }
      balances { currency total }
    }
    pagination { total }
  }
}`;

async function open(reference: string, accounts: number): Promise<void> {
  for (let n = 0; n < accounts; n += 1) {
    const account = await newAccount(harness.test, { customer_reference: reference, name: `${reference} ${n}` });
    await harness.test.make('/v1/agents', { parent_account_id: account.id, name: 'Agent', wallet: { currency: 'EUR' } });
    for (const currency of ['USD', 'JPY']) {
      const wallet = await harness.test.make('/v1/wallets', { owner_type: 'account', owner_id: account.id, currency });
      await harness.test.make(`/v1/wallets/${wallet.id}/fund`, { amount: String(n + 1) });
    }
  }
}

async function ask(reference: string, document = query): Promise<{ nodes: Json[]; total: number; queries: number }> {
  const spy = vi.spyOn(pg.Client.prototype, 'query');
  const { body } = await harness.test.graphql(document, { reference });
  // The process pings its own listening connection now and then.
  const queries = spy.mock.calls.filter(([query]) => query !== 'SELECT 1').length;
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
      nodes.map(({ wallets }) =>
        wallets.nodes.map((wallet: Json) => `${wallet.account.name} ${wallet.balance.total} ${wallet.currency}`).sort(),
      ),
    ).toEqual([
      ['whole 1 0.00 EUR', 'whole 1 2 JPY', 'whole 1 2.00 USD'],
      ['whole 0 0.00 EUR', 'whole 0 1 JPY', 'whole 0 1.00 USD'],
    ]);
    expect(nodes[0]).toMatchObject({
      again: { nodes: [{ name: null }] },
      agents: { nodes: [{ name: 'Agent', wallets: { nodes: [{ currency: 'EUR' }] } }] },
      balances: [
        { currency: 'EUR', total: '0.00' },
        { currency: 'JPY', total: '2' },
        { currency: 'USD', total: '2.00' },
      ],
    });
    expect(nodes[0].wallets.pagination).toEqual({ total: 3 });
    expect(nodes[0].wallets.nodes[0].entries).toEqual({ nodes: [{ amount: '2' }], pagination: { total: 1 } });
  });

  it('come with the pages of their own lists', async () => {
    await open('paged', 1);
    const wallets = async (given: string) => {
      const page = `wallets(${given}) { nodes { id currency } pagination { total hasMore nextCursor } }`;
      const { body } = await harness.test.graphql(`{ accounts(customerReference: "paged") { nodes { ${page} } } }`);
      const [{ wallets: found }] = body.data.accounts.nodes;
      return { currencies: found.nodes.map(({ currency }: Json) => currency), ...found.pagination };
    };
    const first = await wallets('limit: 2');
    expect(first).toEqual({ currencies: ['JPY', 'USD'], total: 3, hasMore: true, nextCursor: expect.any(String) });
    const rest = await wallets(`after: "${first.nextCursor}"`);
    expect(rest).toEqual({ currencies: ['EUR'], total: 3, hasMore: false, nextCursor: null });
  });

  it('cost two queries for a list and one for a relation, whatever reads it', async () => {
    await open('few', 3);
    const nested = `query ($reference: String) {
      accounts(customerReference: $reference) { nodes { wallets { nodes { account { name } } } } pagination { total } }
    }`;
    await ask('few', nested);
    expect((await ask('few', nested)).queries).toBe(4);
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
