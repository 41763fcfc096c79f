// The GraphQL face of API keys. Only an API key or a person sees or changes them.
import { Forbidden, NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts, nodesQuery, pageArgs, pageOf } from '../../platform/schema/builder.js';
import { StepUpRequired } from '../../platform/step-up.js';
import { CreateApiKeyInput, EnvironmentEnum, RollApiKeyInput } from './api-key.input.js';
import {
  type ApiKeyStatus,
  apiKey,
  apiKeyStatus,
  apiKeys,
  createApiKey,
  type IssuedApiKey,
  makerOf,
  revokeApiKey,
  rollApiKey,
} from './api-key.js';
import { rest } from './rest.js';

const ApiKeyStatusEnum = builder.enumType('ApiKeyStatus', {
  description: '`active`: accepted. `expired`: its `expires_at` has passed. `revoked`: ended by hand or rolled.',
  values: ['active', 'expired', 'revoked'] as const satisfies ApiKeyStatus[],
});

const ApiKey = builder.prismaObject('ApiKey', {
  description: 'A credential of the tenant for one environment.',
  fields: (t) => ({
    id: t.expose('id', { type: 'ApiKeyId' }),
    name: t.exposeString('name', { description: 'Your own name for the key.' }),
    prefix: t.exposeString('prefix', { description: 'The first twelve characters of the key, to recognise it.' }),
    key: t.string({
      wire: { shown: false },
      nullable: true,
      description: 'The key itself, shown only in the response that created it; null afterwards.',
      extensions: { secret: true },
      resolve: (row) => (row as Partial<IssuedApiKey>).key ?? null,
    }),
    environment: t.field({
      type: EnvironmentEnum,
      description: 'The environment in which the key works.',
      resolve: (_row, _args, ctx) => ctx.workspace.environment,
    }),
    scopes: t.exposeStringList('scopes', {
      description: 'What the key may do: scopes of `GET /v1/scopes`; `*` is everything.',
    }),
    allowedIps: t.stringList({
      nullable: true,
      description: 'Networks from which the key may be used, as CIDR; null where it may be used from everywhere.',
      resolve: ({ allowedIps }) => (allowedIps.length === 0 ? null : allowedIps),
    }),
    status: t.field({
      type: ApiKeyStatusEnum,
      resolve: (row, _args, ctx) => apiKeyStatus(row, ctx.platform.clock.now()),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    createdBy: t.string({
      nullable: true,
      description: 'The API key or the member that created the key; null where the command line did.',
      resolve: makerOf,
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the key ends by itself, by real time; null for a key that does not expire.',
    }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the key was revoked or rolled; null while it was not.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the key was last used, to the minute; null while it was not.',
    }),
    lastUsedIp: t.exposeString('lastUsedIp', {
      nullable: true,
      description: 'The address from which it was used then; null while it was not.',
    }),
  }),
});
const ApiKeyPage = pageOf(ApiKey, 'ApiKey');

const DeletedApiKey = builder.objectRef<{ id: string }>('DeletedApiKey').implement({
  description: 'An API key that was revoked.',
  fields: (t) => ({
    id: t.expose('id', { type: 'ApiKeyId' }),
    deleted: t.boolean({ resolve: () => true }),
  }),
});

builder.queryFields((t) => ({
  apiKey: t.prismaField({
    route: rest('GET /v1/api-keys/{id}', 'Read an API key, without the key itself. Keys that have ended can be read too.'),
    type: ApiKey,
    authScopes: { audience: 'api_key', scope: 'keys:read' },
    args: { id: t.arg({ type: 'ApiKeyId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => apiKey(ctx, id, query),
  }),
  apiKeys: t.field({
    route: rest(
      'GET /v1/api-keys',
      'List API keys, newest first. Keys that have expired or were revoked are included; the keys themselves are never shown.',
    ),
    type: ApiKeyPage,
    authScopes: { audience: 'api_key', scope: 'keys:read' },
    args: pageArgs(t),
    resolve: (_root, filter, ctx, info) => apiKeys(ctx, filter, nodesQuery(ctx, info)),
  }),
}));

builder.mutationFields((t) => ({
  createApiKey: t.field({
    route: rest(
      'POST /v1/api-keys',
      "Issue an API key for the caller's environment, with scopes that the caller has. The key is shown once, in this response; a replay with the same Idempotency-Key leaves it out. The other environment is 403.",
      {
        status: 201,
        also: ['key'],
      },
    ),
    type: ApiKey,
    authScopes: { audience: 'api_key', scope: 'keys:write' },
    args: { input: t.arg({ type: CreateApiKeyInput }) },
    ...facts({ errors: [Forbidden, StepUpRequired] }),
    resolve: once((ctx, { input }) => createApiKey(ctx, input), apiKey),
  }),
  rollApiKey: t.field({
    route: rest(
      'POST /v1/api-keys/{id}/roll',
      'Replace an API key by a new one with its name, scopes and expiry. The old key ends at once, or after `overlap_seconds`. The new key is shown once; a key that has ended is 409 `state_conflict`.',
      { status: 201, also: ['key'] },
    ),
    type: ApiKey,
    authScopes: { audience: 'api_key', scope: 'keys:write' },
    args: { id: t.arg({ type: 'ApiKeyId' }), input: t.arg({ type: RollApiKeyInput }) },
    ...facts({ errors: [NotFound, StateConflict, StepUpRequired] }),
    resolve: once((ctx, { id, input }) => rollApiKey(ctx, { ...input, id }), apiKey),
  }),
  revokeApiKey: t.field({
    route: rest(
      'DELETE /v1/api-keys/{id}',
      'Revoke an API key and the JWT sessions created with it, at once. A key may revoke itself, and revoking it again changes nothing.',
    ),
    type: DeletedApiKey,
    authScopes: { audience: 'api_key', scope: 'keys:write' },
    args: { id: t.arg({ type: 'ApiKeyId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: once((ctx, { id }) => revokeApiKey(ctx, id), apiKey),
  }),
}));
