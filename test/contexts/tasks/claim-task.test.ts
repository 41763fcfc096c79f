// POST /v1/a2a/tasks/{taskId}/claim, and /respond
import { describe, expect, it } from 'vitest';
import { mandateBody, newSeller } from '../../factories/mandate.js';
import { balanceOf, eventsOf } from '../../factories/payment.js';
import {
  giveTask,
  later,
  newHand,
  newSides,
  offerTask,
  readTask,
  type Sides,
  stepTask,
  storedTask,
  taskBody,
  tenDollars,
} from '../../factories/task.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { enrol, signIn } from '../agents/identity.js';

const harness = useHarness();

describe('POST /v1/a2a/tasks/{taskId}/claim', () => {
  it('200: the first gets it, by session or token; the next are told who and when', async () => {
    const sides = await newSides(harness.test);
    const others = [await newHand(harness.test), await newHand(harness.test)];
    const task = await offerTask(harness.test, sides);
    const session = await signIn(harness.test, sides.worker);
    const { status, body } = await harness.test.post(`/v1/a2a/tasks/${task.id}/claim`, undefined, { as: session });
    expect({ status, data: body.data }).toMatchObject({
      status: 200,
      data: { to_agent_id: sides.worker.uuid, claimed_at: '2026-03-02T10:00:00.000Z', claim_deadline: '2026-03-02T10:10:00.000Z' },
    });
    const told = { claimed_by: sides.worker.uuid, claimed_at: '2026-03-02T10:00:00.000Z', current_status: 'accepted' };
    for (const other of others) expectRefused(await stepTask(harness.test, task, 'claim', other), 409, 'task_already_claimed', told);
    expect(await balanceOf(harness.test, sides.worker.wallet)).toMatchObject({ pending_in: '10.00' });
  });

  it('200 twice with one key: a claim that is sent again is the same', async () => {
    const sides = await newSides(harness.test);
    const task = await offerTask(harness.test, sides);
    const send = () =>
      harness.test.post(`/v1/a2a/tasks/${task.id}/claim`, undefined, { as: sides.worker.token, headers: { 'Idempotency-Key': 'claim' } });
    expect([(await send()).status, (await send()).status]).toEqual([200, 200]);
  });

  it('200 again for the agent that has it, claimed or accepted by name; open until it is delivered', async () => {
    const sides = await newSides(harness.test);
    const claimed = await offerTask(harness.test, sides);
    const accepted = await giveTask(harness.test, sides);
    await stepTask(harness.test, accepted, 'respond', sides.worker, { action: 'accept' });
    const first = (await stepTask(harness.test, claimed, 'claim', sides.worker)).body.data;
    const told = await eventsOf(harness, claimed.id);
    harness.clock.advance(1);
    for (const task of [claimed, accepted]) {
      const { status, body } = await stepTask(harness.test, task, 'claim', sides.worker);
      expect([status, body.data]).toMatchObject([200, { id: task.id, status: 'accepted', to_agent_id: sides.worker.uuid }]);
    }
    expect(await readTask(harness.test, claimed)).toMatchObject(first);
    expect(await eventsOf(harness, claimed.id)).toEqual(told);
    await stepTask(harness.test, claimed, 'start', sides.worker);
    for (const [step, status, open] of [
      ['start', 'in_progress', true],
      ['complete', 'completed', false],
    ] as const) {
      if (step === 'complete') await stepTask(harness.test, claimed, 'complete', sides.worker, { deliverable: { text: 'done' } });
      const again = await stepTask(harness.test, claimed, 'claim', sides.worker);
      expect([again.status, again.body.data]).toMatchObject([200, { id: claimed.id, status, open }]);
    }
    expectRefused(await stepTask(harness.test, claimed, 'claim', await newHand(harness.test)), 409, 'task_already_claimed');
  });

  it('403: an API key, the sender, and whoever the rules of the sender do not let be paid', async () => {
    const sides = await newSides(harness.test);
    const task = await offerTask(harness.test, sides);
    expectRefused(await stepTask(harness.test, task, 'claim'), 403, 'session_required');
    expectRefused(await stepTask(harness.test, task, 'claim', sides.sender), 403, 'forbidden');
    const block = { kind: 'counterparties', block: [sides.worker.uuid] };
    const policy = await harness.test.make('/v1/policies', {
      name: 'Not them',
      target: { type: 'agent', id: sides.sender.uuid },
      rules: [block],
    });
    expectRefused(await stepTask(harness.test, task, 'claim', sides.worker), 403, 'policy_violation');
    await harness.test.delete(`/v1/policies/${policy.id}`);
    expect((await stepTask(harness.test, task, 'claim', sides.worker)).status).toBe(200);

    const seller = await newSeller(harness.test);
    const clerk = await enrol(harness.test, { parent_account_id: seller.account_id });
    const mandate = await harness.test.make('/v1/ap2/mandates', mandateBody(sides.sender, { blocked_merchants: [seller.id] }));
    const payment = { ...tenDollars, method: 'ap2', mandate_id: mandate.id, mandate_jwt: mandate.mandate_jwt };
    const mandated = await offerTask(harness.test, sides, { payment });
    expectRefused(await stepTask(harness.test, mandated, 'claim', clerk), 403, 'policy_violation');
  });

  for (const [kind, wants] of Object.entries({
    counterparties: ({ worker }: Sides) => worker.uuid,
    merchants: ({ seller }: Sides & { seller: Json }) => seller.id,
    categories: () => 'gambling',
  } as Record<string, (paid: Sides & { seller: Json }) => string>)) {
    it(`403: whoever is paid after an approval only, by a rule of ${kind}, unless the task was given to it by name and approved`, async () => {
      const sender = await newHand(harness.test, '1000.00');
      const seller = await newSeller(harness.test, 'USD', { category: 'gambling' });
      const worker = await newHand(harness.test, undefined, { parent_account_id: seller.account_id });
      const rule = { kind, block: [wants({ sender, worker, seller })], action: 'approve' };
      await harness.test.make('/v1/policies', { name: 'Ask', target: { type: 'agent', id: sender.uuid }, rules: [rule] });
      const open = await offerTask(harness.test, { sender });
      const told = { reason: 'approval_required', terminal: true };
      expectRefused(await stepTask(harness.test, open, 'claim', worker), 403, 'policy_violation', told);
      expect((await stepTask(harness.test, open, 'claim', await newHand(harness.test))).status).toBe(200);
      expect((await balanceOf(harness.test, worker.wallet)).pending_in).toBe('0.00');
      const asked = await harness.test.post('/v1/a2a/tasks', taskBody({ worker }), { as: sender.token });
      expect([asked.status, asked.body.data.payment.status]).toEqual([202, 'awaiting_approval']);
      await harness.test.post(`/v1/approvals/${asked.body.approval.id}/approve`, {});
      expect((await stepTask(harness.test, asked.body.data, 'respond', worker, { action: 'accept' })).status).toBe(200);
    });
  }

  it('404: a task that was offered to others, or is not there', async () => {
    const sides = await newSides(harness.test);
    const other = await newHand(harness.test);
    const named = await offerTask(harness.test, sides, { candidate_agent_ids: [other.uuid] });
    const given = await giveTask(harness.test, { sender: sides.sender, worker: other });
    for (const id of [named.id, given.id, nowhere, (await storedTask(harness, harness.other)).id]) {
      expectRefused(await stepTask(harness.test, { id }, 'claim', sides.worker), 404, 'not_found');
    }
  });

  it('409: after the deadline, after its end, and without a wallet to be paid into', async () => {
    const sides = await newSides(harness.test);
    const [late, ended, euros] = [
      await offerTask(harness.test, sides, { deadline: later(harness, 60) }),
      await offerTask(harness.test, sides),
      await offerTask(harness.test, sides),
    ];
    await stepTask(harness.test, ended, 'cancel', sides.sender);
    harness.clock.advance(60);
    const claim = (task: object) => stepTask(harness.test, task, 'claim', sides.worker);
    expectRefused(await claim(late), 409, 'state_conflict', { current_status: 'expired' });
    await harness.runDue();
    expectRefused(await claim(late), 409, 'state_conflict', { current_status: 'expired' });
    expectRefused(await claim(ended), 409, 'state_conflict', { current_status: 'cancelled' });
    const purseless = await enrol(harness.test);
    expectRefused(await stepTask(harness.test, euros, 'claim', purseless), 409, 'state_conflict', { reason: 'no_wallet' });
    const { account } = purseless;
    const shared = await harness.test.make('/v1/wallets', { owner_type: 'account', owner_id: account.id, currency: 'USD' });
    await harness.test.make(`/v1/wallets/${shared.id}/fund`, { amount: '10.00' });
    const beside = await enrol(harness.test, { parent_account_id: account.id });
    const own = await harness.test.make('/v1/a2a/tasks', { ...taskBody({}), from_agent_id: purseless.uuid });
    expectRefused(await stepTask(harness.test, own, 'claim', beside), 409, 'state_conflict', { reason: 'no_wallet' });
  });
});

describe('POST /v1/a2a/tasks/{id}/respond', () => {
  it('400, 403, 409: another word, another agent, an open task', async () => {
    const sides = await newSides(harness.test);
    const [task, open] = [await giveTask(harness.test, sides), await offerTask(harness.test, sides, { payment: tenDollars })];
    const respond = (about: object, action: string, by = sides.worker) => stepTask(harness.test, about, 'respond', by, { action });
    expectInvalid(await respond(task, 'maybe'), 'action');
    expectRefused(await respond(task, 'accept', sides.sender), 403, 'forbidden');
    expectRefused(await respond(open, 'accept'), 403, 'forbidden');
    expectRefused(await stepTask(harness.test, open, 'respond', undefined, { action: 'accept' }), 409, 'state_conflict');
    expect((await respond(task, 'decline')).body.data).toMatchObject({ status: 'declined', payment: { status: 'refunded' } });
    expect((await readTask(harness.test, open)).status).toBe('pending');
  });
});
