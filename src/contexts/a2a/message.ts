// What SendMessage says: a new task for the agent, or the answer to what it has asked (CONTRACT.md 11). What A2A has no member for stands
// in `metadata`: the skill, the payment, the sender where an operator acts for it, and a deadline.
import { z } from 'zod';
import { TaskPaymentMethod } from '../../generated/prisma/enums.js';
import { amountPattern, currencies } from '../../platform/money.js';
import { type IdKind, parseId } from '../../platform/schema/id.js';
import { maxJsonLength, parseDateTime } from '../../platform/schema/scalar.js';
import { readBy } from '../../platform/zod-issue.js';
import { skillId } from '../agents/skill-input.js';
import { mostJwtLength } from '../spending/pipeline/mandate.js';
import { RpcError } from './errors.js';
import type { Version } from './json-rpc.js';
import { type A2aPart, a2aPartsShape, partPayloadOf } from './part.js';

/** An id of the platform, bare or with its prefix. */
const idShape = (kind: IdKind) =>
  z.string().transform((given, ctx) => {
    const id = parseId(kind, given);
    if (id !== null) return id;
    ctx.addIssue({ code: 'custom', message: `must be the id of a ${kind}` });
    return z.NEVER;
  });

const moment = z.string().transform((given, ctx) => {
  try {
    return parseDateTime(given);
  } catch (error) {
    ctx.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
});

const decimal = z.string().regex(amountPattern, 'must be a decimal string such as "42.00"');
const paymentShape = z.strictObject({
  amount: decimal.optional(),
  currency: z.enum(currencies).optional(),
  method: z.enum(TaskPaymentMethod).default('wallet'),
  from_wallet_id: idShape('wallet').optional(),
  mandate_id: idShape('mandate').optional(),
  mandate_jwt: z.string().min(1).max(mostJwtLength).optional(),
});

/** In the currency of the price, or in one that it names. */
const maxPriceShape = z.union([
  decimal.transform((amount) => ({ amount, currency: undefined })),
  z.strictObject({ amount: decimal, currency: z.enum(currencies) }),
]);

/** The members of metadata that are read. Others are left to their owners. */
const metadataShape = z.object({
  skill_id: skillId.optional(),
  from_agent_id: idShape('agent').optional(),
  payment: paymentShape.optional(),
  max_price: maxPriceShape.optional(),
  deadline: moment.optional(),
});
export type MessageMetadata = z.output<typeof metadataShape>;

const loose = z.record(z.string(), z.unknown()).nullish();
const historyLength = z.int().min(0).max(1_000).nullish();
const configuration = z
  .object({
    historyLength,
    taskPushNotificationConfig: z.unknown().optional(),
    pushNotificationConfig: z.unknown().optional(),
  })
  .nullish();

/** Empty text is what protocol buffers have for nothing. */
const optionalText = (most: number) =>
  z
    .string()
    .max(most)
    .nullish()
    .transform((given) => given || null);

const messageShape = (version: Version) =>
  z.object({
    messageId: z.string().min(1).max(255),
    contextId: optionalText(255),
    taskId: optionalText(100),
    role: z.literal(version === '1.0' ? 'ROLE_USER' : 'user'),
    parts: a2aPartsShape[version],
    metadata: loose,
  });

const sendShapes = {
  '1.0': z.object({ message: messageShape('1.0'), configuration, metadata: loose }),
  '0.3': z.object({ message: messageShape('0.3'), configuration, metadata: loose }),
};

/** A message that was read. */
export interface SentMessage {
  messageId: string;
  contextId: string | null;
  /** The task that it goes on with; null for a new one. */
  taskId: string | null;
  parts: A2aPart[];
  metadata: MessageMetadata;
  historyLength: number | undefined;
}

/** Reads the parameters of SendMessage. Throws `invalid_params`, and `push_notification_not_supported` for one that wants to be told. */
export function readMessage(params: unknown, version: Version): SentMessage {
  const { message, configuration: given, metadata } = readBy(sendShapes[version], params, ['params']);
  const push = given?.taskPushNotificationConfig ?? given?.pushNotificationConfig;
  if (push !== undefined && push !== null) {
    throw new RpcError('push_notification_not_supported', 'Push notifications are not supported: poll the task, or subscribe to webhooks.');
  }
  const { messageId, contextId, parts } = message;
  const taskId = message.taskId === null ? null : taskIdOf(message.taskId);
  const own = readBy(metadataShape, { ...metadata, ...message.metadata }, ['params', 'message', 'metadata']);
  return { messageId, contextId, taskId, parts, metadata: own, historyLength: given?.historyLength ?? undefined };
}

/** The payload that a message gives a new task. Throws `invalid_params` for one that is too long. */
export function payloadIn({ parts }: SentMessage): Record<string, unknown> {
  const payload = partPayloadOf(parts);
  if (JSON.stringify(payload).length <= maxJsonLength) return payload;
  throw new RpcError('invalid_params', `The parts of a message are at most ${maxJsonLength} characters of JSON.`, [
    'params',
    'message',
    'parts',
  ]);
}

/** The bare id of a task. One that cannot be is one that is not there. */
export function taskIdOf(given: string): string {
  const id = parseId('task', given);
  if (id === null) throw taskNotFound();
  return id;
}

/** The task is not there, or not for who asks: the same answer. */
export function taskNotFound(): RpcError {
  return new RpcError('task_not_found', 'Task not found.', ['params', 'id']);
}

const getShape = z.object({ id: z.string().max(100), historyLength });
/** Reads the parameters of GetTask and CancelTask. */
export function readNamed(params: unknown): { id: string; historyLength: number | undefined } {
  const read = readBy(getShape, params, ['params']);
  return { id: taskIdOf(read.id), historyLength: read.historyLength ?? undefined };
}

const listShape = z.object({
  contextId: optionalText(255),
  status: optionalText(50),
  pageSize: z.int().min(1).max(100).nullish(),
  pageToken: optionalText(200),
  historyLength,
  statusTimestampAfter: moment.nullish(),
  includeArtifacts: z.boolean().nullish(),
});
export type ListParams = z.output<typeof listShape>;
/** Reads the parameters of ListTasks. */
export function readList(params: unknown): ListParams {
  return readBy(listShape, params, ['params']);
}
