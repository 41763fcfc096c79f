// ANY /x402/{endpoint_id} and GET /v1/x402/endpoints/{id}/challenge: paid by agents on the ledger network, and by the official client of
// x402 on the simulated chain.
import { decodePaymentRequiredHeader, decodePaymentResponseHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { beforeEach, describe, expect, it } from 'vitest';
import { chainBalance, chainName, newPayer, signed, signedV1 } from '../../factories/chain.js';
import { balanceOf, eventsOf } from '../../factories/payment.js';
import { base64, newBuyer, newEndpoint, signedOnLedger, unbase64 } from '../../factories/x402.js';
import { type Answer, type Json, nowhere, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
// The official client signs in real time.
beforeEach(() => harness.clock.set(new Date().toISOString()));

const door = ({ id }: Json, headers: Record<string, string> = {}, method = 'GET') =>
  harness.test.call(method, `/x402/${id}`, { as: null, headers });
const offersOf = async (endpoint: Json): Promise<Json[]> => (await door(endpoint)).body.accepts;
const paidRequest = (endpoint: Json, payload: Json) => door(endpoint, { 'PAYMENT-SIGNATURE': base64(payload) });
const onChain = (extra: object = {}) => newEndpoint(harness.test, { network: chainName, ...extra });
const paymentsOf = async ({ id }: Json) => (await harness.test.get(`/v1/x402/payments?endpoint_id=${id}`)).body.data;

/** Who has called a paid endpoint, as the audit log says it of a payment. */
const callersOf = async (paymentId: string): Promise<string[]> =>
  (await harness.test.get(`/v1/audit-log?action=callX402Endpoint&resource_id=${paymentId}`)).body.data.map(({ actor }: Json) => actor.type);

function expectUnpaid(answer: Answer, reason: string): void {
  expect([answer.status, answer.body.error], JSON.stringify(answer.body)).toEqual([402, reason]);
  expect(unbase64(answer.headers.get('payment-response'))).toMatchObject({ success: false, errorReason: reason, transaction: '' });
}

describe('a 402', () => {
  it('offers the endpoint’s network first and the ledger’s always, in both versions', async () => {
    const endpoint = await onChain();
    for (const answer of [await door(endpoint), await harness.test.get(`/v1/x402/endpoints/${endpoint.id}/challenge`, { as: null })]) {
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([402, 'no-store']);
      const { v1, ...required } = answer.body;
      expect(decodePaymentRequiredHeader(answer.headers.get('payment-required') ?? '')).toEqual(required);
      expect(required).toMatchObject({ x402Version: 2, resource: { url: expect.stringMatching(/^http.*\/x402\/epd_/) } });
      const common = { scheme: 'exact', amount: '100000', maxTimeoutSeconds: 60 };
      expect(required.accepts).toEqual([
        {
          ...common,
          network: chainName,
          asset: expect.stringMatching(/^0x/),
          payTo: endpoint.pay_to,
          extra: { name: 'USDC', version: '2' },
        },
        {
          ...common,
          network: 'ledger:test',
          asset: 'USDC',
          payTo: endpoint.receiver_wallet_id,
          extra: { endpoint_id: endpoint.id, currency: 'USDC' },
        },
      ]);
      expect(v1).toMatchObject({
        x402Version: 1,
        accepts: [{ network: 'base-sepolia', maxAmountRequired: '100000' }, { network: 'ledger:test' }],
      });
    }
  });

  it('404 for no endpoint, 409 for one that is paused, and another environment’s is none', async () => {
    expectRefused(await door({ id: nowhere }), 404, 'not_found');
    const endpoint = await newEndpoint(harness.test);
    expectRefused(await harness.live.get(`/x402/${endpoint.id}`, { as: null }), 404, 'not_found');
    await harness.test.patch(`/v1/x402/endpoints/${endpoint.id}`, { status: 'paused' });
    expectRefused(await door(endpoint), 409, 'state_conflict');
  });
});

describe('paying on the ledger network', () => {
  it('200 for what the agent has signed, by any method', async () => {
    const [endpoint, buyer] = [await newEndpoint(harness.test), await newBuyer(harness.test)];
    const [offer] = await offersOf(endpoint);
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const payload = signedOnLedger(buyer, offer, '0.10', harness.clock.now());
      const answer = await door(endpoint, { 'PAYMENT-SIGNATURE': base64(payload) }, method);
      expect([answer.status, answer.body], method).toEqual([
        200,
        {
          paid: true,
          payment_id: expect.stringMatching(/^pay_/),
          endpoint_id: endpoint.id,
          proof: expect.any(String),
          receipt: unbase64(answer.headers.get('payment-response')),
        },
      ]);
      expect(answer.body.receipt).toMatchObject({ success: true, network: 'ledger:test', payer: buyer.wallet.id, amount: '100000' });
      const verified = (await harness.test.post('/v1/x402/verify', { payment_signature: base64(payload) })).body.data;
      expect(verified).toMatchObject({ valid: true, payment_id: answer.body.payment_id });
      expect(await callersOf(answer.body.payment_id)).toEqual(['agent']);
    }
    expect((await balanceOf(harness.test, buyer.wallet)).available).toBe('99.50');
  });

  it('200 for the price of a payer that has called before, whichever way it writes its wallet', async () => {
    const [endpoint, buyer] = [
      await newEndpoint(harness.test, { volume_discounts: [{ threshold: 1, price_multiplier: '0.5' }] }),
      await newBuyer(harness.test),
    ];
    const [offer] = await offersOf(endpoint);
    expect((await paidRequest(endpoint, signedOnLedger(buyer, offer, '0.10', harness.clock.now()))).status).toBe(200);
    const half = { ...offer, amount: '50000' };
    for (const payer_wallet of [buyer.wallet.id, `wal_${buyer.wallet.id}`, buyer.wallet.id.toUpperCase()]) {
      const answer = await paidRequest(endpoint, signedOnLedger(buyer, half, '0.05', harness.clock.now(), { payer_wallet }));
      expect([answer.status, answer.body.receipt?.amount], payer_wallet).toEqual([200, '50000']);
    }
    const { payload } = signedOnLedger(buyer, half, '0.05', harness.clock.now());
    const v1 = await door(endpoint, { 'X-PAYMENT': base64({ x402Version: 1, scheme: 'exact', network: 'ledger:test', payload }) });
    expect([v1.status, v1.body.receipt?.amount], JSON.stringify(v1.body)).toEqual([200, '50000']);
  });

  it('402 for a payload that was changed, is another endpoint’s, has expired, or was used', async () => {
    const [endpoint, other, buyer] = [await newEndpoint(harness.test), await newEndpoint(harness.test), await newBuyer(harness.test)];
    const [offer] = await offersOf(endpoint);
    const now = harness.clock.now();
    const good = signedOnLedger(buyer, offer, '0.10', now);
    const cheap = structuredClone(good);
    cheap.payload.authorization.amount = '0.01';
    expectUnpaid(await paidRequest(endpoint, cheap), 'invalid_signature');
    expectUnpaid(await paidRequest(endpoint, signedOnLedger(buyer, offer, '0.01', now)), 'invalid_payment_requirements');
    expectUnpaid(await paidRequest(endpoint, { ...good, accepted: { ...offer, amount: '1' } }), 'invalid_payment_requirements');
    expectUnpaid(await paidRequest(other, good), 'invalid_payment_requirements');
    expectUnpaid(await paidRequest(endpoint, signedOnLedger(buyer, offer, '0.10', now, { valid_before: '1' })), 'invalid_valid_before');
    expect((await paidRequest(endpoint, good)).status).toBe(200);
    expectUnpaid(await paidRequest(endpoint, good), 'invalid_transaction_state');
    const stranger = await newBuyer(harness.test);
    expectUnpaid(
      await paidRequest(endpoint, signedOnLedger(stranger, offer, '0.10', now, { payer_wallet: buyer.wallet.id })),
      'invalid_signature',
    );
    expect(await paymentsOf(endpoint)).toHaveLength(1);
  });

  it('402 with the code of the layer that refuses', async () => {
    const [endpoint, buyer, poor] = [
      await newEndpoint(harness.test),
      await newBuyer(harness.test),
      await newBuyer(harness.test, { funded: '0.01' }),
    ];
    const [offer] = await offersOf(endpoint);
    expectUnpaid(await paidRequest(endpoint, signedOnLedger(poor, offer, '0.10', harness.clock.now())), 'insufficient_funds');
    await harness.test.post(`/v1/agents/${buyer.id}/freeze`, {});
    const frozen = await paidRequest(endpoint, signedOnLedger(buyer, offer, '0.10', harness.clock.now()));
    expectUnpaid(frozen, 'unexpected_settle_error');
    expect(frozen.body).toMatchObject({ code: 'agent_frozen', details: { next_actions: [expect.anything()] } });
  });

  it('202 while it waits for an approval, with the nonce taken', async () => {
    const [endpoint, buyer] = [await newEndpoint(harness.test), await newBuyer(harness.test)];
    const approval = { threshold: '0.05', currency: 'USDC' };
    await harness.test.make('/v1/policies', { name: 'Ask', target: { type: 'agent', id: buyer.uuid }, rules: [], approval });
    const [offer] = await offersOf(endpoint);
    const payload = signedOnLedger(buyer, offer, '0.10', harness.clock.now());
    const answer = await paidRequest(endpoint, payload);
    expect([answer.status, answer.body]).toMatchObject([202, { paid: false, approval: { status: 'pending' } }]);
    expectUnpaid(await paidRequest(endpoint, payload), 'invalid_transaction_state');
    const { payment } = (await harness.test.post(`/v1/approvals/${answer.body.approval.id}/approve`, {})).body;
    expect(payment).toMatchObject({ id: answer.body.payment_id, status: 'settled', payment_signature: base64(payload) });
  });

  it('400 for a header that is no payment', async () => {
    const endpoint = await newEndpoint(harness.test);
    const [offer] = await offersOf(endpoint);
    const unkeepable = signedOnLedger(await newBuyer(harness.test), offer, '0.10', harness.clock.now());
    unkeepable.payload.authorization.payer_wallet = '\ud800';
    for (const header of ['x', base64({}), base64({ x402Version: 1 }), `${base64({})}=`, base64(unkeepable)])
      expectInvalid(await door(endpoint, { 'PAYMENT-SIGNATURE': header }), 'PAYMENT-SIGNATURE');
  });
});

describe('paying from a chain with the official client', () => {
  it('200 in version 2: the money reaches the wallet through the clearing account of the rail', async () => {
    const [endpoint, payer] = [await onChain(), await newPayer(harness.test)];
    const [offer] = await offersOf(endpoint);
    const payload = await signed(payer, offer);
    const answer = await door(endpoint, { 'PAYMENT-SIGNATURE': encodePaymentSignatureHeader(payload) });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    const receipt = decodePaymentResponseHeader(answer.headers.get('payment-response') ?? '');
    expect(receipt).toMatchObject({ success: true, network: chainName, payer: payer.address, transaction: expect.stringMatching(/^0x/) });
    expect((await balanceOf(harness.test, { id: endpoint.receiver_wallet_id })).available).toBe('0.10');
    expect(await chainBalance(harness.test, payer.address)).toBe('9.90');
    expect(await chainBalance(harness.test, endpoint.pay_to)).toBe('0.10');
    const [payment] = await paymentsOf(endpoint);
    expect(payment).toMatchObject({
      status: 'settled',
      network: chainName,
      payer_wallet: payer.address.toLowerCase(),
      tx_hash: receipt.transaction,
    });
    expect((await harness.test.get(`/v1/transfers/${payment.transfer_id}`)).body.data).toMatchObject({
      protocol: 'x402',
      status: 'completed',
    });
    // Its row, and its money.
    expect(await callersOf(payment.id)).toEqual(['system', 'system']);
    const told = await eventsOf(harness, payment.id.slice('pay_'.length));
    expect(told.map(({ type }) => type).sort()).toEqual(['transfer.completed', 'transfer.created', 'x402.payment.completed']);
    await harness.runDue();
    expect((await harness.test.get('/v1/test/convergence')).body).toMatchObject({ converged: true });
  });

  it('200 in version 1', async () => {
    const [endpoint, payer] = [await onChain(), await newPayer(harness.test)];
    const asked = await door(endpoint, { 'X-PAYMENT': 'x' }).then(() =>
      harness.test.get(`/v1/x402/endpoints/${endpoint.id}/challenge`, { as: null, headers: { 'X-PAYMENT': 'any' } }),
    );
    expect(asked.body).toMatchObject({ x402Version: 1, accepts: [{ network: 'base-sepolia' }, { network: 'ledger:test' }] });
    expect(asked.headers.get('payment-required')).toBeNull();
    const payload = await signedV1(payer, asked.body.accepts[0]);
    const answer = await door(endpoint, { 'X-PAYMENT': base64(payload) });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    expect(unbase64(answer.headers.get('x-payment-response'))).toMatchObject({ success: true, network: 'base-sepolia' });
    expect((await balanceOf(harness.test, { id: endpoint.receiver_wallet_id })).available).toBe('0.10');
  });

  it('402 for too little money, and for a nonce that was used', async () => {
    const [endpoint, payer, poor] = [await onChain(), await newPayer(harness.test), await newPayer(harness.test, { funded: '0.01' })];
    const [offer] = await offersOf(endpoint);
    expectUnpaid(await paidRequest(endpoint, await signed(poor, offer)), 'insufficient_funds');
    const payload = await signed(payer, offer);
    expect((await paidRequest(endpoint, payload)).status).toBe(200);
    expectUnpaid(await paidRequest(endpoint, payload), 'invalid_transaction_state');
    const other = await onChain();
    expectUnpaid(await paidRequest(other, payload), 'invalid_payment_requirements');
  });
});
