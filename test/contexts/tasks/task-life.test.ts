// A task from its first request to its last: the money, the table of statuses, and what happens by itself (CONTRACT.md 11)
import { describe, expect, it } from 'vitest';
import { taskLifecycle } from '../../../src/contexts/tasks/task.js';
import { channelLines } from '../../factories/channel.js';
import { balanceOf } from '../../factories/payment.js';
import { giveTask, later, newHand, newSides, offerTask, readTask, type Sides, stepTask, taskIn } from '../../factories/task.js';
import { type Json, useHarness } from '../../harness.js';
import { eachOf } from '../../hostile.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const balances = async ({ sender, worker }: Sides) =>
  Promise.all([sender, worker].map(async ({ wallet }) => (await balanceOf(harness.test, wallet)).available));

describe('a task', () => {
  it('that is given by name is worked on, delivered, approved, paid and rated', async () => {
    const sides = await newSides(harness.test);
    const { sender, worker } = sides;
    const task = await giveTask(harness.test, sides);
    expect(task).toMatchObject({
      status: 'pending',
      open: false,
      from_agent_id: sender.uuid,
      to_agent_id: worker.uuid,
      context_id: task.id,
      payment: { amount: '10.00', currency: 'USD', method: 'wallet', status: 'reserved', released: '0.00' },
    });
    const transfer = async () => (await harness.test.get(`/v1/transfers/${task.payment.transfer_id}`)).body.data;
    expect(await transfer()).toMatchObject({ status: 'pending', protocol: 'internal', task_id: task.id, to_wallet_id: worker.wallet.id });
    expect(await balanceOf(harness.test, worker.wallet)).toMatchObject({ available: '0.00', pending_in: '10.00' });
    const step = (name: string, side: keyof Sides, body?: object) => stepTask(harness.test, task, name, sides[side], body);
    expect((await step('respond', 'worker', { action: 'accept' })).body.data.status).toBe('accepted');
    expect((await step('start', 'worker', { message: 'On it', percent: 5 })).body.data).toMatchObject({ progress: { percent: 5 } });
    expect((await step('progress', 'worker', { percent: 50 })).body.data).toMatchObject({ status: 'in_progress' });
    const asked = { message: 'How formal?', schema: { type: 'object', required: ['level'] } };
    expect((await step('request-input', 'worker', asked)).body.data.status).toBe('input_required');
    const answer = (data: object) => step('input', 'sender', { parts: [{ text: 'As in letters' }, { data }] });
    expectInvalid(await answer({}), 'parts.1.data');
    expectInvalid(await answer({ level: 'x'.repeat(17_000) }), 'parts');
    expect((await answer({ level: 'high' })).body).toMatchObject({ data: { status: 'in_progress' } });
    const { body } = await step('complete', 'worker', { deliverable: { artifacts: [{ name: 'text', parts: [{ text: 'Good day' }] }] } });
    expect(body.data).toMatchObject({ status: 'completed', payment: { status: 'reserved' }, review_deadline: '2026-03-02T10:30:00.000Z' });
    expect((await step('approve', 'sender', { rating: 5, feedback: 'Fine' })).body.data).toMatchObject({
      rating: 5,
      payment: { status: 'released', released: '10.00' },
    });
    expect((await step('rate', 'worker', { rating: 4 })).body.data).toMatchObject({ rating: 5, sender_rating: 4 });
    expect(await balances(sides)).toEqual(['990.00', '10.00']);
    expect(await transfer()).toMatchObject({ status: 'completed' });
    const { messages } = await readTask(harness.test, task, sender);
    expect(messages.map(({ author }: Json) => author)).toEqual(['sender', 'worker']);
    const operations = (await harness.platform.database.unscoped.operation.findMany({ where: { subjectId: task.id } })) as Json[];
    expect(operations).toMatchObject([{ category: 'task_payment', success: true, amount: 1000n }]);
  });

  it('goes back where it is not paid: declined, cancelled, failed, expired', async () => {
    const sides = await newSides(harness.test);
    for (const status of ['declined', 'cancelled', 'failed']) {
      expect(await taskIn(harness.test, sides, status)).toMatchObject({ status, payment: { status: 'refunded', released: '0.00' } });
    }
    const late = await giveTask(harness.test, sides, { deadline: later(harness, 300) });
    const working = await taskIn(harness.test, sides, 'in_progress', { deadline: later(harness, 300) });
    harness.clock.advance(300);
    expectRefused(await stepTask(harness.test, working, 'complete', sides.worker, { deliverable: {} }), 409, 'state_conflict', {
      current_status: 'expired',
    });
    await harness.runDue();
    for (const task of [late, working]) {
      expect(await readTask(harness.test, task)).toMatchObject({
        status: 'expired',
        status_reason: 'deadline_passed',
        payment: { status: 'refunded' },
      });
    }
    expect(await balances(sides)).toEqual(['1000.00', '0.00']);
  });

  it('that nobody begins is offered again, and is paid to whoever has it then', async () => {
    const sides = await newSides(harness.test);
    const second = await newHand(harness.test);
    const task = await offerTask(harness.test, sides, { claim_timeout_seconds: 60, candidate_agent_ids: [sides.worker.uuid, second.uuid] });
    const claim = (by = sides.worker) => stepTask(harness.test, task, 'claim', by);
    const claimed = await claim();
    expect(claimed.body.data).toMatchObject({ status: 'accepted', to_agent_id: sides.worker.uuid });
    expect(await balanceOf(harness.test, sides.worker.wallet)).toMatchObject({ pending_in: '10.00' });
    await harness.advance(60);
    const free = await readTask(harness.test, task);
    expect(free.status).toBe('pending');
    for (const member of ['to_agent_id', 'claimed_at', 'claim_deadline']) expect(free).not.toHaveProperty(member);
    expect(await balanceOf(harness.test, sides.worker.wallet)).toMatchObject({ pending_in: '0.00' });
    expectRefused(await stepTask(harness.test, task, 'start', sides.worker), 403, 'forbidden');
    expect((await claim(second)).status).toBe(200);
    expect((await stepTask(harness.test, task, 'start', second)).status).toBe(200);
    await harness.advance(120);
    await stepTask(harness.test, task, 'complete', second, { deliverable: { text: 'Good day' } });
    await harness.advance(1_799);
    expect((await readTask(harness.test, task)).payment.status).toBe('reserved');
    await harness.advance(1);
    expect((await readTask(harness.test, task)).payment).toMatchObject({ status: 'released', released: '10.00' });
    expect((await balanceOf(harness.test, second.wallet)).available).toBe('10.00');
    expect(await channelOf(sides.worker)).toEqual(['task_assigned', 'task_updated claimed', 'task_updated unclaimed', 'task_assigned']);
    expect(await channelOf(second)).toEqual([
      'task_assigned',
      'task_assigned',
      'task_updated claimed',
      'task_updated started',
      'task_updated completed',
      'transfer_completed',
      'task_updated released',
    ]);
  });

  it('ends with its agents: what a revoked one gave is cancelled, what it was given fails', async () => {
    const sides = await newSides(harness.test);
    const given = await Promise.all(
      ['pending', 'accepted', 'in_progress', 'input_required', 'completed'].map((status) => taskIn(harness.test, sides, status)),
    );
    await harness.test.post(`/v1/agents/${sides.worker.id}/revoke`, {});
    await harness.runDue();
    const statuses = await Promise.all(given.map(async (task) => (await readTask(harness.test, task)).status));
    expect(statuses).toEqual(['failed', 'failed', 'failed', 'failed', 'completed']);
    const sender = { sender: sides.sender };
    const other = await newHand(harness.test);
    const offered = await offerTask(harness.test, sender);
    const worked = await taskIn(harness.test, { ...sender, worker: other }, 'in_progress');
    await harness.test.post(`/v1/agents/${sides.sender.id}/revoke`, {});
    const ending = { allowed_from: [] };
    expectRefused(await stepTask(harness.test, offered, 'claim', other), 409, 'state_conflict', ending);
    expectRefused(await stepTask(harness.test, worked, 'complete', other, { deliverable: {} }), 409, 'state_conflict', ending);
    await harness.runDue();
    for (const task of [offered, worked]) {
      expect(await readTask(harness.test, task)).toMatchObject({ status: 'cancelled', status_reason: 'agent_revoked' });
    }
    await harness.advance(1_800);
    expect(await balances(sides)).toEqual(['990.00', '10.00']);
  });
});

