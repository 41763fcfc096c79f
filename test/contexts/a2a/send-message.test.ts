// Tasks by A2A: what a message becomes and costs, who reaches the tasks of whom, and what happens when an agent stops.
import { beforeAll, describe, expect, it } from 'vitest';
import { callAgent, resultOf, sendText, textMessage } from '../../factories/a2a.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import { enrol, type TestAgent } from '../agents/identity.js';

const harness = useHarness();
const price = { amount: '10.00', currency: 'USD' };
let caller: TestAgent;
let worker: TestAgent;

const hand = (skills: unknown[] = []) => enrol(harness.test, { wallet: { currency: 'USD' }, skills });
const fund = ({ agent }: TestAgent, amount: string) => harness.test.make(`/v1/wallets/${agent.default_wallet_id}/fund`, { amount });
const available = async ({ agent }: TestAgent) =>
  (await harness.test.get(`/v1/wallets/${agent.default_wallet_id}`)).body.data.balance.available;
const tasksOf = async ({ uuid }: TestAgent) => (await harness.test.get(`/v1/a2a/tasks?role=sender&agent_id=${uuid}`)).body.pagination.total;
const call = (method: string, params: unknown, options: { as?: string | null; version?: string; at?: TestAgent } = {}) =>
  callAgent(harness.test, options.at ?? worker, method, params, { as: caller.token, ...options });

beforeAll(async () => {
  [caller, worker] = await Promise.all([hand(), hand([{ id: 'translate', name: 'Translation', price }, 'greet'])]);
  await fund(caller, '1000.00');
});

