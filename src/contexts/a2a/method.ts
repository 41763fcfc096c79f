// The methods of A2A: what each does with the tasks of the agent whose endpoint was asked (CONTRACT.md 11).
import type { Prisma, Skill, Task, TaskMessage, TaskStatus } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { type FieldIssue, StateConflict, ValidationFailed } from '../../platform/errors.js';
import { snakePath } from '../../platform/snake-case.js';
import { findSkill, firstSkill } from '../skills/skill.js';
import { cancelTask } from '../tasks/ending.js';
import { visibleTasks } from '../tasks/task.js';
import { taskMutation } from '../tasks/task-request.js';
import { answerInput } from '../tasks/work.js';
import type { A2aCall, Host } from './call.js';
import { RpcError } from './errors.js';
import type { Version } from './json-rpc.js';
import { payloadIn, readMessage, readNamed, type SentMessage, taskNotFound } from './message.js';
import { listTasks } from './task-list.js';
import { printTask } from './task-view.js';

type Method = (ctx: Ctx, call: A2aCall) => Promise<object>;

/** Messages of a task that an answer has at most: all that a task can have. */
const mostMessages = 200;

type ShownTask = Task & { messages: TaskMessage[] };

/** A task of the agent, as far as the caller sees it, with its last messages. Throws `task_not_found`. */
async function taskOf(ctx: Ctx, host: Host, id: string, historyLength = mostMessages): Promise<ShownTask> {
  const where: Prisma.TaskWhereInput = { AND: [{ id, toAgentId: host.id }, visibleTasks.where(ctx)] };
  const found = await ctx.db.task.findFirst({ where, include: { messages: { orderBy: { id: 'desc' }, take: historyLength } } });
  if (found === null) throw taskNotFound();
  return { ...found, messages: found.messages.reverse() };
}

async function shown(ctx: Ctx, { host, version }: A2aCall, id: string, historyLength: number | undefined): Promise<object> {
  // The question of the agent is its status, whatever part of the history is asked for.
  const task = await taskOf(ctx, host, id, Math.max(historyLength ?? mostMessages, 1));
  return printTask(task, task.messages, { version, historyLength });
}

const sent = (task: object, version: Version): object => (version === '1.0' ? { task } : task);

// Gap G-348: SendMessage returns at once with the task as it is.
/** Gives the agent a task, or answers what it has asked. */
const sendMessage: Method = async (ctx, call) => {
  const { host, version, params } = call;
  const message = readMessage(params, version);
  const { id } = message.taskId === null ? await newTask(ctx, host, message) : await continuedTask(ctx, host, message, message.taskId);
  return sent(await shown(ctx, call, id, message.historyLength), version);
};

/** What an earlier message with the same id has made. */
export async function sentBefore(ctx: Ctx, call: A2aCall, taskId: string): Promise<object> {
  return sent(await shown(ctx, call, taskId, readMessage(call.params, call.version).historyLength), call.version);
}

async function newTask(ctx: Ctx, host: Host, message: SentMessage): Promise<Task> {
  if (host.status !== 'active') throw new RpcError('unsupported_operation', 'This agent is not accepting tasks at the moment.');
  const { from_agent_id: fromAgentId, payment, max_price: max, deadline } = message.metadata;
  const skill = await skillOf(ctx, host, message);
  const atPrice = skill.price === null ? undefined : ({ method: 'wallet' } as const);
  const given = payment && {
    amount: payment.amount,
    currency: payment.currency,
    method: payment.method,
    fromWalletId: payment.from_wallet_id,
    mandateId: payment.mandate_id,
    mandateJwt: payment.mandate_jwt,
  };
  const paid = given ?? atPrice;
  try {
    const { task } = await taskMutation.create(ctx, {
      fromAgentId,
      toAgentId: host.id,
      skillId: skill.id,
      isFirstSkill: message.metadata.skill_id === undefined,
      payload: payloadIn(message),
      payment: paid && { ...paid, maxPrice: max?.amount },
      maxPriceCurrency: max?.currency,
      deadline,
      contextId: message.contextId,
    });
    return task;
  } catch (error) {
    throw inMessage(error);
  }
}

/** The skill that a message names, else the first of the agent. */
async function skillOf({ db }: Ctx, host: Host, { metadata }: SentMessage): Promise<Skill> {
  const named = metadata.skill_id;
  const found = named === undefined ? await firstSkill(db, host.id) : await findSkill(db, host.id, named);
  if (found !== null) return found;
  const message = named === undefined ? 'This agent has no skill.' : `This agent has no skill ${named}: its card lists those that it has.`;
  throw new RpcError('invalid_params', message, ['params', 'message', 'metadata', 'skill_id']);
}

