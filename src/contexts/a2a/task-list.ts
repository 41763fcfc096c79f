// ListTasks: the tasks of an agent that the caller sees, the last changed first, page by page (A2A 1.0 section 3.1.4).
import type { Prisma } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { parseId } from '../../platform/schema/id.js';
import { mostCounted } from '../../platform/schema/page.js';
import { visibleTasks } from '../tasks/task.js';
import type { A2aCall } from './call.js';
import { RpcError } from './errors.js';
import { type ListParams, readList } from './message.js';
import { printTask, statusesOf } from './task-view.js';

const defaultPageSize = 50;
/** Gap G-349: ListTasks has no history unless `historyLength` asks, then at most 10 messages of each task. */
const mostListed = 10;

/** A page of tasks. */
export async function listTasks(ctx: Ctx, { host, version, params }: A2aCall): Promise<object> {
  const asked = readList(params);
  const pageSize = asked.pageSize ?? defaultPageSize;
  const historyLength = Math.min(asked.historyLength ?? 0, mostListed);
  const where: Prisma.TaskWhereInput = { AND: [{ toAgentId: host.id }, visibleTasks.where(ctx), ...filtersOf(asked)] };
  const [rows, total] = await Promise.all([
    ctx.db.task.findMany({
      where: asked.pageToken === null ? where : { AND: [where, behind(asked.pageToken)] },
      orderBy: [{ updatedAt: 'desc' }, { id: 'desc' }],
      take: pageSize + 1,
      include: { messages: { orderBy: { id: 'desc' }, take: Math.max(historyLength, 1) } },
    }),
    ctx.db.task.count({ where, take: mostCounted }),
  ]);
  const page = rows.slice(0, pageSize);
  const last = rows.length > pageSize ? page.at(-1) : undefined;
  const artifacts = asked.includeArtifacts === true;
  return {
    tasks: page.map(({ messages, ...task }) => printTask(task, messages.reverse(), { version, historyLength, artifacts })),
    nextPageToken: last === undefined ? '' : tokenOf(last),
    pageSize,
    totalSize: total,
  };
}

function filtersOf({ contextId, status, statusTimestampAfter }: ListParams): Prisma.TaskWhereInput[] {
  const filters: Prisma.TaskWhereInput[] = [];
  if (contextId !== null) filters.push({ contextId });
  if (status !== null && status !== 'TASK_STATE_UNSPECIFIED') filters.push({ status: { in: statusesOf(status) ?? refuseState(status) } });
  if (statusTimestampAfter != null) filters.push({ updatedAt: { gte: statusTimestampAfter } });
  return filters;
}

/** States that A2A has and that no task here is ever in. */
const unused: readonly string[] = ['TASK_STATE_AUTH_REQUIRED', 'auth-required', 'unknown'];

function refuseState(status: string): never[] {
  if (unused.includes(status)) return [];
  throw new RpcError('invalid_params', 'params.status must be a state of a task.', ['params', 'status']);
}

/** Where a page ends: it says no more than the page itself, and is held to the same filters. */
function tokenOf({ updatedAt, id }: { updatedAt: Date; id: string }): string {
  return Buffer.from(`${updatedAt.getTime()} ${id}`).toString('base64url');
}

/** The tasks behind the end of a page. */
function behind(token: string): Prisma.TaskWhereInput {
  const [, at = '', last = ''] = /^(\d{1,15}) (.{36})$/.exec(Buffer.from(token, 'base64url').toString('utf8')) ?? [];
  const id = parseId('task', last);
  if (id === null) throw new RpcError('invalid_params', 'params.pageToken must be the nextPageToken of a page.', ['params', 'pageToken']);
  const updatedAt = new Date(Number(at));
  return { OR: [{ updatedAt: { lt: updatedAt } }, { updatedAt, id: { lt: id } }] };
}
