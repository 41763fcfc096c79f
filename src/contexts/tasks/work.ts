// What the worker of a task does, and what the sender answers meanwhile: begin, tell how far it is, ask, deliver (CONTRACT.md 11).
import { Prisma, type Task, type TaskMessage } from '../../generated/prisma/client.js';
import { addSeconds } from '../../platform/clock.js';
import type { Ctx } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import { StateConflict } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { checkStep } from '../../platform/lifecycle.js';
import type { Tx } from '../../platform/postgres/database.js';
import { newId } from '../../platform/schema/id.js';
import { readBy } from '../../platform/zod-issue.js';
import { findSkill } from '../skills/skill.js';
import { refusePast } from './claim.js';
import type { Side } from './errors.js';
import { notifyChange } from './notice.js';
import type { AnswerTaskInput, RequestTaskInput, TaskPartInput, TaskProgressInput, UpdateTaskInput } from './step.input.js';
import { changeTask, checkTaskSide, lockTask, refuseTask, task, taskLifecycle } from './task.js';
import { checkDeadline } from './task-request.js';
import { checkAnswer, checkDeliverable, checkPayload, type Json, type TaskPart, taskPartsShape } from './terms.js';

/** Messages of one task. */
const mostMessages = 200;

/** Changes a task under its lock, for one of its sides, while its deadline has not passed. 403, 404, 409. */
function changeBy(ctx: Ctx, id: string, side: Side, change: (tx: Tx, row: Task) => Promise<Task>): Promise<Task> {
  return transact(ctx, async (tx) => {
    const row = await lockTask(ctx, tx, id);
    checkTurn(ctx, row, side);
    return change(tx, row);
  });
}

/** The task without its lock, for what has to be checked before the transaction: others' schemas must not keep it open. 403, 404, 409. */
async function look(ctx: Ctx, id: string, side: Side): Promise<Task> {
  const row = await task(ctx, id);
  checkTurn(ctx, row, side);
  return row;
}

function checkTurn(ctx: Ctx, row: Task, side: Side): void {
  checkTaskSide(ctx, row, side);
  refusePast(ctx, row);
}

/** Changes what a task is about while nobody works on it, for its sender. 400, 403, 404, 409. */
export async function updateTask(ctx: Ctx, { id, payload, deadline }: UpdateTaskInput & { id: string }): Promise<Task> {
  const check = (row: Task) => {
    if (row.status !== 'pending') throw refuseTask(row, ['pending'], 'A task can be changed only while nobody is working on it.');
    checkDeadline({ deadline }, ctx.clock.now());
  };
  if (payload != null) {
    const row = await look(ctx, id, 'sender');
    check(row);
    if (row.toAgentId !== null) await checkPayload(ctx, await findSkill(ctx.db, row.toAgentId, row.skillId), payload);
  }
  const changed = await changeBy(ctx, id, 'sender', async (tx, row) => {
    check(row);
    return changeTask(ctx, tx, row, {
      ...(payload != null && { payload: payload as Prisma.InputJsonObject }),
      ...(deadline !== undefined && { deadline }),
    });
  });
  if (changed.dueAt !== null) ringAt(ctx, 'task', changed.dueAt);
  return changed;
}

/** Begins to work. 409 unless the task was claimed or accepted. */
export function startTask(ctx: Ctx, input: TaskProgressInput & { id: string }): Promise<Task> {
  return changeBy(ctx, input.id, 'worker', async (tx, row) => {
    if (row.status !== 'accepted') throw refuseTask(row, ['accepted'], 'Work can begin only on a task that was claimed or accepted.');
    return advance(ctx, tx, row, input, 'started');
  });
}

/** Tells how far the work is; the first word begins it. 409 unless it is being worked on. */
export function progressTask(ctx: Ctx, input: TaskProgressInput & { id: string }): Promise<Task> {
  return changeBy(ctx, input.id, 'worker', async (tx, row) => {
    if (row.status !== 'accepted' && row.status !== 'in_progress') {
      throw refuseTask(row, ['accepted', 'in_progress'], 'Progress can be reported only for a task in progress.');
    }
    return advance(ctx, tx, row, input, row.status === 'accepted' ? 'started' : 'progress');
  });
}

async function advance(
  ctx: Ctx,
  tx: Tx,
  row: Task,
  { message, percent }: TaskProgressInput & { id: string },
  kind: 'started' | 'progress',
): Promise<Task> {
  const at = ctx.clock.now();
  const said = message == null && percent == null ? null : { message: message ?? null, percent: percent ?? null, at: at.toISOString() };
  const going = await changeTask(ctx, tx, row, {
    status: 'in_progress',
    startedAt: row.startedAt ?? at,
    claimDeadline: null,
    ...(said !== null && { progress: said }),
  });
  await notifyChange(ctx, tx, going, kind);
  return going;
}

