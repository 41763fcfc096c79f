// Charges as the spend pipeline sees them: who may open one, what its limits keep, and approvals.
import { describe, expect, it } from 'vitest';
import { withdrawCharge } from '../../../src/contexts/cards/charge/charge-approval.js';
import { dryRunCharge } from '../../../src/contexts/cards/charge/charge-request.js';
import { type Rail, rails } from '../../../src/contexts/settlement/rail/rail.js';
import { presentedMandate } from '../../../src/contexts/spending/pipeline/mandate.js';
import { transact } from '../../../src/platform/idempotency.js';
import { newId } from '../../../src/platform/schema/id.js';
import { trip } from '../../factories/approval.js';
import { newBudget } from '../../factories/budget.js';
import { type Buyer, charge, ctxAs, newBuyer, newCard, planFor, toldOfParcel } from '../../factories/card.js';
import { mandateBody, newSeller } from '../../factories/mandate.js';
import { balanceOf } from '../../factories/payment.js';
import { type Json, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { enrol, type TestAgent } from '../agents/identity.js';

const harness = useHarness();
const available = async ({ merchant }: Buyer) => (await balanceOf(harness.test, { id: merchant.settlement_wallet_id })).available;
const usedOf = async ({ id }: Json) => (await harness.test.get(`/v1/budgets/${id}`)).body.data;

/** An agent, a card of its account, and a merchant. */
async function agentBuyer(extra: { token?: string; own?: boolean } = {}): Promise<{ agent: TestAgent; buyer: Buyer }> {
  const agent = await enrol(harness.test);
  const { token = 'tok_ok', own = false } = extra;
  const buyer = await newBuyer(harness.test, { token, account: agent.account, ...(own && { agent_id: agent.uuid }) });
  return { agent, buyer };
}

/** An agent each of whose charges has to be approved. */
async function waiting(token = 'tok_ok') {
  const { agent, buyer } = await agentBuyer({ token });
  await trip(harness, agent.uuid);
  const opened = await charge(harness, buyer, '30.00', { as: agent.token });
  return { agent, buyer, opened, path: `/v1/approvals/apr_${opened.approval?.id}` };
}

describe('whose card', () => {
  it('an agent pays with its own card and with that of its account', async () => {
    for (const own of [false, true]) {
      const { agent, buyer } = await agentBuyer({ own });
      const opened = await charge(harness, buyer, '10.00', { as: agent.token });
      await harness.runDue();
      expect(opened.transfer).toMatchObject({ agentId: agent.uuid });
      expect(toldOfParcel(opened)).toMatchObject([{ status: 'paid' }]);
      const { body } = await harness.test.get(`/v1/transfers/${opened.transfer.id}`, { as: agent.token });
      expect(body.data).toMatchObject({ status: 'completed' });
    }
  });

  it('404: an agent with the card of another one; 403: an API key that acts for one', async () => {
    const { agent, buyer } = await agentBuyer();
    const sister = await enrol(harness.test, { parent_account_id: agent.account.id });
    const hers = { ...buyer, card: await newCard(harness.test, { agent_id: sister.uuid }, agent.account) };
    const stranger = { ...buyer, card: await newCard(harness.test) };
    for (const one of [hers, stranger]) {
      await expect(charge(harness, one, '1.00', { as: agent.token })).rejects.toMatchObject({ status: 404 });
      const next_actions = [{ path: '/v1/cards/vault' }];
      await expect(charge(harness, one, '1.00', { agentId: agent.uuid })).rejects.toMatchObject({ status: 403, details: { next_actions } });
    }
  });

  it('409: one that has expired, and one of an account that is suspended', async () => {
    const buyer = await newBuyer(harness.test);
    const planned = await planFor(harness, buyer, '1.00');
    await harness.test.patch(`/v1/accounts/${buyer.card.account_id}`, { status: 'suspended' });
    await expect(charge(harness, buyer)).rejects.toMatchObject({ status: 409, details: { current_status: 'suspended' } });
    await harness.platform.database.pool.query('UPDATE vaulted_card SET expiry_year = 2025 WHERE id = $1', [planned.plan.card.id]);
    await expect(charge(harness, buyer)).rejects.toMatchObject({ status: 409, details: { current_status: 'expired' } });
  });

  it('400: less than its processor takes', async () => {
    const connected = harness.platform.extensions.of(rails);
    const rail = {
      environment: 'test',
      name: 'card-simulated',
      provider: connected.of({ environment: 'test' }, 'card-simulated') as Rail,
    } as const;
    connected.connect({ ...rail, provider: { ...rail.provider, fee: 30n } });
    try {
      const buyer = await newBuyer(harness.test);
      const fields = [{ path: ['paymentMethodId'], rule: 'min' }];
      await expect(charge(harness, buyer, '0.29')).rejects.toMatchObject({ status: 400, fields });
      await charge(harness, buyer, '1.00');
      await harness.runDue();
      expect(await available(buyer)).toBe('0.67');
    } finally {
      connected.connect(rail);
    }
  });

  it('422: in a currency that its processor does not take; 400: more than a card is charged at once', async () => {
    const { card } = await newBuyer(harness.test);
    const buyer = { card, merchant: await newSeller(harness.test, 'USDC'), currency: 'USDC' };
    await expect(charge(harness, buyer, '1.00')).rejects.toMatchObject({ status: 422, code: 'unsupported_rail' });
    await expect(charge(harness, await newBuyer(harness.test), '10000000000000.01')).rejects.toMatchObject({
      status: 400,
      fields: [{ path: ['paymentMethodId'] }],
    });
  });
});

describe('what is paid for', () => {
  it('is charged once, however often it is asked for; after a charge that failed once more', async () => {
    const declined = await newBuyer(harness.test, { token: 'tok_declined' });
    const subject = { type: 'parcel', id: newId(harness.clock.now()) };
    await charge(harness, declined, '10.00', { subject });
    await harness.runDue();
    const buyer = { ...declined, card: await newCard(harness.test) };
    const opened = await Promise.allSettled(Array.from({ length: 4 }, () => charge(harness, buyer, '10.00', { subject })));
    expect(opened.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await harness.runDue();
    await harness.advance(2);
    await expect(charge(harness, buyer, '10.00', { subject })).rejects.toThrow();
    expect(await available(buyer)).toBe('9.71');
  });

  it('says what its transfer is a part of', async () => {
    const { transfer } = await charge(harness, await newBuyer(harness.test), '10.00', {
      protocolMetadata: { parcel: 7 },
      metadata: { a: 1 },
    });
    expect(transfer).toMatchObject({ protocolMetadata: { parcel: 7, card_last_four: '4242' }, metadata: { a: 1 } });
  });
});

describe('limits', () => {
  it('are used when a charge is opened, stay used when it is paid, and are given back when it fails', async () => {
    const { agent, buyer } = await agentBuyer({ token: 'tok_slow' });
    const budget = await newBudget(harness.test, { scope: { type: 'agent', id: agent.uuid }, amount: '100.00' });
    const first = await charge(harness, buyer, '60.00', { as: agent.token });
    expect(await usedOf(budget)).toMatchObject({ remaining: '40.00' });
    await expect(charge(harness, buyer, '60.00', { as: agent.token })).rejects.toMatchObject({ status: 403, code: 'budget_exceeded' });
    await harness.runDue();
    await harness.advance(3_600);
    expect(toldOfParcel(first)).toMatchObject([{ status: 'paid' }]);
    expect(await usedOf(budget)).toMatchObject({ remaining: '40.00' });
    const declined = { ...buyer, card: await newCard(harness.test, { processor_token: 'tok_declined' }, agent.account) };
    await charge(harness, declined, '40.00', { as: agent.token });
    expect(await usedOf(budget)).toMatchObject({ remaining: '0.00' });
    await harness.runDue();
    expect(await usedOf(budget)).toMatchObject({ remaining: '40.00' });
  });

  it('hold exactly, however many charges are opened at once', async () => {
    const { agent, buyer } = await agentBuyer();
    const budget = await newBudget(harness.test, { scope: { type: 'agent', id: agent.uuid }, amount: '50.00' });
    const opened = await Promise.allSettled(Array.from({ length: 12 }, () => charge(harness, buyer, '10.00', { as: agent.token })));
    expect(opened.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    await harness.runDue();
    expect(await available(buyer)).toBe('48.55');
    expect(await usedOf(budget)).toMatchObject({ remaining: '0.00' });
  });

  it('the kill switch stops it, and a merchant is blocked for a card too', async () => {
    const { buyer } = await agentBuyer();
    await harness.test.make('/v1/spending/freeze', {});
    await expect(charge(harness, buyer)).rejects.toMatchObject({ status: 403, code: 'workspace_frozen' });
    await harness.test.make('/v1/spending/unfreeze', {});
    const rules = [{ kind: 'merchants', block: [buyer.merchant.id] }];
    const target = { type: 'account', id: buyer.card.account_id };
    await harness.test.make('/v1/policies', { name: 'No shop', target, rules });
    await expect(charge(harness, buyer)).rejects.toMatchObject({ status: 403, code: 'merchant_blocked' });
  });

  it('of a mandate count a charge, and its execution is told when it is paid', async () => {
    const { agent, buyer } = await agentBuyer();
    const mandate = await harness.test.make('/v1/ap2/mandates', mandateBody(agent));
    const ctx = await ctxAs(harness, agent.token);
    const ruling = await presentedMandate(ctx, { mandateId: mandate.id.slice('ap2_mnd_'.length), mandateJwt: mandate.mandate_jwt });
    const opened = await charge(harness, buyer, '40.00', { as: agent.token, mandate: ruling });
    await expect(charge(harness, buyer, '60.01', { as: agent.token, mandate: ruling })).rejects.toMatchObject({
      code: 'mandate_limit_exceeded',
    });
    await harness.runDue();
    const events = await harness.platform.database.unscoped.event.findMany({
      where: { objectId: opened.transfer.id, type: 'ap2.mandate.executed' },
    });
    expect(events).toMatchObject([{ data: { amount: '40.00', merchant_id: buyer.merchant.id, remaining_daily: '60.00' } }]);
  });

  it('a dry run says what would be, and opens nothing', async () => {
    const { agent, buyer } = await agentBuyer();
    const { ctx, plan } = await planFor(harness, buyer, '10.00', { as: agent.token });
    expect(await dryRunCharge(ctx, plan)).toMatchObject({ decision: { outcome: 'allow' }, wouldPost: [], wouldEmit: ['transfer.created'] });
    expect(await harness.platform.database.unscoped.cardCharge.count({ where: { cardId: plan.card.id } })).toBe(0);
  });
});

describe('a charge that waits for an approval', () => {
  it('goes to its processor when it is approved', async () => {
    const { buyer, opened, path } = await waiting();
    await harness.runDue();
    expect(toldOfParcel(opened)).toEqual([]);
    const { body } = await harness.test.get(path);
    expect(body.data).toMatchObject({
      status: 'pending',
      amount: '30.00',
      subject: { type: 'card_charge', id: `chg_${opened.charge.id}` },
    });
    const approved = await harness.test.post(`${path}/approve`, {});
    expect([approved.status, approved.body.transfer]).toMatchObject([200, { id: opened.transfer.id, amount: '30.00' }]);
    await harness.runDue();
    expect(toldOfParcel(opened)).toMatchObject([{ status: 'paid' }]);
    expect(await available(buyer)).toBe('29.13');
  });

  it('is cancelled when it is rejected, and its transfer says how to withdraw it', async () => {
    const { opened, path } = await waiting();
    const cancel = await harness.test.post(`/v1/transfers/${opened.transfer.id}/cancel`, {});
    expectRefused(cancel, 409, 'state_conflict', { next_actions: [{ rel: 'read' }, { rel: 'cancel_approval', path: `${path}/cancel` }] });
    expect((await harness.test.post(`${path}/reject`, { reason: 'no' })).status).toBe(200);
    expect(toldOfParcel(opened)).toMatchObject([{ status: 'failed', code: 'approval_rejected', transfer: { status: 'cancelled' } }]);
  });

  it('has failed when its card or its account may not pay any more', async () => {
    const [deleted, suspended] = [await waiting(), await waiting()];
    await harness.test.delete(`/v1/cards/vault/${deleted.buyer.card.id}`);
    await harness.test.patch(`/v1/accounts/${suspended.agent.account.id}`, { status: 'suspended' });
    for (const [{ path, opened }, code] of [
      [deleted, 'not_found'],
      [suspended, 'state_conflict'],
    ] as const) {
      const { body } = await harness.test.post(`${path}/approve`, {});
      expect(body.data).toMatchObject({ status: 'approved', result_error: { code } });
      expect(toldOfParcel(opened)).toMatchObject([{ status: 'failed', code, transfer: { status: 'failed' } }]);
    }
  });

  it('is called off with its approval by what it pays for, which is not told; not once it was submitted', async () => {
    const { opened, path } = await waiting();
    const ctx = await ctxAs(harness, harness.test.key);
    const withdraw = (id: string) => transact(ctx, (tx) => withdrawCharge(ctx, tx, id));
    expect(await withdraw(opened.charge.id)).toMatchObject({ status: 'failed', errorCode: 'cancelled' });
    expect((await harness.test.get(path)).body.data).toMatchObject({ status: 'cancelled' });
    expect(toldOfParcel(opened)).toEqual([]);
    const sent = await charge(harness, await newBuyer(harness.test, { token: 'tok_slow' }));
    await harness.runDue();
    await expect(withdraw(sent.charge.id)).rejects.toMatchObject({ status: 409, details: { reason: 'submitted' } });
  });
});
