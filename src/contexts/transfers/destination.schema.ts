// The GraphQL face of destinations: as they are named and as they are shown.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';
import { destinationTypes, type ShownDestination } from './destination.js';

const DestinationTypeEnum = builder.enumType('DestinationType', { values: destinationTypes });
export const TransferDestination = builder.objectRef<ShownDestination>('TransferDestination').implement({
  description: 'Where money went that left the platform. Of a key or an account number the end alone is shown.',
  fields: (t) => ({
    type: t.expose('type', { type: DestinationTypeEnum }),
    ref: t.exposeString('ref'),
    name: t.exposeString('name', { nullable: true }),
  }),
});

export const DestinationInput = builder.inputType('DestinationInput', {
  fields: (t) => ({
    type: t.field({ type: DestinationTypeEnum }),
    ref: t.string({
      description: 'A wallet id, a bank account id, a chain address, a pix key or a CLABE.',
      validate: z.string().min(1).max(128),
    }),
    name: t.string({ required: false, validate: z.string().min(1).max(200) }),
  }),
});
