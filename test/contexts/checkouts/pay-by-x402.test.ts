// Checkouts that are paid by an x402 payment which was made before: the buyer's own, to the merchant, of the very total, and once.
import { describe, expect, it } from 'vitest';
import { newShop, type Shop, uuidOf } from '../../factories/checkout.js';
import { newSeller } from '../../factories/mandate.js';
import { balanceOf, eventsOf } from '../../factories/payment.js';
import { newBuyer, newEndpoint, payBody, payFor } from '../../factories/x402.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();

/** An endpoint of the shop's merchant that costs what the basket does; `extra` replaces members. */
async function priceTag(shop: Pick<Shop, 'merchant'>, extra: object = {}): Promise<Json> {
  const { account_id, settlement_wallet_id } = shop.merchant;
  const body = { name: 'Basket', path: '/basket', method: 'POST', account_id, receiver_wallet_id: settlement_wallet_id };
  return harness.test.make('/v1/x402/endpoints', { ...body, base_price: '27.50', currency: 'USD', ...extra });
}

async function paidShop(protocol: 'acp' | 'ucp' = 'acp') {
  const shop = await newShop(harness.test, { protocol });
  const endpoint = await priceTag(shop);
  const payment = await payFor(harness.test, shop, endpoint);
  const pay = (checkout: Json, { id }: Json = payment, extra: object = {}, as = shop.token) =>
    shop.complete(checkout, { from_wallet_id: undefined, x402_payment_id: id, ...extra }, { as });
  return { shop, endpoint, payment, pay };
}

describe.each(['acp', 'ucp'] as const)('a checkout by %s', (protocol) => {
  it('is paid by the payment, told, and one operation; the payment is used up', async () => {
    const { shop, payment, pay } = await paidShop(protocol);
    const checkout = await shop.begin();
    const dry = await harness.test.post(
      `${shop.path}/${checkout.id}/complete?dry_run=true`,
      { x402_payment_id: payment.id },
      { as: shop.token },
    );
    const events = protocol === 'acp' ? ['acp.checkout.completed'] : [];
    expect(dry.body.data).toMatchObject({ decision: { outcome: 'allow' }, would_post: [], would_emit: events });
    const { status, body } = await pay(checkout);
    expect([status, body.data.status, body.transfer_id, body.approval]).toEqual([200, 'paid', payment.transfer_id, undefined]);
    expect((await balanceOf(harness.test, shop.wallet)).available).toBe('972.50');
    expect((await balanceOf(harness.test, { id: shop.merchant.settlement_wallet_id })).available).toBe('27.50');
    expect((await harness.test.get(`/v1/x402/payments/${payment.id}`)).body.data.consumed_at).toBe(harness.clock.now().toISOString());
    const told = (await eventsOf(harness, uuidOf(checkout))).map(({ type }) => type);
    expect(told).toEqual(protocol === 'acp' ? ['acp.checkout.created', 'acp.checkout.completed'] : []);
    const operations = await harness.platform.database.unscoped.operation.findMany({
      where: { subjectId: { in: [uuidOf(checkout), payment.transfer_id] } },
      orderBy: { id: 'asc' },
    });
    expect(operations).toMatchObject([
      { category: 'x402_payment', operation: 'x402.pay', protocol: 'x402', amount: 2_750n },
      { category: 'checkout', operation: 'checkout.complete', protocol, amount: 0n, success: true, agentId: shop.uuid },
    ]);
    const refund = await harness.test.post(`${shop.path}/${checkout.id}/refund`, { reason: 'customer_request' });
    expect([refund.status, refund.body.data.amount]).toEqual([201, '27.50']);
    expect((await shop.read(checkout)).metadata).toEqual({ refunded: true });
    expect((await balanceOf(harness.test, shop.wallet)).available).toBe('1000.00');
  });
});

