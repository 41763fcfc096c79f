// The inputs of sessions of agents.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';

export const AuthenticateInput = builder.inputType('AuthenticateInput', {
  description: 'The answer to a challenge.',
  fields: (t) => ({
    challenge: t.string({
      description: 'The challenge, as it was answered by `POST /v1/agents/{id}/challenge`.',
      validate: z.string().min(1).max(512),
      extensions: { example: 'agt_auth:1:b1c2...' },
    }),
    signature: t.string({
      description: "Base64 Ed25519 signature of the challenge's UTF-8 bytes by the agent's key.",
      validate: z.string().min(1).max(512),
      extensions: { example: 'q83vEjRWeJA...' },
    }),
  }),
});
export type AuthenticateInput = typeof AuthenticateInput.$inferInput;
