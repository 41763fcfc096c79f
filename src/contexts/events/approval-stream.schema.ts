// The GraphQL face of what operators should look at.
import { builder } from '../../platform/schema/builder.js';
import { ApprovalType } from '../spending/approval/approval.schema.js';
import { type ApprovalMessage, approvalInEvent, approvalMessages, messageKinds } from './approval-stream.js';

const ApprovalMessageKind = builder.enumType('ApprovalMessageKind', { values: Object.values(messageKinds) });

const ApprovalMessageType = builder.objectRef<ApprovalMessage>('ApprovalMessage').implement({
  description: 'Something that an operator should look at.',
  fields: (t) => ({
    id: t.expose('id', { type: 'EventId', description: 'Give the last one as `after` to go on.' }),
    kind: t.field({ type: ApprovalMessageKind, resolve: ({ type }) => messageKinds[type] }),
    at: t.expose('createdAt', { type: 'DateTime', description: 'Workspace time.' }),
    approval: t.field({
      type: ApprovalType,
      nullable: true,
      description: 'As it is now, for messages about one.',
      // approval() reads what the actor may see, as the root of that name does.
      extensions: { visible: true },
      resolve: (message, _args, ctx) => approvalInEvent(ctx, message),
    }),
    data: t.field({ type: 'JSON', description: 'As the kind says, in names of the wire.', resolve: ({ data }) => data }),
  }),
});

builder.subscriptionField('approvals', (t) =>
  t.field({
    type: ApprovalMessageType,
    description: 'Approvals that are asked for and decided, and warnings of budgets and of the runaway breaker, as they happen.',
    authScopes: { audience: 'operator' },
    args: { after: t.arg({ type: 'EventId', required: false, description: 'Go on after this message.' }) },
    subscribe: (_root, { after }, ctx) => approvalMessages(ctx, after),
    resolve: (message) => message as ApprovalMessage,
  }),
);
