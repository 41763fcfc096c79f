// The inputs of API keys.
import { z } from 'zod';
import { Environment } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';
import { networkList, scopeList } from './key-bound.js';

export const EnvironmentEnum = builder.enumType(Environment, {
  name: 'Environment',
  description: '`test`: the sandbox, with simulated money. `live`: production.',
});

export const CreateApiKeyInput = builder.inputType('CreateApiKeyInput', {
  description: 'A new API key.',
  fields: (t) => ({
    name: t.string({
      description: 'Your own name for the key, to tell keys apart.',
      validate: z.string().trim().min(1).max(200),
      extensions: { example: 'Laptop of Ada' },
    }),
    environment: t.field({
      type: EnvironmentEnum,
      required: false,
      description: 'The environment of the caller, which is the default; the other one is 403.',
    }),
    scopes: t.stringList({
      required: false,
      description: 'What the key may do: scopes of `GET /v1/scopes`, all of them yours. By default everything that you may do.',
      validate: scopeList,
      extensions: { example: ['transfers:write', 'wallets:read'] },
    }),
    allowedIps: t.stringList({
      required: false,
      description: 'Networks from which the key may be used, as CIDR, at most 20. Without them it may be used from everywhere.',
      validate: networkList,
      extensions: { example: ['203.0.113.0/24'] },
    }),
    expiresAt: t.field({
      type: 'DateTime',
      required: false,
      description: 'When the key ends by itself, by real time; without it the key does not expire.',
    }),
  }),
});
export type CreateApiKeyInput = typeof CreateApiKeyInput.$inferInput;

export const RollApiKeyInput = builder.inputType('RollApiKeyInput', {
  description: 'How an API key is replaced.',
  fields: (t) => ({
    overlapSeconds: t.int({
      required: false,
      description: 'Seconds for which the old key still works; 0, the default, ends it at once.',
      validate: z.number().min(0).max(86_400),
    }),
  }),
});
export type RollApiKeyInput = typeof RollApiKeyInput.$inferInput;
