// POST /v1/x402/quote and /v1/x402/pay
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { mandateBody } from '../../factories/mandate.js';
import { balanceOf, eventsOf } from '../../factories/payment.js';
import { type Buyer, newBuyer, newEndpoint, payBody, payFor } from '../../factories/x402.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const path = '/v1/x402/pay';
const ask = (buyer: Buyer, endpoint: Json, extra: object = {}, query = '') =>
  harness.test.post(path + query, payBody(buyer, endpoint, extra), { as: buyer.token });
const quote = (body: Json, as = harness.test.key) => harness.test.post('/v1/x402/quote', body, { as });
/** A policy of one agent. */
const bind = ({ uuid }: Buyer, rules: object[], extra: object = {}) =>
  harness.test.make('/v1/policies', { name: 'Rule', target: { type: 'agent', id: uuid }, rules, ...extra });
const bare = (id: string) => id.slice(id.lastIndexOf('_') + 1);

describe('POST /v1/x402/quote', () => {
  it('promises the price of a call to a wallet, once', async () => {
    const [endpoint, buyer] = [await newEndpoint(harness.test), await newBuyer(harness.test)];
    const { status, body } = await quote({ endpoint_id: endpoint.id, from_wallet_id: buyer.wallet.id }, buyer.token);
    expect([status, body.data]).toEqual([
      200,
      {
        payment_request_id: expect.stringMatching(/^preq_/),
        amount: '0.10',
        currency: 'USDC',
        pay_to: endpoint.pay_to,
        expires_at: new Date(harness.clock.now().getTime() + 60_000).toISOString(),
        discount: '0.00',
        affordable: true,
        decision: expect.objectContaining({ outcome: 'allow' }),
      },
    ]);
    await harness.test.patch(`/v1/x402/endpoints/${endpoint.id}`, { base_price: '0.50' });
    const request = { from_wallet_id: buyer.wallet.id, payment_request_id: body.data.payment_request_id };
    expect((await harness.test.make(path, request, { as: buyer.token })).amount).toBe('0.10');
    expectRefused(await harness.test.post(path, request, { as: buyer.token }), 422, 'payment_invalid', { reason: 'nonce_used' });
    expect((await balanceOf(harness.test, buyer.wallet)).available).toBe('99.90');
  });

  it('says that the wallet has not enough', async () => {
    const [endpoint, buyer] = [await newEndpoint(harness.test), await newBuyer(harness.test, { funded: '0.05' })];
    const { data } = (await quote({ endpoint_id: endpoint.id, from_wallet_id: buyer.wallet.id })).body;
    expect(data).toMatchObject({ affordable: false, decision: { outcome: 'deny', code: 'insufficient_balance' } });
  });

  it('expires after a minute, and holds for its wallet alone', async () => {
    const [endpoint, buyer, other] = [await newEndpoint(harness.test), await newBuyer(harness.test), await newBuyer(harness.test)];
    const { payment_request_id } = (await quote({ endpoint_id: endpoint.id, from_wallet_id: buyer.wallet.id })).body.data;
    expectInvalid(await harness.test.post(path, { from_wallet_id: other.wallet.id, payment_request_id }), 'from_wallet_id');
    harness.clock.advance(60);
    expectRefused(await harness.test.post(path, { from_wallet_id: buyer.wallet.id, payment_request_id }), 409, 'quote_expired');
  });

  it('asked for nobody in particular, is paid by one wallet', async () => {
    const [endpoint, first, second] = [await newEndpoint(harness.test), await newBuyer(harness.test), await newBuyer(harness.test)];
    const { payment_request_id } = (await quote({ endpoint_id: endpoint.id })).body.data;
    const request = ({ wallet }: Buyer) => ({ from_wallet_id: wallet.id, payment_request_id });
    await harness.test.make(path, request(first));
    for (const query of ['', '?dry_run=true'])
      expectRefused(await harness.test.post(path + query, request(second)), 422, 'payment_invalid', { reason: 'nonce_used' });
  });

  it('400 without or with two things to pay', async () => {
    expectRefused(await quote({}), 400, 'validation_failed');
    expectRefused(await quote({ payment_required: { accepts: [] } }), 400, 'validation_failed');
  });
});

