// The GraphQL face of signing in with an API key.
import { z } from 'zod';
import { EnvironmentMismatch, InvalidApiKey, InvalidJwt, SignInFailed } from '../../platform/credential.js';
import { Forbidden, SessionRequired } from '../../platform/errors.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { EnvironmentEnum } from './api-key.input.js';
import { type AuthSession, createAuthSession, type EndedAuthSession, endAuthSession, renewAuthSession } from './auth-session.js';
import { rest } from './rest.js';

const AuthSessionType = builder.objectRef<AuthSession>('AuthSession').implement({
  description: 'A JWT session: an hour with the rights of its API key, as a user.',
  fields: (t) => ({
    token: t.exposeString('token', {
      description: 'The JWT (ES256), to send as the bearer credential; its public key is in /.well-known/jwks.json.',
      extensions: { secret: true },
    }),
    expiresIn: t.exposeInt('expiresIn', { description: 'Seconds until the session ends.' }),
    tenantId: t.exposeString('tenantId', { description: 'The tenant of the API key.' }),
    environment: t.expose('environment', { type: EnvironmentEnum, description: 'The environment of the API key.' }),
  }),
});

const EndedAuthSessionType = builder.objectRef<EndedAuthSession>('EndedAuthSession').implement({
  description: 'A JWT session that was signed out.',
  fields: (t) => ({ endedAt: t.expose('endedAt', { type: 'DateTime', description: 'When the session ended.' }) }),
});

const CreateAuthSessionInput = builder.inputType('CreateAuthSessionInput', {
  description: 'The API key to sign in with.',
  fields: (t) => ({
    apiKey: t.string({
      description: 'An API key of this environment: `pk_test_...` or `pk_live_...`.',
      validate: z.string().min(1).max(256),
      extensions: { example: 'pk_test_Ywn0...' },
    }),
  }),
});

builder.mutationFields((t) => ({
  createAuthSession: t.field({
    route: rest(
      'POST /v1/auth/session',
      'Sign in with an API key and get a JWT for the next hour. It carries the rights of the key and ends with it, so a browser never holds the key itself. A key of the other environment is 401 `environment_mismatch`; where `PUT /v1/sign-in` has taken `api_key` from the methods it is 401 `sign_in_failed`.',
      { status: 201 },
    ),
    type: AuthSessionType,
    authScopes: { audience: 'public' },
    skipTypeScopes: true,
    args: { input: t.arg({ type: CreateAuthSessionInput }) },
    ...facts({ rateClass: 'auth', errors: [InvalidApiKey, EnvironmentMismatch, SignInFailed, Forbidden] }),
    resolve: (_root, { input }, ctx) => createAuthSession(ctx, input),
  }),
  renewAuthSession: t.field({
    type: AuthSessionType,
    description: 'Renew the JWT session that asks for another hour. It ends twelve hours after it was signed in, and with its API key.',
    authScopes: { audience: 'operator', scope: 'self' },
    ...facts({ effect: 'none', errors: [SessionRequired, InvalidJwt, SignInFailed] }),
    resolve: (_root, _args, ctx) => renewAuthSession(ctx),
  }),
  endAuthSession: t.field({
    route: rest(
      'POST /v1/auth/logout',
      'Sign out the JWT session that sends this request, at once and in every process. What it started goes on. An API key is 403 `session_required`: revoke it instead.',
    ),
    type: EndedAuthSessionType,
    authScopes: { audience: 'operator', scope: 'self' },
    ...facts({ rateClass: 'auth', errors: [SessionRequired] }),
    resolve: (_root, _args, ctx) => endAuthSession(ctx),
  }),
}));
