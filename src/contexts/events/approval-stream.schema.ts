// The GraphQL face of what operators should look at.
import { builder } from '../../platform/schema/builder.js';
import { ApprovalType } from '../spending/approval/approval.schema.js';
import { type ApprovalMessage, approvalInEvent, approvalMessages, messageKinds } from './approval-stream.js';

const ApprovalMessageKind = builder.enumType('ApprovalMessageKind', {
  description: 'What an operator is told.',
  values: [...new Set(Object.values(messageKinds))],
});

const ApprovalMessageType = builder.objectRef<ApprovalMessage>('ApprovalMessage').implement({
  description: 'Something that an operator should look at.',
  fields: (t) => ({
    id: t.expose('id', { type: 'EventId', description: 'Give the last one as `after` to continue.' }),
    kind: t.field({ type: ApprovalMessageKind, resolve: ({ type }) => messageKinds[type] }),
    at: t.expose('createdAt', { type: 'DateTime', description: 'When it happened, in workspace time.' }),
    approval: t.field({
      type: ApprovalType,
      nullable: true,
      description: 'The approval as it is now; null for messages about something else.',
      // approval() reads what the actor may see, as the root of that name does.
      extensions: { visible: true },
      resolve: (message, _args, ctx) => approvalInEvent(ctx, message),
    }),
    data: t.field({ type: 'JSON', description: 'The facts, by kind, in names of the wire.', resolve: ({ data }) => data }),
  }),
});

builder.subscriptionField('approvals', (t) =>
  t.field({
    type: ApprovalMessageType,
    description:
      'Follow approvals and warnings as they happen: approvals that are requested, voted on and decided, warnings of budgets and of the runaway breaker. The stream ends after an hour, and `after` continues it.',
    authScopes: { audience: 'operator', scope: 'approvals:read' },
    args: { after: t.arg({ type: 'EventId', required: false, description: 'Continue after this message.' }) },
    subscribe: (_root, { after }, ctx) => approvalMessages(ctx, after),
    resolve: (message) => message as ApprovalMessage,
  }),
);
