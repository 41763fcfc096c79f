// The GraphQL face of transfers that were approved.
import { builder } from '../../platform/schema/builder.js';
import { ApproveApprovalPayload } from '../spending/approval.schema.js';
import { Transfer } from './transfer.schema.js';
import { transfer } from './transfer-list.js';

builder.objectField(ApproveApprovalPayload, 'transfer', (t) =>
  t.field({
    type: Transfer,
    nullable: true,
    resolve: ({ approval: { subjectType, subjectId } }, _args, ctx) => (subjectType === 'transfer' ? transfer(ctx, subjectId) : null),
  }),
);
