// A task as A2A shows it: its state, what was said, what was delivered, and what is paid (CONTRACT.md 11 "Map to A2A v1").
import type { Task, TaskMessage, TaskStatus } from '../../generated/prisma/client.js';
import { formatMinor } from '../../platform/money.js';
import { printId } from '../../platform/schema/id.js';
import type { Version } from './json-rpc.js';
import { type A2aPart, isParts, partsOfPayload, printPart } from './part.js';

/** States of 1.0, and how 0.3 spells them. */
const states = {
  TASK_STATE_SUBMITTED: 'submitted',
  TASK_STATE_WORKING: 'working',
  TASK_STATE_INPUT_REQUIRED: 'input-required',
  TASK_STATE_COMPLETED: 'completed',
  TASK_STATE_FAILED: 'failed',
  TASK_STATE_CANCELED: 'canceled',
  TASK_STATE_REJECTED: 'rejected',
} as const;
export type A2aState = keyof typeof states;

/** Gap G-347: A disputed task is completed, an expired one failed. */
const stateOf: Readonly<Record<TaskStatus, A2aState>> = {
  pending: 'TASK_STATE_SUBMITTED',
  accepted: 'TASK_STATE_WORKING',
  in_progress: 'TASK_STATE_WORKING',
  input_required: 'TASK_STATE_INPUT_REQUIRED',
  completed: 'TASK_STATE_COMPLETED',
  disputed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  expired: 'TASK_STATE_FAILED',
  cancelled: 'TASK_STATE_CANCELED',
  declined: 'TASK_STATE_REJECTED',
};

/** The statuses of a state as a caller names it; undefined for a state that no task is ever in. */
export function statusesOf(state: string): TaskStatus[] | undefined {
  const named = Object.entries(states).find(([newer, older]) => newer === state || older === state)?.[0];
  const found = (Object.keys(stateOf) as TaskStatus[]).filter((status) => stateOf[status] === named);
  return found.length > 0 ? found : undefined;
}

interface Said {
  id: string;
  author: 'user' | 'agent';
  parts: readonly A2aPart[];
}

export interface ViewOptions {
  version: Version;
  /** The most messages that are shown, of the last; all without one. */
  historyLength?: number | undefined;
  /** Artifacts are shown unless it is false. */
  artifacts?: boolean;
}

/** A task with what its sides have told each other, oldest first. */
export function printTask(task: Task, messages: readonly TaskMessage[], { version, historyLength, artifacts = true }: ViewOptions): object {
  const first: Said = { id: task.id, author: 'user', parts: partsOfPayload(task.payload) };
  const told = messages.map(({ id, author, parts }): Said => {
    return { id, author: author === 'sender' ? 'user' : 'agent', parts: parts as unknown as A2aPart[] };
  });
  const all = [first, ...told];
  const shown = historyLength === undefined ? all : all.slice(all.length - Math.min(historyLength, all.length));
  const spell = (said: Said) => printMessage(task, said, version);
  const word = wordOf(task, told);
  const delivered = artifacts ? artifactsOf(task) : [];
  const state = stateOf[task.status];
  return {
    id: task.id,
    contextId: task.contextId,
    status: {
      state: version === '1.0' ? state : states[state],
      ...(word !== undefined && { message: spell(word) }),
      timestamp: task.updatedAt.toISOString(),
    },
    ...(delivered.length > 0 && {
      artifacts: delivered.map(({ parts, ...artifact }) => ({ ...artifact, parts: parts.map((part) => printPart(part, version)) })),
    }),
    ...(shown.length > 0 && { history: shown.map(spell) }),
    metadata: metadataOf(task),
    ...(version === '0.3' && { kind: 'task' }),
  };
}

function printMessage({ id: taskId, contextId }: Task, { id, author, parts }: Said, version: Version): object {
  return {
    messageId: id,
    contextId,
    taskId,
    role: version === '1.0' ? `ROLE_${author.toUpperCase()}` : author,
    parts: parts.map((part) => printPart(part, version)),
    ...(version === '0.3' && { kind: 'message' }),
  };
}

/** What the agent has to say to the state: its question, its progress, or why the task has ended. */
function wordOf({ id, status, statusReason, progress, paymentStatus }: Task, told: readonly Said[]): Said | undefined {
  const say = (text: string): Said => ({ id: `${id}-status`, author: 'agent', parts: [{ text }] });
  if (status === 'input_required') return told.findLast(({ author }) => author === 'agent');
  if (paymentStatus === 'awaiting_approval') return say('The payment is waiting for an approval.');
  if (statusReason !== null) return say(statusReason);
  const message = (progress as { message?: unknown } | null)?.message;
  return status === 'in_progress' && typeof message === 'string' ? say(message) : undefined;
}

interface Artifact {
  artifactId: string;
  name?: string;
  parts: readonly A2aPart[];
}

/** What was delivered: artifacts as the worker gave them, else the object as one. */
function artifactsOf({ deliverable }: Task): Artifact[] {
  if (deliverable === null) return [];
  const { artifacts } = deliverable as { artifacts?: unknown };
  if (!Array.isArray(artifacts)) return [{ artifactId: '1', parts: [{ data: deliverable }] }];
  return (artifacts as { name?: unknown; parts?: unknown }[]).flatMap(({ name, parts }, at) => {
    if (!isParts(parts)) return [];
    return [{ artifactId: String(at + 1), ...(typeof name === 'string' && { name }), parts }];
  });
}

/** What A2A has no members for, in the words of `/v1/a2a/tasks`. */
function metadataOf(task: Task): object {
  const { amount, currency, method, paymentStatus, transferId, deadline, rating } = task;
  return {
    skill_id: task.skillId,
    from_agent_id: printId('agent', task.fromAgentId),
    status: task.status,
    ...(deadline !== null && { deadline: deadline.toISOString() }),
    ...(rating !== null && { rating }),
    ...(amount !== null &&
      currency !== null && {
        payment: { amount: formatMinor(amount, currency), currency, method, status: paymentStatus, transfer_id: transferId },
      }),
  };
}
