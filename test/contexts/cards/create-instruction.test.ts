// Instructions to card networks: what is asked, what the network makes of it, and what it uses of limits.
import { describe, expect, it } from 'vitest';
import { someIntent } from '../../factories/bot-identity.js';
import { newBudget } from '../../factories/budget.js';
import { instruct, newCardAgent } from '../../factories/card-instruction.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
/** The operations of an instruction: what they were, whether they succeeded, and how much they were of. */
const operationsOf = async ({ id }: Json) => {
  const where = { subjectId: id.slice('ins_'.length) };
  const rows = await harness.platform.database.unscoped.operation.findMany({ where, orderBy: { id: 'asc' } });
  return rows.map(({ category, operation, success, amount, agentId }) => [category, operation, success, amount, agentId]);
};
const remaining = async ({ id }: Json) => (await harness.test.get(`/v1/budgets/${id}`)).body.data.remaining;

/** A card agent with a budget of 100 US dollars. */
async function budgeted() {
  const payer = await newCardAgent(harness);
  const budget = await newBudget(harness.test, { scope: { type: 'agent', id: payer.agent.uuid }, amount: '100.00' });
  return { ...payer, budget };
}

/** Lets the due engine and the network do what they do. */
async function settle(seconds = 2): Promise<void> {
  await harness.runDue();
  await harness.advance(seconds);
}

