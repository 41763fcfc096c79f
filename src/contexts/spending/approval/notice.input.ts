// The input of who is told of approvals.
import { builder } from '../../../platform/schema/builder.js';

export const ApprovalNoticesInput = builder.inputType('ApprovalNoticesInput', {
  description: 'Who is told of approvals that wait.',
  fields: (t) => ({
    mail: t.boolean({ description: 'True: each member who may vote gets a mail.' }),
  }),
});
