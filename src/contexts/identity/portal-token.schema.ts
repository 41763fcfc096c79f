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
} from './portal-token.js';
import { rest } from './rest.js';

const PortalTokenStatusEnum = builder.enumType('PortalTokenStatus', {
  values: ['active', 'expired', 'revoked'] as const satisfies PortalTokenStatus[],
});

const PortalToken = builder.prismaObject('PortalToken', {
  description: 'A credential with which a customer reads the data of its own accounts.',
  fields: (t) => ({
    id: t.expose('id', { type: 'PortalTokenId' }),
    token: t.string({
      wire: { shown: false },
      nullable: true,
      description: 'The token itself: only in the answer that made it.',
      extensions: { secret: true },
      resolve: (row) => (row as Partial<IssuedPortalToken>).token ?? null,
    }),
    prefix: t.exposeString('prefix', { description: 'Its first fourteen characters, to know it by.' }),
    customerReference: t.exposeString('customerReference', { description: 'It reads the data of the accounts that have this reference.' }),
    scopes: t.exposeStringList('scopes', { description: 'usage:read, transfers:read, agents:read.' }),
    status: t.field({
      type: PortalTokenStatusEnum,
      resolve: (row, _args, ctx) => portalTokenStatus(row, ctx.platform.clock.now()),
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime' }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});
const PortalTokenPage = pageOf(PortalToken, 'PortalToken');

const DeletedPortalToken = builder.objectRef<{ id: string }>('DeletedPortalToken').implement({
  fields: (t) => ({
    id: t.expose('id', { type: 'PortalTokenId' }),
    deleted: t.boolean({ resolve: () => true }),
  }),
});

builder.queryFields((t) => ({
  portalToken: t.prismaField({
    route: rest('GET /v1/portal-tokens/{id}', 'Read a portal token, without the token itself.'),
    type: PortalToken,
    authScopes: { audience: 'api_key' },
    args: { id: t.arg({ type: 'PortalTokenId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => portalToken(ctx, id, query),
  }),
  portalTokens: t.field({
    route: rest('GET /v1/portal-tokens', 'List portal tokens, those that have ended too.'),
    type: PortalTokenPage,
    authScopes: { audience: 'api_key' },
    ...listed(t, portalTokens, { customerReference: t.arg.string({ required: false }) }),
  }),
}));

builder.mutationFields((t) => ({
  createPortalToken: t.field({
    route: rest(
      'POST /v1/portal-tokens',
      'Issue a portal token: its holder reads the data of one customer reference. The token is shown once.',
      { status: 201, also: ['token'] },
    ),
    type: PortalToken,
    authScopes: { audience: 'api_key' },
    args: { input: t.arg({ type: CreatePortalTokenInput }) },
    ...facts({ errors: [] }),
    resolve: once((ctx, { input }) => createPortalToken(ctx, input), portalToken),
  }),
  revokePortalToken: t.field({
    route: rest('DELETE /v1/portal-tokens/{id}', 'Revoke a portal token, at once.'),
    type: DeletedPortalToken,
    authScopes: { audience: 'api_key' },
    args: { id: t.arg({ type: 'PortalTokenId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: once((ctx, { id }) => revokePortalToken(ctx, id), portalToken),
  }),
}));
