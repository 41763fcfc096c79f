// The GraphQL face of API keys. Only an API key sees or changes them.
import { Forbidden, NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts, nodesQuery, pageArgs, pageOf } from '../../platform/schema/builder.js';
import { CreateApiKeyInput, EnvironmentEnum, RollApiKeyInput } from './api-key.input.js';
import { type ApiKeyStatus, apiKey, apiKeyStatus, apiKeys, createApiKey, type IssuedApiKey, revokeApiKey, rollApiKey } from './api-key.js';
import { rest } from './rest.js';

const ApiKeyStatusEnum = builder.enumType('ApiKeyStatus', { values: ['active', 'expired', 'revoked'] as const satisfies ApiKeyStatus[] });

const ApiKey = builder.prismaObject('ApiKey', {
  description: 'A credential of the tenant, for one environment.',
  fields: (t) => ({
    id: t.expose('id', { type: 'ApiKeyId' }),
    name: t.exposeString('name'),
    prefix: t.exposeString('prefix', { description: 'Its first twelve characters, to know it by.' }),
    key: t.string({
      wire: { shown: false },
      nullable: true,
      description: 'The key itself: only in the answer that made it.',
      extensions: { secret: true },
      resolve: (row) => (row as Partial<IssuedApiKey>).key ?? null,
    }),
    environment: t.field({ type: EnvironmentEnum, resolve: (_row, _args, ctx) => ctx.workspace.environment }),
    scopes: t.exposeStringList('scopes'),
    status: t.field({
      type: ApiKeyStatusEnum,
      resolve: (row, _args, ctx) => apiKeyStatus(row, ctx.platform.clock.now()),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true }),
    lastUsedAt: t.expose('lastUsedAt', { type: 'DateTime', nullable: true, description: 'To the minute.' }),
  }),
});
const ApiKeyPage = pageOf(ApiKey, 'ApiKey');

const DeletedApiKey = builder.objectRef<{ id: string }>('DeletedApiKey').implement({
  fields: (t) => ({
    id: t.expose('id', { type: 'ApiKeyId' }),
    deleted: t.boolean({ resolve: () => true }),
  }),
});

builder.queryFields((t) => ({
  apiKey: t.prismaField({
    route: rest('GET /v1/api-keys/{id}', 'Read an API key, without the key itself.'),
    type: ApiKey,
    authScopes: { audience: 'api_key' },
    args: { id: t.arg({ type: 'ApiKeyId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => apiKey(ctx, id, query),
  }),
  apiKeys: t.field({
    route: rest('GET /v1/api-keys', 'List API keys, those that have ended too.'),
    type: ApiKeyPage,
    authScopes: { audience: 'api_key' },
    args: pageArgs(t),
    resolve: (_root, filter, ctx, info) => apiKeys(ctx, filter, nodesQuery(ctx, info)),
  }),
}));

builder.mutationFields((t) => ({
  createApiKey: t.field({
    route: rest('POST /v1/api-keys', "Issue an API key for the caller's environment. The key is shown once.", {
      status: 201,
      also: ['key'],
    }),
    type: ApiKey,
    authScopes: { audience: 'api_key' },
    args: { input: t.arg({ type: CreateApiKeyInput }) },
    ...facts({ errors: [Forbidden] }),
    resolve: once((ctx, { input }) => createApiKey(ctx, input), apiKey),
  }),
  rollApiKey: t.field({
    route: rest(
      'POST /v1/api-keys/{id}/roll',
      'Replace an API key: a new one with its name, scopes and expiry; the old one ends at once or after overlap_seconds.',
      { status: 201, also: ['key'] },
    ),
    type: ApiKey,
    authScopes: { audience: 'api_key' },
    args: { id: t.arg({ type: 'ApiKeyId' }), input: t.arg({ type: RollApiKeyInput }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { id, input }) => rollApiKey(ctx, { ...input, id }), apiKey),
  }),
  revokeApiKey: t.field({
    route: rest('DELETE /v1/api-keys/{id}', 'Revoke an API key and the sessions made with it, at once. The key that asks may be revoked.'),
    type: DeletedApiKey,
    authScopes: { audience: 'api_key' },
    args: { id: t.arg({ type: 'ApiKeyId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: once((ctx, { id }) => revokeApiKey(ctx, id), apiKey),
  }),
}));
