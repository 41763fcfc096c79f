// The inputs of erasures.
import { z } from 'zod';
import { ErasureStatus } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';

export const ErasureStatusEnum = builder.enumType(ErasureStatus, {
  name: 'ErasureStatus',
  description: '`pending`: under way. `done`: nothing of what is erased is left.',
});

export const EraseInput = builder.inputType('EraseInput', {
  description: 'How something is erased.',
  fields: (t) => ({
    reason: t.string({
      required: false,
      description: 'Why, at most 500 characters. It is kept, so it should name nobody.',
      validate: z.string().trim().min(1).max(500),
      extensions: { example: 'Request 4711 of the data protection officer' },
    }),
  }),
});
export type EraseInput = typeof EraseInput.$inferInput;
