// What the worker of a task does, and what the sender answers meanwhile: begin, tell how far it is, ask, deliver (CONTRACT.md 11).
import { Prisma, type Task } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { StateConflict, ValidationFailed } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { schemaIssues } from '../../platform/json-schema.js';
import { checkStep } from '../../platform/lifecycle.js';
import type { Tx } from '../../platform/postgres/database.js';
import { newId } from '../../platform/schema/id.js';
import { readBy } from '../../platform/zod-issue.js';
import { refusePast } from './claim.js';
import type { Side } from './errors.js';
import { tellChange } from './notice.js';
import { changeTask, checkSide, lockTask, refuseTask, taskLifecycle } from './task.js';
import { checkDeadline, type UpdateTaskInput } from './task-request.js';
import { checkAnswer, checkDeliverable, checkPayload, type Json, type Part, partsShape } from './terms.js';

/** Messages of one task. */
const mostMessages = 200;

/** A part as the faces give it. */
export interface PartInput {
  text?: string | null | undefined;
  data?: unknown;
  url?: string | null | undefined;
  raw?: string | null | undefined;
  mediaType?: string | null | undefined;
}

/** Where the worker is. */
export interface ProgressInput {
  id: string;
  message?: string | null | undefined;
  percent?: number | null | undefined;
}

/** Changes a task under its lock, for one of its sides, while its deadline has not passed. 403, 404, 409. */
function changeBy(ctx: Ctx, id: string, side: Side, change: (tx: Tx, row: Task) => Promise<Task>): Promise<Task> {
  return transact(ctx, async (tx) => {
    const row = await lockTask(ctx, tx, id);
    checkSide(ctx, row, side);
    refusePast(ctx, row);
    return change(tx, row);
  });
}

/** Changes what a task is about while nobody works on it, for its sender. 400, 403, 404, 409. */
export async function updateTask(ctx: Ctx, { id, payload, deadline }: UpdateTaskInput): Promise<Task> {
  const changed = await changeBy(ctx, id, 'sender', async (tx, row) => {
    if (row.status !== 'pending') throw refuseTask(row, ['pending'], 'A task is changed while nobody works on it.');
    checkDeadline({ deadline }, ctx.clock.now());
    if (payload != null && row.toAgentId !== null) {
      checkPayload(await tx.skill.findFirst({ where: { agentId: row.toAgentId, id: row.skillId } }), payload);
    }
    return changeTask(ctx, tx, row, {
      ...(payload != null && { payload: payload as Prisma.InputJsonObject }),
      ...(deadline !== undefined && { deadline }),
    });
  });
  if (changed.dueAt !== null) ringAt(ctx, 'task', changed.dueAt);
  return changed;
}

/** Begins to work. 409 unless the task was claimed or accepted. */
export function startTask(ctx: Ctx, input: ProgressInput): Promise<Task> {
  return changeBy(ctx, input.id, 'worker', async (tx, row) => {
    if (row.status !== 'accepted') throw refuseTask(row, ['accepted'], 'Work begins on a task that was claimed or accepted.');
    return advance(ctx, tx, row, input, 'started');
  });
}

/** Tells how far the work is; the first word begins it. 409 unless it is being worked on. */
export function progressTask(ctx: Ctx, input: ProgressInput): Promise<Task> {
  return changeBy(ctx, input.id, 'worker', async (tx, row) => {
    if (row.status !== 'accepted' && row.status !== 'in_progress') {
      throw refuseTask(row, ['accepted', 'in_progress'], 'Progress is told of a task that is being worked on.');
    }
    return advance(ctx, tx, row, input, row.status === 'accepted' ? 'started' : 'progress');
  });
}

async function advance(ctx: Ctx, tx: Tx, row: Task, { message, percent }: ProgressInput, kind: 'started' | 'progress'): Promise<Task> {
  const at = ctx.clock.now();
  const said = message == null && percent == null ? null : { message: message ?? null, percent: percent ?? null, at: at.toISOString() };
  const going = await changeTask(ctx, tx, row, {
    status: 'in_progress',
    startedAt: row.startedAt ?? at,
    claimDeadline: null,
    ...(said !== null && { progress: said }),
  });
  await tellChange(ctx, tx, going, kind);
  return going;
}

