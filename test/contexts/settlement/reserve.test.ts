// What is kept back of payments by protocols: how it is taken, released, and given back by refunds (CONTRACT.md 12 "Reserve").
import { afterEach, describe, expect, it } from 'vitest';
import { stepReserve } from '../../../src/contexts/settlement/reserve/reserve.js';
import { manifest } from '../../../src/contexts.js';
import { checkLedger } from '../../../src/ledger/trial-balance.js';
import { ownersKey, trip } from '../../factories/approval.js';
import { setHalfRate } from '../../factories/exchange.js';
import { balanceOf, pay, transferBody, twoWallets } from '../../factories/payment.js';
import { ownBalance } from '../../factories/payout.js';
import { protocolPayment } from '../../factories/window.js';
import { type Json, useHarness } from '../../harness.js';
import { ctxOf } from '../../ledger/wallet-ref.js';
import { expectRefused } from '../../refusal.js';

const harness = useHarness();
const configure = (config: object) => harness.test.patch('/v1/settlement/config', config);
const off = { x402_fee_percentage: 0, holdback_percentage: 0, holdback_release_days: 7 };
const day = 86_400;
afterEach(async () => {
  await configure(off);
});

const accountOf = async ({ id }: Json): Promise<string> => (await harness.test.get(`/v1/wallets/${id}`)).body.data.account_id;
const available = async (wallet: Json): Promise<string> => (await balanceOf(harness.test, wallet)).available;
const reserveOf = (transferId: string) => harness.platform.database.unscoped.settlementReserve.findFirst({ where: { transferId } });
const config = async () => (await harness.test.get('/v1/settlement/config')).body.data;
const refund = (transferId: string, amount?: string) =>
  harness.test.post('/v1/refunds', { original_transfer_id: transferId, reason: 'customer_request', ...(amount && { amount }) });

/** A payment of 100.00 of which the fee and ten percent were kept back. */
async function payment(protocol: 'x402' | 'acp' = 'x402') {
  await configure({ x402_fee_percentage: 2.5, holdback_percentage: 10 });
  const { from, to } = await twoWallets(harness.test);
  return { from, to, transfer: await protocolPayment(harness, from, to, '100.00', protocol) };
}