/** The lines of an agent's channel, with what has changed. */
async function channelOf({ uuid }: { uuid: string }): Promise<string[]> {
  const lines = await channelLines(harness, uuid);
  return lines.map(({ type, data }) => [type, data['change']].filter((part) => part !== undefined).join(' '));
}

describe('the table of statuses', () => {
  const body: Record<string, [side: keyof Sides, to: string, body?: object]> = {
    respond: ['worker', 'accepted', { action: 'accept' }],
    start: ['worker', 'in_progress'],
    progress: ['worker', 'in_progress', { percent: 10 }],
    'request-input': ['worker', 'input_required', { message: 'Formal?' }],
    input: ['sender', 'in_progress', { parts: [{ text: 'Yes' }] }],
    complete: ['worker', 'completed', { deliverable: {} }],
    approve: ['sender', 'completed'],
    dispute: ['sender', 'disputed', { reason: 'other' }],
    cancel: ['sender', 'cancelled'],
    fail: ['worker', 'failed'],
  };
  /** From which statuses each step is taken. */
  const from: Record<string, string[]> = {
    respond: ['pending'],
    start: ['accepted'],
    progress: ['accepted', 'in_progress'],
    'request-input': ['in_progress'],
    input: ['input_required'],
    complete: ['accepted', 'in_progress'],
    approve: ['completed'],
    dispute: ['completed'],
    cancel: ['pending', 'accepted', 'in_progress', 'input_required'],
    fail: ['accepted', 'in_progress', 'input_required'],
  };

  it('holds for every status and every step', async () => {
    const sides = await newSides(harness.test);
    const statuses = ['pending', 'accepted', 'declined', 'in_progress', 'input_required', 'completed', 'failed', 'disputed', 'cancelled'];
    const walk = async (status: string) => {
      const kept = await taskIn(harness.test, sides, status);
      for (const [step, [side, to, given]] of Object.entries(body)) {
        const isTaken = from[step]?.includes(status) ?? false;
        const task = isTaken ? await taskIn(harness.test, sides, status) : kept;
        const answer = await stepTask(harness.test, task, step, sides[side], given);
        const about = `${status} ${step}: ${JSON.stringify(answer.body)}`;
        expect(answer.status, about).toBe(isTaken ? 200 : 409);
        if (!isTaken) expect(answer.body.details.current_status, about).toBe(status);
        else expect(answer.body.data.status, about).toBe(to);
        if (isTaken && to !== status) expect(taskLifecycle.steps[status as 'pending'], about).toContain(to);
      }
      expect((await readTask(harness.test, kept)).status).toBe(status);
    };
    await eachOf(statuses, walk, 3);
  });
});
