// The GraphQL face of streams that were approved.
import { builder } from '../../platform/schema/builder.js';
import { ApproveApprovalPayload } from '../spending/approval/approval.schema.js';
import { approvedStream } from './approval.js';
import { Stream } from './stream.schema.js';

builder.objectField(ApproveApprovalPayload, 'stream', (t) =>
  t.field({
    type: Stream,
    nullable: true,
    description: 'The stream whose deposit or top-up was approved; else null.',
    resolve: ({ approval }, _args, ctx) => approvedStream(ctx, approval),
  }),
);