describe('POST /v1/cards/{network}/instructions', () => {
  it('202: an authorization is queued, submitted, and approved by the network; its limits stay used', async () => {
    const { agent, authorize, read, budget } = await budgeted();
    const { status, body } = await authorize({ amount: '42.00', note: 'one mug' });
    expect(status).toBe(202);
    expect(body.data).toMatchObject({
      id: expect.stringMatching(/^ins_/),
      agent_id: agent.uuid,
      network: 'visa',
      type: 'authorize',
      status: 'pending',
      amount: '42.00',
      currency: 'USD',
      merchant_id: 'shop-4711',
      payload: { note: 'one mug' },
    });
    expect(body.approval).toBeUndefined();
    expect(await remaining(budget)).toBe('58.00');
    await harness.runDue();
    expect(await read(body.data)).toMatchObject({ status: 'submitted' });
    await harness.advance(2);
    expect(await read(body.data)).toMatchObject({
      status: 'approved',
      authorization_code: expect.stringMatching(/^[0-9A-F]{6}$/),
      refunded_amount: '0.00',
    });
    expect(await remaining(budget)).toBe('58.00');
  });

  it('202: a network declines, fails, answers late or not at all: limits are given back, and one operation says so', async () => {
    const { agent, authorize, read, budget } = await budgeted();
    for (const [payload, amount, seconds, want] of [
      [{ token: 'tok_declined' }, '42.00', 0, { status: 'declined', reason_code: 'card_declined' }],
      [{ token: 'tok_network_error' }, '42.00', 0, { status: 'failed', reason_code: 'network_error' }],
    ] as const) {
      const { data } = (await authorize(payload, { amount })).body;
      await settle(seconds);
      expect(await read(data)).toMatchObject(want);
      expect(await operationsOf(data)).toEqual([['card_instruction', 'card.authorize', false, 0n, agent.uuid]]);
      expect(await remaining(budget)).toBe('100.00');
    }
    const silent = (await authorize({ token: 'tok_lost_ack' })).body.data;
    await settle(2);
    expect(await read(silent)).toMatchObject({ status: 'submitted' });
    await harness.advance(28);
    expect(await read(silent)).toMatchObject({ status: 'approved' });
    expect(await operationsOf(silent)).toEqual([['card_instruction', 'card.authorize', true, 4200n, agent.uuid]]);
    const dear = await newCardAgent(harness);
    const { data } = (await dear.authorize({}, { amount: '10000.01' })).body;
    await settle();
    expect(await dear.read(data)).toMatchObject({ status: 'declined', reason_code: 'amount_limit' });
  });

  it('202: faults befall the messages of a network as those of rails do', async () => {
    const payer = await newCardAgent(harness);
    const path = '/v1/test/rails/mastercard/faults';
    const fault = (body: object) => harness.test.make(path, { next_n: 1, ...body });
    expectRefused(await harness.test.post(path, { kind: 'return' }), 400, 'validation_failed', { fields: [{ path: 'kind' }] });
    expectRefused(await harness.test.post(path, { kind: 'reject', match: { amount: '1.00' } }), 400, 'validation_failed');
    await fault({ kind: 'reject', match: { destination_ref: someIntent.merchant_id } });
    await fault({ kind: 'latency' });
    const network_ref = await payer.ref({ network: 'mastercard' });
    const { data } = (await instruct(harness.test, payer.agent, { payload: { network_ref } }, { network: 'mastercard' })).body;
    await settle(2);
    expect(await payer.read(data)).toMatchObject({ status: 'submitted' });
    await harness.advance(18);
    expect(await payer.read(data)).toMatchObject({ status: 'declined', reason_code: 'card_declined' });
    await harness.test.delete(path);
  });

  it('202: a cancellation calls an authorization off before it is sent, on its way, and when it was approved', async () => {
    const { agent, authorize, follow, read, budget } = await budgeted();
    const unsent = (await authorize()).body.data;
    const calling = (await follow('cancel', unsent)).body.data;
    expect(calling).toMatchObject({ type: 'cancel', status: 'pending', instruction_id: unsent.id });
    await harness.platform.database.pool.query("UPDATE card_instruction SET due_at = due_at + interval '1 minute' WHERE id = $1", [
      unsent.id.slice(4),
    ]);
    await harness.runDue();
    expect([(await read(unsent)).status, (await read(calling)).status]).toEqual(['cancelled', 'approved']);
    expect(await remaining(budget)).toBe('100.00');
    const slow = (await authorize({ token: 'tok_slow' })).body.data;
    await harness.runDue();
    const second = (await follow('cancel', slow)).body.data;
    await settle();
    expect([(await read(slow)).status, (await read(second)).status]).toEqual(['cancelled', 'approved']);
    expect(await remaining(budget)).toBe('100.00');
    const approved = (await authorize()).body.data;
    await settle();
    expect(await remaining(budget)).toBe('58.00');
    const third = (await follow('cancel', approved)).body.data;
    expectRefused(await follow('cancel', approved), 409, 'state_conflict');
    expectRefused(await follow('refund', approved), 409, 'state_conflict');
    await settle();
    expect(await read(approved)).toMatchObject({ status: 'cancelled', reason_code: 'cancelled' });
    expect(await remaining(budget)).toBe('100.00');
    expect(await operationsOf(third)).toMatchObject([['card_instruction', 'card.cancel', true, 0n, agent.uuid]]);
    expectRefused(await follow('cancel', approved), 409, 'state_conflict', { current_status: 'cancelled', terminal: true });
  });

  it('202: refunds give back part by part, never more than was authorized', async () => {
    const { agent, authorize, follow, read, budget } = await budgeted();
    const paid = (await authorize()).body.data;
    expectRefused(await follow('refund', paid), 409, 'state_conflict');
    await settle();
    const part = (await follow('refund', paid, { amount: '12.00' })).body.data;
    expect(part).toMatchObject({ type: 'refund', status: 'pending', amount: '12.00', instruction_id: paid.id });
    expectRefused(await follow('refund', paid, { amount: '30.01' }), 422, 'refund_exceeds_original', { refundable: '30.00' });
    expectRefused(await follow('cancel', paid), 409, 'state_conflict');
    await settle();
    expect(await read(paid)).toMatchObject({ status: 'approved', refunded_amount: '12.00' });
    expect(await remaining(budget)).toBe('70.00');
    const rest = await Promise.all(Array.from({ length: 5 }, () => follow('refund', paid)));
    expect(rest.map(({ status }) => status).sort()).toEqual([202, 422, 422, 422, 422]);
    await settle();
    expect(await read(paid)).toMatchObject({ refunded_amount: '42.00' });
    expect(await remaining(budget)).toBe('100.00');
    expect(await operationsOf(part)).toMatchObject([['card_instruction', 'card.refund', true, 1200n, agent.uuid]]);
  });

  it('202: an authorization waits for an approval, which asks the rules again; refused or withdrawn, it is cancelled', async () => {
    const { agent, ref, follow, read, budget } = await budgeted();
    const payload = async () => ({ network_ref: await ref({ intent: { ...someIntent, amount: '60.00' } }) });
    await instruct(harness.test, agent, { payload: await payload() });
    const intent = { ...someIntent, amount: '40.00' };
    const references = [await ref({ intent }), await ref({ intent }), await ref({ intent }), await ref({ intent })];
    await instruct(harness.test, agent, { payload: { network_ref: references[0] } });
    const wait = async (network_ref: string | undefined) => {
      const answer = await instruct(harness.test, agent, { payload: { network_ref }, request_approval: true }, { as: agent.token });
      expect(answer.body).toMatchObject({ data: { status: 'pending' }, approval: { status: 'pending' } });
      return answer.body;
    };
    const [first, second, third] = [await wait(references[1]), await wait(references[2]), await wait(references[3])];
    await settle();
    expect(await read(first.data)).toMatchObject({ status: 'pending' });
    const decide = (approval: Json, how: string) => harness.test.post(`/v1/approvals/${approval.id}/${how}`, {});
    const approved = await decide(first.approval, 'approve');
    expect([approved.status, approved.body.instruction]).toMatchObject([200, { id: first.data.id, type: 'authorize' }]);
    await settle();
    expect(await read(first.data)).toMatchObject({ status: 'approved' });
    await decide(second.approval, 'reject');
    expect(await read(second.data)).toMatchObject({ status: 'cancelled', reason_code: 'approval_rejected' });
    await follow('cancel', third.data);
    await settle();
    expect(await read(third.data)).toMatchObject({ status: 'cancelled' });
    expect((await harness.test.get(`/v1/approvals/${third.approval.id}`)).body.data.status).toBe('cancelled');
    expect(await remaining(budget)).toBe('0.00');
  });

  it('200: a dry run says what the rules would say, and uses nothing up', async () => {
    const { agent, ref, budget } = await budgeted();
    const network_ref = await ref();
    const path = '/v1/cards/visa/instructions?dry_run=true';
    const tried = await harness.test.post(path, { agent_id: agent.uuid, payload: { network_ref } });
    expect(tried.body.data).toMatchObject({ decision: { outcome: 'allow' }, would_post: [], would_emit: [] });
    expect(await remaining(budget)).toBe('100.00');
    expect((await instruct(harness.test, agent, { payload: { network_ref } })).status).toBe(202);
    expectRefused(await harness.test.post(path, { agent_id: agent.uuid, type: 'cancel', payload: {} }), 400, 'validation_failed');
  });

  it('400: a payload that does not say what is meant, or says something else than was verified', async () => {
    const { agent, ref, authorize, follow } = await newCardAgent(harness);
    const network_ref = await ref({ network: 'mastercard' });
    const { data } = (await authorize()).body;
    const refused = async (answer: Promise<Json>, path: string) =>
      expectRefused((await answer) as never, 400, 'validation_failed', { fields: [{ path }] });
    await refused(instruct(harness.test, agent, { payload: {} }), 'payload.network_ref');
    await refused(instruct(harness.test, agent, { payload: { network_ref } }), 'payload.network_ref');
    await refused(instruct(harness.test, agent, { type: 'cancel', payload: {} }), 'payload.instruction_id');
    await refused(
      instruct(harness.test, agent, { type: 'refund', payload: { instruction_id: data.id } }, { network: 'mastercard' }),
      'payload.instruction_id',
    );
    for (const [name, value] of [
      ['amount', '41.00'],
      ['amount', 42],
      ['currency', 'EUR'],
      ['merchant_id', 'shop-1'],
    ] as const)
      await refused(authorize({ [name]: value }), `payload.${name}`);
    await settle();
    await refused(follow('refund', data, { amount: 12 }), 'payload.amount');
    await refused(follow('refund', data, { amount: '1.00', currency: 'EUR' }), 'payload.currency');
    const { data: cancel } = (await follow('cancel', data)).body;
    await refused(follow('cancel', cancel), 'payload.instruction_id');
  });

  it('401, 403: without a credential, and while the agent is frozen or its limits are used up', async () => {
    const { agent, ref, budget } = await budgeted();
    const payloads = [
      { network_ref: await ref({ intent: { ...someIntent, amount: '60.00' } }) },
      { network_ref: await ref({ intent: { ...someIntent, amount: '60.00' } }) },
    ];
    expectRefused(await harness.test.post('/v1/cards/visa/instructions', {}, { as: null }), 401, 'missing_credential');
    await harness.test.post(`/v1/agents/${agent.id}/freeze`, {});
    expectRefused(await instruct(harness.test, agent, { payload: payloads[0] as object }), 403, 'agent_frozen');
    await harness.test.post(`/v1/agents/${agent.id}/unfreeze`, {});
    expect((await instruct(harness.test, agent, { payload: payloads[0] as object })).status).toBe(202);
    expectRefused(await instruct(harness.test, agent, { payload: payloads[1] as object }), 403, 'budget_exceeded');
    expect(await remaining(budget)).toBe('40.00');
    // What was refused has used up nothing: with more to spend the same reference pays.
    await harness.test.patch(`/v1/budgets/${budget.id}`, { amount: '200.00' });
    expect((await instruct(harness.test, agent, { payload: payloads[1] as object })).status).toBe(202);
  });

  it('404: an agent, a reference or an instruction of nobody, or of another agent', async () => {
    const { agent, ref, authorize } = await newCardAgent(harness);
    const sister = await enrol(harness.test, { parent_account_id: agent.account.id });
    const network_ref = await ref();
    const { data } = (await authorize()).body;
    for (const answer of [
      await harness.test.post('/v1/cards/visa/instructions', { agent_id: nowhere, payload: { network_ref } }),
      await instruct(harness.test, sister, { payload: { network_ref } }),
      await instruct(harness.test, agent, { payload: { network_ref } }, { as: sister.token }),
      await instruct(harness.test, agent, { payload: { network_ref: `nref_${nowhere}` } }),
      await instruct(harness.test, agent, { payload: { network_ref: 7 } }),
      await instruct(harness.test, sister, { type: 'cancel', payload: { instruction_id: data.id } }),
      await harness.test.get(`/v1/cards/instructions/${data.id}`, { as: sister.token }),
      await harness.other.get(`/v1/cards/instructions/${data.id}`),
    ])
      expectRefused(answer, 404, 'not_found');
    const amex = await instruct(harness.test, agent, { payload: { network_ref } }, { network: 'amex' });
    expectInvalid(amex, 'network');
    expect(amex.body.details.fields[0].message).toBe('must be one of visa, mastercard');
    const listed = async (as: string) => (await harness.test.get('/v1/cards/instructions', { as })).body.data.map(({ id }: Json) => id);
    expect([await listed(agent.token), await listed(sister.token)]).toEqual([[data.id], []]);
    const filtered = await harness.test.get(`/v1/cards/instructions?agent_id=${agent.uuid}&network=visa&type=authorize&status=pending`);
    expect(filtered.body.data).toMatchObject([{ id: data.id }]);
  });

  it('409: a reference that was used or has expired, and an account that is suspended', async () => {
    const { agent, ref } = await newCardAgent(harness);
    const [used, old, good] = [await ref(), await ref(), await ref()];
    const send = (network_ref: string) => instruct(harness.test, agent, { payload: { network_ref } });
    expect((await send(used)).status).toBe(202);
    expectRefused(await send(used), 409, 'state_conflict', { reason: 'used' });
    await harness.test.patch(`/v1/accounts/${agent.account.id}`, { status: 'suspended' });
    expectRefused(await send(good), 409, 'state_conflict', { current_status: 'suspended' });
    await harness.test.patch(`/v1/accounts/${agent.account.id}`, { status: 'active' });
    await harness.advance(900);
    expectRefused(await send(old), 409, 'state_conflict', { reason: 'expired' });
  });

  it('422: the number of a card, and a network that nobody is enrolled with', async () => {
    const { agent, ref } = await newCardAgent(harness);
    const payload = { network_ref: await ref(), card: { number: '4242424242424242' } };
    expectRefused(await instruct(harness.test, agent, { payload }), 422, 'validation_failed', {
      fields: [{ path: 'payload.card.number' }],
    });
    for (const [bad, path] of [
      [{ card: 4242424242424242 }, 'payload.card'],
      [{ cards: { '4242-4242-4242-4242': {} } }, 'payload.cards'],
    ] as const)
      expectRefused(await instruct(harness.test, agent, { payload: bad }), 422, 'validation_failed', { fields: [{ path }] });
    const live = await enrol(harness.live);
    expectRefused(await instruct(harness.live, live, { payload: { network_ref: payload.network_ref } }), 422, 'unsupported_network');
  });
});
