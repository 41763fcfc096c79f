// The inputs of API keys.
import { z } from 'zod';
import { Environment } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';
import { fullScope } from './scope.js';

export const EnvironmentEnum = builder.enumType(Environment, { name: 'Environment' });

export const CreateApiKeyInput = builder.inputType('CreateApiKeyInput', {
  fields: (t) => ({
    name: t.string({ validate: z.string().trim().min(1).max(200), extensions: { example: 'Laptop of Ada' } }),
    environment: t.field({ type: EnvironmentEnum, required: false, description: "The caller's own, which is the default." }),
    scopes: t.stringList({
      required: false,
      description: 'What the key may do: `*`, everything, is the only scope so far.',
      validate: z
        .array(z.literal(fullScope, `must be "${fullScope}": narrower scopes are not offered yet`))
        .min(1)
        .max(1),
    }),
    expiresAt: t.field({ type: 'DateTime', required: false, description: 'In the future, in real time.' }),
  }),
});
export type CreateApiKeyInput = typeof CreateApiKeyInput.$inferInput;

export const RollApiKeyInput = builder.inputType('RollApiKeyInput', {
  fields: (t) => ({
    overlapSeconds: t.int({
      required: false,
      description: 'How long the old key still works: 0, the default, ends it at once.',
      validate: z.number().min(0).max(86_400),
    }),
  }),
});
export type RollApiKeyInput = typeof RollApiKeyInput.$inferInput;
