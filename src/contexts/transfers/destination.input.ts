// The inputs of destinations.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';

export const DestinationTypeEnum = builder.enumType('DestinationType', {
  description:
    '`bank`: a bank account. `wallet`: a wallet of the platform. `address`: an address of a chain. `pix`: a Pix key. `spei`: a CLABE.',
  values: ['bank', 'wallet', 'address', 'pix', 'spei'] as const,
});

export const DestinationInput = builder.inputType('DestinationInput', {
  description: 'A payee outside of the platform, or a wallet.',
  fields: (t) => ({
    type: t.field({
      type: DestinationTypeEnum,
      description: 'What `ref` names: a bank account, a wallet, an address of a chain, a Pix key or a CLABE.',
    }),
    ref: t.string({
      description: 'A wallet id, a bank account id (`ba_...`), a chain address, a Pix key or a CLABE, by `type`.',
      validate: z.string().min(1).max(128),
    }),
    name: t.string({
      required: false,
      description: 'Name of the payee, for the statement of the rail.',
      validate: z.string().min(1).max(200),
    }),
  }),
});
export type DestinationInput = typeof DestinationInput.$inferInput;
