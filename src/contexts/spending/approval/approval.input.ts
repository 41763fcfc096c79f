// The inputs of decisions on approvals.
import { z } from 'zod';
import { builder } from '../../../platform/schema/builder.js';

const words = z.string().min(1).max(500);
export const ApproveApprovalInput = builder.inputType('ApproveApprovalInput', {
  description: 'An approval of a spend.',
  fields: (t) => ({
    comment: t.string({ required: false, description: 'Why, for the record; shown with the approval.', validate: words }),
  }),
});
export const RejectApprovalInput = builder.inputType('RejectApprovalInput', {
  description: 'A rejection of a spend.',
  fields: (t) => ({
    reason: t.string({
      required: false,
      description: 'Why; kept as the comment of the approval.',
      validate: words,
      extensions: { example: 'Agreed with Ada.' },
    }),
  }),
});
export const CancelApprovalInput = builder.inputType('CancelApprovalInput', {
  description: 'Why a request is withdrawn.',
  fields: (t) => ({ reason: t.string({ required: false, description: 'Why; kept as the comment of the approval.', validate: words }) }),
});
