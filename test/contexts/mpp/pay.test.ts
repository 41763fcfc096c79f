// POST /v1/mpp/pay
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeChallenge, type NewMppChallenge, printChallenge } from '../../../src/contexts/mpp/challenge.js';
import { answerTo, ledgerChallenge, paidRequest } from '../../factories/mpp-call.js';
import { balanceOf, eventsOf } from '../../factories/payment.js';
import { type Buyer, newBuyer, newEndpoint } from '../../factories/x402.js';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
beforeEach(() => harness.clock.set('2026-03-02T10:00:00.000Z'));

const path = '/v1/mpp/pay';
const service = 'https://api.example.com/data';
const available = async (wallet: Json) => (await balanceOf(harness.test, wallet)).available;
const sellerWallet = async () => (await openWallet(harness.test, { currency: 'USDC' })).wallet;
const bodyOf = ({ uuid, wallet }: Buyer, extra: object = {}) => ({
  service_url: service,
  amount: '0.10',
  agent_id: uuid,
  wallet_id: wallet.id,
  ...extra,
});
const ask = (buyer: Buyer, extra: object = {}, query = '', headers: Record<string, string> = {}) =>
  harness.test.post(path + query, bodyOf(buyer, extra), { as: buyer.token, headers });
const verifyIt = async (signed_voucher: string) =>
  (await harness.test.post('/v1/mpp/receipts/verify', { signed_voucher }, { as: null })).body.data;
const graphqlPayment = async (id: string, as: string) =>
  (await harness.test.graphql('query ($id: MppPaymentId!) { mppPayment(id: $id) { id status receipt } }', { id }, { as })).body;

/** The challenge of a service that keeps its own. */
const foreignChallenge = (request: object, more: Partial<NewMppChallenge> = {}) =>
  printChallenge(makeChallenge('their secret', { realm: 'api.example.com', method: 'ledger', intent: 'charge', request, ...more }));

