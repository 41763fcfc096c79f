// The life of a charge by each card of the sandbox: what the merchant gets, what is told, and what the limits of the payer keep.
import { describe, expect, it } from 'vitest';
import { type Buyer, booksOfCharge, charge, newBuyer, toldOfParcel } from '../../factories/card.js';
import { balanceOf, eventsOf } from '../../factories/payment.js';
import { ownBalance, sendSigned } from '../../factories/payout.js';
import { newSandbox } from '../../factories/treasury.js';
import { type Client, type Harness, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';

const harness = useHarness();
type Opened = Awaited<ReturnType<typeof charge>>;

const available = async ({ merchant }: Buyer, client: Client = harness.test) =>
  (await balanceOf(client, { id: merchant.settlement_wallet_id })).available;
const transferOf = async ({ transfer: { id } }: Opened, client: Client = harness.test) =>
  (await client.get(`/v1/transfers/${id}`)).body.data;
const rowOf = ({ charge: { id } }: Opened) => harness.platform.database.unscoped.cardCharge.findFirstOrThrow({ where: { id } });
const typesOf = async ({ transfer }: Opened) => (await eventsOf(harness, transfer.id)).map(({ type }) => type);
/** A harness whose own client is another one. */
const with_ = (test: Client) => Object.assign(Object.create(harness), { test }) as Harness;

/** A charge whose processor was told of it. */
async function underWay(token: string, amount = '100.00', client: Client = harness.test) {
  const buyer = await newBuyer(client, { token });
  const opened = await charge(with_(client), buyer, amount);
  await harness.runDue();
  return { buyer, opened };
}

describe('a charge', () => {
  it('tok_ok is paid at once, less the fee of the processor; clearing agrees with the statement', async () => {
    const client = await newSandbox(harness);
    const buyer = await newBuyer(client);
    const opened = await charge(with_(client), buyer);
    expect(opened.transfer).toMatchObject({ status: 'pending', fromWalletId: null, feeAmount: 290n, protocol: 'acp' });
    expect(await available(buyer, client)).toBe('0.00');
    await harness.runDue();
    expect(toldOfParcel(opened)).toMatchObject([{ status: 'paid', transfer: { id: opened.transfer.id, status: 'completed' } }]);
    expect(await transferOf(opened, client)).toMatchObject({
      status: 'completed',
      amount: '100.00',
      fee: { amount: '2.90', currency: 'USD' },
      from_account_id: buyer.card.account_id,
      to_wallet_id: buyer.merchant.settlement_wallet_id,
      protocol_metadata: { merchant_id: buyer.merchant.id, card_brand: 'visa', card_last_four: '4242' },
    });
    expect(await available(buyer, client)).toBe('97.10');
    const wallet = { id: buyer.merchant.settlement_wallet_id, currency: 'USD' };
    expect(await ownBalance(harness, wallet, 'rail.clearing:card-simulated')).toBe(-10_000n);
    expect(await ownBalance(harness, wallet, 'fees')).toBe(290n);
    const { orders, statement } = await booksOfCharge(harness, opened);
    expect(orders).toMatchObject([{ rail: 'card-simulated', direction: 'in', reference: expect.stringMatching(/^chg[0-9a-f]{32}$/) }]);
    expect(JSON.stringify(orders, (_, value) => (typeof value === 'bigint' ? `${value}` : value))).not.toContain('tok_ok');
    expect(statement).toMatchObject([{ direction: 'credit', amount: 10_000n, description: 'collection' }]);
    expect(await typesOf(opened)).toEqual(['transfer.created', 'transfer.completed']);
    const { converged, mismatches } = (await client.get('/v1/test/convergence')).body;
    expect([converged, mismatches]).toEqual([true, []]);
    const range = { rail: 'card-simulated', date_from: '2026-01-01', date_to: '2026-12-31' };
    await client.make('/v1/reconciliation/runs', range);
    await harness.runDue();
    const [report] = (await client.get('/v1/reconciliation/reports')).body.data;
    expect(report).toMatchObject({ status: 'completed', totals: { matched: 1, discrepancies: 0 } });
  });

  it('leaves one operation, with what the processor took as its cost', async () => {
    const { opened } = await underWay('tok_ok');
    const operations = await harness.platform.database.unscoped.operation.findMany({ where: { subjectId: opened.transfer.id } });
    expect(operations).toMatchObject([
      { category: 'checkout', operation: 'checkout.charge', protocol: 'acp', success: true, amount: 10_000n, externalCostUsd: 2_900_000n },
    ]);
  });

  it('any other token is paid in the usual time, tok_slow in an hour', async () => {
    const [usual, slow] = [await underWay('pm_1NXWPnFZ'), await underWay('tok_slow')];
    expect(await transferOf(usual.opened)).toMatchObject({ status: 'processing' });
    await harness.advance(2);
    expect([await available(usual.buyer), await available(slow.buyer)]).toEqual(['97.10', '0.00']);
    await harness.advance(3_598);
    expect(await available(slow.buyer)).toBe('97.10');
  });

  it.each([
    ['tok_declined', 'card_declined'],
    ['tok_insufficient_funds', 'insufficient_funds'],
    ['tok_expired', 'card_expired'],
  ])('%s has failed at once: nothing was credited', async (token, code) => {
    const { buyer, opened } = await underWay(token);
    expect(toldOfParcel(opened)).toMatchObject([{ status: 'failed', code, message: expect.any(String), transfer: { status: 'failed' } }]);
    expect(await transferOf(opened)).toMatchObject({ status: 'failed', failure: { code } });
    expect(await available(buyer)).toBe('0.00');
    expect(await typesOf(opened)).toEqual(['transfer.created', 'transfer.failed']);
    expect((await booksOfCharge(harness, opened)).statement).toEqual([]);
  });

  it('tok_lost_ack is found by asking, and charged once', async () => {
    const { buyer, opened } = await underWay('tok_lost_ack');
    await harness.advance(29);
    expect(toldOfParcel(opened)).toEqual([]);
    await harness.advance(1);
    expect(await available(buyer)).toBe('97.10');
    expect((await booksOfCharge(harness, opened)).orders).toHaveLength(1);
    expect(await rowOf(opened)).toMatchObject({ status: 'paid', submissions: 1 });
  });

  it('is paid once, whatever its processor says how often and in which order', async () => {
    const { buyer, opened } = await underWay('tok_slow');
    const { workspaceId: workspace, railReference: reference } = await rowOf(opened);
    const say = (state: string) =>
      sendSigned(harness, 'card-simulated', { workspace, reference, state, amount: '100.00', currency: 'USD', code: 'card_declined' });
    expect(await say('settled')).toMatchObject({ status: 200, body: { data: { reference, status: 'paid' } } });
    await Promise.all(['settled', 'accepted', 'rejected', 'settled'].map(say));
    expect(await available(buyer)).toBe('97.10');
    expect(toldOfParcel(opened)).toHaveLength(1);
  });

  it('that comes back leaves the wallet as far as it is there; the rest is owed', async () => {
    const { buyer, opened } = await underWay('tok_slow');
    const { workspaceId: workspace, railReference: reference } = await rowOf(opened);
    const say = (state: string) =>
      sendSigned(harness, 'card-simulated', {
        workspace,
        reference,
        state,
        amount: '100.00',
        currency: 'USD',
        code: 'card_declined',
        paid: true,
      });
    await Promise.all(['returned', 'returned'].map(say));
    expect(await rowOf(opened)).toMatchObject({ status: 'paid', shortfall: 290n, returnedAt: expect.any(Date) });
    expect(await transferOf(opened)).toMatchObject({ status: 'completed', refunded_amount: '100.00' });
    expect(await available(buyer)).toBe('0.00');
    expect(await typesOf(opened)).toEqual(['transfer.created', 'transfer.completed', 'transfer.refunded']);
  });

  it('gives back first what was kept back of it', async () => {
    const client = await newSandbox(harness);
    await client.patch('/v1/settlement/config', { holdback_percentage: 10 });
    const { buyer, opened } = await underWay('tok_ok', '100.00', client);
    expect(await available(buyer, client)).toBe('87.39');
    const { workspaceId: workspace, railReference: reference } = await rowOf(opened);
    const said = { workspace, reference, state: 'returned', amount: '100.00', currency: 'USD', code: 'card_declined', paid: true };
    expect((await sendSigned(harness, 'card-simulated', said)).status).toBe(200);
    expect(await rowOf(opened)).toMatchObject({ shortfall: 290n });
    expect(await available(buyer, client)).toBe('0.00');
  });

  it('in another currency goes over the rail of that currency', async () => {
    const buyer = await newBuyer(harness.test, { currency: 'JPY' });
    const opened = await charge(harness, buyer, '1000');
    await harness.runDue();
    expect((await booksOfCharge(harness, opened)).orders).toMatchObject([{ rail: 'card-simulated-jpy', currency: 'JPY' }]);
    expect(await available(buyer)).toBe('971');
  });

  it('of the least amount is all fee', async () => {
    const { buyer, opened } = await underWay('tok_ok', '0.01');
    expect(await available(buyer)).toBe('0.00');
    expect(toldOfParcel(opened)).toMatchObject([{ status: 'paid' }]);
  });

  it('keeps its wallet from being closed, and its transfer is nobody’s to cancel, capture or dispute', async () => {
    const buyer = await newBuyer(harness.test);
    const opened = await charge(harness, buyer);
    const transfer = `/v1/transfers/${opened.transfer.id}`;
    const open = [{ type: 'card_charge', id: `chg_${opened.charge.id}` }];
    const next_actions = [{ method: 'GET', path: transfer }];
    const close = `/v1/wallets/${buyer.merchant.settlement_wallet_id}/close`;
    expectRefused(await harness.test.post(close, {}), 409, 'state_conflict', { open, next_actions });
    for (const verb of ['cancel', 'capture'])
      expectRefused(await harness.test.post(`${transfer}/${verb}`, {}), 409, 'state_conflict', { next_actions });
    await harness.runDue();
    const dispute = { transfer_id: opened.transfer.id, reason: 'other', description: 'Not mine.' };
    const refund = { method: 'POST', path: '/v1/refunds', body: { original_transfer_id: opened.transfer.id, reason: 'customer_request' } };
    const details = { reason: 'card_payment', next_actions: [refund] };
    expectRefused(await harness.test.post('/v1/disputes', dispute), 409, 'state_conflict', details);
  });

  it('is listed among what its account has paid, and its result may be forced', async () => {
    const { buyer, opened } = await underWay('tok_slow');
    const { body } = await harness.test.get(`/v1/transfers?from_account_id=${buyer.card.account_id}`);
    expect(body.data).toMatchObject([{ id: opened.transfer.id }]);
    const settle = (outcome: object) => harness.test.post(`/v1/test/transfers/${opened.transfer.id}/settle`, outcome);
    expect((await settle({ outcome: 'rejected', code: 'card_declined' })).body.data).toMatchObject({ status: 'failed' });
    expect(toldOfParcel(opened)).toMatchObject([{ status: 'failed', code: 'card_declined' }]);
    expectRefused(await settle({ outcome: 'settled' }), 409, 'state_conflict', { current_status: 'failed' });
  });
});
