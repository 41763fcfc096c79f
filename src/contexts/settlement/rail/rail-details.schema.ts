// The GraphQL face of where an order is on its network.
import { builder } from '../../../platform/schema/builder.js';
import type { RailDetails } from './rail-details.js';

export const RailDetailsType = builder.objectRef<RailDetails>('RailDetails').implement({
  extensions: { component: true },
  description: 'Where money is on the network that carries it.',
  fields: (t) => ({
    txHash: t.exposeString('txHash', { nullable: true, description: 'The transaction that carries it; null while none is known.' }),
    network: t.exposeString('network', { nullable: true, description: 'The network, as CAIP-2 names it, such as `eip155:8453`.' }),
    blockNumber: t.float({
      nullable: true,
      description: 'The block of that transaction; null while it is in none.',
      resolve: ({ blockNumber }) => (blockNumber === null ? null : Number(blockNumber)),
    }),
  }),
});
