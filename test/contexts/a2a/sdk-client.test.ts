// The SDK's own client against an agent of ours: it finds the card, gives tasks, pays for them and cancels one, while the agent works over
// REST with a session of its own.
import { Role, TaskState } from '@a2a-js/sdk';
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, type Client as SdkClient } from '@a2a-js/sdk/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Json, useHarness } from '../../harness.js';
import { enrol, signIn, type TestAgent } from '../agents/identity.js';

const harness = useHarness();
let caller: TestAgent;
let worker: TestAgent;
let session: string;
let client: SdkClient;

/** A client of an agent of ours that shows a credential with each request, as the SDK reads its card. */
async function clientOf(agent: TestAgent, token: string, legacyCompat = false): Promise<SdkClient> {
  const withToken: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('Authorization', `Bearer ${token}`);
    return fetch(input, { ...init, headers });
  };
  const compat = { legacyCompat: { enabled: legacyCompat } };
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl: withToken, ...compat })],
    cardResolver: new DefaultAgentCardResolver(compat),
  });
  if (!legacyCompat) return factory.createFromUrl(harness.test.url, `/a2a/agents/${agent.id}/.well-known/agent-card.json`);
  const card = await new DefaultAgentCardResolver().resolve(harness.test.url, `/a2a/agents/${agent.id}/.well-known/agent-card.json`);
  const supportedInterfaces = card.supportedInterfaces.filter(({ protocolVersion }) => protocolVersion === '0.3');
  return factory.createFromAgentCard({ ...card, supportedInterfaces });
}