/** Asks the sender something; work stands still until it answers. 400 for a schema that cannot be used, 409 unless it is under way. */
export async function requestInput(ctx: Ctx, { id, message, schema }: RequestTaskInput & { id: string }): Promise<Task> {
  if (schema != null) {
    await look(ctx, id, 'worker');
    await ctx.platform.schemas.check(ctx, [{ schema, path: ['schema'], isGiven: true }]);
  }
  return changeBy(ctx, id, 'worker', async (tx, row) => {
    checkStep(taskLifecycle, id, row.status, 'input_required');
    await addMessage(ctx, tx, row, 'worker', [{ text: message }], schema ?? null);
    const asked = await changeTask(ctx, tx, row, { status: 'input_required' });
    await notifyChange(ctx, tx, asked, 'input_required');
    return asked;
  });
}

/** Answers what the worker asked. 400 for an answer that does not fit, 409 unless it has asked. */
export async function answerInput(ctx: Ctx, { id, parts: given }: AnswerTaskInput & { id: string }): Promise<Task> {
  const row = await look(ctx, id, 'sender');
  const parts = readBy(taskPartsShape, given.map(partOf), ['parts']);
  checkInputRequested(row);
  const answered = await lastQuestion(ctx.db, id);
  await checkAnswer(ctx, (answered?.schema ?? null) as Json | null, parts);
  return changeBy(ctx, id, 'sender', async (tx, row) => {
    checkInputRequested(row);
    if ((await lastQuestion(tx, id))?.id !== answered?.id) throw askedMeanwhile(row);
    await addMessage(ctx, tx, row, 'sender', parts, null);
    const going = await changeTask(ctx, tx, row, { status: 'in_progress' });
    await notifyChange(ctx, tx, going, 'input');
    return going;
  });
}

function checkInputRequested(row: Task): void {
  if (row.status !== 'input_required') throw refuseTask(row, ['input_required'], 'The worker is not waiting for an answer.');
}

function lastQuestion(db: Pick<Tx, 'taskMessage'>, taskId: string): Promise<TaskMessage | null> {
  return db.taskMessage.findFirst({ where: { taskId, author: 'worker' }, orderBy: { id: 'desc' } });
}

// Gap G-416: An answer to a question that was asked anew meanwhile is 409 `state_conflict`.
/** Somebody else has answered meanwhile, and the worker has asked again. */
function askedMeanwhile({ id, status }: Task): StateConflict {
  return new StateConflict('The worker has asked something else meanwhile: read it first.', status, ['input_required'], {
    next_actions: [{ rel: 'read', actor: 'any', method: 'GET', path: `/v1/a2a/tasks/${id}` }],
  });
}

/** A part in the names of the wire, without what was left out. */
function partOf({ mediaType, ...part }: TaskPartInput): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...part, media_type: mediaType }).filter(([, value]) => value != null));
}

async function addMessage(ctx: Ctx, tx: Tx, { id: taskId, status }: Task, author: Side, parts: readonly TaskPart[], schema: Json | null) {
  if ((await tx.taskMessage.count({ where: { taskId } })) >= mostMessages) {
    throw new StateConflict(`A task can have at most ${mostMessages} messages.`, status, [], { terminal: true });
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
  const before = await look(ctx, id, 'worker');
  checkUnderWay(before);
  // What was agreed does not change.
  await checkDeliverable(ctx, before.acceptanceSchema as Json | null, deliverable);
  const done = await changeBy(ctx, id, 'worker', async (tx, row) => {
    checkUnderWay(row);
    const at = ctx.clock.now();
    const delivered = await changeTask(ctx, tx, row, {
      status: 'completed',
      deliverable: deliverable as Prisma.InputJsonObject,
      startedAt: row.startedAt ?? at,
      completedAt: at,
      claimDeadline: null,
      reviewDeadline: row.amount === null ? null : addSeconds(at, row.reviewWindowSeconds),
    });
    await notifyChange(ctx, tx, delivered, 'completed');
    return delivered;
  });
  if (done.dueAt !== null) ringAt(ctx, 'task', done.dueAt);
  return done;
}

function checkUnderWay(row: Task): void {
  if (row.status !== 'accepted' && row.status !== 'in_progress') {
    throw refuseTask(row, ['accepted', 'in_progress'], 'Only a task in progress can be delivered.');
  }
}