describe('201', () => {
  it('pays a wallet, with a receipt that anybody can check', async () => {
    const [buyer, seller] = [await newBuyer(harness.test), await sellerWallet()];
    const { status, body } = await ask(buyer, { payee_wallet_id: seller.id, currency: 'USDC', description: 'Ten pages' });
    const { data: payment } = body;
    expect([status, payment]).toEqual([
      201,
      {
        id: expect.stringMatching(/^mpay_/),
        service_url: service,
        payee_wallet_id: seller.id,
        agent_id: buyer.uuid,
        wallet_id: buyer.wallet.id,
        status: 'completed',
        amount: '0.10',
        currency: 'USDC',
        description: 'Ten pages',
        transfer_id: payment.id.slice('mpay_'.length),
        receipt: expect.stringMatching(/^eyJ/),
        created_at: harness.clock.now().toISOString(),
      },
    ]);
    expect([await available(buyer.wallet), await available(seller)]).toEqual(['99.90', '0.10']);
    const transfer = (await harness.test.get(`/v1/transfers/${payment.transfer_id}`)).body.data;
    expect(transfer).toMatchObject({ protocol: 'mpp', status: 'completed', protocol_metadata: { service_url: service } });
    const { rows } = await harness.platform.database.pool.query('SELECT protocol, operation FROM operation WHERE subject_id = $1', [
      transfer.id,
    ]);
    expect(rows).toEqual([{ protocol: 'mpp', operation: 'mpp.pay' }]);
    expect((await eventsOf(harness, transfer.id)).map(({ type }) => type).sort()).toEqual(['transfer.completed', 'transfer.created']);
    const keys = createLocalJWKSet((await harness.test.get('/.well-known/jwks.json', { as: null })).body);
    const currentDate = harness.clock.now();
    const { payload } = await jwtVerify(payment.receipt, keys, { typ: 'mpp-receipt+jwt', audience: service, currentDate });
    expect(payload).toMatchObject({ sub: payment.id, transfer_id: payment.transfer_id, amount: '0.10', currency: 'USDC' });
    expect((await graphqlPayment(payment.id, buyer.token)).data.mppPayment).toMatchObject({ id: payment.id, status: 'completed' });
  });

  it('its receipt is good until all was refunded; one that was changed says nothing', async () => {
    const [buyer, seller] = [await newBuyer(harness.test), await sellerWallet()];
    const { receipt, transfer_id, id } = (await ask(buyer, { payee_wallet_id: seller.id })).body.data;
    const good = { valid: true, payment_id: id, amount: '0.10', cumulative_amount: '0.10', issued_at: harness.clock.now().toISOString() };
    expect(await verifyIt(receipt)).toEqual({ ...good, expires_at: expect.any(String) });
    const [head, claims = '', signature] = receipt.split('.');
    const more = Buffer.from(Buffer.from(claims, 'base64url').toString().replace('"0.10"', '"9.10"')).toString('base64url');
    const none = Buffer.from('{"alg":"none","typ":"mpp-receipt+jwt"}').toString('base64url');
    for (const forged of [`${head}.${more}.${signature}`, `${none}.${claims}.`, `${receipt}A`])
      expect(await verifyIt(forged)).toEqual({ valid: false, reason: 'unknown_voucher' });
    const refund = (amount: string) => harness.test.make('/v1/refunds', { original_transfer_id: transfer_id, amount, reason: 'other' });
    await refund('0.04');
    expect(await verifyIt(receipt)).toMatchObject({ valid: true });
    await refund('0.06');
    expect(await verifyIt(receipt)).toMatchObject({ valid: false, reason: 'refunded', payment_id: id });
  });

  it('a proof of x402 and a voucher are no receipt of a payment', async () => {
    const [buyer, endpoint] = [await newBuyer(harness.test), await newEndpoint(harness.test)];
    const { proof } = await harness.test.make('/v1/x402/pay', { from_wallet_id: buyer.wallet.id, endpoint_id: endpoint.id });
    expect(await verifyIt(proof)).toEqual({ valid: false, reason: 'unknown_voucher' });
  });

  it('finds the payee by service_url: an endpoint, its paid door, a merchant', async () => {
    const buyer = await newBuyer(harness.test);
    const url = (name: string) => `https://${name}.example.com/${buyer.uuid}`;
    const endpoint = await newEndpoint(harness.test, { url: url('endpoint') });
    const { account, wallet } = await openWallet(harness.test, { currency: 'USDC' });
    const shop = { name: 'Shop', category: 'retail', account_id: account.id, url: url('shop') };
    const merchant = await harness.test.make('/v1/merchants', { ...shop, settlement_wallet_id: wallet.id });
    const payeeAt = async (service_url: string) => (await ask(buyer, { service_url })).body.data?.payee_wallet_id;
    expect(await payeeAt(url('endpoint'))).toBe(endpoint.receiver_wallet_id);
    expect(await payeeAt(`${harness.test.url}/x402/${endpoint.id}`)).toBe(endpoint.receiver_wallet_id);
    expect(await payeeAt(url('shop'))).toBe(wallet.id);
    // So do sessions.
    const session = { service_url: url('shop'), deposit_amount: '1.00', agent_id: buyer.uuid, wallet_id: buyer.wallet.id };
    expect(await harness.test.make('/v1/mpp/sessions', session)).toMatchObject({ payee_wallet_id: wallet.id });
    // A merchant that is blocked is so by whichever of its wallets it is paid.
    const second = await harness.test.make('/v1/wallets', { owner_type: 'account', owner_id: account.id, currency: 'USDC' });
    const rules = [{ kind: 'merchants', block: [merchant.id] }];
    await harness.test.make('/v1/policies', { name: 'No', target: { type: 'agent', id: buyer.uuid }, rules });
    for (const payee of [{}, { payee_wallet_id: second.id }])
      expectRefused(await ask(buyer, { service_url: url('shop'), ...payee }), 403, 'merchant_blocked');
    // Another merchant's address does not hide it.
    await harness.test.make('/v1/merchants', { ...shop, name: 'Front', url: url('front') });
    expectRefused(await ask(buyer, { service_url: url('front'), payee_wallet_id: wallet.id }), 403, 'merchant_blocked');
  });

  it('pays an endpoint by the challenge of its paid door, once, as its own payment', async () => {
    const [buyer, endpoint] = [await newBuyer(harness.test), await newEndpoint(harness.test)];
    const challenge = await ledgerChallenge(harness.test, endpoint);
    const service_url = `${harness.test.url}/x402/${endpoint.id}`;
    const { status, body } = await ask(buyer, { service_url, challenge: printChallenge(challenge) });
    expect([status, body.data]).toMatchObject([201, { challenge_id: challenge.id, x402_payment_id: expect.stringMatching(/^pay_/) }]);
    const [payment] = (await harness.test.get(`/v1/x402/payments?endpoint_id=${endpoint.id}`)).body.data;
    expect(payment).toMatchObject({ id: body.data.x402_payment_id, status: 'settled', transfer_id: body.data.transfer_id });
    expect(decodeJwt(body.data.receipt)).toMatchObject({ challenge_id: challenge.id, payment_id: payment.id });
    expect(await verifyIt(body.data.receipt)).toMatchObject({ valid: true });
    const again = await ask(buyer, { service_url, challenge: printChallenge(challenge) });
    expectRefused(again, 422, 'payment_invalid', { reason: 'challenge_used' });
    const atTheDoor = await paidRequest(harness.test, endpoint, answerTo(buyer, challenge));
    expect([atTheDoor.status, atTheDoor.body.reason]).toEqual([402, 'challenge_used']);
    await harness.runDue();
    expect((await harness.test.get(`/v1/x402/endpoints/${endpoint.id}`)).body.data).toMatchObject({
      total_calls: 1,
      total_revenue: '0.10',
    });
  });

  it('pays by the challenge of a service that keeps its own: once for each payer', async () => {
    const [buyer, other, seller] = [await newBuyer(harness.test), await newBuyer(harness.test), await sellerWallet()];
    const challenge = foreignChallenge({ amount: '100000', currency: 'usdc', recipient: seller.id });
    const paid = { payee_wallet_id: seller.id, challenge: `Bearer realm="x", ${challenge}` };
    expect((await ask(buyer, paid)).status).toBe(201);
    expectRefused(await ask(buyer, paid), 422, 'payment_invalid', { reason: 'challenge_used' });
    expect((await ask(other, paid)).status).toBe(201);
  });

  it('once for one Idempotency-Key, of 20 at once', async () => {
    const [buyer, seller] = [await newBuyer(harness.test), await sellerWallet()];
    const send = () => ask(buyer, { payee_wallet_id: seller.id }, '', { 'Idempotency-Key': `pay-${buyer.uuid}` });
    const ids = (await Promise.all(Array.from({ length: 20 }, send))).flatMap(({ body }) => body.data?.id ?? []);
    expect(new Set([...ids, (await send()).body.data.id]).size).toBe(1);
    expect(await available(buyer.wallet)).toBe('99.90');
  });

  it('less the holdback of the settlement config; the fee is one of x402', async () => {
    const [buyer, seller] = [await newBuyer(harness.test), await sellerWallet()];
    await harness.test.patch('/v1/settlement/config', { x402_fee_percentage: 2, holdback_percentage: 10 });
    await ask(buyer, { payee_wallet_id: seller.id, amount: '1.00' });
    await harness.test.patch('/v1/settlement/config', { x402_fee_percentage: 0, holdback_percentage: 0 });
    expect((await balanceOf(harness.test, seller)).available).toBe('0.90');
  });
});

