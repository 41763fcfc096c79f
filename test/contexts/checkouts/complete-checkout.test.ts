// POST /v1/acp/checkouts/{id}/complete and POST /v1/ucp/checkouts/{id}/complete
import { describe, expect, it } from 'vitest';
import { ownersKey, trip } from '../../factories/approval.js';
import { address, newShop, sellerAgent, uuidOf } from '../../factories/checkout.js';
import { decisionsOf } from '../../factories/decision.js';
import { mandateBody, readMandate } from '../../factories/mandate.js';
import { balanceOf, eventsOf } from '../../factories/payment.js';
import { nowhere, openWallet, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const completeOf = ({ id }: { id: string }) => `/v1/${id.slice(0, 3)}/checkouts/${id}/complete`;
const operationsOf = (subjectId: string) =>
  harness.platform.database.unscoped.operation.findMany({ where: { subjectId }, orderBy: { id: 'asc' } });

describe.each(['acp', 'ucp'] as const)('POST /v1/%s/checkouts/{id}/complete', (protocol) => {
  it('pays the merchant, by a transfer of the protocol', async () => {
    const shop = await newShop(harness.test, { protocol });
    const checkout = await shop.begin();
    const { status, body } = await shop.complete(checkout, { shipping_address: address });
    const { data, transfer_id } = body;
    expect([status, data]).toEqual([
      200,
      {
        ...checkout,
        status: 'paid',
        client_secret: null,
        shipping_address: address,
        transfer_id,
        paid_at: harness.clock.now().toISOString(),
      },
    ]);
    expect(await balanceOf(harness.test, { id: shop.merchant.settlement_wallet_id })).toMatchObject({ available: '27.50' });
    const transfer = (await harness.test.get(`/v1/transfers/${transfer_id}`)).body.data;
    expect(transfer).toMatchObject({
      type: 'internal',
      status: 'completed',
      protocol,
      amount: '27.50',
      agent_id: shop.uuid,
      protocol_metadata: { checkout_id: checkout.id, merchant_id: shop.merchant.id },
    });
  });

  it('is one operation, and is told once', async () => {
    const shop = await newShop(harness.test, { protocol });
    const checkout = await shop.begin();
    const { body } = await shop.complete(checkout);
    const paid = { category: 'checkout', operation: 'checkout.complete', protocol, success: true, agentId: shop.uuid };
    expect(await operationsOf(uuidOf(checkout))).toEqual([expect.objectContaining(paid)]);
    expect(await operationsOf(body.transfer_id)).toEqual([]);
    const told = (await eventsOf(harness, uuidOf(checkout))).map(({ type, data }) => [type, data.status]);
    const ours = [
      ['acp.checkout.created', 'created'],
      ['acp.checkout.completed', 'paid'],
    ];
    expect(told).toEqual(protocol === 'acp' ? ours : []);
  });

  it('waits for an approval, and is paid by it', async () => {
    const shop = await newShop(harness.test, { protocol });
    await trip(harness, shop.uuid);
    const checkout = await shop.begin();
    const { status, body } = await shop.complete(checkout);
    expect([status, body.data.status, body.approval.status]).toEqual([202, 'pending_payment', 'pending']);
    expect(await balanceOf(harness.test, shop.wallet)).toMatchObject({ available: '972.50', held: '27.50' });
    const answer = await harness.test.post(`/v1/approvals/${body.approval.id}/approve`, {});
    const subject = { type: `${protocol}_checkout`, id: checkout.id };
    expect([answer.status, answer.body.data.subject, answer.body.checkout]).toMatchObject([
      200,
      subject,
      { id: checkout.id, status: 'paid' },
    ]);
    expect(await balanceOf(harness.test, { id: shop.merchant.settlement_wallet_id })).toMatchObject({ available: '27.50' });
    expect(await operationsOf(uuidOf(checkout))).toHaveLength(1);
  });
});

describe('POST /v1/acp/checkouts/{id}/complete', () => {
  describe('200', () => {
    it('once for a key, however often it is sent', async () => {
      const shop = await newShop(harness.test);
      const checkout = await shop.begin();
      const headers = { 'Idempotency-Key': `pay-${shop.uuid}` };
      const first = await shop.complete(checkout, {}, { headers });
      const again = await shop.complete(checkout, {}, { headers });
      const { client_secret: _, ...rest } = first.body.data;
      expect([again.status, again.headers.get('idempotent-replayed'), again.body]).toEqual([200, 'true', { ...first.body, data: rest }]);
      expect(await balanceOf(harness.test, shop.wallet)).toMatchObject({ available: '972.50' });
    });

    it('by an API key for the agent that the checkout names, whose spend it is', async () => {
      const shop = await newShop(harness.test);
      const checkout = await shop.begin({ agent_id: shop.uuid }, { as: harness.test.key });
      const { body } = await shop.complete(checkout, {}, { as: harness.test.key });
      const transfer = (await harness.test.get(`/v1/transfers/${body.transfer_id}`)).body.data;
      expect(transfer).toMatchObject({ agent_id: shop.uuid, initiated_by: { type: 'api_key' } });
    });

    it('by somebody else who has the client secret, with a wallet of its own, and sees it from then on', async () => {
      const [shop, buyer] = [await newShop(harness.test), await newShop(harness.test)];
      const checkout = await shop.begin({}, { as: harness.test.key });
      const by = { as: buyer.token };
      expectRefused(await buyer.complete(checkout, {}, by), 404, 'not_found');
      const { status, body } = await buyer.complete(checkout, { client_secret: checkout.client_secret }, by);
      expect([status, body.data]).toMatchObject([200, { status: 'paid', client_secret: null }]);
      expect(await balanceOf(harness.test, buyer.wallet)).toMatchObject({ available: '972.50' });
      expect((await harness.test.get(`/v1/acp/checkouts/${checkout.id}`, by)).status).toBe(200);
    });

    it('by a mandate, whose limits it uses like an execution', async () => {
      const shop = await newShop(harness.test);
      const mandate = await harness.test.make('/v1/ap2/mandates', mandateBody(shop, { max_per_day: '50.00' }));
      const by = { from_wallet_id: undefined, mandate_id: mandate.id, mandate_jwt: mandate.mandate_jwt };
      const { status, body } = await shop.complete(await shop.begin(), by);
      expect([status, body.data.status]).toEqual([200, 'paid']);
      expect((await readMandate(harness.test, mandate)).usage).toMatchObject({ today: '27.50', executions: 1, remaining_daily: '22.50' });
      const told = (await eventsOf(harness, body.transfer_id)).find(({ type }) => type === 'ap2.mandate.executed');
      expect(told?.data).toMatchObject({
        mandate_id: mandate.id,
        merchant_id: shop.merchant.id,
        amount: '27.50',
        remaining_daily: '22.50',
      });
      const over = await shop.complete(await shop.begin(), by);
      expectRefused(over, 403, 'mandate_limit_exceeded', { limit: { kind: 'mandate', per: 'day', used: '27.50', requested: '27.50' } });
      for (const { rel } of over.body.details.next_actions) expect(rel, 'a checkout has one price').not.toBe('smaller_amount');
      await harness.test.make(`/v1/ap2/mandates/${mandate.id}/revoke`, {});
      expectRefused(await shop.complete(await shop.begin(), by), 409, 'mandate_revoked');
    });

    it('after a payment that was not approved, until its time is over', async () => {
      const shop = await newShop(harness.test);
      await trip(harness, shop.uuid);
      const checkout = await shop.begin();
      const first = await shop.complete(checkout);
      await harness.test.make(`/v1/approvals/${first.body.approval.id}/reject`, { reason: 'Too many mugs' });
      const failure = { code: 'approval_rejected', message: 'Too many mugs' };
      expect(await shop.read(checkout)).toMatchObject({ status: 'failed', failure });
      expect(await balanceOf(harness.test, shop.wallet)).toMatchObject({ available: '1000.00', held: '0.00' });
      const second = await shop.complete(checkout);
      expect([second.status, second.body.data.status, second.body.data.failure]).toEqual([202, 'pending_payment', undefined]);
      await harness.test.make(`/v1/approvals/${second.body.approval.id}/approve`, {});
      expect((await shop.read(checkout)).status).toBe('paid');
      const successes = (await operationsOf(uuidOf(checkout))).map(({ success }) => success);
      expect(successes).toEqual([false, true]);
    });

    it('tries it when asked to, and changes nothing', async () => {
      const shop = await newShop(harness.test);
      const checkout = await shop.begin();
      const dry = await harness.test.post(`${completeOf(checkout)}?dry_run=true`, { from_wallet_id: shop.wallet.id }, { as: shop.token });
      expect([dry.status, dry.body.data]).toMatchObject([200, { decision: { outcome: 'allow' } }]);
      expect(dry.body.data.would_emit).toEqual(['transfer.created', 'transfer.completed', 'acp.checkout.completed']);
      expect(dry.body.data.would_post).toEqual([
        { account: 'wallet.available', direction: 'debit', amount: '27.50', currency: 'USD' },
        { account: 'wallet.available', direction: 'credit', amount: '27.50', currency: 'USD' },
      ]);
      expect((await shop.read(checkout)).status).toBe('created');
    });
  });

  describe('400', () => {
    it.each<[string, object, string]>([
      ['no payment', { from_wallet_id: undefined }, 'from_wallet_id'],
      ['a mandate without its JWT', { mandate_id: `ap2_mnd_${nowhere}` }, 'mandate_jwt'],
      ['a JWT without its mandate', { mandate_jwt: 'x' }, 'mandate_id'],
      ['another client secret', { client_secret: 'acp_chk_secret_x' }, 'client_secret'],
      ['an unknown member', { amount: '1.00' }, 'amount'],
    ])('%s', async (_, extra, path) => {
      const shop = await newShop(harness.test);
      expectInvalid(await shop.complete(await shop.begin(), extra), path);
    });
  });

  describe('403', () => {
    it('for the side that sells, without the client secret', async () => {
      const shop = await newShop(harness.test);
      const seller = await sellerAgent(harness.test, shop.merchant);
      const answer = await shop.complete(await shop.begin(), {}, { as: seller.token });
      expectRefused(answer, 403, 'forbidden', { terminal: true });
    });

    it('for an agent that would pay from another’s wallet', async () => {
      const shop = await newShop(harness.test);
      const { wallet } = await openWallet(harness.test, { funded: '100.00' });
      expectRefused(await shop.complete(await shop.begin(), { from_wallet_id: wallet.id }), 403, 'forbidden');
    });

    it('for a policy that blocks the merchant, which the checkout names; the refusal is about it', async () => {
      const shop = await newShop(harness.test);
      const rules = [{ kind: 'merchants', block: [shop.merchant.id], action: 'deny' }];
      await harness.test.make('/v1/policies', { name: 'No', target: { type: 'agent', id: shop.uuid }, rules });
      const checkout = await shop.begin();
      expectRefused(await shop.complete(checkout), 403, 'merchant_blocked');
      expect((await shop.read(checkout)).status).toBe('created');
      const [decision] = await decisionsOf(harness, harness.test, `agent_id=${shop.uuid}`);
      expect(decision).toMatchObject({ outcome: 'deny', subject: { type: 'acp_checkout', id: checkout.id } });
    });

    it('for a merchant that is not active any more', async () => {
      const shop = await newShop(harness.test);
      const checkout = await shop.begin();
      await harness.test.patch(`/v1/merchants/${shop.merchant.id}`, { status: 'inactive' });
      expectRefused(await shop.complete(checkout), 403, 'merchant_blocked');
    });
  });

  describe('404', () => {
    it('for a mandate that is nobody’s, and for another tenant’s', async () => {
      const [shop, stranger] = [await newShop(harness.test), await newShop(harness.other)];
      const foreign = await harness.other.make('/v1/ap2/mandates', mandateBody(stranger));
      for (const mandate_id of [`ap2_mnd_${nowhere}`, foreign.id]) {
        const by = { mandate_id, mandate_jwt: foreign.mandate_jwt };
        const answer = await shop.complete(await shop.begin(), by);
        expectRefused(answer, 404, 'not_found', { fields: [{ path: 'mandate_id' }] });
      }
    });

    it('for a wallet that is nobody’s', async () => {
      const shop = await newShop(harness.test);
      expectRefused(await shop.complete(await shop.begin(), { from_wallet_id: nowhere }), 404, 'not_found');
    });
  });

  describe('409', () => {
    it('for one that is paid, and for one whose payment waits', async () => {
      const shop = await newShop(harness.test);
      const paid = await shop.begin();
      await shop.complete(paid);
      expectRefused(await shop.complete(paid), 409, 'state_conflict', { current_status: 'paid', allowed_from: ['created', 'failed'] });
      await trip(harness, shop.uuid);
      const waiting = await shop.begin();
      const { approval } = (await shop.complete(waiting)).body;
      expectRefused(await shop.complete(waiting), 409, 'state_conflict', { current_status: 'pending_payment', approval_id: approval.id });
    });

    it('for one whose time is over', async () => {
      const shop = await newShop(harness.test);
      const checkout = await shop.begin();
      harness.clock.advance(1_800);
      expectRefused(await shop.complete(checkout), 409, 'checkout_expired');
      await harness.runDue();
      expectRefused(await shop.complete(checkout), 409, 'checkout_expired');
    });

    it('for cancelling the transfer of a payment that waits, which ends with its approval', async () => {
      const shop = await newShop(harness.test);
      await trip(harness, shop.uuid);
      const checkout = await shop.begin();
      const { body } = await shop.complete(checkout);
      expectRefused(await harness.test.post(`/v1/transfers/${body.transfer_id}/cancel`, {}), 409, 'state_conflict');
      const closing = await harness.test.post(`/v1/wallets/${shop.wallet.id}/close`, {});
      expectRefused(closing, 409, 'state_conflict', { open: [{ type: 'checkout', id: checkout.id }] });
      await harness.test.make(`/v1/approvals/${body.approval.id}/cancel`, {}, { as: shop.token });
      expect(await shop.read(checkout)).toMatchObject({ status: 'failed', failure: { code: 'approval_cancelled' } });
    });
  });

  describe('422', () => {
    it('for a wallet without the money, which leaves it as it was', async () => {
      const shop = await newShop(harness.test, { funded: '27.49' });
      const checkout = await shop.begin();
      expectRefused(await shop.complete(checkout), 422, 'insufficient_balance', { missing: '0.01' });
      expect((await shop.read(checkout)).status).toBe('created');
    });

    it('for a wallet in another currency, and for that of the merchant', async () => {
      const shop = await newShop(harness.test);
      const { wallet } = await openWallet(harness.test, { currency: 'EUR', funded: '100.00' });
      const by = { as: harness.test.key };
      const checkout = await shop.begin({}, by);
      expectRefused(await shop.complete(checkout, { from_wallet_id: wallet.id }, by), 422, 'currency_mismatch');
      expectRefused(await shop.complete(checkout, { from_wallet_id: shop.merchant.settlement_wallet_id }, by), 422, 'same_wallet');
    });
  });
});

it('a payment that is approved but refused by then has failed', async () => {
  const shop = await newShop(harness.test);
  await trip(harness, shop.uuid);
  const checkout = await shop.begin();
  const { approval } = (await shop.complete(checkout)).body;
  await harness.test.make(`/v1/wallets/${shop.wallet.id}/freeze`, {});
  const { data } = (await harness.test.post(`/v1/approvals/${approval.id}/approve`, {}, { as: await ownersKey(harness) })).body;
  expect(data).toMatchObject({ status: 'approved', result_error: { code: 'wallet_frozen' } });
  expect(await shop.read(checkout)).toMatchObject({ status: 'failed', failure: { code: 'wallet_frozen' } });
  expect(await balanceOf(harness.test, shop.wallet)).toMatchObject({ available: '1000.00', held: '0.00' });
});
