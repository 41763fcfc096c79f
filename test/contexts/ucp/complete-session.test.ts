// Checkouts that an agent pays by UCP.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { spender } from '../../factories/approval.js';
import { newCard } from '../../factories/card.js';
import { mandateBody } from '../../factories/mandate.js';
import { newSeller, offerMetadata } from '../../factories/offer.js';
import { type Json, nowhere, openWallet, useHarness } from '../../harness.js';
import { enrol, type TestAgent } from '../agents/identity.js';
import { byMandate, byWallet, mugs, ProfileHost, payment, profileOf, shipping, songs, Talk } from './talk.js';

const host = await ProfileHost.start();
afterAll(() => host.stop());
const harness = useHarness({ allowHosts: [host.host] });
let merchant: Json;
let till: Json;
let buyer: TestAgent;
let wallet: Json;
let profile: string;
let talk: Talk;
beforeAll(async () => {
  ({ merchant, wallet: till } = await newSeller(harness.test));
  buyer = await enrol(harness.test, { wallet: { currency: 'USD' } });
  wallet = { id: buyer.agent.default_wallet_id };
  await harness.test.make(`/v1/wallets/${wallet.id}/fund`, { amount: '500.00' });
  profile = host.publish(profileOf());
  talk = new Talk(harness.test, merchant, profile, buyer.token);
});

const available = async ({ id }: Json) => (await harness.test.get(`/v1/wallets/${id}`)).body.data.balance.available;
const failedWith = (reason: string) => ({
  status: 200,
  body: {
    status: 'ready_for_complete',
    ucp: { status: 'success' },
    messages: [{ code: 'payment_failed', reason, severity: 'recoverable' }],
  },
});

