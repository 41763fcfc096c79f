// The GraphQL face of operations as they happen: for a dashboard that is live (CONTRACT.md 21 "Subscriptions").
import { operationRecorded, type PublishedEvent } from '../../events/publication.js';
import { builder } from '../../platform/schema/builder.js';
import { operation } from '../usage/operation-list.js';
import { UsageOperation } from '../usage/usage.schema.js';
import { followEvents } from './workspace-stream.js';

const RecordedOperation = builder.objectRef<PublishedEvent>('RecordedOperation').implement({
  description: 'An operation that has just become final.',
  fields: (t) => ({
    id: t.expose('id', { type: 'OperationId', description: 'Give the last one as `after` to continue.' }),
    operation: t.field({
      type: UsageOperation,
      nullable: true,
      description: 'The operation; null where you may not see it.',
      // operation() reads what the actor may see.
      extensions: { visible: true },
      resolve: ({ id }, _args, ctx) => operation(ctx, id),
    }),
  }),
});

builder.subscriptionField('operationRecorded', (t) =>
  t.field({
    type: RecordedOperation,
    description: 'Follow operations as they become final. The stream ends after an hour, and `after` continues it.',
    authScopes: { audience: 'operator', scope: 'usage:read' },
    args: { after: t.arg({ type: 'OperationId', required: false, description: 'Continue after this operation.' }) },
    subscribe: (_root, { after }, ctx) => followEvents(ctx, (type) => type === operationRecorded, after),
    resolve: (event) => event as PublishedEvent,
  }),
);
