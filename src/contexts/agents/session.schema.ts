// The GraphQL face of challenges and sessions.
import { NotFound } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { AgentSuspended, ChallengeInvalid, KeyRevoked, SignatureInvalid } from './errors.js';
import { KeyAlgorithm } from './key.schema.js';
import { isSessionConnected } from './liveness.js';
import { rest } from './rest.js';
import { AuthenticateInput } from './session.input.js';
import {
  authenticateAgent,
  createChallenge,
  mostSessions,
  type NewSession,
  type NewSessionChallenge,
  revokeSession,
  sessions,
} from './session.js';

const Challenge = builder.objectRef<NewSessionChallenge>('Challenge').implement({
  description: 'A text for an agent to sign. Good once, for a minute.',
  fields: (t) => ({
    challenge: t.exposeString('challenge'),
    expiresIn: t.exposeInt('expiresIn', { description: 'Seconds.' }),
    algorithm: t.field({ type: KeyAlgorithm, resolve: () => 'ed25519' as const }),
  }),
});

const Session = builder.objectRef<NewSession>('IssuedSession').implement({
  description: 'A session, told once: send its token as the bearer credential.',
  fields: (t) => ({
    sessionToken: t.exposeString('sessionToken', { extensions: { secret: true } }),
    expiresIn: t.exposeInt('expiresIn', { description: 'Seconds.' }),
    agentId: t.expose('agentId', { type: 'AgentId' }),
  }),
});

const AgentSession = builder.prismaObject('AgentSession', {
  description: 'A live session of an agent.',
  select: { id: true },
  fields: (t) => ({
    id: t.expose('id', { type: 'SessionId' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime' }),
    lastUsedAt: t.expose('lastUsedAt', { type: 'DateTime', nullable: true, description: 'To the minute.' }),
    ip: t.exposeString('ip', { description: 'Where it was opened from.' }),
    connected: t.boolean({
      description: 'True while it has the event channel open.',
      resolve: ({ id }, _args, ctx) => isSessionConnected(ctx, id),
    }),
  }),
});

const DeletedSession = builder.objectRef<{ id: string }>('DeletedSession').implement({
  fields: (t) => ({
    id: t.expose('id', { type: 'SessionId' }),
    deleted: t.boolean({ resolve: () => true }),
  }),
});

builder.queryFields((t) => ({
  agentSessions: t.prismaField({
    route: rest('GET /v1/agents/{id}/sessions', 'List the live sessions of an agent.', { name: 'listSessions' }),
    type: [AgentSession],
    description: `The newest ${mostSessions} live sessions of an agent.`,
    args: { id: t.arg({ type: 'AgentId' }) },
    ...facts({ errors: [NotFound], most: mostSessions }),
    resolve: (query, _root, { id }, ctx) => sessions(ctx, id, query),
  }),
}));

builder.mutationFields((t) => ({
  createChallenge: t.field({
    type: Challenge,
    skipTypeScopes: true,
    authScopes: { audience: 'public' },
    args: { id: t.arg({ type: 'AgentId' }) },
    ...facts({ rateClass: 'auth' }),
    resolve: (_root, { id }, ctx) => createChallenge(ctx, id),
  }),
  authenticateAgent: t.field({
    type: Session,
    skipTypeScopes: true,
    authScopes: { audience: 'public' },
    args: { id: t.arg({ type: 'AgentId' }), input: t.arg({ type: AuthenticateInput }) },
    ...facts({ rateClass: 'auth', errors: [ChallengeInvalid, SignatureInvalid, KeyRevoked, AgentSuspended] }),
    resolve: (_root, { id, input }, ctx) => authenticateAgent(ctx, { ...input, agentId: id }),
  }),
  revokeSession: t.field({
    route: rest('DELETE /v1/agents/{id}/sessions/{session_id}', 'End a session.', { names: { agentId: 'id', id: 'session_id' } }),
    type: DeletedSession,
    args: { agentId: t.arg({ type: 'AgentId' }), id: t.arg({ type: 'SessionId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: once(
      (ctx, { agentId, id }) => revokeSession(ctx, agentId, id),
      async (_ctx, reference) => ({ id: reference }),
    ),
  }),
}));
