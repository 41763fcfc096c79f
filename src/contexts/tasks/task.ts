// A task that one agent gives to another: its statuses, who sees it, and how it is read and changed (CONTRACT.md 11).
import type { Approval, Prisma, Task, TaskAudience, TaskStatus } from '../../generated/prisma/client.js';
import type { OpenOn } from '../../manifest/noun.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound, ValidationFailed } from '../../platform/errors.js';
import { type Lifecycle, wrongStatus } from '../../platform/lifecycle.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { printId } from '../../platform/schema/id.js';
import { listOf } from '../../platform/schema/list.js';
import { Visibility } from '../../platform/visibility.js';
import { NotYourTask, type Side } from './errors.js';

/** Gap G-326: A deadline expires what is not delivered; the sender cancels until delivery; the worker fails only accepted work. */
export const taskLifecycle: Lifecycle<TaskStatus> = {
  noun: 'task',
  path: '/v1/a2a/tasks/{id}',
  steps: {
    pending: ['accepted', 'declined', 'cancelled', 'expired', 'failed'],
    accepted: ['in_progress', 'completed', 'failed', 'pending', 'cancelled', 'expired'],
    declined: [],
    in_progress: ['input_required', 'completed', 'failed', 'cancelled', 'expired'],
    input_required: ['in_progress', 'failed', 'cancelled', 'expired'],
    completed: ['disputed'],
    failed: [],
    disputed: ['completed'],
    cancelled: [],
    expired: [],
  },
  requests: [
    { to: 'in_progress', from: ['accepted'], rel: 'start', actor: 'any', method: 'POST', path: '/start', body: {} },
    { to: 'cancelled', rel: 'cancel', actor: 'any', method: 'POST', path: '/cancel', body: {} },
    {
      to: 'failed',
      from: ['accepted', 'in_progress', 'input_required'],
      rel: 'fail',
      actor: 'any',
      method: 'POST',
      path: '/fail',
      body: {},
    },
  ],
};

/** A task that a request made, and the approval that its money waits for. */
export interface TaskChange {
  task: Task;
  approval: Approval | null;
}

/** An agent sees the tasks that it gave and works on, and those that are offered to it. */
export const visibleTasks = new Visibility<Prisma.TaskWhereInput>({
  scope: 'tasks:read',
  agent: ({ id }) => ({
    OR: [
      { fromAgentId: id },
      { toAgentId: id, audience: 'worker' },
      { audience: 'anybody' },
      { audience: 'candidates', candidateAgentIds: { has: id } },
    ],
  }),
});

