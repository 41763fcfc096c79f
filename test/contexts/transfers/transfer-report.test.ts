// transferTotals and transferCsv of GraphQL, and the account of either side as a filter.
import { describe, expect, it } from 'vitest';
import { csvCell } from '../../../src/contexts/transfers/transfer-report.js';
import { idsOf, pay, twoWallets } from '../../factories/payment.js';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const ask = async (query: string, as?: string): Promise<Json> =>
  (await harness.test.graphql(query, {}, as === undefined ? {} : { as })).body;

describe('transferTotals', () => {
  it('adds up what moved, by currency and status, as the operations of the reports do', async () => {
    const { from, to } = await twoWallets(harness.test);
    const euros = await twoWallets(harness.test, { currency: 'EUR' });
    harness.clock.advance(1);
    const since = harness.clock.now().toISOString();
    await pay(harness.test, from, to, '10.00');
    const paid = await pay(harness.test, from, to, '5.50');
    await harness.test.make('/v1/refunds', { original_transfer_id: paid.id, amount: '1.50', reason: 'customer_request' });
    await pay(harness.test, euros.from, euros.to, '7.00');
    const held = await pay(harness.test, from, to, '20.00', { capture: 'manual' });
    await harness.test.make(`/v1/transfers/${held.id}/capture`, { amount: '8.00' });
    await pay(harness.test, from, to, '3.00', { capture: 'manual' });
    const { transferTotals } = (
      await ask(`{ transferTotals(since: "${since}") { count complete sums { currency status count amount refunded } } }`)
    ).data;
    expect(transferTotals).toEqual({
      count: 6,
      complete: true,
      sums: [
        { currency: 'EUR', status: 'completed', count: 1, amount: '7.00', refunded: '0.00' },
        { currency: 'USD', status: 'pending', count: 1, amount: '3.00', refunded: '0.00' },
        { currency: 'USD', status: 'completed', count: 4, amount: '25.00', refunded: '1.50' },
      ],
    });
    harness.clock.advance(1);
    const { nodes } = (
      await ask(`{ usageOperations(start: "${since}", end: "${harness.clock.now().toISOString()}") { nodes { amount currency } } }`)
    ).data.usageOperations;
    const inUsd = nodes.filter(({ currency }: Json) => currency === 'USD').map(({ amount }: Json) => Number(amount));
    expect(inUsd.reduce((sum: number, amount: number) => sum + amount, 0)).toBe(25);
  });

  it('is closed to agents', async () => {
    const { wallet } = await openWallet(harness.test);
    const agent = await enrol(harness.test, { parent_account_id: wallet.account_id });
    const { errors } = await ask('{ transferTotals { count } }', agent.token);
    expect(errors[0].extensions.code).toBe('forbidden');
  });
});

describe('transferCsv', () => {
  it('is the list, part by part, with the names of both sides', async () => {
    const { from, to } = await twoWallets(harness.test);
    const odd = await pay(harness.test, from, to, '1.25', { description: '=1+1, "odd"', reference: 'INV-7' });
    const next = await pay(harness.test, from, to, '2.00');
    const read = async (after: string) =>
      (await ask(`{ transferCsv(walletId: "${to.id}", limit: 1${after}) { csv rows nextCursor } }`)).data.transferCsv;
    const first = await read('');
    const [heading = '', row = ''] = first.csv.split('\r\n');
    const names = heading.split(',');
    expect(row.split(',')[names.indexOf('id')]).toBe(next.id);
    expect(row.split(',')[names.indexOf('to_account')]).toBe('Payee');
    const second = await read(`, after: "${first.nextCursor}"`);
    expect(second).toMatchObject({ rows: 1, nextCursor: null });
    expect(second.csv).toMatch(new RegExp(`^${odd.id},.*,1.25,.*,INV-7,"'=1\\+1, ""odd""",,\\r\\n$`));
  });

  it('leaves a spreadsheet no formula', () => {
    expect(['=A1', '+1', '-1', '@x', 'a"b', 'plain'].map(csvCell)).toEqual(["'=A1", "'+1", "'-1", "'@x", '"a""b"', 'plain']);
  });
});

describe('GET /v1/transfers?account_id', () => {
  it('is what the account pays and what it gets', async () => {
    const { from, to } = await twoWallets(harness.test);
    const [there, back] = [await pay(harness.test, from, to, '2.00'), await pay(harness.test, to, from, '1.00')];
    await pay(harness.test, ...(Object.values(await twoWallets(harness.test)) as [Json, Json]), '1.00');
    expect(idsOf(await harness.test.get(`/v1/transfers?account_id=${to.account_id}`))).toEqual([back.id, there.id]);
    expect(idsOf(await harness.test.get(`/v1/transfers?account_id=${to.account_id}&type=internal&wallet_id=${from.id}`))).toHaveLength(2);
  });
});
