// The inputs of how people sign in.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';

export const SignInWayEnum = builder.enumType('SignInWay', {
  description:
    'What a tenant lets people sign in with: a password, a passkey, the identity provider of the company, or an API key that is exchanged for a session.',
  values: ['password', 'passkey', 'oidc', 'api_key'] as const,
});

const OidcInput = builder.inputType('OidcInput', {
  description: 'The identity provider of the company, which speaks OpenID Connect, and what the platform is to it.',
  fields: (t) => ({
    issuer: t.string({
      description: 'The address of the provider, below which `/.well-known/openid-configuration` stands.',
      validate: z.string().min(1).max(500),
      extensions: { example: 'https://login.example.com' },
    }),
    clientId: t.string({
      description: 'By which the provider knows the platform.',
      validate: z.string().min(1).max(500),
      extensions: { example: 'agent-payments' },
    }),
    clientSecret: t.string({
      required: false,
      description: 'The secret of the client, which is never shown again. Absent: the one that is there for the same issuer and client.',
      validate: z.string().min(1).max(1_000),
      extensions: { secret: true },
    }),
  }),
});

// Gap G-508: A slug has 3 to 40 lower-case letters, digits and hyphens; a session lasts 900 s to 30 days, without use at most a day.
const slugRule = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{1,38})[a-z0-9]$/, 'must have 3 to 40 lower-case letters, digits and hyphens, none of them at an end');

export const SignInSettingsInput = builder.inputType('SignInSettingsInput', {
  description: 'How people sign in to the tenant from now on. What is left out is as in the beginning.',
  fields: (t) => ({
    slug: t.string({
      required: false,
      description: 'What the tenant is called in the addresses of its sign-in, unique on the platform; required with `oidc`.',
      validate: slugRule,
      extensions: { example: 'acme' },
    }),
    methods: t.field({
      type: [SignInWayEnum],
      description: 'With what people sign in; at least one that is not `api_key`.',
      validate: z.array(z.string()).min(1).max(4),
      extensions: { example: ['password', 'passkey', 'api_key'] },
    }),
    idleSeconds: t.int({
      required: false,
      description: 'How long a browser session lives without use.',
      validate: z.number().int().min(900).max(86_400),
      extensions: { example: 3_600 },
    }),
    absoluteSeconds: t.int({
      required: false,
      description: 'How long a browser session lives at most.',
      validate: z.number().int().min(900).max(2_592_000),
      extensions: { example: 43_200 },
    }),
    oidc: t.field({ type: OidcInput, required: false, description: 'The identity provider of the company; null: none.' }),
  }),
});
export type SignInSettingsInput = typeof SignInSettingsInput.$inferInput;
