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

const AgentTokenStatusEnum = builder.enumType('AgentTokenStatus', {
  description: '`active`: accepted. `rotated`: replaced by a newer token. `revoked`: ended for good.',
  values: agentTokenStatuses,
});

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
    createdBy: t.exposeString('createdBy', { nullable: true, description: 'The API key or the agent that created the token.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When a rotated or revoked token ends; null while it is in use.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      wire: { after: 'createdBy' },
      type: 'DateTime',
      nullable: true,
      description: 'When the token was last used, to the minute; null while it was not.',
    }),
  }),
});

const RotatedTokenType = builder.objectRef<RotatedToken>('RotatedAgentToken').implement({
  description: 'A new token, and when the one before it ends.',
  fields: (t) => ({
    token: t.exposeString('token', {
      nullable: true,
      description: 'The new token, shown only in this response; null in a replay.',
      extensions: { secret: true },
    }),
    previousExpiresAt: t.expose('previousExpiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the token before ends; null where there was none.',
    }),
    warning: t.string({ description: 'A reminder that the token is not shown again.', resolve: () => tokenWarning }),
  }),
});

const DeletedAgentToken = builder.objectRef<{ id: string }>('DeletedAgentToken').implement({
  description: 'A token of an agent that was revoked.',
  fields: (t) => ({
    id: t.expose('id', { type: 'AgentTokenId' }),
    deleted: t.boolean({ resolve: () => true }),
  }),
});

const RotateTokenInput = builder.inputType('RotateAgentTokenInput', {
  description: 'How the token of an agent is replaced.',
  fields: (t) => ({
    overlapSeconds: t.int({
      required: false,
      description: 'Seconds for which the previous token still works, at most 86400; 0 by default.',
      validate: z.int().min(0).max(86_400),
    }),
  }),
});

builder.queryFields((t) => ({
  agentTokens: t.prismaField({
    route: rest(
      'GET /v1/agents/{id}/tokens',
      'List the tokens of an agent, newest first, at most 200. The tokens themselves are never shown; those that ended are listed for a day.',
    ),
    type: [AgentToken],
    authScopes: { audience: 'any', scope: 'agents:read' },
    args: { id: t.arg({ type: 'AgentId' }) },
    ...facts({ errors: [NotFound], most: mostTokens }),
    resolve: (query, _root, { id }, ctx) => tokens(ctx, id, query),
  }),
}));

builder.mutationFields((t) => ({
  rotateAgentToken: t.field({
    route: rest(
      'POST /v1/agents/{id}/token/rotate',
      "Give an agent a new bearer token, shown once. The previous one ends at once, or after `overlap_seconds`. Needs an API key or the agent's own token: a session is 403.",
    ),
    type: RotatedTokenType,
    authScopes: { audience: 'any', scope: 'agents:write' },
    args: { id: t.arg({ type: 'AgentId' }), input: t.arg({ type: RotateTokenInput }) },
    ...facts({ errors: [ApiKeyRequired, SessionCredential, NotFound, StateConflict] }),
    resolve: once((ctx, { id, input }) => rotateToken(ctx, id, input.overlapSeconds ?? 0), rotatedToken),
  }),
  revokeAgentToken: t.field({
    route: rest(
      'DELETE /v1/agents/{id}/tokens/{token_id}',
      'Revoke a token of an agent, which is refused at once in every process. Revoking it again changes nothing.',
      {
        names: { agentId: 'id', id: 'token_id' },
      },
    ),
    type: DeletedAgentToken,
    authScopes: { audience: 'api_key', scope: 'agents:write' },
    args: { agentId: t.arg({ type: 'AgentId' }), id: t.arg({ type: 'AgentTokenId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: once(
      (ctx, { agentId, id }) => revokeToken(ctx, agentId, id),
      async (_ctx, reference) => ({ id: reference }),
    ),
  }),
}));
