// The life of money that comes in over the simulated rails: what is credited, what is told, and what the source takes back
// (CONTRACT.md 12). Each test has a workspace of its own where it looks at the workspace's own accounts.
import { afterEach, describe, expect, it } from 'vitest';
import { booksOfFunding, newFunding, readFunding, toldOfFunding, type Way } from '../../factories/funding.js';
import { balanceOf, pay } from '../../factories/payment.js';
import { ownBalance, readTransfer, sendSigned } from '../../factories/payout.js';
import { newSandbox } from '../../factories/treasury.js';
import { type Client, type Json, openWallet, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';

const harness = useHarness();
const fault = (rail: string, kind: string, client: Client = harness.test) =>
  client.make(`/v1/test/rails/${rail}/faults`, { kind, next_n: 1 });
const day = 86_400;

/** Money that its rail has taken on, and the wallet that it is for. */
async function underWay(rail: Way = 'card-simulated-us', extra: object = {}, client: Client = harness.test) {
  const currency = rail === 'sepa' ? 'EUR' : rail === 'pix' ? 'BRL' : 'USD';
  const { wallet } = await openWallet(client, { currency });
  const funding = await newFunding(client, rail, extra, wallet);
  await harness.runDue();
  return { wallet, funding: await readFunding(client, funding) };
}
const available = async (wallet: Json, client: Client = harness.test) => (await balanceOf(client, wallet)).available;

afterEach(async () => {
  for (const rail of ['ach', 'pix', 'card-simulated-us']) await harness.test.delete(`/v1/test/rails/${rail}/faults`);
});

describe('money that comes in', () => {
  it('is credited when its rail has settled, less the fee; clearing agrees with the statement', async () => {
    const client = await newSandbox(harness);
    const { wallet, funding } = await underWay('card-simulated-us', {}, client);
    expect(funding).toMatchObject({ status: 'pending', rail_reference: expect.stringMatching(/^fnd[0-9a-f]{32}$/) });
    expect(funding.expected_at).toBe(new Date(harness.clock.now().getTime() + 2_000).toISOString());
    expect(await readTransfer(client, funding)).toMatchObject({ status: 'processing' });
    await harness.advance(1);
    expect(await available(wallet, client)).toBe('0.00');
    await harness.advance(1);
    const at = harness.clock.now().toISOString();
    expect(await readFunding(client, funding)).toEqual({ ...funding, status: 'completed', completed_at: at });
    expect(await readTransfer(client, funding)).toMatchObject({ status: 'completed', amount: '100.00', completed_at: at });
    expect(await available(wallet, client)).toBe('97.10');
    expect(await ownBalance(harness, wallet, 'rail.clearing:card-simulated-us')).toBe(-10_000n);
    expect(await ownBalance(harness, wallet, 'fees')).toBe(290n);
    const { orders, statement } = await booksOfFunding(harness, funding);
    expect(orders).toMatchObject([{ direction: 'in' }]);
    expect(statement).toMatchObject([{ direction: 'credit', amount: 10_000n, description: 'collection' }]);
    expect(await toldOfFunding(harness, funding)).toEqual(['transfer.created', 'transfer.completed']);
    const { body } = await client.get(`/v1/wallets/${wallet.id}/entries`);
    expect(body.data).toMatchObject([{ amount: '97.10' }]);
  });

  it('leaves one operation, with what the rail took as its cost', async () => {
    const { funding } = await underWay();
    await harness.advance(2);
    const where = { subjectId: funding.transfer_id };
    const operations = await harness.platform.database.unscoped.operation.findMany({ where });
    expect(operations).toMatchObject([{ operation: 'transfer.funding', success: true, amount: 10_000n, externalCostUsd: 2_900_000n }]);
  });

  it('that is declined has failed, and nothing was credited', async () => {
    await fault('card-simulated-us', 'reject');
    const { wallet, funding } = await underWay();
    await harness.advance(2);
    expect(await readFunding(harness.test, funding)).toMatchObject({
      status: 'failed',
      error_code: 'card_declined',
      return: { code: 'card_declined', reason: 'the card was declined' },
    });
    expect(await readTransfer(harness.test, funding)).toMatchObject({ status: 'failed', failure: { code: 'card_declined' } });
    expect(await available(wallet)).toBe('0.00');
    expect(await toldOfFunding(harness, funding)).toEqual(['transfer.created', 'transfer.failed']);
    expect((await booksOfFunding(harness, funding)).statement).toEqual([]);
  });

  it('lost_ack: the rail is asked, and nothing is submitted again', async () => {
    await fault('ach', 'lost_ack');
    const { wallet, funding } = await underWay('ach');
    expect(funding.expected_at).toBeUndefined();
    await harness.advance(30);
    const asked = await readFunding(harness.test, funding);
    expect(asked).toMatchObject({ status: 'pending', rail_reference: funding.rail_reference, expected_at: expect.any(String) });
    await harness.advance(day);
    await harness.advance(60);
    expect(await available(wallet)).toBe('99.75');
    expect((await booksOfFunding(harness, funding)).orders).toHaveLength(1);
  });

  it('duplicate_callback and out_of_order: it is credited once', async () => {
    for (const kind of ['duplicate_callback', 'out_of_order']) await fault('pix', kind);
    const { wallet, funding } = await underWay('pix');
    await harness.advance(10);
    expect(await available(wallet)).toBe('100.00');
    expect(await toldOfFunding(harness, funding)).toEqual(['transfer.created', 'transfer.completed']);
  });

  it('amount_mismatch: what was ordered is credited, and the statement differs', async () => {
    await fault('pix', 'amount_mismatch');
    const { wallet, funding } = await underWay('pix');
    await harness.advance(10);
    expect(await available(wallet)).toBe('100.00');
    expect((await booksOfFunding(harness, funding)).statement).toMatchObject([{ amount: 10_001n }]);
  });

  it('is credited once, whatever its provider says how often and in which order', async () => {
    const { wallet, funding } = await underWay('ach');
    const { workspaceId: workspace } = await harness.platform.database.unscoped.wallet.findFirstOrThrow({ where: { id: wallet.id } });
    const say = (state: string) =>
      sendSigned(harness, 'ach', { workspace, reference: funding.rail_reference, state, amount: '100.00', currency: 'USD', code: 'R01' });
    const first = await say('settled');
    expect(first).toMatchObject({ status: 200, body: { data: { reference: funding.rail_reference, status: 'completed' } } });
    await Promise.all(['settled', 'accepted', 'rejected', 'settled'].map(say));
    expect(await available(wallet)).toBe('99.75');
    await Promise.all(['returned', 'returned', 'settled'].map(say));
    expect(await readFunding(harness.test, funding)).toMatchObject({ status: 'completed', shortfall: '0.25' });
    expect(await available(wallet)).toBe('0.00');
    expect(await toldOfFunding(harness, funding)).toEqual(['transfer.created', 'transfer.completed', 'transfer.refunded']);
  });

  it('that came and was taken back before we heard of it has done both', async () => {
    const { wallet, funding } = await underWay('ach');
    const { workspaceId: workspace } = await harness.platform.database.unscoped.wallet.findFirstOrThrow({ where: { id: wallet.id } });
    const body = { workspace, reference: funding.rail_reference, state: 'returned', amount: '100.00', currency: 'USD', code: 'R03' };
    expect((await sendSigned(harness, 'ach', body)).body).toMatchObject({ data: { status: 'completed' } });
    expect(await readFunding(harness.test, funding)).toMatchObject({
      return: { code: 'R03' },
      error_code: 'no_account',
      shortfall: '0.25',
    });
    await harness.advance(2 * day);
    expect(await available(wallet)).toBe('0.00');
    expect(await toldOfFunding(harness, funding)).toEqual(['transfer.created', 'transfer.completed', 'transfer.refunded']);
  });

  it('keeps its wallet from being closed, and its transfer is nobody’s to cancel or capture', async () => {
    const { wallet, funding } = await underWay();
    const next = { next_actions: [{ method: 'GET', path: `/v1/funding/transactions/${funding.id}` }] };
    const open = [{ type: 'funding_transaction', id: funding.id }];
    expectRefused(await harness.test.post(`/v1/wallets/${wallet.id}/close`, {}), 409, 'state_conflict', { open, ...next });
    const waiting = await newFunding(harness.test);
    for (const verb of ['cancel', 'capture'])
      expectRefused(await harness.test.post(`/v1/transfers/${waiting.transfer_id}/${verb}`, {}), 409, 'state_conflict', {
        next_actions: [{ method: 'GET', path: `/v1/funding/transactions/${waiting.id}` }],
      });
  });
});

describe('money that its source takes back', () => {
  /** Money that has come in by ach and will be taken back a day later. */
  async function returning(client: Client) {
    await fault('ach', 'return', client);
    const { wallet, funding } = await underWay('ach', {}, client);
    await harness.advance(day);
    expect(await available(wallet, client)).toBe('99.75');
    return { wallet, funding };
  }

  it('goes out of the wallet, with the fee that the rail keeps', async () => {
    const client = await newSandbox(harness);
    const { wallet, funding } = await returning(client);
    await client.make(`/v1/wallets/${wallet.id}/fund`, { amount: '5.00' });
    await harness.advance(day);
    expect(await readFunding(client, funding)).toMatchObject({
      status: 'completed',
      return: { code: expect.stringMatching(/^R0[123]$/) },
      shortfall: '0.00',
      returned_at: harness.clock.now().toISOString(),
    });
    expect(await readTransfer(client, funding)).toMatchObject({ status: 'completed', refunded_amount: '100.00' });
    expect(await available(wallet, client)).toBe('4.75');
    expect(await ownBalance(harness, wallet, 'rail.clearing:ach')).toBe(0n);
    const { statement } = await booksOfFunding(harness, funding);
    expect(statement).toMatchObject([{ direction: 'credit' }, { direction: 'debit', amount: 10_000n }]);
    expect(await toldOfFunding(harness, funding)).toEqual(['transfer.created', 'transfer.completed', 'transfer.refunded']);
  });

  it('and that was spent leaves what is missing among the receivables; the treasury adds up', async () => {
    const client = await newSandbox(harness);
    const { wallet, funding } = await returning(client);
    const { wallet: payee } = await openWallet(client);
    await pay(client, wallet, payee, '60.00');
    await harness.advance(day);
    expect(await readFunding(client, funding)).toMatchObject({ shortfall: '60.25' });
    expect(await available(wallet, client)).toBe('0.00');
    expect(await ownBalance(harness, wallet, 'receivables')).toBe(-6_025n);
    const { id } = (await client.post('/v1/treasury/snapshot', {})).body;
    const { balances } = (await client.get(`/v1/treasury/snapshots/${id}`)).body.data;
    expect(balances).toMatchObject([{ currency: 'USD', available: '60.00', fees: '0.25', clearing: '-60.25', world: '0.00' }]);
    // What the wallets have was brought in: nothing was burned.
    expect((await client.get('/v1/treasury/runway')).body).toMatchObject({ runway_days: null });
  });

  it('out of a wallet that is frozen is all owed: its money stays', async () => {
    const client = await newSandbox(harness);
    const { wallet, funding } = await returning(client);
    await client.post(`/v1/wallets/${wallet.id}/freeze`, {});
    await harness.advance(day);
    expect(await readFunding(client, funding)).toMatchObject({ shortfall: '100.00' });
    expect(await available(wallet, client)).toBe('99.75');
  });

  it('out of a wallet that was closed is all owed', async () => {
    const client = await newSandbox(harness);
    const { wallet, funding } = await returning(client);
    const { wallet: payee } = await openWallet(client);
    await pay(client, wallet, payee, '99.75');
    expect((await client.post(`/v1/wallets/${wallet.id}/close`, {})).status).toBe(200);
    await harness.advance(day);
    expect(await readFunding(client, funding)).toMatchObject({ shortfall: '100.00' });
    expect((await client.get('/v1/ledger/trial-balance')).body.data).toMatchObject([{ currency: 'USD', difference: '0.00' }]);
  });
});

describe('POST /v1/test/transfers/{id}/settle', () => {
  const settle = ({ transfer_id: id }: Json, body: object) => harness.test.post(`/v1/test/transfers/${id}/settle`, body);

  it('200: money that comes in is settled or declined now, and not again', async () => {
    const [paid, declined] = [await underWay('ach'), await underWay('ach')];
    expect((await settle(paid.funding, { outcome: 'settled' })).body.data).toMatchObject({ status: 'completed' });
    expect((await settle(declined.funding, { outcome: 'rejected', code: 'R01' })).body.data).toMatchObject({
      status: 'failed',
      failure: { code: 'insufficient_funds' },
    });
    expect([await available(paid.wallet), await available(declined.wallet)]).toEqual(['99.75', '0.00']);
    expectRefused(await settle(paid.funding, { outcome: 'rejected' }), 409, 'state_conflict', { current_status: 'completed' });
  });

  it('409: that of the sandbox, and what was not submitted yet', async () => {
    expectRefused(await settle(await newFunding(harness.test, 'sandbox'), { outcome: 'settled' }), 409, 'state_conflict');
    expectRefused(await settle(await newFunding(harness.test, 'ach'), { outcome: 'settled' }), 409, 'state_conflict', {
      retry: { safe: true },
    });
  });
});
