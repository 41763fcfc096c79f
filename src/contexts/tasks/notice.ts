// Which agents are notified of a task: the agents that it is offered to, and both of its sides (CONTRACT.md 5 "SSE channel").
import type { Roles } from '../../events/event.js';
import type { Task } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { formatMinor } from '../../platform/money.js';
import type { Tx } from '../../platform/postgres/database.js';
import { printId } from '../../platform/schema/id.js';
import { emit, type TaskChangeKind } from './events.js';

/** Notifies the worker of a task that it was given one, or the candidates that they may claim one; nobody while it waits for its approval. */
export async function notifyAssigned(ctx: Ctx, tx: Tx, row: Task): Promise<void> {
  const { id: taskId, skillId, fromAgentId, toAgentId, audience, candidateAgentIds, amount, currency: unit, deadline } = row;
  const worker = audience === 'worker' && toAgentId !== null ? { [toAgentId]: 'worker' } : {};
  const roles: Roles = audience === 'candidates' ? Object.fromEntries(candidateAgentIds.map((one) => [one, 'candidate'])) : worker;
  if (Object.keys(roles).length === 0) return;
  const data = {
    task_id: printId('task', taskId),
    skill_id: skillId,
    from_agent_id: printId('agent', fromAgentId),
    payment: amount === null || unit === null ? null : { amount: formatMinor(amount, unit), currency: unit },
    deadline: deadline?.toISOString() ?? null,
  };
  await emit(ctx, tx, '_task.assigned', data, { objectId: taskId, agentId: fromAgentId, roles });
}

/** Notifies both sides of what has happened. `worker` is the one that it happened to, where that is not the worker any more. */
export async function notifyChange(ctx: Ctx, tx: Tx, row: Task, change: TaskChangeKind, worker = row.toAgentId): Promise<void> {
  const { id: taskId, status, fromAgentId, toAgentId, audience } = row;
  const isKnown = worker !== null && (audience === 'worker' || worker !== toAgentId);
  const data = {
    task_id: printId('task', taskId),
    change,
    status,
    from_agent_id: printId('agent', fromAgentId),
    to_agent_id: toAgentId === null ? null : printId('agent', toAgentId),
  };
  const roles: Roles = { ...(isKnown && { [worker]: 'worker' }), [fromAgentId]: 'sender' };
  await emit(ctx, tx, '_task.changed', data, { objectId: taskId, agentId: fromAgentId, roles });
}
