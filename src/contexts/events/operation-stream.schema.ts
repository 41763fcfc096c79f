// The GraphQL face of operations as they happen: for a dashboard that is live (CONTRACT.md 21 "Subscriptions").
import { operationRecorded, type PublishedEvent } from '../../events/publication.js';
import { builder } from '../../platform/schema/builder.js';
import { operation } from '../usage/operation-list.js';
import { UsageOperation } from '../usage/usage.schema.js';
import { followEvents } from './workspace-stream.js';

const RecordedOperation = builder.objectRef<PublishedEvent>('RecordedOperation').implement({
  description: 'An operation that has just become final.',
  fields: (t) => ({
    id: t.expose('id', { type: 'OperationId', description: 'Give the last one as `after` to go on.' }),
    operation: t.field({
      type: UsageOperation,
      nullable: true,
      // operation() reads what the actor may see.
      extensions: { visible: true },
      resolve: ({ id }, _args, ctx) => operation(ctx, id),
    }),
  }),
});

builder.subscriptionField('operationRecorded', (t) =>
  t.field({
    type: RecordedOperation,
    description: 'Operations, as they become final.',
    authScopes: { audience: 'operator' },
    args: { after: t.arg({ type: 'OperationId', required: false, description: 'Go on after this one.' }) },
    subscribe: (_root, { after }, ctx) => followEvents(ctx, (type) => type === operationRecorded, after),
    resolve: (event) => event as PublishedEvent,
  }),
);
