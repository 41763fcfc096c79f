// Tasks as tests give them: one agent gives, another works, each with a wallet.
import { newId } from '../../src/platform/schema/id.js';
import { enrol, type TestAgent } from '../contexts/agents/identity.js';
import type { Answer, Client, Harness, Json } from '../harness.js';

/** An agent with a wallet in dollars. */
export async function newHand(client: Client, funded?: string, extra: object = {}): Promise<TestAgent & { wallet: Json }> {
  const agent = await enrol(client, { wallet: { currency: 'USD' }, ...extra });
  const wallet = { id: agent.agent.default_wallet_id };
  if (funded !== undefined) await client.make(`/v1/wallets/${wallet.id}/fund`, { amount: funded });
  return { ...agent, wallet };
}
export type Hand = Awaited<ReturnType<typeof newHand>>;

/** Who gives, and who works. */
export interface Sides {
  sender: Hand;
  worker: Hand;
}

export async function newSides(client: Client, extra: object = {}): Promise<Sides> {
  const [sender, worker] = await Promise.all([newHand(client, '1000.00'), newHand(client, undefined, extra)]);
  return { sender, worker };
}

export const tenDollars = { amount: '10.00', currency: 'USD', method: 'wallet' };

/** The body of a task for the worker, paid with 10.00. */
export function taskBody({ worker }: { worker?: TestAgent }, extra: object = {}): Json {
  const directed = worker === undefined ? {} : { to_agent_id: worker.uuid };
  return { ...directed, skill_id: 'translate', payload: { text: 'Guten Tag' }, payment: tenDollars, ...extra };
}

/** Gives a task as the sender does. */
export async function giveTask(client: Client, { sender, worker }: { sender: Hand; worker?: Hand }, extra: object = {}): Promise<Json> {
  const body = taskBody({ ...(worker !== undefined && { worker }) }, extra);
  return client.make('/v1/a2a/tasks', body, { as: sender.token });
}

/** Offers a task to whoever claims it first. */
export const offerTask = (client: Client, { sender }: Pick<Sides, 'sender'>, extra: object = {}) => giveTask(client, { sender }, extra);

/** One step of a task, as an agent or with the key of the tenant. */
export function stepTask(client: Client, { id }: Json, step: string, as?: TestAgent, body: object = {}): Promise<Answer> {
  return client.post(`/v1/a2a/tasks/${id}/${step}`, body, as === undefined ? {} : { as: as.token });
}

export async function readTask(client: Client, { id }: Json, as?: TestAgent): Promise<Json> {
  return (await client.get(`/v1/a2a/tasks/${id}`, as === undefined ? {} : { as: as.token })).body.data;
}

const done = { deliverable: { text: 'Good day' } };
/** The steps that lead a task which was given by name to each status. */
const ways: Record<string, readonly [string, keyof Sides, object?][]> = {
  pending: [],
  accepted: [['respond', 'worker', { action: 'accept' }]],
  declined: [['respond', 'worker', { action: 'decline' }]],
  in_progress: [
    ['respond', 'worker', { action: 'accept' }],
    ['start', 'worker'],
  ],
  input_required: [
    ['respond', 'worker', { action: 'accept' }],
    ['start', 'worker'],
    ['request-input', 'worker', { message: 'Formal?' }],
  ],
  completed: [
    ['respond', 'worker', { action: 'accept' }],
    ['complete', 'worker', done],
  ],
  disputed: [
    ['respond', 'worker', { action: 'accept' }],
    ['complete', 'worker', done],
    ['dispute', 'sender', { reason: 'quality_issue' }],
  ],
  failed: [
    ['respond', 'worker', { action: 'accept' }],
    ['fail', 'worker'],
  ],
  cancelled: [['cancel', 'sender']],
};

/** A task in a status that requests lead to. */
export async function taskIn(client: Client, sides: Sides, status: string, extra: object = {}): Promise<Json> {
  const given = await giveTask(client, sides, extra);
  for (const [step, side, body] of ways[status] ?? []) {
    const answer = await stepTask(client, given, step, sides[side], body);
    if (answer.status !== 200) throw new Error(`${step}: ${JSON.stringify(answer.body)}`);
  }
  return readTask(client, given);
}

/** So many seconds after the clock of the test. */
export const later = ({ clock }: Harness, seconds: number) => new Date(clock.now().getTime() + seconds * 1000).toISOString();

/** A task as a row alone: it needs no money, so it can be made in production too. */
export async function storedTask(harness: Harness, client: Client): Promise<Json> {
  const { clock } = harness;
  const { unscoped } = (client === harness.other ? harness.elsewhere : harness.platform).database;
  const sender = await enrol(client);
  const { workspaceId } = await unscoped.agent.findFirstOrThrow({ where: { id: sender.uuid } });
  const at = clock.now();
  const id = newId(at);
  await unscoped.task.create({
    data: {
      workspaceId,
      id,
      fromAgentId: sender.uuid,
      skillId: 'translate',
      status: 'pending',
      open: true,
      audience: 'anybody',
      offered: true,
      payload: {},
      contextId: id,
      claimTimeoutSeconds: 600,
      reviewWindowSeconds: 1_800,
      createdByType: 'api_key',
      createdById: newId(at),
      createdAt: at,
      updatedAt: at,
    },
  });
  return { id };
}