describe('202', () => {
  it.each(['approve', 'reject'] as const)('waits for an approval: %s', async (decision) => {
    const [buyer, seller] = [await newBuyer(harness.test), await sellerWallet()];
    const approval = { threshold: '0.05', currency: 'USDC' };
    await harness.test.make('/v1/policies', { name: 'Ask', target: { type: 'agent', id: buyer.uuid }, rules: [], approval });
    const { status, body } = await ask(buyer, { payee_wallet_id: seller.id });
    expect([status, body.data.status, body.data.receipt]).toEqual([202, 'pending', undefined]);
    const decided = (await harness.test.post(`/v1/approvals/${body.approval.id}/${decision}`, {})).body;
    if (decision === 'approve') {
      expect(decided.transfer).toMatchObject({ protocol: 'mpp', status: 'completed' });
      expect(decided.mpp_payment).toMatchObject({ id: body.data.id, status: 'completed', receipt: expect.any(String) });
      expect(await verifyIt(decided.mpp_payment.receipt)).toMatchObject({ valid: true });
    } else {
      const { mppPayment } = (await graphqlPayment(body.data.id, buyer.token)).data;
      expect(mppPayment).toEqual({ id: body.data.id, status: 'cancelled', receipt: null });
      expect(await available(buyer.wallet)).toBe('100.00');
    }
  });
});

