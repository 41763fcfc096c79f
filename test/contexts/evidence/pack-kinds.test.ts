// What packs of different payments say: by what authority, and in answer to what.
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { calculateJwkThumbprint, decodeProtectedHeader } from 'jose';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/platform/canonical-json.js';
import { type Verdict, verifyPack } from '../../../verify/src/verify.js';
import { ownersKey, spender } from '../../factories/approval.js';
import { newCard } from '../../factories/card.js';
import { newShop } from '../../factories/checkout.js';
import { newHolder } from '../../factories/mandate.js';
import { payBody as mppBody, newSides as mppSides } from '../../factories/mpp.js';
import { disputeBody, payment, refundBody } from '../../factories/refund.js';
import { newSides, stepTask, taskIn } from '../../factories/task.js';
import { newVoter } from '../../factories/voter.js';
import { base64, newBuyer, newEndpoint, payFor, signedOnLedger } from '../../factories/x402.js';
import { type Json, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { signIn } from '../agents/identity.js';

const harness = useHarness();

interface Read {
  pack: Json;
  verdict: Verdict;
  /** Every value of a part that is shown, with the role of its leaf. */
  part(name: string): { role: string; value: Json }[];
}

async function read(transferId: string, as?: string): Promise<Read> {
  const { status, body } = await harness.test.get(`/v1/transfers/${transferId.slice(-36)}/evidence`, as === undefined ? {} : { as });
  expect(status).toBe(200);
  const pack = body as Json;
  const shown = pack.leaves.flatMap(({ role, disclosures }: Json) =>
    disclosures.map((text: string) => {
      const [, name, value] = JSON.parse(Buffer.from(text, 'base64url').toString());
      return { role, name, value };
    }),
  );
  return { pack, verdict: verifyPack(JSON.stringify(pack)), part: (name) => shown.filter((one: Json) => one.name === name) };
}

const legs = (verdict: Verdict) => ('checked' in verdict ? verdict.checked : verdict);

describe('the pack of a payment', () => {
  it('by a mandate has its JWT, and what its version allowed', async () => {
    const holder = await newHolder(harness.test);
    const { body } = await holder.spend('20.00');
    const { transfer_id } = body.data;
    await harness.test.patch(`/v1/ap2/mandates/${holder.mandate.id}`, { scope: { max_per_tx: '1.00', currency: 'USD' } });
    const { pack, verdict, part } = await read(transfer_id);
    expect(legs(verdict)).toContain('mandate');
    expect(pack.attached.mandate_jwt).toBe(holder.mandate.mandate_jwt);
    const [authority] = part('authority');
    expect(authority?.value.mandate).toMatchObject({
      id: holder.mandate.id,
      version: 1,
      jwt_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const versions = part('outcome').filter(({ role }) => role === 'mandate');
    expect(versions.map(({ value }) => [value.version, value.scope.max_per_tx])).toEqual([
      [1, '50.00'],
      [2, '1.00'],
    ]);
  });

  it('by a session names the key that signed for it', async () => {
    const sides = await mppSides(harness.test);
    const session = await signIn(harness.test, sides.payer);
    const body = mppBody({ wallet: sides.from.id, payee: sides.to.id, agent: sides.payer.id });
    const made = await harness.test.make('/v1/mpp/pay', body, { as: session });
    const { part } = await read(made.transfer_id);
    const x = Buffer.from(sides.payer.privateKey, 'base64').subarray(32).toString('base64url');
    expect(part('act').map(({ value }) => value.via)).toContainEqual({
      key_thumbprint: await calculateJwkThumbprint({ kty: 'OKP', crv: 'Ed25519', x }),
      kind: 'session',
    });
  });

  it('that people approved names their votes', async () => {
    const spending = await spender(harness);
    const { transfer, approval } = await spending.wait('30.00');
    const voter = await newVoter(harness);
    expect(await voter.approve(approval, 'A comment that nobody else reads')).toBe('approved');
    const { verdict, part } = await read(transfer.id);
    expect(legs(verdict)).toContain('approval');
    const paid = part('authority').find(({ role }) => role !== 'hold');
    const vote = { type: 'user', id: `mem_${voter.id}`, at: harness.clock.now().toISOString(), via: 'console' };
    expect(paid?.value.approval).toEqual({ id: approval.id, votes: [vote] });
    expect(part('outcome').map(({ value }) => value.status)).toEqual(['approved']);
    expect(JSON.stringify(part('outcome'))).not.toContain('comment');
  });

  it('that a key approved names the key', async () => {
    const spending = await spender(harness);
    const { transfer, approval } = await spending.wait('30.00');
    const key = await ownersKey(harness);
    expect((await harness.test.post(`/v1/approvals/${approval.id}/approve`, {}, { as: key })).status).toBe(200);
    const { verdict, part } = await read(transfer.id, key);
    expect(legs(verdict)).toContain('approval');
    const paid = part('authority').find(({ role }) => role !== 'hold');
    expect(paid?.value.approval.votes).toEqual([expect.objectContaining({ type: 'api_key', via: 'api' })]);
  });

  it('of a checkout has what was in it, as it was shown', async () => {
    const shop = await newShop(harness.test);
    const checkout = await shop.begin();
    await shop.complete(checkout);
    const { transfer_id } = await shop.read(checkout);
    const { verdict, part } = await read(transfer_id);
    expect(legs(verdict)).toContain('offer');
    expect(part('offer')[0]?.value).toEqual({
      currency: 'USD',
      id: checkout.id,
      items: [
        { quantity: 2, sku: 'MUG', unit_price: '12.50' },
        { quantity: 1, sku: 'SPOON', unit_price: '2.50' },
      ],
      kind: 'checkout',
      merchant_id: shop.merchant.id,
      totals: { fulfillment: '0.00', tax: '0.00', total: '27.50' },
    });
    expect(part('act').map(({ role }) => role)).toContain('checkout');
  });

  it('of a task names the skill, and what was delivered', async () => {
    const sides = await newSides(harness.test);
    const task = await taskIn(harness.test, sides, 'completed');
    await stepTask(harness.test, task, 'approve', sides.sender);
    const { data } = (await harness.test.get(`/v1/a2a/tasks/${task.id}`)).body;
    const { verdict, part } = await read(data.payment.transfer_id);
    expect(legs(verdict)).toContain('offer');
    expect(part('offer')[0]?.value).toMatchObject({ kind: 'task', resource: 'translate', totals: { total: '10.00' } });
    const sha256 = createHash('sha256')
      .update(canonicalize(data.deliverable) ?? '')
      .digest('hex');
    expect(part('delivery').map(({ value }) => [value.sha256, value.by.side])).toEqual([[sha256, 'payee']]);
  });

  it('in another currency has what the quote promised', async () => {
    const [from, to] = [await walletIn('USD', '1000.00'), await walletIn('EUR')];
    await harness.test.put('/v1/rates', { rates: [{ from: 'USD', to: 'EUR', rate: '0.5' }] });
    const quote = await harness.test.make('/v1/quotes', {
      from_currency: 'USD',
      to_currency: 'EUR',
      amount: '100.00',
      amount_side: 'send',
    });
    const body = { type: 'cross_border', from_wallet_id: from.id, to_wallet_id: to.id, quote_id: quote.id };
    const transfer = await harness.test.make('/v1/transfers', body);
    const { verdict, part } = await read(transfer.id);
    expect(legs(verdict)).toContain('offer');
    expect(part('offer')[0]?.value).toMatchObject({
      kind: 'quote',
      id: quote.id,
      terms: { destination_currency: 'EUR', destination_amount: transfer.destination_amount, fee: transfer.fee.amount },
    });
  });

  it('over MPP names the door', async () => {
    const { payer, from, to } = await mppSides(harness.test);
    const made = await harness.test.make('/v1/mpp/pay', mppBody({ wallet: from.id, payee: to.id, agent: payer.id }), {
      as: payer.token,
    });
    const { verdict, part } = await read(made.transfer_id);
    expect(legs(verdict)).toContain('offer');
    expect(part('offer')[0]?.value).toMatchObject({ kind: 'mpp', resource: expect.stringMatching(/^https:/) });
  });

  it('at a door that asks 402 has the offer, and a receipt as x402 spells it', async () => {
    const endpoint = await newEndpoint(harness.test);
    const paid = await payFor(harness.test, await newBuyer(harness.test), endpoint);
    const { verdict, part } = await read(paid.transfer_id);
    expect(legs(verdict)).toContain('offer');
    expect(part('offer')[0]?.value).toMatchObject({ kind: 'x402', id: paid.id });
    const receipt = (format: string) => harness.test.get(`/v1/transfers/${paid.transfer_id}/receipt?format=${format}`);
    const { receipt_jws } = (await receipt('x402')).body.data;
    expect(receipt_jws).toBe((await harness.test.get(`/v1/x402/payments/${paid.id}`)).body.data.receipt);
    expect(decodeProtectedHeader(receipt_jws).kid).toMatch(/^did:web:/);
    expectRefused(await receipt('x403'), 400, 'validation_failed');
    const { transfer } = await payment(harness.test);
    expectRefused(await harness.test.get(`/v1/transfers/${transfer.id}/receipt?format=x402`), 422, 'validation_failed');
  });

  it('that was refunded has the receipt of the refund', async () => {
    const { transfer } = await payment(harness.test);
    const refund = await harness.test.make('/v1/refunds', refundBody(transfer, { amount: '10.00' }));
    const { pack, verdict, part } = await read(transfer.id);
    expect(legs(verdict)).toContain('refund');
    const { receipt_jws } = (await harness.test.get(`/v1/transfers/${refund.refund_transfer_id}/receipt`)).body.data;
    expect(pack.attached.refund_receipts).toEqual([receipt_jws]);
    expect(part('outcome')[0]?.value).toMatchObject({ id: `rf_${refund.id}`, reason: 'customer_request', amount: '10.00' });
  });

  it('that was disputed, and given back, shows the refund as one', async () => {
    const { transfer } = await payment(harness.test);
    const dispute = await harness.test.make('/v1/disputes', disputeBody(transfer));
    await harness.test.make(`/v1/disputes/${dispute.id}/resolve`, { resolution: 'refund_full' });
    const { verdict, part } = await read(transfer.id);
    expect(legs(verdict)).toContain('refund');
    expect(part('money').map(({ role, value }) => [role, value.amount])).toEqual([
      ['payment', '100.00'],
      ['refund', '100.00'],
    ]);
  });

  it('that was signed, and waited for an approval, is the one that was signed', async () => {
    const [endpoint, buyer] = [await newEndpoint(harness.test), await newBuyer(harness.test)];
    const approval = { threshold: '0.05', currency: 'USDC' };
    await harness.test.make('/v1/policies', { name: 'Ask', target: { type: 'agent', id: buyer.uuid }, rules: [], approval });
    const [offer] = (await harness.test.get(`/x402/${endpoint.id}`, { as: null })).body.accepts;
    const payload = base64(signedOnLedger(buyer, offer, '0.10', harness.clock.now()));
    const waiting = await harness.test.get(`/x402/${endpoint.id}`, { as: null, headers: { 'PAYMENT-SIGNATURE': payload } });
    const { payment: paid } = (await harness.test.post(`/v1/approvals/${waiting.body.approval.id}/approve`, {})).body;
    const { verdict, pack } = await read(paid.transfer_id);
    expect(legs(verdict)).toEqual(expect.arrayContaining(['offer', 'approval']));
    expect(pack.attached.x402).toBe(payload);
    // A payload that nobody has signed for it is another one.
    const other = { ...pack, attached: { ...pack.attached, x402: base64({}) } };
    expect(verifyPack(canonicalJson(other))).toMatchObject({ outcome: 'broken', leg: 'offer' });
  });

  it('that was held to be given back has no receipt of the refund before it is', async () => {
    const shop = await newShop(harness.test);
    await harness.test.make(`/v1/wallets/${shop.merchant.settlement_wallet_id}/fund`, { amount: '10.00' });
    const card = await newCard(harness.test, { processor_token: 'tok_ok' }, shop.account);
    const checkout = await shop.begin({ expires_in: 86_400 });
    const { transfer_id } = (await shop.complete(checkout, { from_wallet_id: undefined, payment_method_id: card.id })).body;
    await harness.runDue();
    await harness.test.make('/v1/refunds', refundBody({ id: transfer_id }, { amount: '20.00' }));
    const held = await read(transfer_id);
    expect(legs(held.verdict)).not.toContain('refund');
    expect(held.pack.attached.refund_receipts).toBeUndefined();
    await harness.runDue();
    const { verdict, pack } = await read(transfer_id);
    expect([legs(verdict), pack.attached.refund_receipts.length]).toEqual([expect.arrayContaining(['refund']), 1]);
  });

  it('that was disputed says how it ended, without what the sides wrote', async () => {
    const { transfer } = await payment(harness.test);
    const dispute = await harness.test.make('/v1/disputes', disputeBody(transfer));
    await harness.test.make(`/v1/disputes/${dispute.id}/resolve`, { resolution: 'rejected', notes: 'It came.' });
    const { part } = await read(transfer.id);
    const said = part('outcome').filter(({ role }) => role === 'dispute');
    expect(said.map(({ value }) => [value.status, value.resolution])).toEqual([
      ['open', null],
      ['resolved', 'rejected'],
    ]);
    expect(JSON.stringify(said)).not.toMatch(/came/);
  });
});

async function walletIn(currency: string, funded?: string): Promise<Json> {
  const account = await harness.test.make('/v1/accounts', { name: `Account in ${currency}`, type: 'business' });
  const wallet = await harness.test.make('/v1/wallets', { owner_type: 'account', owner_id: account.id, currency });
  if (funded !== undefined) await harness.test.make(`/v1/wallets/${wallet.id}/fund`, { amount: funded });
  return wallet;
}
