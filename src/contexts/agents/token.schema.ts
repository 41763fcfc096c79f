// The GraphQL face of agents' tokens: how they are made anew, listed and revoked.
import { z } from 'zod';
import { ApiKeyRequired, NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { SessionCredential } from './errors.js';
import { rest } from './rest.js';
import {
  agentTokenStatus,
  agentTokenStatuses,
  mostTokens,
  type RotatedToken,
  revokeToken,
  rotatedToken,
  rotateToken,
  tokens,
} from './token.js';

const AgentTokenStatusEnum = builder.enumType('AgentTokenStatus', { values: agentTokenStatuses });

export const tokenWarning = 'Keep this token: it is shown once. Whoever has it acts as the agent.';

const AgentToken = builder.prismaObject('AgentToken', {
  description: 'A long-lived credential of an agent, without its text.',
  select: { id: true },
  fields: (t) => ({
    id: t.expose('id', { type: 'AgentTokenId' }),
    status: t.field({
      wire: { after: 'expiresAt' },
      type: AgentTokenStatusEnum,
      select: { revokedAt: true, expiresAt: true },
      resolve: (row, _args, ctx) => agentTokenStatus(row, ctx.platform.clock.now()),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    createdBy: t.exposeString('createdBy', { nullable: true, description: 'The API key that made it, or the agent.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ends, of one that was rotated or revoked.',
    }),
    lastUsedAt: t.expose('lastUsedAt', { wire: { after: 'createdBy' }, type: 'DateTime', nullable: true, description: 'To the minute.' }),
  }),
});

const RotatedTokenType = builder.objectRef<RotatedToken>('RotatedAgentToken').implement({
  description: 'A new token, and when the one before it ends.',
  fields: (t) => ({
    token: t.exposeString('token', { nullable: true, extensions: { secret: true } }),
    previousExpiresAt: t.expose('previousExpiresAt', { type: 'DateTime', nullable: true }),
    warning: t.string({ resolve: () => tokenWarning }),
  }),
});

const DeletedAgentToken = builder.objectRef<{ id: string }>('DeletedAgentToken').implement({
  fields: (t) => ({
    id: t.expose('id', { type: 'AgentTokenId' }),
    deleted: t.boolean({ resolve: () => true }),
  }),
});

const RotateTokenInput = builder.inputType('RotateAgentTokenInput', {
  fields: (t) => ({
    overlapSeconds: t.int({
      required: false,
      description: 'How long the token before it still works; 0 by default.',
      validate: z.int().min(0).max(86_400),
    }),
  }),
});

builder.queryFields((t) => ({
  agentTokens: t.prismaField({
    route: rest('GET /v1/agents/{id}/tokens', 'List the tokens of an agent, without their text.'),
    type: [AgentToken],
    description: `The newest ${mostTokens} tokens of an agent.`,
    args: { id: t.arg({ type: 'AgentId' }) },
    ...facts({ errors: [NotFound], most: mostTokens }),
    resolve: (query, _root, { id }, ctx) => tokens(ctx, id, query),
  }),
}));

builder.mutationFields((t) => ({
  rotateAgentToken: t.field({
    route: rest('POST /v1/agents/{id}/token/rotate', 'Give an agent a new token.'),
    type: RotatedTokenType,
    args: { id: t.arg({ type: 'AgentId' }), input: t.arg({ type: RotateTokenInput }) },
    ...facts({ errors: [ApiKeyRequired, SessionCredential, NotFound, StateConflict] }),
    resolve: once((ctx, { id, input }) => rotateToken(ctx, id, input.overlapSeconds ?? 0), rotatedToken),
  }),
  revokeAgentToken: t.field({
    route: rest('DELETE /v1/agents/{id}/tokens/{token_id}', 'Revoke a token of an agent: it is refused at once.', {
      names: { agentId: 'id', id: 'token_id' },
    }),
    type: DeletedAgentToken,
    authScopes: { audience: 'api_key' },
    args: { agentId: t.arg({ type: 'AgentId' }), id: t.arg({ type: 'AgentTokenId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: once(
      (ctx, { agentId, id }) => revokeToken(ctx, agentId, id),
      async (_ctx, reference) => ({ id: reference }),
    ),
  }),
}));
