// The wire of JSON-RPC at the endpoint of an agent: what is no request, what is not spoken, and the words of 0.3.
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { beforeAll, describe, expect, it } from 'vitest';
import { callAgent } from '../../factories/a2a.js';
import { type Json, nowhere, useHarness } from '../../harness.js';
import published from '../../vectors/a2a/a2a_v0.3_schema.json' with { type: 'json' };
import { enrol, type TestAgent } from '../agents/identity.js';

const harness = useHarness();
const price = { amount: '10.00', currency: 'USD' };
let caller: TestAgent;
let worker: TestAgent;

const hand = (skills: unknown[] = []) => enrol(harness.test, { wallet: { currency: 'USD' }, skills });
const call = (method: string, params: unknown, options: { version?: string } = {}) =>
  callAgent(harness.test, worker, method, params, { as: caller.token, ...options });
const raw = (body: string, headers: Record<string, string> = {}) =>
  fetch(`${harness.test.url}/a2a/${worker.id}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${caller.token}`, 'Content-Type': 'application/json', ...headers },
    body,
  });

beforeAll(async () => {
  [caller, worker] = await Promise.all([hand(), hand([{ id: 'translate', name: 'Translation', price }, 'greet'])]);
  await harness.test.make(`/v1/wallets/${caller.agent.default_wallet_id}/fund`, { amount: '1000.00' });
});

describe('POST /a2a/{agent_id}: JSON-RPC', () => {
  it('numbers what is no request, with the id where there is one', async () => {
    const code = async (body: string) => {
      const answer = await raw(body);
      const { id, error } = await answer.json();
      return [answer.status, id, error.code];
    };
    expect(await code('{"jsonrpc": "2.0", "id": 1, ')).toEqual([200, null, -32700]);
    expect(await code('')).toEqual([200, null, -32600]);
    for (const body of ['[]', '[{"jsonrpc":"2.0","id":1,"method":"GetTask"}]', '"x"', '7', 'null'])
      expect(await code(body), body).toEqual([200, null, -32600]);
    expect(await code('{"jsonrpc":"1.0","id":4,"method":"GetTask"}')).toEqual([200, 4, -32600]);
    expect(await code('{"jsonrpc":"2.0","id":"a","method":7}')).toEqual([200, 'a', -32600]);
    for (const id of ['null', '{}', '1.5', '[1]'])
      expect(await code(`{"jsonrpc":"2.0","id":${id},"method":"GetTask","params":{"id":"x"}}`), id).toEqual([200, null, -32600]);
    // A notification would be answered by nothing.
    expect(await code('{"jsonrpc":"2.0","method":"SendMessage","params":{}}')).toEqual([200, null, -32600]);
    for (const method of ['Nothing', 'constructor', '__proto__', 'tasks/none'])
      expect(await code(JSON.stringify({ jsonrpc: '2.0', id: 1, method })), method).toEqual([200, 1, -32601]);
    for (const params of ['[]', '{}', '{"id":7}', '"x"', 'null'])
      expect(await code(`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":${params}}`), params).toEqual([200, 1, -32602]);
    expect(await code(`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"x","historyLength":-1}}`)).toEqual([200, 1, -32602]);
    expect(await code(`{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"pageSize":101}}`)).toEqual([200, 1, -32602]);
    expect(await code(`{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"status":"TASK_STATE_NEW"}}`)).toEqual([200, 1, -32602]);
    expect(await code(`{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"pageToken":"bm9uZQ"}}`)).toEqual([200, 1, -32602]);
    const noTask = Buffer.from(`1 ${'-'.repeat(36)}`).toString('base64url');
    expect(await code(`{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"pageToken":"${noTask}"}}`)).toEqual([200, 1, -32602]);
    const deep = `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`;
    expect(await code(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":${deep}}`)).toEqual([200, null, -32602]);
    expect(await code(`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"\\ud800"}}`)).toEqual([200, null, -32602]);
  });

  it('413 and 415 keep their status', async () => {
    const large = await raw(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { a: 'x'.repeat(300_000) } }));
    expect([large.status, (await large.json()).error.code]).toEqual([413, -32600]);
    const text = await raw('{}', { 'Content-Type': 'text/plain' });
    expect([text.status, (await text.json()).error.code]).toEqual([415, -32005]);
  });

  it('says no to what the card does not declare, and to versions that are not spoken', async () => {
    const code = async (method: string, version?: string) =>
      (await call(method, { id: nowhere }, version === undefined ? {} : { version })).body.error.code;
    for (const method of ['SendStreamingMessage', 'SubscribeToTask', 'GetExtendedAgentCard']) expect(await code(method)).toBe(-32004);
    for (const method of ['message/stream', 'tasks/resubscribe']) expect(await code(method)).toBe(-32004);
    expect(await code('agent/getAuthenticatedExtendedCard')).toBe(-32007);
    for (const method of ['CreateTaskPushNotificationConfig', 'tasks/pushNotificationConfig/set']) expect(await code(method)).toBe(-32003);
    for (const version of ['1.0', '1.0.1', ' 1.0 ', '']) expect(await code('GetTask', version), version).toBe(-32001);
    for (const version of ['0.3', '0.3.0']) expect(await code('tasks/get', version)).toBe(-32001);
    for (const version of ['2.0', '0.2', '1.1', 'x']) expect(await code('GetTask', version), version).toBe(-32009);
    expect([await code('GetTask', '0.3'), await code('tasks/get', '1.0')]).toEqual([-32601, -32601]);
  });
});