describe('a payment by a protocol', () => {
  it('is divided between fees, reserve and payee', async () => {
    const { from, to, transfer } = await payment();
    expect([await available(from), await available(to)]).toEqual(['0.00', '87.75']);
    expect(await ownBalance(harness, to, 'fees')).toBe(250n);
    expect(await reserveOf(transfer.id)).toMatchObject({ status: 'held', amount: 975n, remaining: 975n, walletId: to.id });
    const { entries, ...read } = (await harness.test.get(`/v1/transfers/${transfer.id}`)).body.data;
    expect(read).toMatchObject({ status: 'completed', amount: '100.00', protocol: 'x402' });
    expect((await harness.test.get('/v1/treasury/exposure')).body.data).toContainEqual(
      expect.objectContaining({ currency: 'USD', reserve: '9.75' }),
    );
    expect((await config()).reserve_amount).toBe('9.75');
  });

  it('of any other protocol has no fee, and without a config nothing is kept back', async () => {
    const { to } = await payment('acp');
    expect(await available(to)).toBe('90.00');
    await configure(off);
    const free = await twoWallets(harness.test);
    await protocolPayment(harness, free.from, free.to, '100.00');
    expect(await available(free.to)).toBe('100.00');
  });

  it('that is no protocol’s is paid whole', async () => {
    await configure({ x402_fee_percentage: 2.5, holdback_percentage: 10 });
    const { from, to } = await twoWallets(harness.test);
    await pay(harness.test, from, to, '100.00');
    expect(await available(to)).toBe('100.00');
  });

  it('that nobody has asked about is a fault, and is not posted', async () => {
    const { from, to } = await twoWallets(harness.test);
    const held = await pay(harness.test, from, to, '10.00', { capture: 'manual' });
    const { lessWithheld } = await import('../../../src/contexts/transfers/withholding.js');
    const row = await harness.platform.database.unscoped.transfer.findFirstOrThrow({ where: { id: held.id } });
    expect(() => lessWithheld({ ...row, protocol: 'acp' }, [], harness.clock.now(), undefined)).toThrow(/nobody has asked/);
  });

  it.each([
    [
      'captured, in part',
      { capture: 'manual' },
      (id: string) => harness.test.post(`/v1/transfers/${id}/capture`, { amount: '50.00' }),
      5_000n,
    ],
    ['carried out at its time', { scheduled_for: '2026-03-02T11:00:00Z' }, () => harness.advance(3_600), 10_000n],
  ])('that is %s is divided then', async (_, extra, carryOut, paid) => {
    const { from, to } = await twoWallets(harness.test);
    harness.clock.set('2026-03-02T10:00:00Z');
    const transfer = await pay(harness.test, from, to, '100.00', extra);
    await changeProtocol(transfer.id, 'ucp');
    await configure({ holdback_percentage: 20 });
    await carryOut(transfer.id);
    expect(await reserveOf(transfer.id)).toMatchObject({ status: 'held', amount: paid / 5n });
    expect(await available(to)).toBe(`${(paid - paid / 5n) / 100n}.00`);
  });

  it('that is approved is divided then', async () => {
    const { from, to } = await twoWallets(harness.test);
    const agent = await harness.test.make('/v1/agents', { parent_account_id: await accountOf(from), name: 'Agent' });
    const agentId = agent.id.slice('agt_'.length);
    await trip(harness, agentId);
    const spend = transferBody(from, to, '100.00', { agent_id: agentId });
    const { data, approval } = (await harness.test.post('/v1/transfers', spend, { as: await ownersKey(harness) })).body;
    await changeProtocol(data.id, 'ap2');
    await configure({ holdback_percentage: 20 });
    expect((await harness.test.post(`/v1/approvals/${approval.id}/approve`, {})).status).toBe(200);
    expect([await available(to), (await reserveOf(data.id))?.amount]).toEqual(['80.00', 2_000n]);
  });

  it('in another currency is divided as the payee gets it; the reserve is shown in US dollars', async () => {
    await setHalfRate(harness.test);
    const before = Number((await config()).reserve_amount);
    const { from } = await twoWallets(harness.test);
    const { to } = await twoWallets(harness.test, { currency: 'EUR' });
    const quote = await harness.test.make('/v1/quotes', {
      from_currency: 'USD',
      to_currency: 'EUR',
      amount: '40.00',
      amount_side: 'receive',
    });
    const body = { type: 'cross_border', from_wallet_id: from.id, to_wallet_id: to.id, quote_id: quote.id, capture: 'manual' };
    const transfer = await harness.test.make('/v1/transfers', body);
    await changeProtocol(transfer.id, 'ap2');
    await configure({ holdback_percentage: 10 });
    await harness.test.make(`/v1/transfers/${transfer.id}/capture`, {});
    expect(await available(to)).toBe('36.00');
    expect(Number((await config()).reserve_amount) - before).toBeCloseTo(8, 5);
    const [paid, whole] = [await available(from), Number(transfer.amount) - Number(transfer.fee.amount)];
    expect((await refund(transfer.id, (whole / 2).toFixed(2))).status).toBe(201);
    // Half of 40.00 EUR: 4.00 of the reserve, and 16.00 of the wallet.
    expect(await available(to)).toBe('20.00');
    expect((await refund(transfer.id)).status).toBe(201);
    expect([await available(to), Number(await available(from)) - Number(paid)]).toEqual(['0.00', whole]);
  });
});

