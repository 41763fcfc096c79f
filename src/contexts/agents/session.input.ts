// The inputs of sessions of agents.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';

export const AuthenticateInput = builder.inputType('AuthenticateInput', {
  fields: (t) => ({
    challenge: t.string({ validate: z.string().min(1).max(512) }),
    signature: t.string({
      description: 'Base64 Ed25519 signature of the challenge (its UTF-8 bytes).',
      validate: z.string().min(1).max(512),
    }),
  }),
});
export type AuthenticateInput = typeof AuthenticateInput.$inferInput;