describe('POST /v1/acp/checkouts/{id}/complete with x402_payment_id', () => {
  it('200: once for a key, and for the tenant in the place of its agent', async () => {
    const { shop, payment, endpoint, pay } = await paidShop();
    const checkout = await shop.begin();
    const request = [`${shop.path}/${checkout.id}/complete`, { x402_payment_id: payment.id }] as const;
    const options = { as: shop.token, headers: { 'Idempotency-Key': `x402-${checkout.id}` } };
    const [first, again] = [await harness.test.post(...request, options), await harness.test.post(...request, options)];
    expect([first.status, again.status, again.body.transfer_id]).toEqual([200, 200, first.body.transfer_id]);
    const second = await shop.begin({ agent_id: shop.uuid }, { as: harness.test.key });
    expect((await pay(second, await payFor(harness.test, shop, endpoint), {}, harness.test.key)).status).toBe(200);
  });

  it('400 beside another way to pay', async () => {
    const { shop, pay, payment } = await paidShop();
    expectInvalid(await pay(await shop.begin(), payment, { from_wallet_id: shop.wallet.id }), 'x402_payment_id');
  });

  it('403 for a merchant that a policy of the payer blocks, although nobody named it when it was paid', async () => {
    const { shop, pay } = await paidShop();
    const drawer = await harness.test.make('/v1/wallets', { owner_type: 'account', owner_id: shop.merchant.account_id, currency: 'USD' });
    const payment = await payFor(harness.test, shop, await priceTag(shop, { receiver_wallet_id: drawer.id }));
    const rules = [{ kind: 'merchants', block: [shop.merchant.id] }];
    await harness.test.make('/v1/policies', { name: 'No', target: { type: 'agent', id: shop.uuid }, rules });
    const checkout = await shop.begin();
    expectRefused(await pay(checkout, payment), 403, 'merchant_blocked', { next_actions: expect.anything() });
    expect((await shop.read(checkout)).status).toBe('created');
    expect((await harness.test.get(`/v1/x402/payments/${payment.id}`)).body.data.consumed_at).toBeUndefined();
  });

  it('403 for a merchant that a policy wants approved, and 200 where the payment itself was approved', async () => {
    const { shop, pay, payment, endpoint } = await paidShop();
    const rules = [{ kind: 'merchants', block: [shop.merchant.id], action: 'approve' }];
    await harness.test.make('/v1/policies', { name: 'Ask', target: { type: 'agent', id: shop.uuid }, rules });
    const checkout = await shop.begin();
    const told = { merchant_id: shop.merchant.id, next_actions: expect.anything() };
    const refused = await pay(checkout, payment);
    expectRefused(refused, 403, 'merchant_blocked', told);
    expect(refused.body.details.next_actions.map(({ rel }: Json) => rel)).toEqual(['limits', 'change_limit']);
    const asked = await harness.test.post('/v1/x402/pay', payBody(shop, endpoint), { as: shop.token });
    expect(asked.status).toBe(202);
    await harness.test.make(`/v1/approvals/${asked.body.approval.id}/approve`, {});
    expect((await pay(checkout, asked.body.data)).status).toBe(200);
  });

  it('404 for a payment that is nobody’s, another agent’s, or another tenant’s', async () => {
    const [{ shop, pay }, other] = [await paidShop(), await paidShop()];
    const stranger = await payFor(harness.other, await newBuyer(harness.other), await newEndpoint(harness.other));
    const checkout = await shop.begin({ agent_id: shop.uuid });
    const unknown = { fields: [{ path: 'x402_payment_id' }] };
    for (const id of [`pay_${nowhere}`, other.payment.id, stranger.id])
      expectRefused(await pay(checkout, { id }), 404, 'not_found', unknown);
    expectRefused(await pay(checkout, stranger, {}, harness.test.key), 404, 'not_found', unknown);
  });

  it('409 for a payment that was used, by a checkout or its call, has expired, or was refunded', async () => {
    const { shop, endpoint, payment, pay } = await paidShop();
    expect((await pay(await shop.begin())).status).toBe(200);
    const open = await shop.begin();
    expectRefused(await pay(open), 409, 'state_conflict', { reason: 'consumed' });
    expectRefused(await harness.test.post(`/v1/x402/payments/${payment.id}/consume`, {}), 409, 'state_conflict', { reason: 'consumed' });
    const [called, returned, halved, late] = [
      await payFor(harness.test, shop, endpoint),
      await payFor(harness.test, shop, endpoint),
      await payFor(harness.test, shop, endpoint),
      await payFor(harness.test, shop, endpoint),
    ];
    await harness.test.post(`/v1/x402/payments/${called.id}/consume`, {});
    expectRefused(await pay(open, called), 409, 'state_conflict', { reason: 'consumed' });
    const refund = (original_transfer_id: string, extra: object = {}) =>
      harness.test.make('/v1/refunds', { original_transfer_id, reason: 'customer_request', ...extra });
    await refund(returned.transfer_id);
    expectRefused(await pay(open, returned), 409, 'state_conflict', { reason: 'refunded' });
    expectRefused(await harness.test.post(`/v1/x402/payments/${returned.id}/consume`, {}), 409, 'state_conflict', { reason: 'refunded' });
    const verified = (await harness.test.post('/v1/x402/verify', { proof: returned.proof })).body.data;
    expect(verified).toMatchObject({ valid: false, reason: 'refunded' });
    await refund(halved.transfer_id, { amount: '1.00' });
    expectRefused(await pay(open, halved), 422, 'payment_invalid', { reason: 'refunded' });
    const upto = await payFor(harness.test, shop, await priceTag(shop, { scheme: 'upto' }));
    expectRefused(await pay(open, upto), 409, 'state_conflict', { current_status: 'pending' });
    harness.clock.advance(3_600);
    const fresh = await shop.begin();
    expectRefused(await pay(fresh, late), 409, 'state_conflict', { reason: 'expired' });
  });

  it('422 for another payer, payee, amount or currency', async () => {
    const { shop, endpoint, pay } = await paidShop();
    const checkout = await shop.begin();
    const refused = async (payment: Json, reason: string, as = shop.token) =>
      expectRefused(await pay(checkout, payment, {}, as), 422, 'payment_invalid', { reason, next_actions: expect.anything() });
    const elsewhere = await newSeller(harness.test);
    await refused(await payFor(harness.test, shop, await priceTag({ merchant: elsewhere })), 'wrong_payee');
    await refused(await payFor(harness.test, shop, await priceTag(shop, { base_price: '27.51' })), 'wrong_amount');
    const till = await harness.test.make('/v1/wallets', { owner_type: 'account', owner_id: shop.merchant.account_id, currency: 'USDC' });
    const purse = await harness.test.make('/v1/wallets', { owner_type: 'agent', owner_id: shop.id, currency: 'USDC' });
    await harness.test.make(`/v1/wallets/${purse.id}/fund`, { amount: '100.00' });
    const tag = await priceTag(shop, { receiver_wallet_id: till.id, currency: 'USDC' });
    await refused(await payFor(harness.test, { ...shop, wallet: purse }, tag), 'wrong_currency');
    // The agent that was paid sees the payment, and has not made it.
    const clerk = await enrol(harness.test, { parent_account_id: shop.merchant.account_id, wallet: { currency: 'USD' } });
    const toClerk = await payFor(harness.test, shop, await priceTag(shop, { receiver_wallet_id: clerk.agent.default_wallet_id }));
    const own = await harness.test.make(
      shop.path,
      { merchant_id: shop.merchant.id, items: [{ sku: 'A', quantity: 1, unit_price: '27.50', currency: 'USD' }] },
      { as: clerk.token },
    );
    const answer = await harness.test.post(`${shop.path}/${own.id}/complete`, { x402_payment_id: toClerk.id }, { as: clerk.token });
    expectRefused(answer, 422, 'payment_invalid', { reason: 'wrong_payer' });
    // The tenant does not pay for one agent with what another one has paid.
    const other = await newShop(harness.test);
    const named = await shop.begin({ agent_id: other.uuid }, { as: harness.test.key });
    expectRefused(await pay(named, await payFor(harness.test, shop, endpoint), {}, harness.test.key), 422, 'payment_invalid', {
      reason: 'wrong_payer',
    });
  });
});
