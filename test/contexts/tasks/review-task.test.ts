// What is delivered, and what follows: POST /v1/a2a/tasks/{id}/complete, /approve, /rate, /dispute
import { describe, expect, it } from 'vitest';
import { balanceOf } from '../../factories/payment.js';
import { newHand, newSides, readTask, type Sides, stepTask, taskIn } from '../../factories/task.js';
import { type Json, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const earned = async ({ worker }: Sides) => (await balanceOf(harness.test, worker.wallet)).available;

describe('POST /v1/a2a/tasks/{id}/complete', () => {
  it('200 and 400: what is delivered fits the acceptance, as an object or as the data of artifacts', async () => {
    const sides = await newSides(harness.test);
    const json_schema = { type: 'object', required: ['text'], properties: { text: { type: 'string', pattern: '^[A-Z]' } } };
    const task = await taskIn(harness.test, sides, 'in_progress', { acceptance: { json_schema } });
    const deliver = (deliverable: object) => stepTask(harness.test, task, 'complete', sides.worker, { deliverable });
    const artifact = (...parts: object[]) => ({ artifacts: [{ name: 'result', parts }] });
    expectInvalid(await deliver({}), 'deliverable');
    expectInvalid(await deliver({ text: 'good day' }), 'deliverable.text');
    expectInvalid(await deliver(artifact({ text: 'Good day' })), 'deliverable.artifacts');
    expectInvalid(await deliver(artifact({ data: { text: 1 } })), 'deliverable.artifacts.0.parts.0.data.text');
    expectInvalid(await deliver(artifact({ text: 'a', url: 'https://example.com' })), 'deliverable.artifacts.0.parts.0');
    expectInvalid(await deliver({ artifacts: [] }), 'deliverable.artifacts');
    expect((await readTask(harness.test, task)).status).toBe('in_progress');
    const { status, body } = await deliver(artifact({ text: 'As asked:' }, { data: { text: 'Good day' }, media_type: 'application/json' }));
    expect({ status, body }).toMatchObject({ status: 200, body: { data: { status: 'completed' } } });
  });

  it('200 and 400: a pattern costs no more than the text is long', async () => {
    const sides = await newSides(harness.test);
    const json_schema = { properties: { text: { pattern: `^${'a*'.repeat(120)}b$` } } };
    const task = await taskIn(harness.test, sides, 'in_progress', { acceptance: { json_schema } });
    const deliver = (text: string) => stepTask(harness.test, task, 'complete', sides.worker, { deliverable: { text } });
    expectInvalid(await deliver('a'.repeat(1_900)), 'deliverable.text');
    expect((await deliver(`${'a'.repeat(1_900)}b`)).status).toBe(200);
  });

  it('400, or 503 on a busy machine: a schema that comes to no end is ended, and others are answered meanwhile', async () => {
    const sides = await newSides(harness.test);
    const steps = Array.from({ length: 40 }, (_, n) => [
      `d${n}`,
      { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
    ]);
    // Only what is no text is led to what doubles.
    const $defs = { ...Object.fromEntries(steps), d40: {} };
    const json_schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      $defs,
      properties: { n: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/d0' }] } },
    };
    const task = await taskIn(harness.test, sides, 'in_progress', { acceptance: { json_schema } });
    const order: string[] = [];
    const slow = stepTask(harness.test, task, 'complete', sides.worker, { deliverable: { n: 1 } }).finally(() => order.push('slow'));
    await harness.test.get('/v1/me').finally(() => order.push('quick'));
    const answer = await slow;
    expect(order).toEqual(['quick', 'slow']);
    if (answer.status !== 503) expectInvalid(answer, 'deliverable');
    expect((await stepTask(harness.test, task, 'complete', sides.worker, { deliverable: { n: 'one' } })).status).toBe(200);
  });
});

describe('POST /v1/a2a/tasks/{id}/approve', () => {
  it('403 and 409: by its sender alone, once', async () => {
    const sides = await newSides(harness.test);
    const task = await taskIn(harness.test, sides, 'completed');
    expectRefused(await stepTask(harness.test, task, 'approve', sides.worker), 403, 'forbidden');
    expectInvalid(await stepTask(harness.test, task, 'approve', sides.sender, { rating: 6 }), 'rating');
    expect((await stepTask(harness.test, task, 'approve', sides.sender)).status).toBe(200);
    expectRefused(await stepTask(harness.test, task, 'approve', sides.sender), 409, 'state_conflict', { payment_status: 'released' });
    expect(await earned(sides)).toBe('10.00');
  });
});

describe('POST /v1/a2a/tasks/{id}/rate', () => {
  it('each side once, 1 to 5, after it was completed', async () => {
    const sides = await newSides(harness.test);
    const [task, going] = [await taskIn(harness.test, sides, 'completed'), await taskIn(harness.test, sides, 'in_progress')];
    const rate = (rating: unknown, by?: Sides['sender'], extra: object = {}) =>
      stepTask(harness.test, task, 'rate', by, { rating, ...extra });
    for (const rating of [0, 6, 2.5, '5', null]) expectInvalid(await rate(rating, sides.sender), 'rating');
    expect((await rate(5, sides.sender, { feedback: 'Quick' })).body.data).toMatchObject({ rating: 5, feedback: 'Quick' });
    expectRefused(await rate(4, sides.sender), 409, 'state_conflict');
    expectRefused(await rate(4), 409, 'state_conflict');
    expect((await rate(3, undefined, { side: 'worker' })).body.data).toMatchObject({ rating: 5, sender_rating: 3 });
    expectRefused(await rate(4, sides.worker), 409, 'state_conflict');
    expectRefused(await stepTask(harness.test, going, 'rate', sides.sender, { rating: 5 }), 409, 'state_conflict', {
      current_status: 'in_progress',
    });
    const stranger = await newHand(harness.test);
    expectRefused(await rate(4, stranger), 404, 'not_found');
    expectRefused(await rate(4, sides.worker, { side: 'sender' }), 403, 'forbidden');
    const rated = await harness.platform.database.unscoped.agentRating.findFirstOrThrow({ where: { agentId: sides.worker.uuid } });
    expect(rated).toMatchObject({ count: 1, total: 5 });
  });
});

describe('POST /v1/a2a/tasks/{id}/dispute', () => {
  const disputed = async (sides: Sides) => taskIn(harness.test, sides, 'disputed');
  const resolve = (task: Json, body: object, as?: string) =>
    harness.test.post(`/v1/disputes/${task.dispute_id}/resolve`, body, as === undefined ? {} : { as });

  it('keeps the money in escrow; a resolution splits it and makes no refund', async () => {
    const sides = await newSides(harness.test);
    const task = await disputed(sides);
    expect(task).toMatchObject({ status: 'disputed', payment: { status: 'disputed' }, dispute_id: expect.stringMatching(/^dsp_/) });
    await harness.advance(3_600);
    expect((await readTask(harness.test, task)).payment.status).toBe('disputed');
    expectRefused(await stepTask(harness.test, task, 'cancel', sides.sender), 409, 'state_conflict');
    const original = { original_transfer_id: task.payment.transfer_id, reason: 'other' };
    expectRefused(await harness.test.post('/v1/refunds', original), 409, 'state_conflict');
    const path = `/v1/disputes/${task.dispute_id}`;
    expect((await harness.test.post(`${path}/respond`, { response: 'It is right' }, { as: sides.worker.token })).status).toBe(200);
    expectInvalid(await resolve(task, { resolution: 'refund_partial', refund_amount: '10.01' }), 'refund_amount');
    const { body } = await resolve(task, { resolution: 'refund_partial', refund_amount: '4.00' });
    expect(body.data).toMatchObject({ status: 'resolved', amount_disputed: '10.00' });
    expect(body.data).not.toHaveProperty('refund_id');
    expect(await readTask(harness.test, task)).toMatchObject({ status: 'completed', payment: { status: 'released', released: '6.00' } });
    expect(await earned(sides)).toBe('6.00');
    expect((await balanceOf(harness.test, sides.sender.wallet)).available).toBe('994.00');
    const transfer = (await harness.test.get(`/v1/transfers/${task.payment.transfer_id}`)).body.data;
    expect(transfer).toMatchObject({ status: 'completed', amount: '10.00', hold: { captured_amount: '6.00' } });
  });

  it('gives all of it back, or pays all of it', async () => {
    const sides = await newSides(harness.test);
    const [back, paid, withdrawn] = [await disputed(sides), await disputed(sides), await disputed(sides)];
    expect((await resolve(back, { resolution: 'refund_full' })).status).toBe(200);
    expect((await resolve(paid, { resolution: 'rejected' })).status).toBe(200);
    expectRefused(await resolve(withdrawn, { resolution: 'withdrawn' }, sides.worker.token), 403, 'forbidden');
    expect((await resolve(withdrawn, { resolution: 'withdrawn' }, sides.sender.token)).status).toBe(200);
    const statuses = await Promise.all([back, paid, withdrawn].map(async (task) => (await readTask(harness.test, task)).payment.status));
    expect(statuses).toEqual(['refunded', 'released', 'released']);
    expect(await earned(sides)).toBe('20.00');
  });

  it('400, 403, 409: without a reason, by the worker, after the review', async () => {
    const sides = await newSides(harness.test);
    const task = await taskIn(harness.test, sides, 'completed');
    const dispute = (body: object, by = sides.sender) => stepTask(harness.test, task, 'dispute', by, body);
    expectInvalid(await dispute({}), 'reason');
    expectRefused(await dispute({ reason: 'other' }, sides.worker), 403, 'forbidden');
    harness.clock.advance(1_800);
    expectRefused(await dispute({ reason: 'other' }), 409, 'state_conflict', { payment_status: 'reserved' });
  });
});