export interface QuestionInput {
  id: string;
  message: string;
  schema?: Json | null | undefined;
}

/** Asks the sender something; work stands still until it answers. 400 for a schema that cannot be used, 409 unless it is under way. */
export function requestInput(ctx: Ctx, { id, message, schema }: QuestionInput): Promise<Task> {
  return changeBy(ctx, id, 'worker', async (tx, row) => {
    const issues = schema == null ? [] : schemaIssues(schema, ['schema']);
    if (issues.length > 0) throw new ValidationFailed(issues);
    checkStep(taskLifecycle, id, row.status, 'input_required');
    await addMessage(ctx, tx, row, 'worker', [{ text: message }], schema ?? null);
    const asked = await changeTask(ctx, tx, row, { status: 'input_required' });
    await tellChange(ctx, tx, asked, 'input_required');
    return asked;
  });
}

export interface AnswerInput {
  id: string;
  parts: readonly PartInput[];
}

/** Answers what the worker asked. 400 for an answer that does not fit, 409 unless it has asked. */
export function answerInput(ctx: Ctx, { id, parts: given }: AnswerInput): Promise<Task> {
  return changeBy(ctx, id, 'sender', async (tx, row) => {
    const parts = readBy(partsShape, given.map(partOf), ['parts']);
    if (row.status !== 'input_required') throw refuseTask(row, ['input_required'], 'The worker has not asked anything.');
    const question = await tx.taskMessage.findFirst({ where: { taskId: id, author: 'worker' }, orderBy: { id: 'desc' } });
    checkAnswer((question?.schema ?? null) as Json | null, parts);
    await addMessage(ctx, tx, row, 'sender', parts, null);
    const going = await changeTask(ctx, tx, row, { status: 'in_progress' });
    await tellChange(ctx, tx, going, 'input');
    return going;
  });
}

/** A part in the names of the wire, without what was left out. */
function partOf({ mediaType, ...part }: PartInput): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...part, media_type: mediaType }).filter(([, value]) => value != null));
}

async function addMessage(ctx: Ctx, tx: Tx, { id: taskId, status }: Task, author: Side, parts: readonly Part[], schema: Json | null) {
  if ((await tx.taskMessage.count({ where: { taskId } })) >= mostMessages) {
    throw new StateConflict(`The sides of a task tell each other ${mostMessages} messages at most.`, status, [], { terminal: true });
  }
  const at = ctx.clock.now();
  await tx.taskMessage.create({
    data: {
      id: newId(at),
      taskId,
      author,
      parts: parts as unknown as Prisma.InputJsonArray,
      schema: schema === null ? Prisma.DbNull : (schema as Prisma.InputJsonObject),
      createdAt: at,
    },
  });
}

/** Delivers. From then on the sender has its review window, at whose end the worker is paid. 400 for what does not fit, 409. */
export async function completeTask(ctx: Ctx, id: string, deliverable: Json): Promise<Task> {
  const done = await changeBy(ctx, id, 'worker', async (tx, row) => {
    if (row.status !== 'accepted' && row.status !== 'in_progress') {
      throw refuseTask(row, ['accepted', 'in_progress'], 'What is delivered is being worked on.');
    }
    checkDeliverable(row.acceptanceSchema as Json | null, deliverable);
    const at = ctx.clock.now();
    const delivered = await changeTask(ctx, tx, row, {
      status: 'completed',
      deliverable: deliverable as Prisma.InputJsonObject,
      startedAt: row.startedAt ?? at,
      completedAt: at,
      claimDeadline: null,
      reviewDeadline: row.amount === null ? null : addSeconds(at, row.reviewWindowSeconds),
    });
    await tellChange(ctx, tx, delivered, 'completed');
    return delivered;
  });
  if (done.dueAt !== null) ringAt(ctx, 'task', done.dueAt);
  return done;
}