describe('POST /ucp/{merchant_id}/checkout-sessions/{id}/complete', () => {
  it('200: a vaulted card pays once its processor has', async () => {
    const { body: begun } = await talk.create(songs());
    const card = await newCard(harness.test, { processor_token: 'tok_ok' }, { id: buyer.agent.parent_account_id });
    const { body } = await talk.complete(begun.id, payment('card', 'vaulted_card', 'card_id', card.id));
    expect(body.status).toBe('complete_in_progress');
    await harness.runDue();
    expect((await talk.read(begun.id)).body).toMatchObject({ status: 'completed', order: { id: `ord_${begun.id.slice(-36)}` } });
  });

  it('200: pays from a wallet, and the same checkout is read on every face', async () => {
    const before = Number(await available(till));
    const { body: begun } = await talk.create(mugs(2, { fulfillment: shipping() }));
    const { status, body } = await talk.complete(begun.id, byWallet(wallet));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'completed',
      order: { id: `ord_${begun.id.slice(-36)}`, permalink_url: `https://shop.example/orders/${begun.id}` },
      totals: begun.totals,
    });
    expect(body.messages).toBeUndefined();
    expect(Number(await available(till)) - before).toBeCloseTo(32.05);
    const rest = (await harness.test.get(`/v1/ucp/checkouts/${begun.id}`)).body.data;
    expect(rest).toMatchObject({ status: 'paid', total: '32.05', currency: 'USD' });
    const { body: twin } = await harness.test.graphql('query ($id: UcpCheckoutId!) { ucpCheckout(id: $id) { status total } }', {
      id: begun.id,
    });
    expect(twin.data.ucpCheckout).toEqual({ status: 'paid', total: '32.05' });
    expect((await talk.read(begun.id)).body).toMatchObject({ status: 'completed', order: body.order });
    await harness.test.make(`/v1/ucp/checkouts/${begun.id}/fulfill`, {});
    expect((await talk.read(begun.id)).body.status).toBe('completed');
  });
  it('200: pays by a mandate, which counts against its limits', async () => {
    const mandate = await harness.test.make('/v1/ap2/mandates', mandateBody(buyer, { max_per_tx: '2.50' }));
    const small = await talk.ready();
    expect((await talk.complete(small.id, byMandate(mandate))).body.status).toBe('completed');
    const large = await talk.ready(songs(3));
    expect(await talk.complete(large.id, byMandate(mandate))).toMatchObject(failedWith('mandate_limit_exceeded'));
  });
  it('a key pays once, and another key finds it paid', async () => {
    const { id } = await talk.ready();
    const before = await available(wallet);
    const first = await talk.complete(id, byWallet(wallet), { key: 'pay' });
    const again = await talk.complete(id, byWallet(wallet), { key: 'pay' });
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(await talk.complete(id, byWallet(wallet))).toMatchObject({ status: 409, body: { code: 'state_conflict' } });
    expect(Number(before) - Number(await available(wallet))).toBeCloseTo(2.17);
    const other = await openWallet(harness.test, { funded: '5.00' });
    expect(await talk.complete(id, byWallet(other.wallet), { key: 'pay' })).toMatchObject({
      status: 409,
      body: { code: 'idempotency_key_reused' },
    });
  });
  it('of many at once one pays', async () => {
    const { id } = await talk.ready();
    const before = await available(till);
    const answers = await Promise.all(Array.from({ length: 8 }, () => talk.complete(id, byWallet(wallet))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
    expect(Number(await available(till)) - Number(before)).toBeCloseTo(2.17);
  });
  it('200 payment_failed for money that is not there, and another try may pay', async () => {
    const { id } = await talk.ready();
    const poor = await openWallet(harness.test, { funded: '1.00' });
    const as = harness.test.key;
    const key = 'try';
    expect(await talk.complete(id, byWallet(poor.wallet), { as, key })).toMatchObject(failedWith('insufficient_balance'));
    await harness.test.make(`/v1/wallets/${poor.wallet.id}/fund`, { amount: '9.00' });
    expect((await talk.complete(id, byWallet(poor.wallet), { as, key })).body.status).toBe('completed');
  });
  it('200 payment_failed for what does not pay here', async () => {
    const { id } = await talk.ready();
    const euros = await openWallet(harness.test, { currency: 'EUR', funded: '9.00' });
    const frozen = await openWallet(harness.test, { funded: '9.00' });
    await harness.test.make(`/v1/wallets/${frozen.wallet.id}/freeze`, {});
    const revoked = await harness.test.make('/v1/ap2/mandates', mandateBody(buyer));
    await harness.test.make(`/v1/ap2/mandates/${revoked.id}/revoke`, {});
    const tries: [Json, string][] = [
      [byWallet(euros.wallet), 'currency_mismatch'],
      [byWallet(frozen.wallet), 'wallet_frozen'],
      [byWallet({ id: nowhere }), 'not_found'],
      [byMandate(revoked), 'mandate_revoked'],
      [byWallet({ id: 'x' }), 'payment_invalid'],
      [payment('mandate', 'ap2_mandate', 'mandate_jwt', 'x.y.z'), 'payment_invalid'],
      [payment('cash', 'wallet', 'wallet_id', wallet.id), 'payment_invalid'],
      [payment('wallet', 'card', 'wallet_id', wallet.id), 'payment_invalid'],
      [payment('wallet', 'wallet', 'card_number', wallet.id), 'payment_invalid'],
      [{ payment: { instruments: [] } }, 'payment_invalid'],
      [{ payment: { instruments: Array(2).fill(byWallet(wallet).payment.instruments[0]) } }, 'payment_invalid'],
    ];
    for (const [body, reason] of tries) {
      const answer = await talk.complete(id, body, { as: harness.test.key });
      expect([reason, answer]).toMatchObject([reason, failedWith(reason)]);
    }
    expect((await talk.complete(id, byWallet(wallet))).body.status).toBe('completed');
  });
  it('takes only the handlers of the merchant', async () => {
    const seller = await newSeller(harness.test, { payment_handlers: ['mandate'] });
    const shop = new Talk(harness.test, seller.merchant, profile, buyer.token);
    const made = await shop.ready();
    expect(Object.values(made.ucp.payment_handlers).flat()).toMatchObject([{ id: 'mandate' }]);
    expect(await shop.complete(made.id, byWallet(wallet))).toMatchObject(failedWith('payment_invalid'));
  });
  it('200 requires_escalation while an approval is waited for; it pays once it is given, and may be tried again once it is not', async () => {
    const careful = await spender(harness);
    const ask = async () => {
      const { id } = await talk.create(songs(), { as: careful.token }).then(({ body }) => body);
      const waits = await talk.complete(id, byWallet(careful.wallet), { as: careful.token });
      expect(waits).toMatchObject({
        status: 200,
        body: { status: 'requires_escalation', messages: [{ severity: 'requires_buyer_review' }] },
      });
      return { id, approval: new URL(waits.body.continue_url).pathname };
    };
    const given = await ask();
    expect((await harness.test.get(given.approval)).body.data).toMatchObject({ status: 'pending' });
    expect(await talk.complete(given.id, byWallet(careful.wallet), { as: careful.token })).toMatchObject({ status: 409 });
    await harness.test.make(`${given.approval}/approve`, {});
    expect((await talk.read(given.id, { as: careful.token })).body.status).toBe('completed');
    const refused = await ask();
    await harness.test.make(`${refused.approval}/reject`, {});
    const { body } = await talk.read(refused.id, { as: careful.token });
    expect(body).toMatchObject({ status: 'ready_for_complete', messages: [{ code: 'payment_failed', severity: 'recoverable' }] });
    expect((await talk.complete(refused.id, byWallet(wallet), { as: harness.test.key })).body.status).toBe('completed');
  });
  it('200 with what is missing, or sold out since then', async () => {
    const { body: begun } = await talk.create(mugs(1));
    const unready = await talk.complete(begun.id, byWallet(wallet));
    expect([unready.status, unready.body.status, unready.body.messages[0].code]).toEqual([200, 'incomplete', 'missing']);
    const seller = await newSeller(harness.test);
    const shop = new Talk(harness.test, seller.merchant, profile, buyer.token);
    const { id } = await shop.ready();
    const items = offerMetadata().offer.items.map((item: Json) => ({ ...item, available_quantity: 0 }));
    await harness.test.patch(`/v1/merchants/${seller.merchant.id}`, { metadata: offerMetadata({ items }) });
    const sold = await shop.complete(id, byWallet(wallet));
    expect(sold.body).toMatchObject({ status: 'incomplete', messages: [{ code: 'out_of_stock', path: '$.line_items[0].quantity' }] });
  });
  it('400 without a payment', async () => {
    const { id } = await talk.ready();
    for (const body of [{}, { payment: {} }, { payment: { instruments: [{}] } }, { payment: { instruments: {} } }]) {
      expect(await talk.complete(id, body)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    }
  });
  it('409 after its time, or once it was canceled', async () => {
    const { id } = await talk.ready();
    const { id: second } = await talk.ready();
    await talk.cancel(second);
    expect(await talk.complete(second, byWallet(wallet))).toMatchObject({ status: 409, body: { code: 'state_conflict' } });
    harness.clock.advance(6 * 3_600);
    expect(await talk.complete(id, byWallet(wallet))).toMatchObject({ status: 409, body: { code: 'checkout_expired' } });
    expect((await talk.read(id)).body.status).toBe('canceled');
    await harness.runDue();
    expect((await talk.read(id)).body).toMatchObject({ status: 'canceled' });
  });
});
