// The GraphQL face of who is told of approvals that wait.
import { once } from '../../../platform/idempotency.js';
import { builder, facts } from '../../../platform/schema/builder.js';
import { rest } from '../rest.js';
import { ApprovalNoticesInput } from './notice.input.js';
import { testApprovalNotices } from './notice.js';
import { type ApprovalNotices, approvalNotices, setApprovalNotices } from './notice-setting.js';

const ApprovalNoticesType = builder.objectRef<ApprovalNotices>('ApprovalNotices').implement({
  description: 'Who is told of approvals that wait, beside the events.',
  fields: (t) => ({
    mail: t.exposeBoolean('mail', { description: 'True where each member who may vote gets a mail with a link to the approval.' }),
    mailConfigured: t.exposeBoolean('isMailConfigured', {
      description: 'True where the platform has a mail server; without one nobody is told.',
    }),
  }),
});

const ApprovalNoticesTest = builder.objectRef<{ mailed: number }>('ApprovalNoticesTest').implement({
  description: 'What came of a test.',
  fields: (t) => ({
    mailed: t.exposeInt('mailed', { description: 'Number of members that were written to; 0 without a mail server.' }),
  }),
});

builder.queryField('approvalNotices', (t) =>
  t.field({
    route: rest(
      'GET /v1/approval-notices',
      'Read who is told of approvals that wait. Nobody is by default; the events `approval.*` are emitted in any case.',
      { name: 'getApprovalNotices' },
    ),
    type: ApprovalNoticesType,
    authScopes: { audience: 'operator', scope: 'policies:read' },
    resolve: (_root, _args, ctx) => approvalNotices(ctx),
  }),
);

builder.mutationFields((t) => ({
  setApprovalNotices: t.field({
    route: rest(
      'PUT /v1/approval-notices',
      'Say who is told of approvals that wait, from the next one on. With `mail` each member who may vote gets a mail whose link leads to the approval, behind the sign-in.',
    ),
    type: ApprovalNoticesType,
    authScopes: { audience: 'operator', scope: 'policies:write' },
    args: { input: t.arg({ type: ApprovalNoticesInput }) },
    resolve: once((ctx, { input }) => setApprovalNotices(ctx, input.mail), approvalNotices),
  }),
  testApprovalNotices: t.field({
    route: rest(
      'POST /v1/approval-notices/test',
      'Send a mail of a test to each member who may decide approvals. The answer says to how many; 0 means that no mail server is configured, or that nobody may decide.',
    ),
    type: ApprovalNoticesTest,
    authScopes: { audience: 'operator', scope: 'policies:write' },
    ...facts({ effect: 'none' }),
    resolve: (_root, _args, ctx) => testApprovalNotices(ctx),
  }),
}));
