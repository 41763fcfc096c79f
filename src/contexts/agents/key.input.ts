// The inputs of the keys of agents.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';

const publicKey = z.string().max(200);

export const ProvisionAuthKeyInput = builder.inputType('ProvisionAuthKeyInput', {
  fields: (t) => ({
    publicKey: t.string({ required: false, description: 'Your own: base64 of 32 bytes. Without it a pair is made.', validate: publicKey }),
  }),
});

export const RotateAuthKeyInput = builder.inputType('RotateAuthKeyInput', {
  fields: (t) => ({
    proof: t.string({
      required: false,
      description: 'Base64 signature of `rotate:` and the id of the agent (`rotate:agt_...`) by its current key.',
      validate: z.string().max(200),
    }),
    newPublicKey: t.string({ required: false, description: 'Your own: base64 of 32 bytes.', validate: publicKey }),
    reason: t.string({
      required: false,
      description: 'Why an API key rotates without a proof.',
      validate: z.string().trim().min(1).max(500),
      extensions: { example: 'The machine that had the key was replaced.' },
    }),
  }),
});
export type RotateAuthKeyInput = typeof RotateAuthKeyInput.$inferInput;