/** An error of the task's rules with the places where the message has what is wrong. */
function inMessage(error: unknown): unknown {
  if (!(error instanceof ValidationFailed) || error.fields === undefined) return error;
  const placed = error.fields.map(({ path, ...issue }): FieldIssue => {
    const [first, second] = path;
    if (second === 'maxPrice') return { ...issue, path: ['params', 'message', 'metadata', 'max_price'] };
    const own = first === 'parts' ? path : ['metadata', ...snakePath(path)];
    const at = first === 'payload' ? ['parts'] : own;
    return { ...issue, path: ['params', 'message', ...at] };
  });
  return new ValidationFailed(placed);
}

const underWay: readonly TaskStatus[] = ['pending', 'accepted', 'in_progress'];

async function continuedTask(ctx: Ctx, host: Host, { contextId, parts }: SentMessage, taskId: string): Promise<Task> {
  const task = await taskOf(ctx, host, taskId, 0);
  if (contextId !== null && contextId !== task.contextId) {
    throw new RpcError('invalid_params', 'The task belongs to another context.', ['params', 'message', 'contextId']);
  }
  if (task.status !== 'input_required') {
    const message = underWay.includes(task.status) ? 'The agent is not waiting for an answer.' : 'The task has ended: create a new one.';
    throw new RpcError('unsupported_operation', message, ['params', 'message', 'taskId']);
  }
  try {
    return await answerInput(ctx, { id: taskId, parts: parts.map(({ media_type: mediaType, ...part }) => ({ ...part, mediaType })) });
  } catch (error) {
    throw error instanceof ValidationFailed ? inMessage(error) : error;
  }
}

const getTask: Method = async (ctx, call) => {
  const { id, historyLength } = readNamed(call.params);
  return shown(ctx, call, id, historyLength);
};

const cancel: Method = async (ctx, call) => {
  const { id } = readNamed(call.params);
  await taskOf(ctx, call.host, id, 0);
  try {
    await cancelTask(ctx, id, null);
  } catch (error) {
    if (error instanceof StateConflict)
      throw new RpcError('task_not_cancelable', `The task cannot be cancelled: ${error.message}`, ['params', 'id']);
    throw error;
  }
  return shown(ctx, call, id, undefined);
};

const refuse =
  (fault: 'unsupported_operation' | 'push_notification_not_supported' | 'extended_agent_card_not_configured', message: string): Method =>
  async () => {
    throw new RpcError(fault, message);
  };
const noStream = refuse('unsupported_operation', 'Streaming is not supported: poll the task instead.');
const noPush = refuse('push_notification_not_supported', 'Push notifications are not supported: poll the task, or subscribe to webhooks.');

/** The methods of 1.0, and those of 0.3. */
const methods: Readonly<Record<Version, Readonly<Record<string, Method>>>> = {
  '1.0': {
    SendMessage: sendMessage,
    GetTask: getTask,
    ListTasks: listTasks,
    CancelTask: cancel,
    SendStreamingMessage: noStream,
    SubscribeToTask: noStream,
    CreateTaskPushNotificationConfig: noPush,
    GetTaskPushNotificationConfig: noPush,
    ListTaskPushNotificationConfigs: noPush,
    DeleteTaskPushNotificationConfig: noPush,
    GetExtendedAgentCard: refuse('unsupported_operation', 'There is no extended agent card: the public card is complete.'),
  },
  '0.3': {
    'message/send': sendMessage,
    'tasks/get': getTask,
    'tasks/list': listTasks,
    'tasks/cancel': cancel,
    'message/stream': noStream,
    'tasks/resubscribe': noStream,
    'tasks/pushNotificationConfig/set': noPush,
    'tasks/pushNotificationConfig/get': noPush,
    'tasks/pushNotificationConfig/list': noPush,
    'tasks/pushNotificationConfig/delete': noPush,
    'agent/getAuthenticatedExtendedCard': refuse(
      'extended_agent_card_not_configured',
      'There is no extended agent card: the public card is complete.',
    ),
  },
};

const senders: readonly string[] = ['SendMessage', 'message/send'];
const readers: readonly Method[] = [getTask, listTasks];

/** True for a method that gives tasks: its messages name themselves. */
export const sends = (method: unknown): boolean => senders.includes(method as string);

/** Calls a method. Throws `method_not_found`, and what the method throws. */
export async function callMethod(ctx: Ctx, name: string, call: A2aCall): Promise<object> {
  const known = methods[call.version];
  const method = Object.hasOwn(known, name) ? known[name] : undefined;
  if (method === undefined)
    throw new RpcError('method_not_found', `Method not found in A2A ${call.version}: ${name.slice(0, 100)}`, ['method']);
  ctx.effect.isMutation = !readers.includes(method);
  return method(ctx, call);
}
