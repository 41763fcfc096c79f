// The GraphQL face of portal tokens. Only an API key sees or changes them.
import { NotFound } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts, listed, pageOf } from '../../platform/schema/builder.js';
import { CreatePortalTokenInput } from './portal-token.input.js';
import {
  createPortalToken,
  type IssuedPortalToken,
  type PortalTokenStatus,
  portalToken,
  portalTokenStatus,
  portalTokens,
  revokePortalToken,
  type TokenWarning,
  warningsOfToken,
} from './portal-token.js';
import { rest } from './rest.js';

const PortalTokenStatusEnum = builder.enumType('PortalTokenStatus', {
  description: '`active`: accepted. `expired`: its `expires_at` has passed. `revoked`: ended by hand.',
  values: ['active', 'expired', 'revoked'] as const satisfies PortalTokenStatus[],
});

const PortalTokenWarning = builder.objectRef<TokenWarning>('PortalTokenWarning').implement({
  description: 'What should be mended, and how.',
  fields: (t) => ({ code: t.exposeString('code'), message: t.exposeString('message') }),
});

const PortalToken = builder.prismaObject('PortalToken', {
  description: 'A credential with which a customer reads the data of its own accounts.',
  fields: (t) => ({
    id: t.expose('id', { type: 'PortalTokenId' }),
    token: t.string({
      wire: { shown: false },
      nullable: true,
      description: 'The token itself, shown only in the response that created it; null afterwards.',
      extensions: { secret: true },
      resolve: (row) => (row as Partial<IssuedPortalToken>).token ?? null,
    }),
    prefix: t.exposeString('prefix', { description: 'The first fourteen characters of the token, to recognise it.' }),
    customerReference: t.exposeString('customerReference', {
      description: 'The token reads the data of the accounts that have this reference.',
    }),
    scopes: t.exposeStringList('scopes', { description: 'What the token reads: `usage:read`, `transfers:read`, `agents:read`.' }),
    status: t.field({
      type: PortalTokenStatusEnum,
      resolve: (row, _args, ctx) => portalTokenStatus(row, ctx.platform.clock.now()),
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When the token ends by itself, by real time.' }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the token was revoked; null while it was not.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    warnings: t.field({
      type: [PortalTokenWarning],
      nullable: true,
      ...facts({ most: 1, embedded: true }),
      description: 'What keeps it from reading anything: no account has its customer reference. Null where nothing does.',
      resolve: async (row, _args, ctx) => {
        const warnings = await warningsOfToken(ctx, row);
        return warnings.length === 0 ? null : warnings;
      },
    }),
  }),
});
const PortalTokenPage = pageOf(PortalToken, 'PortalToken');

const DeletedPortalToken = builder.objectRef<{ id: string }>('DeletedPortalToken').implement({
  description: 'A portal token that was revoked.',
  fields: (t) => ({
    id: t.expose('id', { type: 'PortalTokenId' }),
    deleted: t.boolean({ resolve: () => true }),
  }),
});

builder.queryFields((t) => ({
  portalToken: t.prismaField({
    route: rest('GET /v1/portal-tokens/{id}', 'Read a portal token, without the token itself. Tokens that have ended can be read too.'),
    type: PortalToken,
    authScopes: { audience: 'api_key', scope: 'keys:read' },
    args: { id: t.arg({ type: 'PortalTokenId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => portalToken(ctx, id, query),
  }),
  portalTokens: t.field({
    route: rest(
      'GET /v1/portal-tokens',
      'List portal tokens, newest first. Tokens that have expired or were revoked are included; the tokens themselves are never shown.',
    ),
    type: PortalTokenPage,
    authScopes: { audience: 'api_key', scope: 'keys:read' },
    ...listed(t, portalTokens, { customerReference: t.arg.string({ required: false }) }),
  }),
}));

builder.mutationFields((t) => ({
  createPortalToken: t.field({
    route: rest(
      'POST /v1/portal-tokens',
      'Issue a portal token, with which a customer reads the data of one customer reference. The token is shown once, in this response, and ends by itself after `expires_in` seconds.',
      { status: 201, also: ['token'] },
    ),
    type: PortalToken,
    authScopes: { audience: 'api_key', scope: 'keys:write' },
    args: { input: t.arg({ type: CreatePortalTokenInput }) },
    ...facts({ errors: [] }),
    resolve: once((ctx, { input }) => createPortalToken(ctx, input), portalToken),
  }),
  revokePortalToken: t.field({
    route: rest('DELETE /v1/portal-tokens/{id}', 'Revoke a portal token at once, in every process. Revoking it again changes nothing.'),
    type: DeletedPortalToken,
    authScopes: { audience: 'api_key', scope: 'keys:write' },
    args: { id: t.arg({ type: 'PortalTokenId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: once((ctx, { id }) => revokePortalToken(ctx, id), portalToken),
  }),
}));
