// The credentials of agents: agent tokens and Ed25519 sessions (SPEC.md "Authentication"). Looked up once by their hash, then
// kept until any process changes the agent, the session or the token: warm, a check costs no query.
import type { Agent, Workspace as WorkspaceRow } from '../../generated/prisma/client.js';
import { KeyRevoked, SessionRevoked } from '../../ledger/errors.js';
import { addSeconds } from '../../platform/clock.js';
import { type CredentialResolver, EnvironmentMismatch, type Identity, MalformedCredential } from '../../platform/credential.js';
import { sha256 } from '../../platform/crypto.js';
import type { CredentialKind, Environment, Platform } from '../../platform/ctx.js';
import { actingOf, admitAgent } from './agent.js';
import { InvalidAgentToken, InvalidSessionToken, SessionExpired } from './errors.js';

interface KnownCredential {
  identity: Identity;
  agent: Agent;
  /** Null: never. */
  expiresAt: Date | null;
  revoked: boolean;
  lastUsedAt: Date | null;
}

const tokenPattern = /^agent_[A-Za-z0-9_-]{1,200}$/;
const sessionPattern = /^sess_[A-Za-z0-9_-]{1,200}$/;
const usedEverySeconds = 60;

/** The long-lived token of an agent. Ends when it is rotated, and rests while the agent has no key after a revocation (Gap G-57). */
export const agentTokenCredential: CredentialResolver = {
  prefix: 'agent_',
  async resolve(platform, credential, environment) {
    if (!tokenPattern.test(credential)) throw new MalformedCredential('An agent token is agent_ and letters, digits, "-" or "_".');
    const hash = sha256(credential);
    const known = await platform.cache.get(`agent_token:${hash.toString('base64')}`, () => loadToken(platform, hash));
    if (known === null) throw new InvalidAgentToken('This agent token is not accepted: it is unknown or was rotated.');
    admit(known, environment);
    if (isOver(known, platform)) throw new InvalidAgentToken('This agent token was rotated: use the one that came after it.');
    refuseRevokedKey(known);
    return known.identity;
  },
};

/** A session of an hour, from a signed challenge. */
export const sessionCredential: CredentialResolver = {
  prefix: 'sess_',
  async resolve(platform, credential, environment) {
    if (!sessionPattern.test(credential)) throw new MalformedCredential('A session token is sess_ and letters, digits, "-" or "_".');
    const hash = sha256(credential);
    const known = await platform.cache.get(`session:${hash.toString('base64')}`, () => loadSession(platform, hash));
    if (known === null) throw new InvalidSessionToken('This session token is not accepted.');
    admit(known, environment);
    if (known.revoked) throw new SessionRevoked('This session has ended. Sign a new challenge to get another.', { headers: bearer });
    if (isOver(known, platform)) throw new SessionExpired('This session has expired. Sign a new challenge to get another.');
    refuseRevokedKey(known);
    noteUse(platform, known);
    return known.identity;
  },
};

const bearer = { 'WWW-Authenticate': 'Bearer error="invalid_token"' };

function admit({ identity, agent }: KnownCredential, environment: Environment): void {
  const own = identity.workspace.environment;
  if (own !== environment) throw new EnvironmentMismatch(own);
  admitAgent(agent);
}

function isOver({ expiresAt }: KnownCredential, { clock }: Platform): boolean {
  return expiresAt !== null && expiresAt <= clock.now();
}

function refuseRevokedKey({ agent }: KnownCredential): void {
  if (agent.keyRevokedAt === null) return;
  throw new KeyRevoked('The key of this agent was revoked. A new one has to be provisioned by an API key.', { headers: bearer });
}

type AgentOfSomewhere = Agent & { workspace: WorkspaceRow };
const withAgent = { agent: { include: { workspace: true } } } as const;

async function loadToken({ database }: Platform, hash: Buffer<ArrayBuffer>) {
  const row = await database.unscoped.agentToken.findUnique({ where: { hash }, include: withAgent });
  if (row === null) return { value: null, tags: [] };
  const { id, expiresAt, agent } = row;
  const value: KnownCredential = { identity: identityOf(agent, 'agent_token', id), agent, expiresAt, revoked: false, lastUsedAt: null };
  return { value, tags: [`agent_token:${id}`, `agent:${agent.id}`, `workspace:${agent.workspaceId}`] };
}

async function loadSession({ database }: Platform, hash: Buffer<ArrayBuffer>) {
  const row = await database.unscoped.agentSession.findUnique({ where: { hash }, include: withAgent });
  if (row === null) return { value: null, tags: [] };
  const { id, expiresAt, revokedAt, lastUsedAt, agent } = row;
  const identity = identityOf(agent, 'session', id);
  const value: KnownCredential = { identity, agent, expiresAt, revoked: revokedAt !== null, lastUsedAt };
  return { value, tags: [`session:${id}`, `agent:${agent.id}`, `workspace:${agent.workspaceId}`] };
}

function identityOf(agent: AgentOfSomewhere, kind: CredentialKind, id: string): Identity {
  const { workspace } = agent;
  return {
    actor: { type: 'agent', id: agent.id, name: agent.name, scopes: [], credential: { kind, id }, agent: actingOf(agent) },
    workspace: {
      id: workspace.id,
      tenantId: workspace.tenantId,
      environment: workspace.environment,
      clockOffsetMs: Number(workspace.clockOffsetMs),
    },
  };
}

/** Writes a session's `last_used_at` at most once a minute, beside the request: nobody waits for it and no request fails with it. */
function noteUse({ database, clock, log }: Platform, known: KnownCredential): void {
  const at = clock.now();
  const before = addSeconds(at, -usedEverySeconds);
  if (known.lastUsedAt !== null && known.lastUsedAt > before) return;
  known.lastUsedAt = at;
  const { id } = known.identity.actor.credential;
  database.unscoped.agentSession
    .updateMany({ where: { id, OR: [{ lastUsedAt: null }, { lastUsedAt: { lte: before } }] }, data: { lastUsedAt: at } })
    .catch((error: unknown) => log.warn({ err: error, sessionId: id }, 'the last use of a session was not written'));
}