describe('POST /a2a/{agent_id}: SendMessage', () => {
  it('200: its parts are the payload; one data part that is an object is the payload itself', async () => {
    const { body } = await call('SendMessage', {
      message: textMessage('Hello', { contextId: 'c-1' }),
      configuration: { historyLength: 5 },
    });
    const { id, ...task } = body.result.task;
    expect(body).toEqual({ jsonrpc: '2.0', id: expect.any(Number), result: { task: { id, ...task } } });
    expect(task).toEqual({
      contextId: 'c-1',
      status: { state: 'TASK_STATE_SUBMITTED', timestamp: harness.clock.now().toISOString() },
      history: [{ messageId: id, contextId: 'c-1', taskId: id, role: 'ROLE_USER', parts: [{ text: 'Hello' }] }],
      metadata: {
        skill_id: 'translate',
        from_agent_id: caller.id,
        status: 'pending',
        payment: { ...price, method: 'wallet', status: 'reserved', transfer_id: expect.any(String) },
      },
    });
    const stored = (await harness.test.get(`/v1/a2a/tasks/${id}`)).body.data;
    expect(stored).toMatchObject({ payload: { parts: [{ text: 'Hello' }] }, context_id: 'c-1', to_agent_id: worker.uuid });
    const parts = [{ data: { text: 'Hello', to: ['de', null] } }];
    const other = await sendText(harness.test, worker, caller.token, { parts, metadata: { skill_id: 'greet', theirs: 1 } });
    expect((await harness.test.get(`/v1/a2a/tasks/${other.id}`)).body.data).toMatchObject({ payload: parts[0]?.data, skill_id: 'greet' });
    expect(other.history[0].parts).toEqual(parts);
    expect(other.contextId).toEqual(expect.any(String));
  });

  it('200 by an operator for an agent, with a payment, a wallet and a deadline of its own', async () => {
    const before = await available(caller);
    const deadline = new Date(harness.clock.now().getTime() + 60_000).toISOString();
    const payment = { amount: '4.00', currency: 'USD', from_wallet_id: caller.agent.default_wallet_id };
    const metadata = { from_agent_id: caller.id, payment, deadline };
    const task = await sendText(harness.test, worker, harness.test.key, { metadata });
    expect(task.metadata).toMatchObject({ from_agent_id: caller.id, deadline, payment: { amount: '4.00' } });
    expect(Number(before) - Number(await available(caller))).toBe(4);
  });

  it('200: the same message twice is one task, also of many at once; another one of that id is refused', async () => {
    const [before, money] = [await tasksOf(caller), await available(caller)];
    const message = textMessage('Once');
    const first = (await call('SendMessage', { message })).body;
    await resultOf(harness.test, worker, 'CancelTask', { id: first.result.task.id }, { as: caller.token });
    const again = (await call('SendMessage', { message })).body;
    // It is the task as it is by now, in the answer to the second request.
    expect(again.id).not.toBe(first.id);
    expect(again.result.task).toMatchObject({ id: first.result.task.id, status: { state: 'TASK_STATE_CANCELED' } });
    const other = (await call('SendMessage', { message: { ...message, parts: [{ text: 'Twice' }] } })).body;
    expect(other.error).toMatchObject({ code: -32000, data: [{ reason: 'IDEMPOTENCY_KEY_REUSED' }, { code: 'idempotency_key_reused' }] });

    const flock = textMessage('Many');
    const answers = await Promise.all(Array.from({ length: 10 }, () => call('SendMessage', { message: flock })));
    const made = answers.filter(({ status }) => status === 200).map(({ body }) => body.result.task.id);
    expect(new Set(made).size).toBe(1);
    for (const { status, body } of answers)
      if (status !== 200) expect([status, body.error.data[1].code]).toEqual([409, 'idempotency_in_flight']);
    expect([await tasksOf(caller), Number(money) - Number(await available(caller))]).toEqual([before + 2, 10]);
    // The id of a message is the sender's own.
    const stranger = await hand();
    await fund(stranger, '10.00');
    expect((await call('SendMessage', { message: flock }, { as: stranger.token })).body.result.task.id).not.toBe(made[0]);
  });

  it('200 with the error of the platform where the payment is refused, and without a task', async () => {
    const poor = await hand();
    const { body } = await call('SendMessage', { message: textMessage('On credit') }, { as: poor.token });
    expect(body.error).toMatchObject({
      code: -32000,
      message: expect.any(String),
      data: [
        { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'INSUFFICIENT_BALANCE', domain: 'agent-payments' },
        {
          '@type': 'urn:agent-payments:error:v1',
          code: 'insufficient_balance',
          details: expect.any(Object),
          request_id: expect.any(String),
        },
      ],
    });
    expect(await tasksOf(poor)).toBe(0);
    // A message that was refused may be sent again.
    const retried = textMessage('Later');
    await call('SendMessage', { message: retried }, { as: poor.token });
    await fund(poor, '10.00');
    expect((await call('SendMessage', { message: retried }, { as: poor.token })).body.result.task.status.state).toBe(
      'TASK_STATE_SUBMITTED',
    );
  });

  it('200 where the payment waits for an approval: submitted, seen by its sender, given to the agent once it is approved', async () => {
    const careful = await hand();
    await fund(careful, '50.00');
    const approval = { threshold: '5.00', currency: 'USD' };
    await harness.test.make('/v1/policies', { name: 'Ask', target: { type: 'agent', id: careful.id }, rules: [], approval });
    const task = await sendText(harness.test, worker, careful.token);
    expect(task).toMatchObject({
      status: {
        state: 'TASK_STATE_SUBMITTED',
        message: { role: 'ROLE_AGENT', parts: [{ text: 'The payment is waiting for an approval.' }] },
      },
      metadata: { payment: { status: 'awaiting_approval' } },
    });
    expect((await call('GetTask', { id: task.id }, { as: worker.token })).body.error.code).toBe(-32001);
    const [waiting] = (await harness.test.get(`/v1/approvals?agent_id=${careful.id}`)).body.data;
    await harness.test.make(`/v1/approvals/${waiting.id}/approve`, {});
    const seen = await resultOf(harness.test, worker, 'GetTask', { id: task.id }, { as: worker.token });
    expect(seen.metadata.payment.status).toBe('reserved');
  });

  it('refuses what cannot be, by its number and with the place of it', async () => {
    const place = async (params: Json, options = {}) => {
      const { error } = (await call('SendMessage', params, options)).body;
      return [error.code, error.data[1]?.details.fields[0].path ?? error.data[0].reason];
    };
    const { messageId: _, ...nameless } = textMessage('x');
    expect(await place({ message: nameless })).toEqual([-32602, 'params.message.messageId']);
    expect(await place({ message: textMessage('x', { role: 'ROLE_AGENT' }) })).toEqual([-32602, 'params.message.role']);
    expect(await place({ message: textMessage('x', { parts: [] }) })).toEqual([-32602, 'params.message.parts']);
    expect(await place({ message: textMessage('x', { parts: [{ text: 'a', url: 'https://a.example' }] }) })).toEqual([
      -32602,
      'params.message.parts.0',
    ]);
    expect(await place({ message: textMessage('x', { parts: [{ url: 'file:///etc/passwd' }] }) })).toEqual([
      -32602,
      'params.message.parts.0.url',
    ]);
    expect(await place({ message: textMessage('x', { metadata: { skill_id: 'sing' } }) })).toEqual([-32602, 'INVALID_PARAMS']);
    expect(await place({ message: textMessage('x', { parts: [{ data: 'y'.repeat(17_000) }] }) })).toEqual([-32602, 'INVALID_PARAMS']);
    const payment = { amount: '1.001', currency: 'USD' };
    expect(await place({ message: textMessage('x', { metadata: { payment } }) })).toEqual([
      -32602,
      'params.message.metadata.payment.amount',
    ]);
    expect(await place({ message: textMessage('x', { metadata: { deadline: '2020-01-01' } }) })).toEqual([
      -32602,
      'params.message.metadata.deadline',
    ]);
    expect(await place({ message: textMessage('x') }, { as: harness.test.key })).toEqual([-32602, 'params.message.metadata.from_agent_id']);
    expect(await place({ message: textMessage('x'), configuration: { taskPushNotificationConfig: { url: 'https://a.example' } } })).toEqual(
      [-32003, 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
    );
    const bare = await hand();
    expect(await place({ message: textMessage('x') }, { at: bare })).toEqual([-32602, 'INVALID_PARAMS']);
    const { id: taskId } = await sendText(harness.test, worker, caller.token);
    const asked = { message: 'How formal?', schema: { type: 'object', required: ['level'] } };
    for (const [step, body] of [
      ['respond', { action: 'accept' }],
      ['start', {}],
      ['request-input', asked],
    ] as const)
      await harness.test.make(`/v1/a2a/tasks/${taskId}/${step}`, body, { as: worker.token });
    const answer = async (parts: unknown[]) => place({ message: textMessage('x', { taskId, parts }) });
    expect(await answer([{ text: 'Very' }, { data: {} }])).toEqual([-32602, 'params.message.parts.1.data']);
    expect(await answer([{ data: { level: 'y'.repeat(17_000) } }])).toEqual([-32602, 'params.message.parts']);
  });
});

describe('POST /a2a/{agent_id}: the tasks of others', () => {
  it('are not found, in the same words as those that are not there', async () => {
    const { id } = await sendText(harness.test, worker, caller.token);
    const other = await hand(['greet']);
    const missing = (await call('GetTask', { id: nowhere })).body.error;
    expect(missing).toMatchObject({
      code: -32001,
      message: 'Task not found.',
      data: [{ reason: 'TASK_NOT_FOUND', domain: 'a2a-protocol.org' }],
    });
    const plain = ({ data: _, ...error }: Json) => error;
    for (const [method, options] of [
      ['GetTask', { as: other.token }],
      ['CancelTask', { as: other.token }],
      // The sender asks another agent for it.
      ['GetTask', { at: other }],
      ['CancelTask', { at: other }],
    ] as const)
      expect(plain((await call(method, { id }, options)).body.error), method).toEqual(plain(missing));
    for (const odd of ['x', '', `tx_${id}`]) expect((await call('GetTask', { id: odd })).body.error.code).toBe(-32001);
    const answer = textMessage('Mine', { taskId: id });
    expect(plain((await call('SendMessage', { message: answer }, { as: other.token })).body.error)).toEqual(plain(missing));
    expect((await resultOf(harness.test, worker, 'ListTasks', {}, { as: other.token })).tasks).toEqual([]);
    // The agent that works on it reads it, and does not cancel it.
    expect((await resultOf(harness.test, worker, 'GetTask', { id }, { as: worker.token })).id).toBe(id);
    expect((await call('CancelTask', { id }, { as: worker.token })).body.error.data[1]).toMatchObject({ code: 'forbidden' });
    // An open task is at nobody's endpoint.
    const open = await harness.test.make('/v1/a2a/tasks', { skill_id: 'greet', payload: {} }, { as: caller.token });
    expect((await call('GetTask', { id: open.id })).body.error.code).toBe(-32001);
  });

  it('401 without a credential, 404 at the endpoint of another tenant’s agent or of none: spelled as JSON-RPC', async () => {
    const theirs = await enrol(harness.other, { skills: ['greet'] });
    const nobody = await call('GetTask', { id: nowhere }, { as: null });
    expect([nobody.status, nobody.body]).toMatchObject([
      401,
      { jsonrpc: '2.0', id: null, error: { data: [{}, { code: 'missing_credential' }] } },
    ]);
    for (const at of [theirs, { ...worker, id: `agt_${nowhere}` }, { ...worker, id: 'x' }]) {
      const { status, body } = await call('SendMessage', { message: textMessage('x') }, { at });
      expect([status, body.error.data[1].code]).toEqual([404, 'not_found']);
    }
  });
});

describe('POST /a2a/{agent_id}: agents that stop', () => {
  it('a frozen caller pays for nothing and still cancels; a frozen agent takes nothing new; what a revoked one works on fails', async () => {
    const [sender, busy] = [await hand(), await hand([{ id: 'translate', price }])];
    await fund(sender, '100.00');
    const [first, second, third] = [
      await sendText(harness.test, busy, sender.token),
      await sendText(harness.test, busy, sender.token),
      await sendText(harness.test, busy, sender.token),
    ];
    await harness.test.post(`/v1/agents/${sender.id}/freeze`, {});
    const refused = (await call('SendMessage', { message: textMessage('More') }, { as: sender.token, at: busy })).body.error;
    expect(refused).toMatchObject({ code: -32000, data: [{ reason: 'AGENT_FROZEN' }, {}] });
    expect((await resultOf(harness.test, busy, 'CancelTask', { id: first.id }, { as: sender.token })).status.state).toBe(
      'TASK_STATE_CANCELED',
    );
    await harness.test.post(`/v1/agents/${sender.id}/unfreeze`, {});

    await harness.test.make(`/v1/a2a/tasks/${second.id}/respond`, { action: 'accept' }, { as: busy.token });
    await harness.test.post(`/v1/agents/${busy.id}/freeze`, {});
    expect((await call('SendMessage', { message: textMessage('More') }, { as: sender.token, at: busy })).body.error.code).toBe(-32004);
    await harness.test.post(`/v1/agents/${busy.id}/revoke`, {});
    await harness.runDue();
    const states = await Promise.all(
      [second, third].map(async ({ id }) => (await resultOf(harness.test, busy, 'GetTask', { id }, { as: sender.token })).status.state),
    );
    expect(states).toEqual(['TASK_STATE_FAILED', 'TASK_STATE_FAILED']);
    expect(await available(sender)).toBe('100.00');
  });
});
