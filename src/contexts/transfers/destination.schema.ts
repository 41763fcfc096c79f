// The GraphQL face of destinations: as they are named and as they are shown.
import { builder } from '../../platform/schema/builder.js';
import { DestinationTypeEnum } from './destination.input.js';
import type { ShownDestination } from './destination.js';

export const TransferDestination = builder.objectRef<ShownDestination>('TransferDestination').implement({
  description: 'Where money went that left the platform. Of a key or an account number only the end is shown.',
  fields: (t) => ({
    type: t.expose('type', {
      type: DestinationTypeEnum,
      description: 'What `ref` names: a bank account, a wallet, an address of a chain, a Pix key or a CLABE.',
    }),
    ref: t.exposeString('ref', {
      description: 'The wallet, bank account, address, key or CLABE; of a key or an account number only the end is shown.',
    }),
    name: t.exposeString('name', { nullable: true, description: 'Name of the payee; null where none was given.' }),
  }),
});
