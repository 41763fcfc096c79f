// The GraphQL face of transfers that were approved.
import { builder } from '../../platform/schema/builder.js';
import { ApproveApprovalPayload } from '../spending/approval/approval.schema.js';
import { Transfer } from './transfer.schema.js';
import { approvedTransfer } from './transfer-list.js';

builder.objectField(ApproveApprovalPayload, 'transfer', (t) =>
  t.field({
    type: Transfer,
    nullable: true,
    description: 'The transfer that was approved, also where it is a payment by MPP or by card; else null.',
    resolve: ({ approval }, _args, ctx) => approvedTransfer(ctx, approval),
  }),
);
