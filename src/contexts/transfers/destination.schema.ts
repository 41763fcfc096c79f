// The GraphQL face of destinations: as they are named and as they are shown.
import { builder } from '../../platform/schema/builder.js';
import { DestinationTypeEnum } from './destination.input.js';
import type { ShownDestination } from './destination.js';

export const TransferDestination = builder.objectRef<ShownDestination>('TransferDestination').implement({
  description: 'Where money went that left the platform. Of a key or an account number the end alone is shown.',
  fields: (t) => ({
    type: t.expose('type', { type: DestinationTypeEnum }),
    ref: t.exposeString('ref'),
    name: t.exposeString('name', { nullable: true }),
  }),
});