it('a dry run says what would happen, and changes nothing', async () => {
  const [buyer, endpoint, seller] = [await newBuyer(harness.test), await newEndpoint(harness.test), await sellerWallet()];
  const plain = await ask(buyer, { payee_wallet_id: seller.id }, '?dry_run=true');
  expect(plain.body.data).toMatchObject({ decision: { outcome: 'allow' }, would_emit: ['transfer.created', 'transfer.completed'] });
  const challenge = printChallenge(await ledgerChallenge(harness.test, endpoint));
  const paid = { service_url: `${harness.test.url}/x402/${endpoint.id}`, challenge };
  expect((await ask(buyer, paid, '?dry_run=true')).body.data.would_emit).toContain('x402.payment.completed');
  expect(await available(buyer.wallet)).toBe('100.00');
  expect((await ask(buyer, paid)).status).toBe(201);
});

describe('400', () => {
  it('for a service that is nobody’s or several ones’, and terms that are not those of the challenge', async () => {
    const buyer = await newBuyer(harness.test);
    expectInvalid(await ask(buyer), 'payee_wallet_id');
    expectInvalid(await ask(buyer, { service_url: 'ftp://x' }), 'service_url');
    const url = `https://twice.example.com/${buyer.uuid}`;
    const [endpoint] = [await newEndpoint(harness.test, { url }), await newEndpoint(harness.test, { url })];
    expectInvalid(await ask(buyer, { service_url: url }), 'payee_wallet_id');
    const payee_wallet_id = endpoint.receiver_wallet_id;
    const challenge = printChallenge(await ledgerChallenge(harness.test, endpoint));
    expectInvalid(await ask(buyer, { service_url: url, challenge: 'Basic x' }), 'challenge');
    expectInvalid(await ask(buyer, { service_url: url, challenge, amount: '0.11' }), 'amount');
    expectInvalid(await ask(buyer, { service_url: service, challenge }), 'service_url');
    expectInvalid(await ask(buyer, { service_url: url, challenge, payee_wallet_id: (await sellerWallet()).id }), 'payee_wallet_id');
    for (const [terms, member] of [
      [{ amount: '0100000', currency: 'usdc' }, 'amount'],
      [{ amount: '100000', currency: 'usd' }, 'currency'],
      [{ amount: '100000', currency: 'usdc', recipient: '0x00' }, 'payee_wallet_id'],
    ] as const)
      expectInvalid(await ask(buyer, { payee_wallet_id, challenge: foreignChallenge(terms) }), member);
  });
});

describe('403', () => {
  it('for the wallet of another agent, a frozen one, and what a policy forbids', async () => {
    const [buyer, other, seller] = [await newBuyer(harness.test), await newBuyer(harness.test), await sellerWallet()];
    const payee_wallet_id = seller.id;
    expectRefused(await ask(buyer, { payee_wallet_id, wallet_id: other.wallet.id }), 403, 'forbidden');
    const rules = [{ kind: 'protocols', allow: ['x402'] }];
    const policy = await harness.test.make('/v1/policies', { name: 'No', target: { type: 'agent', id: buyer.uuid }, rules });
    expectRefused(await ask(buyer, { payee_wallet_id }), 403, 'policy_violation');
    await harness.test.delete(`/v1/policies/${policy.id}`);
    await harness.test.post(`/v1/wallets/${buyer.wallet.id}/freeze`, {});
    expectRefused(await ask(buyer, { payee_wallet_id }), 403, 'wallet_frozen');
  });
});