let sequence = 0;
const message = (value: unknown, more: { taskId?: string; contextId?: string; metadata?: Json } = {}) => {
  sequence += 1;
  return {
    tenant: '',
    message: {
      messageId: `message-${sequence}`,
      contextId: more.contextId ?? '',
      taskId: more.taskId ?? '',
      role: Role.ROLE_USER,
      parts: [{ content: { $case: 'data' as const, value }, metadata: undefined, filename: '', mediaType: '' }],
      metadata: more.metadata,
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: undefined,
    metadata: undefined,
  };
};
const named = (id: string) => ({ tenant: '', id, historyLength: undefined });
const balanceOf = async ({ agent }: TestAgent) => (await harness.test.get(`/v1/wallets/${agent.default_wallet_id}`)).body.data.balance;
const work = (id: string, step: string, body: object = {}) => harness.test.make(`/v1/a2a/tasks/${id}/${step}`, body, { as: session });

beforeAll(async () => {
  const price = { amount: '12.50', currency: 'USD' };
  [caller, worker] = await Promise.all([
    enrol(harness.test, { wallet: { currency: 'USD' } }),
    enrol(harness.test, { wallet: { currency: 'USD' }, skills: [{ id: 'translate', name: 'Translation', price }, 'greet'] }),
  ]);
  await harness.test.make(`/v1/wallets/${caller.agent.default_wallet_id}/fund`, { amount: '100.00' });
  session = await signIn(harness.test, worker);
  client = await clientOf(worker, caller.token);
});

describe('the client of @a2a-js/sdk', () => {
  it('gives a task, answers a question about it, sees it through, and has paid for it', async () => {
    const task = (await client.sendMessage(message({ text: 'Good morning.' }, { contextId: 'shop-7' }))) as Json;
    expect(task).toMatchObject({ contextId: 'shop-7', status: { state: TaskState.TASK_STATE_SUBMITTED } });
    expect(task.metadata).toMatchObject({
      skill_id: 'translate',
      from_agent_id: caller.id,
      payment: { amount: '12.50', currency: 'USD', method: 'wallet', status: 'reserved' },
    });
    expect(await balanceOf(caller)).toMatchObject({ available: '87.50' });

    await work(task.id, 'respond', { action: 'accept' });
    await work(task.id, 'start');
    expect((await client.getTask(named(task.id))).status?.state).toBe(TaskState.TASK_STATE_WORKING);
    await work(task.id, 'request-input', { message: 'Formal or informal?' });
    const asked = (await client.getTask(named(task.id))) as Json;
    expect(asked.status.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(asked.status.message).toMatchObject({ role: Role.ROLE_AGENT, parts: [{ content: { value: 'Formal or informal?' } }] });
    const answered = (await client.sendMessage(message({ tone: 'formal' }, { taskId: task.id }))) as Json;
    expect(answered).toMatchObject({ id: task.id, status: { state: TaskState.TASK_STATE_WORKING } });

    await work(task.id, 'complete', { deliverable: { artifacts: [{ name: 'German', parts: [{ text: 'Guten Morgen.' }] }] } });
    const done = (await client.getTask({ ...named(task.id), historyLength: 2 })) as Json;
    expect(done).toMatchObject({
      status: { state: TaskState.TASK_STATE_COMPLETED },
      artifacts: [{ artifactId: '1', name: 'German', parts: [{ content: { $case: 'text', value: 'Guten Morgen.' } }] }],
      history: [{ role: Role.ROLE_AGENT }, { role: Role.ROLE_USER, parts: [{ content: { $case: 'data', value: { tone: 'formal' } } }] }],
    });
    await harness.test.make(`/v1/a2a/tasks/${task.id}/approve`, { rating: 5 }, { as: caller.token });
    expect((await client.getTask(named(task.id))).metadata).toMatchObject({ rating: 5, payment: { status: 'released' } });
    expect(await balanceOf(worker)).toMatchObject({ available: '12.50' });
    const [listed] = (await harness.test.get('/v1/a2a/agents?skill_id=translate', { as: caller.token })).body.data;
    expect(listed).toMatchObject({ id: worker.id, rating: { average: 5, count: 1 } });
  });

  it('cancels another, has its money back, and cannot cancel it twice', async () => {
    const before = await balanceOf(caller);
    const task = (await client.sendMessage(message({ text: 'Never mind.' }))) as Json;
    expect((await balanceOf(caller)).available).not.toBe(before.available);
    const cancelled = await client.cancelTask({ tenant: '', id: task.id, metadata: undefined });
    expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    expect(await balanceOf(caller)).toEqual(before);
    await expect(client.cancelTask({ tenant: '', id: task.id, metadata: undefined })).rejects.toMatchObject({
      name: 'TaskNotCancelableError',
    });
  });

  it('lists its tasks, the last changed first, page by page', async () => {
    const list = async (more: object) =>
      (await client.listTasks({
        tenant: '',
        contextId: '',
        status: TaskState.TASK_STATE_UNSPECIFIED,
        pageSize: 1,
        pageToken: '',
        historyLength: undefined,
        statusTimestampAfter: undefined,
        includeArtifacts: undefined,
        ...more,
      })) as Json;
    const first = await list({});
    const next = await list({ pageToken: first.nextPageToken, includeArtifacts: true, historyLength: 1 });
    expect([first.totalSize, next.totalSize, next.nextPageToken]).toEqual([2, 2, '']);
    expect(
      [...first.tasks, ...next.tasks].map(({ status, artifacts, history }: Json) => [status.state, artifacts.length, history.length]),
    ).toEqual([
      [TaskState.TASK_STATE_CANCELED, 0, 0],
      [TaskState.TASK_STATE_COMPLETED, 1, 1],
    ]);
    expect((await list({ contextId: 'shop-7' })).tasks).toHaveLength(1);
    expect((await list({ status: TaskState.TASK_STATE_WORKING })).tasks).toEqual([]);
  });

  it('gives a task that costs nothing, in the words of 0.3 too', async () => {
    const legacy = await clientOf(worker, caller.token, true);
    const task = (await legacy.sendMessage(message({ name: 'Ada' }, { metadata: { skill_id: 'greet' } }))) as Json;
    expect(task.metadata).toMatchObject({ skill_id: 'greet' });
    expect(task.metadata).not.toHaveProperty('payment');
    await work(task.id, 'respond', { action: 'decline', reason: 'No time.' });
    expect(await legacy.getTask(named(task.id))).toMatchObject({
      status: { state: TaskState.TASK_STATE_REJECTED, message: { parts: [{ content: { value: 'No time.' } }] } },
    });
  });
});
