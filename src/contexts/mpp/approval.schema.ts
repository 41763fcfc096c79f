// The GraphQL face of sessions that were approved.
import { builder } from '../../platform/schema/builder.js';
import { ApproveApprovalPayload } from '../spending/approval/approval.schema.js';
import { approvedSession } from './approval.js';
import { MppSessionType } from './session.schema.js';

builder.objectField(ApproveApprovalPayload, 'session', (t) =>
  t.field({
    type: MppSessionType,
    nullable: true,
    description: 'The MPP session whose deposit or top-up was approved; else null.',
    resolve: ({ approval }, _args, ctx) => approvedSession(ctx, approval),
  }),
);
builder.objectField(ApproveApprovalPayload, 'mppSession', (t) =>
  t.field({
    type: MppSessionType,
    nullable: true,
    description: 'The same as `session`.',
    deprecationReason: 'The same as session.',
    resolve: ({ approval }, _args, ctx) => approvedSession(ctx, approval),
  }),
);
