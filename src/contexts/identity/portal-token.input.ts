// The inputs of portal tokens.
import { z } from 'zod';
import { portalScopes } from '../../platform/ctx.js';
import { builder } from '../../platform/schema/builder.js';

export const CreatePortalTokenInput = builder.inputType('CreatePortalTokenInput', {
  description: 'A new portal token.',
  fields: (t) => ({
    customerReference: t.string({
      description: 'The customer reference of the accounts whose data the token reads, also of accounts opened later.',
      // Never trimmed: another reference is another customer's.
      validate: z.string().regex(/\S/, 'must not be blank').max(200),
      extensions: { example: 'customer-4711' },
    }),
    scopes: t.stringList({
      description: 'What the token reads: `usage:read`, `transfers:read`, `agents:read`.',
      validate: z.array(z.enum(portalScopes)).min(1).max(10),
      extensions: { example: [...portalScopes] },
    }),
    expiresIn: t.int({
      required: false,
      description: 'Seconds until the token ends, 60 to 86400; 3600 by default.',
      validate: z.int().min(60).max(86_400),
    }),
  }),
});
export type CreatePortalTokenInput = typeof CreatePortalTokenInput.$inferInput;
