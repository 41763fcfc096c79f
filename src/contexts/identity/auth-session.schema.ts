// The GraphQL face of signing in with an API key.
import { z } from 'zod';
import { EnvironmentMismatch, InvalidApiKey } from '../../platform/credential.js';
import { SessionRequired } from '../../platform/errors.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { EnvironmentEnum } from './api-key.input.js';
import { type AuthSession, createAuthSession, type EndedAuthSession, endAuthSession } from './auth-session.js';
import { rest } from './rest.js';

const AuthSessionType = builder.objectRef<AuthSession>('AuthSession').implement({
  description: "A JWT session: an hour of its API key's rights, as a user.",
  fields: (t) => ({
    token: t.exposeString('token', { description: 'ES256; its key is in /.well-known/jwks.json.', extensions: { secret: true } }),
    expiresIn: t.exposeInt('expiresIn', { description: 'Seconds.' }),
    tenantId: t.exposeString('tenantId'),
    environment: t.expose('environment', { type: EnvironmentEnum }),
  }),
});

const EndedAuthSessionType = builder.objectRef<EndedAuthSession>('EndedAuthSession').implement({
  description: 'A JWT session that was signed out.',
  fields: (t) => ({ endedAt: t.expose('endedAt', { type: 'DateTime' }) }),
});

const CreateAuthSessionInput = builder.inputType('CreateAuthSessionInput', {
  fields: (t) => ({
    apiKey: t.string({
      description: 'pk_test_... or pk_live_...',
      validate: z.string().min(1).max(256),
      extensions: { example: 'pk_test_Ywn0...' },
    }),
  }),
});

builder.mutationFields((t) => ({
  createAuthSession: t.field({
    route: rest('POST /v1/auth/session', 'Sign in with an API key: a JWT for the next hour.', { status: 201 }),
    type: AuthSessionType,
    authScopes: { audience: 'public' },
    skipTypeScopes: true,
    args: { input: t.arg({ type: CreateAuthSessionInput }) },
    ...facts({ rateClass: 'auth', errors: [InvalidApiKey, EnvironmentMismatch] }),
    resolve: (_root, { input }, ctx) => createAuthSession(ctx, input),
  }),
  endAuthSession: t.field({
    route: rest('POST /v1/auth/logout', 'End the JWT session that asks, at once and in every process.'),
    type: EndedAuthSessionType,
    authScopes: { audience: 'operator' },
    ...facts({ rateClass: 'auth', errors: [SessionRequired] }),
    resolve: (_root, _args, ctx) => endAuthSession(ctx),
  }),
}));
