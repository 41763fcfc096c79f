// What tasks and their messages are to everybody else.
import { defineNoun } from '../../manifest/noun.js';
import { newestRows, resetStep } from '../../manifest/reset.js';
import { allowedFrom } from '../../platform/lifecycle.js';
import { taskSubject } from './approval.js';
import { stepTask } from './due.js';
import { cancelTask } from './ending.js';
import { approveTask } from './review.js';
import { openTasks, revokedReason, taskLifecycle } from './task.js';
import { taskTimeline } from './timeline.js';
import { transfersOfTasks } from './transfer-subject.js';

export const task = defineNoun({
  id: { kind: 'task', prefix: 'task', wire: 'bare' },
  scope: 'tasks:read',
  table: 'task',
  lifecycle: taskLifecycle,
  due: { concurrency: 8, run: stepTask },
  approvals: { task: taskSubject },
  transfers: transfersOfTasks,
  openOn: openTasks,
  timeline: taskTimeline,
  settling: { where: `status_reason = '${revokedReason}' AND due_at IS NOT NULL` },
  reset: [
    resetStep({
      stage: 'running',
      rows: ({ db }, most) => db.task.findMany({ where: { status: { in: allowedFrom(taskLifecycle, 'cancelled') } }, ...newestRows(most) }),
      end: (ctx, { id }, reason) => cancelTask(ctx, id, reason),
    }),
    resetStep({
      // What was delivered is paid.
      stage: 'running',
      rows: ({ db }, most) => db.task.findMany({ where: { status: 'completed', paymentStatus: 'reserved' }, ...newestRows(most) }),
      end: (ctx, { id }) => approveTask(ctx, { id }),
    }),
  ],
});

export const taskMessage = defineNoun({
  id: { kind: 'taskMessage', prefix: 'msg', wire: 'prefixed' },
  scope: 'tasks:read',
  table: 'task_message',
});