describe('404', () => {
  it('for wallets and agents that are none, and payments that one took no part in', async () => {
    const [buyer, stranger, seller] = [await newBuyer(harness.test), await newBuyer(harness.test), await sellerWallet()];
    const payee_wallet_id = seller.id;
    const foreign = await newBuyer(harness.other);
    for (const change of [
      { payee_wallet_id: nowhere },
      { payee_wallet_id: foreign.wallet.id },
      { payee_wallet_id, wallet_id: foreign.wallet.id },
      { payee_wallet_id, agent_id: foreign.uuid },
    ])
      expectRefused(await harness.test.post(path, bodyOf(buyer, change)), 404, 'not_found');
    // For an agent there are no others.
    expectRefused(await ask(buyer, { payee_wallet_id, agent_id: stranger.uuid }), 404, 'not_found');
    const { id, transfer_id } = (await ask(buyer, { payee_wallet_id })).body.data;
    const plain = await harness.test.make('/v1/transfers', {
      type: 'internal',
      from_wallet_id: buyer.wallet.id,
      to_wallet_id: seller.id,
      amount: '1.00',
      currency: 'USDC',
    });
    for (const [one, as] of [
      [id, stranger.token],
      [transfer_id, stranger.token],
      [plain.id, buyer.token],
    ])
      expect((await graphqlPayment(one, as)).errors[0].extensions.code).toBe('not_found');
  });
});

describe('409 and 422', () => {
  it('for an endpoint that is paused', async () => {
    const buyer = await newBuyer(harness.test);
    const url = `https://paused.example.com/${buyer.uuid}`;
    const endpoint = await newEndpoint(harness.test, { url });
    const challenge = printChallenge(await ledgerChallenge(harness.test, endpoint));
    await harness.test.patch(`/v1/x402/endpoints/${endpoint.id}`, { status: 'paused' });
    expectRefused(await ask(buyer, { service_url: url }), 409, 'state_conflict');
    expectRefused(await ask(buyer, { service_url: url, challenge }), 409, 'state_conflict');
  });

  it('for the same wallet, another currency, too little money, and a challenge that cannot be answered', async () => {
    const [buyer, seller] = [await newBuyer(harness.test), await sellerWallet()];
    const payee_wallet_id = seller.id;
    expectRefused(await ask(buyer, { payee_wallet_id: buyer.wallet.id }), 422, 'same_wallet');
    expectRefused(await ask(buyer, { payee_wallet_id, currency: 'USD' }), 422, 'currency_mismatch');
    expectRefused(await ask(buyer, { payee_wallet_id, amount: '100.01' }), 422, 'insufficient_balance');
    const terms = { amount: '100000', currency: 'usdc' };
    const evm = foreignChallenge(terms, { method: 'evm' });
    expectRefused(await ask(buyer, { payee_wallet_id, challenge: evm }), 422, 'payment_invalid', { reason: 'method_unsupported' });
    const over = foreignChallenge(terms, { expires: harness.clock.now().toISOString() });
    expectRefused(await ask(buyer, { payee_wallet_id, challenge: over }), 422, 'payment_invalid', { reason: 'payment_expired' });
    const url = `https://changed.example.com/${buyer.uuid}`;
    const endpoint = await newEndpoint(harness.test, { url });
    const challenge = printChallenge(await ledgerChallenge(harness.test, endpoint));
    await harness.test.patch(`/v1/x402/endpoints/${endpoint.id}`, { base_price: '0.20' });
    expectRefused(await ask(buyer, { service_url: url, challenge }), 422, 'payment_invalid', { reason: 'invalid_challenge' });
  });
});
