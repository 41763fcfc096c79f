// The inputs of destinations.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';

export const DestinationTypeEnum = builder.enumType('DestinationType', { values: ['bank', 'wallet', 'address', 'pix', 'spei'] as const });

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
export type DestinationInput = typeof DestinationInput.$inferInput;
