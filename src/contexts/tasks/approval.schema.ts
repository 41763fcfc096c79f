// The GraphQL face of tasks that were approved.
import { builder } from '../../platform/schema/builder.js';
import { ApproveApprovalPayload } from '../spending/approval/approval.schema.js';
import { approvedTask } from './approval.js';
import { TaskType } from './task.schema.js';

builder.objectField(ApproveApprovalPayload, 'task', (t) =>
  t.field({
    type: TaskType,
    nullable: true,
    description: 'The task that was approved; else null.',
    resolve: ({ approval }, _args, ctx) => approvedTask(ctx, approval),
  }),
);
