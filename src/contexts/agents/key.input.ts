// The inputs of the keys of agents.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';

const publicKey = z.string().max(200);

export const ProvisionAuthKeyInput = builder.inputType('ProvisionAuthKeyInput', {
  description: 'A new key of an agent.',
  fields: (t) => ({
    publicKey: t.string({
      required: false,
      description: 'Your own Ed25519 public key, base64 of 32 bytes. Without it a key pair is generated.',
      validate: publicKey,
    }),
  }),
});

export const RotateAuthKeyInput = builder.inputType('RotateAuthKeyInput', {
  description: 'A proof by the current key, or a reason with an API key.',
  fields: (t) => ({
    proof: t.string({
      required: false,
      description: 'Base64 signature of `rotate:` and the agent id (`rotate:agt_...`) by the current key.',
      validate: z.string().max(200),
    }),
    newPublicKey: t.string({
      required: false,
      description: 'Your own new Ed25519 public key, base64 of 32 bytes. Without it a key pair is generated.',
      validate: publicKey,
    }),
    reason: t.string({
      required: false,
      description: 'Why an API key rotates without a proof; required in that case.',
      validate: z.string().trim().min(1).max(500),
      extensions: { example: 'The machine that had the key was replaced.' },
    }),
  }),
});
export type RotateAuthKeyInput = typeof RotateAuthKeyInput.$inferInput;
