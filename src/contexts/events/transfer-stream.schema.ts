// The GraphQL face of transfers as they change.
import { builder } from '../../platform/schema/builder.js';
import { Transfer } from '../transfers/transfer.schema.js';
import { type TransferUpdate, transferUpdates } from './transfer-stream.js';

const TransferUpdateType = builder.objectRef<TransferUpdate>('TransferUpdate').implement({
  description: 'A change of a transfer.',
  fields: (t) => ({
    id: t.field({ type: 'EventId', description: 'Give the last one as `after` to go on.', resolve: ({ event }) => event.id }),
    at: t.field({ type: 'DateTime', description: 'When it changed, in workspace time.', resolve: ({ event }) => event.createdAt }),
    transfer: t.field({
      type: Transfer,
      description: 'As it is now, which may be later than the change.',
      // transferUpdates() reads what the actor may see, as the root of that name does.
      extensions: { visible: true },
      resolve: (update) => update.transfer,
    }),
  }),
});

builder.subscriptionField('transferUpdated', (t) =>
  t.field({
    type: TransferUpdateType,
    description:
      'Transfers that you may see, whenever one is made, completes, fails, is refunded or is released. Each argument narrows them; without any it is all of them.',
    args: {
      id: t.arg({ type: 'TransferId', required: false, description: 'This transfer alone.' }),
      walletId: t.arg({ type: 'WalletId', required: false, description: 'Those from or to this wallet.' }),
      agentId: t.arg({ type: 'AgentUuid', required: false, description: 'Those that this agent made.' }),
      after: t.arg({ type: 'EventId', required: false, description: 'Go on after this change.' }),
    },
    authScopes: { audience: 'any', scope: 'transfers:read' },
    subscribe: (_root, { after, ...choice }, ctx) => transferUpdates(ctx, choice, after),
    resolve: (update) => update as TransferUpdate,
  }),
);
