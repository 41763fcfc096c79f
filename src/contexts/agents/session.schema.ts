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
  description: 'A text for an agent to sign. It can be used once, within a minute.',
  fields: (t) => ({
    challenge: t.exposeString('challenge', { description: 'The text to sign, as it is.' }),
    expiresIn: t.exposeInt('expiresIn', { description: 'Seconds until the challenge expires.' }),
    algorithm: t.field({ type: KeyAlgorithm, resolve: () => 'ed25519' as const }),
  }),
});

const Session = builder.objectRef<NewSession>('IssuedSession').implement({
  description: 'A new session of an agent, shown once.',
  fields: (t) => ({
    sessionToken: t.exposeString('sessionToken', {
      description: 'The session token, to send as the bearer credential; shown only in this response.',
      extensions: { secret: true },
    }),
    expiresIn: t.exposeInt('expiresIn', { description: 'Seconds until the session expires.' }),
    agentId: t.expose('agentId', { type: 'AgentId', description: 'The agent that signed in.' }),
  }),
});

const AgentSession = builder.prismaObject('AgentSession', {
  description: 'A live session of an agent.',
  select: { id: true },
  fields: (t) => ({
    id: t.expose('id', { type: 'SessionId' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When the session expires, by real time.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the session was last used, to the minute; null while it was not.',
    }),
    ip: t.exposeString('ip', { description: 'IP address that the session was opened from.' }),
    connected: t.boolean({
      description: 'True while the session has the event channel open.',
      resolve: ({ id }, _args, ctx) => isSessionConnected(ctx, id),
    }),
  }),
});

const DeletedSession = builder.objectRef<{ id: string }>('DeletedSession').implement({
  description: 'A session that was ended.',
  fields: (t) => ({
    id: t.expose('id', { type: 'SessionId' }),
    deleted: t.boolean({ resolve: () => true }),
  }),
});

builder.queryFields((t) => ({
  agentSessions: t.prismaField({
    route: rest('GET /v1/agents/{id}/sessions', 'List the live sessions of an agent, newest first, at most 200. An agent lists its own.', {
      name: 'listSessions',
    }),
    type: [AgentSession],
    authScopes: { audience: 'any', scope: 'agents:read' },
    args: { id: t.arg({ type: 'AgentId' }) },
    ...facts({ errors: [NotFound], most: mostSessions }),
    resolve: (query, _root, { id }, ctx) => sessions(ctx, id, query),
  }),
}));

builder.mutationFields((t) => ({
  createChallenge: t.field({
    type: Challenge,
    description:
      'Get a challenge for an agent to sign. It is valid once, for 60 seconds, and needs no credential; an unknown agent gets one of the same shape. It counts against the auth rate limit.',
    skipTypeScopes: true,
    authScopes: { audience: 'public' },
    args: { id: t.arg({ type: 'AgentId' }) },
    ...facts({ rateClass: 'auth' }),
    resolve: (_root, { id }, ctx) => createChallenge(ctx, id),
  }),
  authenticateAgent: t.field({
    type: Session,
    description:
      'Exchange a signed challenge for a session of one hour. Every attempt uses the challenge up. A wrong signature is 401 `signature_invalid`, a suspended agent 403 `agent_suspended`.',
    skipTypeScopes: true,
    authScopes: { audience: 'public' },
    args: { id: t.arg({ type: 'AgentId' }), input: t.arg({ type: AuthenticateInput }) },
    ...facts({ rateClass: 'auth', errors: [ChallengeInvalid, SignatureInvalid, KeyRevoked, AgentSuspended] }),
    resolve: (_root, { id, input }, ctx) => authenticateAgent(ctx, { ...input, agentId: id }),
  }),
  revokeSession: t.field({
    route: rest(
      'DELETE /v1/agents/{id}/sessions/{session_id}',
      'End a session of an agent at once. Its event stream is closed; a session that is not live is 404.',
      { names: { agentId: 'id', id: 'session_id' } },
    ),
    type: DeletedSession,
    authScopes: { audience: 'any', scope: 'agents:write' },
    args: { agentId: t.arg({ type: 'AgentId' }), id: t.arg({ type: 'SessionId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: once(
      (ctx, { agentId, id }) => revokeSession(ctx, agentId, id),
      async (_ctx, reference) => ({ id: reference }),
    ),
  }),
}));
