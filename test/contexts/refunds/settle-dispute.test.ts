// POST /v1/disputes/{id}/respond, /escalate and /resolve
import { describe, expect, it } from 'vitest';
import { balanceOf, pay } from '../../factories/payment.js';
import { dispute, disputeBody, refundBody } from '../../factories/refund.js';
import { type Json, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const step = ({ id }: Json, name: string, body: object = {}, as?: string) =>
  harness.test.post(`/v1/disputes/${id}/${name}`, body, as === undefined ? {} : { as });
const available = async (wallet: Json) => (await balanceOf(harness.test, wallet)).available;
const answer = { response: 'It was delivered.' };

/** A dispute between two agents. */
async function betweenAgents(): Promise<{ payer: Json; payee: Json; dispute: Json }> {
  const payer = await enrol(harness.test, { wallet: { currency: 'USD' } });
  const payee = await enrol(harness.test, { wallet: { currency: 'USD' } });
  const from = { id: payer.agent.default_wallet_id, currency: 'USD' };
  await harness.test.make(`/v1/wallets/${from.id}/fund`, { amount: '10.00' });
  const transfer = await pay(harness.test, from, { id: payee.agent.default_wallet_id }, '10.00');
  const { data } = (await harness.test.post('/v1/disputes', disputeBody(transfer), { as: payer.token })).body;
  return { payer, payee, dispute: data };
}

for (const [name, body] of [
  ['respond', answer],
  ['escalate', {}],
  ['resolve', { resolution: 'rejected' }],
] as const) {
  describe(`POST /v1/disputes/{id}/${name}`, () => {
    describe('404', () => {
      it('for an agent on neither side', async () => {
        const { dispute: open } = await dispute(harness.test);
        const { token } = await enrol(harness.test);
        expectRefused(await step(open, name, body, token), 404, 'not_found');
      });
    });

    it('409 when it is resolved', async () => {
      const { dispute: open } = await dispute(harness.test);
      await step(open, 'resolve', { resolution: 'rejected' });
      expectRefused(await step(open, name, body), 409, 'state_conflict', { current_status: 'resolved' });
    });
  });
}

describe('an answer', () => {
  it('puts the dispute under review, and nothing is due any more', async () => {
    const { payee, dispute: open } = await betweenAgents();
    harness.clock.advance(60);
    const evidence = [{ type: 'log', description: 'Of the delivery' }];
    const { status, body } = await step(open, 'respond', { ...answer, evidence }, payee['token']);
    const at = harness.clock.now().toISOString();
    expect(status).toBe(200);
    expect(body.data).toEqual({
      ...open,
      status: 'under_review',
      response: answer.response,
      evidence: [{ party: 'payee', ...evidence[0], at }],
      responded_at: at,
      updated_at: at,
    });
    await harness.advance(31 * 86_400);
    expect((await harness.test.get(`/v1/disputes/${open.id}`)).body.data.status).toBe('under_review');
  });

  it('400 without words', async () => {
    const { dispute: open } = await dispute(harness.test);
    expectInvalid(await step(open, 'respond'), 'response');
  });

  it('403 for the agent that filed', async () => {
    const { payer, dispute: open } = await betweenAgents();
    expectRefused(await step(open, 'respond', answer, payer['token']), 403, 'forbidden');
  });

  it('409 after 30 days, though nothing has escalated it yet', async () => {
    const { dispute: open } = await dispute(harness.test);
    harness.clock.set(open.respond_by);
    expectRefused(await step(open, 'respond', answer), 409, 'state_conflict', { current_status: 'escalated' });
    await harness.runDue();
    expect((await harness.test.get(`/v1/disputes/${open.id}`)).body.data).toMatchObject({ status: 'escalated', evidence: [] });
  });

  it('409 for a second one: what can be done is named', async () => {
    const { dispute: open } = await dispute(harness.test);
    await step(open, 'respond', answer);
    expectRefused(await step(open, 'respond', answer), 409, 'state_conflict', { current_status: 'under_review', allowed_from: ['open'] });
  });
});

describe('an escalation', () => {
  it('by either side, before or after an answer', async () => {
    const { payee, dispute: open } = await betweenAgents();
    expect((await step(open, 'escalate', {}, payee['token'])).body.data).toMatchObject({ status: 'escalated' });
    const { dispute: answered } = await dispute(harness.test);
    await step(answered, 'respond', answer);
    expect((await step(answered, 'escalate')).body.data.status).toBe('escalated');
  });
});

describe('a resolution', () => {
  it('refund_full: what was disputed goes back', async () => {
    const { from, to, transfer, dispute: open } = await dispute(harness.test, { amount_disputed: '60.00' });
    const { status, body } = await step(open, 'resolve', { resolution: 'refund_full', notes: 'They are right.' });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ status: 'resolved', resolution: 'refund_full', notes: 'They are right.' });
    expect([await available(from), await available(to)]).toEqual(['960.00', '40.00']);
    const { data: refund } = (await harness.test.get(`/v1/refunds/${body.data.refund_id}`)).body;
    expect(refund).toMatchObject({
      amount: '60.00',
      original_transfer_id: transfer.id,
      dispute_id: open.id,
      reason: 'service_not_rendered',
    });
  });

  it('refund_full: what is left of it, when a part was refunded since', async () => {
    const { transfer, dispute: open } = await dispute(harness.test);
    await harness.test.make('/v1/refunds', refundBody(transfer, { amount: '70.00' }));
    const { body } = await step(open, 'resolve', { resolution: 'refund_full' });
    expect((await harness.test.get(`/v1/refunds/${body.data.refund_id}`)).body.data.amount).toBe('30.00');
  });

  it('refund_partial: so much', async () => {
    const { to, dispute: open } = await dispute(harness.test);
    await step(open, 'resolve', { resolution: 'refund_partial', refund_amount: '12.34' });
    expect(await available(to)).toBe('87.66');
  });

  it.each(['rejected', 'withdrawn'])('%s: no money moves', async (resolution) => {
    const { to, dispute: open } = await dispute(harness.test);
    const { body } = await step(open, 'resolve', { resolution });
    expect(body.data).not.toHaveProperty('refund_id');
    expect(await available(to)).toBe('100.00');
  });

  it('withdrawn by the agent that filed it', async () => {
    const { payer, dispute: open } = await betweenAgents();
    expect((await step(open, 'resolve', { resolution: 'withdrawn' }, payer['token'])).body.data.status).toBe('resolved');
  });

  it('400 for an amount that does not go with it', async () => {
    const { dispute: open } = await dispute(harness.test, { amount_disputed: '50.00' });
    expectInvalid(await step(open, 'resolve', { resolution: 'refund_partial' }), 'refund_amount');
    expectInvalid(await step(open, 'resolve', { resolution: 'rejected', refund_amount: '1.00' }), 'refund_amount');
    expectInvalid(await step(open, 'resolve', { resolution: 'refund_partial', refund_amount: '50.01' }), 'refund_amount');
    expectInvalid(await step(open, 'resolve', { resolution: 'burnt' }), 'resolution');
  });

  it('403 for agents, but for the one that withdraws its own', async () => {
    const { payer, payee, dispute: open } = await betweenAgents();
    expectRefused(await step(open, 'resolve', { resolution: 'refund_full' }, payer['token']), 403, 'forbidden');
    expectRefused(await step(open, 'resolve', { resolution: 'withdrawn' }, payee['token']), 403, 'forbidden');
  });

  it('422 when the payee has spent it: the dispute stays open', async () => {
    const { from, to, dispute: open } = await dispute(harness.test);
    await pay(harness.test, to, from, '50.00');
    expectRefused(await step(open, 'resolve', { resolution: 'refund_full' }), 422, 'insufficient_balance');
    expect((await harness.test.get(`/v1/disputes/${open.id}`)).body.data.status).toBe('open');
  });

  it('422 for more than is left since: what can be done is named, ready to send', async () => {
    const { transfer, dispute: open } = await dispute(harness.test);
    await harness.test.make('/v1/refunds', refundBody(transfer, { amount: '70.00' }));
    const partly = await step(open, 'resolve', { resolution: 'refund_partial', refund_amount: '30.01' });
    expectRefused(partly, 422, 'refund_exceeds_original', { refundable: '30.00' });
    expect(partly.body.details.next_actions).toMatchObject([{ rel: 'refund_rest', body: { resolution: 'refund_full' } }]);
    await harness.test.make('/v1/refunds', refundBody(transfer));
    const refused = await step(open, 'resolve', { resolution: 'refund_full' });
    expectRefused(refused, 422, 'refund_exceeds_original', { refundable: '0.00' });
    const [{ method, path, body }] = refused.body.details.next_actions;
    expect((await harness.test.call(method, path, { body })).body.data).toMatchObject({ status: 'resolved', resolution: 'rejected' });
  });

  it('twice at once: one refund', async () => {
    const { to, dispute: open } = await dispute(harness.test);
    const answers = await Promise.all(Array.from({ length: 5 }, () => step(open, 'resolve', { resolution: 'refund_full' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    expect(await available(to)).toBe('0.00');
  });
});