describe('POST /a2a/{agent_id}: A2A 0.3', () => {
  it('answers in its own words, as its schema has them', async () => {
    const ajv = new Ajv({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema(published, 'a2a');
    const fits = (name: string, value: unknown) => {
      const validate = ajv.getSchema(`a2a#/definitions/${name}`);
      expect(validate?.(value), `${name}: ${JSON.stringify(validate?.errors)}`).toBe(true);
    };
    const parts = [
      { kind: 'text', text: 'Hallo' },
      { kind: 'data', data: { a: 1 } },
      { kind: 'file', file: { uri: 'https://a.example/b', mimeType: 'image/png' } },
    ];
    const message = { kind: 'message', messageId: 'older-1', role: 'user', parts };
    const sent = (await call('message/send', { message })).body;
    fits('SendMessageSuccessResponse', sent);
    expect(sent.result).toMatchObject({
      kind: 'task',
      status: { state: 'submitted' },
      history: [{ kind: 'message', role: 'user', parts }],
    });
    const { id } = sent.result;
    const steps: [string, Json][] = [
      ['respond', { action: 'accept' }],
      ['start', {}],
      ['request-input', { message: 'Formal?' }],
    ];
    for (const [step, body] of steps) await harness.test.make(`/v1/a2a/tasks/${id}/${step}`, body, { as: worker.token });
    const asked = (await call('tasks/get', { id, historyLength: 0 })).body;
    fits('GetTaskSuccessResponse', asked);
    expect(asked.result).toMatchObject({
      status: { state: 'input-required', message: { role: 'agent', parts: [{ kind: 'text', text: 'Formal?' }] } },
    });
    expect(asked.result).not.toHaveProperty('history');
    // The same answer twice is one, although nothing is asked any more.
    const reply = { ...message, messageId: 'older-reply', taskId: id };
    for (const _ of [1, 2]) expect((await call('message/send', { message: reply })).body.result.history).toHaveLength(3);
    const cancelled = (await call('tasks/cancel', { id })).body;
    fits('CancelTaskSuccessResponse', cancelled);
    expect(cancelled.result.status.state).toBe('canceled');
    const twice = (await call('tasks/cancel', { id })).body;
    fits('JSONRPCErrorResponse', twice);
    expect(twice.error).toMatchObject({ code: -32002, data: { request_id: expect.any(String) } });
    // A task that is over takes no more messages, and one in another context never did.
    const late = { ...message, messageId: 'older-2', taskId: id };
    expect((await call('message/send', { message: late })).body.error.code).toBe(-32004);
    expect((await call('message/send', { message: { ...late, messageId: 'older-3', contextId: 'other' } })).body.error.code).toBe(-32602);
  });
});