describe('what is kept back', () => {
  it('is released after its days, once, by whoever takes it', async () => {
    const { to, transfer } = await payment();
    await configure({ holdback_release_days: 30 });
    await harness.advance(7 * day - 1);
    expect(await available(to)).toBe('87.75');
    harness.clock.advance(1);
    const ctx = await ctxOf(harness, harness.test);
    const { id } = (await reserveOf(transfer.id)) ?? { id: '' };
    await Promise.all(Array.from({ length: 4 }, () => stepReserve(ctx, id)));
    await harness.runDue();
    expect(await available(to)).toBe('97.50');
    expect(await reserveOf(transfer.id)).toMatchObject({ status: 'released', remaining: 0n, endedAt: harness.clock.now(), dueAt: null });
  });

  it('is released after the days of its time to a wallet that is frozen, too', async () => {
    await configure({ holdback_release_days: 1 });
    const { to } = await payment();
    await harness.test.post(`/v1/wallets/${to.id}/freeze`, {});
    await harness.advance(day);
    expect(await available(to)).toBe('97.50');
  });

  it('keeps its wallet from being closed', async () => {
    const { to, from, transfer } = await payment();
    await pay(harness.test, to, from, '87.75');
    const refused = await harness.test.post(`/v1/wallets/${to.id}/close`, {});
    expectRefused(refused, 409, 'state_conflict', { open: [{ type: 'reserve', id: (await reserveOf(transfer.id))?.id }] });
    await harness.advance(7 * day);
    await pay(harness.test, to, from, '9.75');
    expect((await harness.test.post(`/v1/wallets/${to.id}/close`, {})).status).toBe(200);
  });

  it('is what the proof of the ledger expects in the accounts of reserves', async () => {
    const { transfer } = await payment();
    const { pool } = harness.platform.database;
    await pool.query('UPDATE settlement_reserve SET remaining = remaining - 1 WHERE transfer_id = $1', [transfer.id]);
    expect(await checkLedger(harness.platform.database, manifest.escrows)).toEqual([
      expect.stringMatching(/^money in escrow differs.* 975 is not 974$/),
    ]);
    await pool.query('UPDATE settlement_reserve SET remaining = remaining + 1 WHERE transfer_id = $1', [transfer.id]);
  });
});

describe('a refund of such a payment', () => {
  it('takes what was kept back first, then what the payee has', async () => {
    const { from, to, transfer } = await payment();
    expect((await refund(transfer.id, '4.75')).status).toBe(201);
    expect([await available(from), await available(to)]).toEqual(['4.75', '87.75']);
    expect(await reserveOf(transfer.id)).toMatchObject({ status: 'held', remaining: 500n });
    expect((await refund(transfer.id, '10.00')).status).toBe(201);
    expect([await available(from), await available(to)]).toEqual(['14.75', '82.75']);
    expect(await reserveOf(transfer.id)).toMatchObject({ status: 'returned', remaining: 0n, dueAt: null });
    await harness.advance(7 * day);
    expect(await available(to)).toBe('82.75');
  });

  it('of the whole needs the fee from the payee, and is refused without it: nothing has moved', async () => {
    const { from, to, transfer } = await payment();
    expectRefused(await refund(transfer.id), 422, 'insufficient_balance');
    expect(await reserveOf(transfer.id)).toMatchObject({ status: 'held', remaining: 975n });
    await harness.test.make(`/v1/wallets/${to.id}/fund`, { amount: '2.50' });
    expect((await refund(transfer.id)).status).toBe(201);
    expect([await available(from), await available(to)]).toEqual(['100.00', '0.00']);
  });

  it('after its release comes out of the wallet', async () => {
    const { from, to, transfer } = await payment();
    await harness.advance(7 * day);
    expect((await refund(transfer.id, '50.00')).status).toBe(201);
    expect([await available(from), await available(to)]).toEqual(['50.00', '47.50']);
  });

  it('that meets the release leaves both done, and every cent where it belongs', async () => {
    const { from, to, transfer } = await payment();
    harness.clock.advance(7 * day);
    const [answer] = await Promise.all([refund(transfer.id, '5.00'), harness.runDue()]);
    await harness.runDue();
    expect(answer.status).toBe(201);
    expect([await available(from), await available(to)]).toEqual(['5.00', '92.50']);
  });
});

/** Makes a transfer one of a protocol. Its line says nothing of it then: it would not fit. */
async function changeProtocol(id: string, protocol: string): Promise<void> {
  await harness.platform.database.pool.query(`BEGIN; SET LOCAL session_replication_role = 'replica';
    UPDATE transfer SET protocol = '${protocol}' WHERE id = '${id}';
    UPDATE audit_entry SET transfer_status = NULL, decision_id = NULL WHERE resource_id = '${id}'; COMMIT`);
}