/** A task, or 404. `query` is the caller's selection. */
export async function task(ctx: Ctx, id: string, query: object = {}): Promise<Task> {
  const found = await ctx.db.task.findFirst({ ...query, where: { AND: [{ id }, visibleTasks.where(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

/** What the agent is to the tasks of a list. */
type Role = 'sender' | 'target';

/** Tasks, newest first. `role` is about `agentId`, an agent's own id by default: 400 for a role without an agent. */
export const tasks = listOf(
  'task',
  { visible: visibleTasks },
  {
    open: (offered: boolean) => ({ offered }),
    role: (role: Role, { actor }, { agentId }: { agentId?: string | null | undefined }) => {
      const id = agentId ?? actor.agent?.id;
      if (id === undefined) throw new ValidationFailed([{ path: ['agentId'], message: 'goes with role', rule: 'required' }]);
      return role === 'sender' ? { fromAgentId: id } : targetedAt(id);
    },
    agentId: (id: string, _ctx, { role }: { role?: Role | null | undefined }) =>
      role == null ? { OR: [{ fromAgentId: id }, targetedAt(id)] } : {},
  },
);

/** Tasks that an agent works on, or that were offered to it by name. */
function targetedAt(agentId: string): Prisma.TaskWhereInput {
  return { OR: [{ toAgentId: agentId }, { audience: 'candidates', candidateAgentIds: { has: agentId } }] };
}

/** A task under its row's lock, as far as the actor sees it. 404. */
export function lockTask(ctx: Ctx, tx: Tx, id: string): Promise<Task> {
  return lockRow(tx.task, id, { where: visibleTasks.where(ctx) });
}

/** True for an actor of the side. Operators stand for both. */
export function isOnSide(
  { actor }: Pick<Ctx, 'actor'>,
  { fromAgentId, toAgentId }: Pick<Task, 'fromAgentId' | 'toAgentId'>,
  side: Side,
): boolean {
  return actor.agent === undefined || actor.agent.id === (side === 'sender' ? fromAgentId : toAgentId);
}

/** 403 for an agent that is not on the side. */
export function checkTaskSide(ctx: Pick<Ctx, 'actor'>, row: Task, side: Side): void {
  if (!isOnSide(ctx, row, side)) throw new NotYourTask(row.id, side);
}

/** 409 for a request that a task in this status does not take. */
export function refuseTask({ id, status }: Pick<Task, 'id' | 'status'>, wanted: readonly TaskStatus[], message: string) {
  return wrongStatus(taskLifecycle, id, status, wanted, message);
}

/** True for a task that has been delivered or has ended: what is left is its payment and ratings. */
export function isDelivered({ status }: Pick<Task, 'status'>): boolean {
  return taskLifecycle.steps[status].length === 0 || status === 'completed' || status === 'disputed';
}

/** The reason of a task whose agent was revoked: its due step ends it. */
export const revokedReason = 'agent_revoked';

/** When something happens to a task by itself. */
function dueOf(row: Task): Date | null {
  const { status, deadline, claimDeadline, reviewDeadline, paymentStatus, statusReason, updatedAt } = row;
  if (status === 'completed') return paymentStatus === 'reserved' ? reviewDeadline : null;
  if (isDelivered(row)) return null;
  if (statusReason === revokedReason) return updatedAt;
  if (status !== 'accepted' || claimDeadline === null) return deadline;
  return deadline !== null && deadline < claimDeadline ? deadline : claimDeadline;
}

/** Writes a change under the lock of the task, and when it is due next. */
export function changeTask(ctx: Ctx, tx: Tx, row: Task, data: Prisma.TaskUncheckedUpdateInput): Promise<Task> {
  const updatedAt = ctx.clock.now();
  const changed = { ...row, ...data, updatedAt } as Task;
  return tx.task.update({ where: rowKey(ctx, row.id), data: { ...data, updatedAt, dueAt: dueOf(changed), leaseUntil: null } });
}

/** Who sees a task beside its sender, and whether it can be claimed. */
export function shownTo(audience: TaskAudience): Pick<Task, 'audience' | 'offered'> {
  return { audience, offered: audience === 'candidates' || audience === 'anybody' };
}

/** Those to whom an open task is offered. */
export function offeredTo({ candidateAgentIds }: Pick<Task, 'candidateAgentIds'>): Pick<Task, 'audience' | 'offered'> {
  return shownTo(candidateAgentIds.length > 0 ? 'candidates' : 'anybody');
}

/** The members of a new task that follow from the others. */
export function withDue<T extends Task>(row: T): T {
  return { ...row, dueAt: dueOf(row) };
}

/** What it is that a task keeps its wallets open for, and what ends it. */
function endsOf({ id, status }: Pick<Task, 'id' | 'status'>): Awaited<ReturnType<OpenOn>>[number]['ends'] {
  const path = `/v1/a2a/tasks/${id}`;
  if (status === 'completed') return { rel: 'approve', actor: 'any', method: 'POST', path: `${path}/approve`, body: {} };
  if (status === 'disputed') return { rel: 'read', actor: 'any', method: 'GET', path };
  return { rel: 'cancel', actor: 'any', method: 'POST', path: `${path}/cancel`, body: {} };
}

/** Tasks whose money is not settled, from or to one of the wallets. */
export async function openTasks(_: Ctx, tx: Tx, walletIds: readonly string[], most: number): ReturnType<OpenOn> {
  const either = { in: [...walletIds] };
  const open = await tx.task.findMany({
    where: { paymentStatus: { in: ['awaiting_approval', 'reserved', 'disputed'] }, OR: [{ walletId: either }, { payeeWalletId: either }] },
    orderBy: { id: 'asc' },
    take: most,
    select: { id: true, status: true },
  });
  return open.map((row) => ({ type: 'task', id: printId('task', row.id), ends: endsOf(row) }));
}

/** Messages that a task shows. */
export const mostShownMessages = 50;