describe('POST /v1/x402/pay', () => {
  describe('201', () => {
    it('moves the money, and proves it', async () => {
      const [endpoint, buyer] = [await newEndpoint(harness.test), await newBuyer(harness.test)];
      const { status, body } = await ask(buyer, endpoint);
      const { data: payment } = body;
      expect([status, payment]).toEqual([
        201,
        {
          id: expect.stringMatching(/^pay_/),
          payment_id: payment.id,
          endpoint_id: endpoint.id,
          amount: '0.10',
          currency: 'USDC',
          payer_wallet: buyer.wallet.id,
          pay_to: endpoint.receiver_wallet_id,
          network: 'ledger:test',
          scheme: 'exact',
          status: 'settled',
          proof: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
          tx_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
          transfer_id: bare(payment.id),
          expires_at: new Date(harness.clock.now().getTime() + 3_600_000).toISOString(),
          created_at: harness.clock.now().toISOString(),
          credited_at: harness.clock.now().toISOString(),
        },
      ]);
      expect(decodeJwt(payment.proof)).toMatchObject({
        payment_id: payment.id,
        endpoint_id: endpoint.id,
        amount: '0.10',
        currency: 'USDC',
        payer: buyer.wallet.id,
        nonce: bare(payment.id),
        exp: new Date(payment.expires_at).getTime() / 1000,
      });
      expect((await balanceOf(harness.test, { id: endpoint.receiver_wallet_id })).available).toBe('0.10');
      expect((await balanceOf(harness.test, buyer.wallet)).available).toBe('99.90');
      const transfer = (await harness.test.get(`/v1/transfers/${payment.transfer_id}`)).body.data;
      expect(transfer).toMatchObject({ protocol: 'x402', status: 'completed', protocol_metadata: { payment_id: payment.id } });
      expect(await eventsOf(harness, bare(payment.id))).toContainEqual({
        type: 'x402.payment.completed',
        data: {
          payment_id: payment.id,
          endpoint_id: endpoint.id,
          amount: '0.10',
          currency: 'USDC',
          payer_wallet: `wal_${buyer.wallet.id}`,
          proof: payment.proof,
          tx_hash: payment.tx_hash,
        },
      });
    });

    it('less by the volume discount, from the threshold on, until the month ends', async () => {
      const volume_discounts = [{ threshold: 2, price_multiplier: '0.5' }];
      const [endpoint, buyer] = [await newEndpoint(harness.test, { volume_discounts }), await newBuyer(harness.test)];
      const amounts: string[] = [];
      for (let call = 0; call < 3; call += 1) amounts.push((await payFor(harness.test, buyer, endpoint)).amount);
      expect(amounts).toEqual(['0.10', '0.10', '0.05']);
      expect((await quote({ endpoint_id: endpoint.id, from_wallet_id: buyer.wallet.id })).body.data).toMatchObject({ discount: '0.05' });
      expect((await payFor(harness.test, await newBuyer(harness.test), endpoint)).amount).toBe('0.10');
      harness.clock.set('2026-04-01T00:00:00.000Z');
      expect((await payFor(harness.test, buyer, endpoint)).amount).toBe('0.10');
    });

    it('less the fee and the holdback of the settlement config', async () => {
      const [endpoint, buyer] = [await newEndpoint(harness.test, { base_price: '1.00' }), await newBuyer(harness.test)];
      await harness.test.patch('/v1/settlement/config', { x402_fee_percentage: 2, holdback_percentage: 10 });
      await payFor(harness.test, buyer, endpoint);
      await harness.test.patch('/v1/settlement/config', { x402_fee_percentage: 0, holdback_percentage: 0 });
      expect((await balanceOf(harness.test, { id: endpoint.receiver_wallet_id })).available).toBe('0.882');
    });

    it('by a mandate, from the account’s wallet', async () => {
      const [endpoint, buyer] = [await newEndpoint(harness.test), await newBuyer(harness.test)];
      const mandate = await harness.test.make('/v1/ap2/mandates', mandateBody(buyer, { max_per_tx: '0.10', currency: 'USDC' }));
      const presented = { mandate_id: mandate.id, mandate_jwt: mandate.mandate_jwt };
      expect((await ask(buyer, endpoint, presented)).status).toBe(201);
      const dear = await newEndpoint(harness.test, { base_price: '0.11' });
      expectRefused(await ask(buyer, dear, presented), 403, 'mandate_limit_exceeded');
    });

    it('an upto payment holds the most, and its seller settles what was used', async () => {
      const [endpoint, buyer] = [await newEndpoint(harness.test, { scheme: 'upto', base_price: '1.00' }), await newBuyer(harness.test)];
      const payment = await payFor(harness.test, buyer, endpoint, { max_amount: '0.80' });
      expect(payment).toMatchObject({ status: 'pending', amount: '0.80', scheme: 'upto' });
      expect(payment.proof).toBeUndefined();
      expectRefused(await harness.test.post(`/v1/transfers/${payment.transfer_id}/cancel`, {}, { as: buyer.token }), 409, 'state_conflict');
      expectRefused(await harness.test.post(`/v1/transfers/${payment.transfer_id}/capture`, {}), 409, 'state_conflict');
      const consume = `/v1/x402/payments/${payment.id}/consume`;
      expectInvalid(await harness.test.post(consume, { amount: '0.81' }), 'amount');
      const { data } = (await harness.test.post(consume, { amount: '0.30' })).body;
      expect(data).toMatchObject({ status: 'settled', amount: '0.30', consumed_at: expect.any(String), proof: expect.any(String) });
      expect((await balanceOf(harness.test, buyer.wallet)).available).toBe('99.70');
      expect((await balanceOf(harness.test, { id: endpoint.receiver_wallet_id })).available).toBe('0.30');
      expectRefused(await harness.test.post(consume, {}), 409, 'state_conflict', { reason: 'consumed' });
    });

    it('an upto payment that nobody settles comes back', async () => {
      const [endpoint, buyer] = [await newEndpoint(harness.test, { scheme: 'upto' }), await newBuyer(harness.test)];
      const payment = await payFor(harness.test, buyer, endpoint);
      await harness.advance(3_600);
      expect((await harness.test.get(`/v1/x402/payments/${payment.id}`)).body.data).toMatchObject({
        status: 'failed',
        failure_reason: 'hold_expired',
      });
      expect((await balanceOf(harness.test, buyer.wallet)).available).toBe('100.00');
    });

    it('once for one Idempotency-Key', async () => {
      const [endpoint, buyer] = [await newEndpoint(harness.test), await newBuyer(harness.test)];
      const options = { as: buyer.token, headers: { 'Idempotency-Key': `pay-${buyer.id}` } };
      const [first, again] = [
        await harness.test.post(path, payBody(buyer, endpoint), options),
        await harness.test.post(path, payBody(buyer, endpoint), options),
      ];
      expect(again.body).toEqual(first.body);
      expect((await balanceOf(harness.test, buyer.wallet)).available).toBe('99.90');
    });
  });

  describe('202', () => {
    const needsApproval = async () => {
      const [endpoint, buyer] = [await newEndpoint(harness.test), await newBuyer(harness.test)];
      await bind(buyer, [], { approval: { threshold: '0.05', currency: 'USDC' } });
      const { status, body } = await ask(buyer, endpoint);
      expect([status, body.data.status, body.approval.status]).toEqual([202, 'pending', 'pending']);
      return { endpoint, buyer, payment: body.data, approval: body.approval };
    };
    const read = async ({ id }: Json) => (await harness.test.get(`/v1/x402/payments/${id}`)).body.data;

    it('settles when it is approved', async () => {
      const { endpoint, payment, approval } = await needsApproval();
      expectRefused(await harness.test.post(`/v1/x402/payments/${payment.id}/consume`, {}), 409, 'state_conflict');
      const { payment: approved } = (await harness.test.post(`/v1/approvals/${approval.id}/approve`, {})).body;
      expect(approved).toMatchObject({ id: payment.id, status: 'settled', proof: expect.any(String) });
      expect((await balanceOf(harness.test, { id: endpoint.receiver_wallet_id })).available).toBe('0.10');
      expect((await eventsOf(harness, bare(payment.id))).filter(({ type }) => type === 'x402.payment.completed')).toHaveLength(1);
    });

    it('fails when it is rejected, and the money comes back', async () => {
      const { buyer, payment, approval } = await needsApproval();
      await harness.test.post(`/v1/approvals/${approval.id}/reject`, { reason: 'no' });
      expect(await read(payment)).toMatchObject({ status: 'failed' });
      expect((await balanceOf(harness.test, buyer.wallet)).available).toBe('100.00');
    });
  });

  it('a dry run says what would happen, and changes nothing', async () => {
    const [endpoint, buyer] = [await newEndpoint(harness.test), await newBuyer(harness.test)];
    const { data } = (await ask(buyer, endpoint, {}, '?dry_run=true')).body;
    expect(data.would_emit).toEqual(['transfer.created', 'transfer.completed', 'x402.payment.completed']);
    expect(data.would_post).toHaveLength(2);
    expect((await balanceOf(harness.test, buyer.wallet)).available).toBe('100.00');
  });

  describe('400', () => {
    it('for no and for two things to pay', async () => {
      const buyer = await newBuyer(harness.test);
      expectRefused(await harness.test.post(path, { from_wallet_id: buyer.wallet.id }), 400, 'validation_failed');
      const both = { endpoint_id: nowhere, payment_request_id: nowhere };
      expectRefused(await harness.test.post(path, { from_wallet_id: buyer.wallet.id, ...both }), 400, 'validation_failed');
    });
  });

  describe('403', () => {
    it('for the wallet of another agent, and for what a policy forbids', async () => {
      const [endpoint, buyer, other] = [await newEndpoint(harness.test), await newBuyer(harness.test), await newBuyer(harness.test)];
      expectRefused(await harness.test.post(path, payBody(other, endpoint), { as: buyer.token }), 403, 'forbidden');
      await bind(buyer, [{ kind: 'protocols', allow: ['ap2'] }]);
      expectRefused(await ask(buyer, endpoint), 403, 'policy_violation');
    });

    it('for a wallet that was closed, also where all that it would get is kept back', async () => {
      const [endpoint, buyer] = [await newEndpoint(harness.test), await newBuyer(harness.test)];
      await harness.test.post(`/v1/wallets/${endpoint.receiver_wallet_id}/close`, {});
      for (const holdback_percentage of [0, 100]) {
        await harness.test.patch('/v1/settlement/config', { holdback_percentage });
        expectRefused(await ask(buyer, endpoint), 403, 'wallet_frozen', { wallet_id: endpoint.receiver_wallet_id });
      }
      await harness.test.patch('/v1/settlement/config', { holdback_percentage: 0 });
    });
  });

  describe('422', () => {
    it('for too little money, another currency, the seller’s own wallet, and a price above the maximum', async () => {
      const [endpoint, poor] = [await newEndpoint(harness.test), await newBuyer(harness.test, { funded: '0.01' })];
      expectRefused(await ask(poor, endpoint), 422, 'insufficient_balance');
      expectRefused(await ask(await newBuyer(harness.test, { currency: 'USD' }), endpoint), 422, 'currency_mismatch');
      const own = { from_wallet_id: endpoint.receiver_wallet_id, endpoint_id: endpoint.id };
      expectRefused(await harness.test.post(path, own), 422, 'same_wallet');
      const dear = await ask(await newBuyer(harness.test), endpoint, { max_amount: '0.09' });
      expectRefused(dear, 422, 'payment_invalid', { reason: 'max_amount_exceeded', price: '0.10' });
    });
  });
});
