// The credentials of agents: agent tokens and Ed25519 sessions (SPEC.md "Authentication"). Looked up once by their hash, then
// kept until any process changes the agent, the session or the token: warm, a check costs no query.
import type { Agent, AgentToken } from '../../generated/prisma/client.js';
import { markOf } from '../../platform/cell/mark.js';
import {
  type CredentialResolver,
  EnvironmentMismatch,
  type Identity,
  InvalidAgentToken,
  MalformedCredential,
} from '../../platform/credential.js';
import { sha256 } from '../../platform/crypto.js';
import type { Actor, Environment, Platform, Workspace } from '../../platform/ctx.js';
import type { Db } from '../../platform/postgres/database.js';
import { findCredential, type LoadedCredential, nothing, ownerIn } from '../identity/directory.js';
import type { DirectoryEntry } from '../identity/directory.sql.js';
import { noteUse, type Used } from '../identity/last-use.js';
import { actingOf, admitAgent } from './agent.js';
import { keyThumbprint } from './ed25519.js';
import { InvalidSessionToken, KeyRevoked, SessionExpired, SessionRevoked } from './errors.js';

interface KnownCredential extends Used {
  identity: Identity;
  agent: Agent;
  /** Null: never. */
  expiresAt: Date | null;
  revoked: boolean;
}

const tokenPattern = /^agent_[A-Za-z0-9_-]{1,200}$/;
const sessionPattern = /^sess_[A-Za-z0-9_-]{1,200}$/;

/** The long-lived token of an agent. Ends when it is rotated or revoked, and for good with the key of its agent (see G-64). */
export const agentTokenCredential: CredentialResolver = {
  prefix: 'agent_',
  ownerOf: ownerIn('agent_token'),
  async resolve(platform, credential, environment) {
    if (!tokenPattern.test(credential)) throw new MalformedCredential('An agent token is agent_ and letters, digits, "-" or "_".');
    const known = await findCredential(platform, 'agent_token', credential, loadToken);
    if (known === null) throw new InvalidAgentToken('This agent token is not accepted: it is unknown, or has ended.');
    admit(known, environment);
    refuseRevokedKey(known);
    if (known.revoked) throw new InvalidAgentToken('This agent token was revoked. An API key can make another: rotate it.');
    if (isOver(known, platform)) throw new InvalidAgentToken('This agent token was rotated: use the one that came after it.');
    noteUse(platform, 'agent_token', known);
    return known.identity;
  },
};

/** A session of an hour, from a signed challenge. */
export const sessionCredential: CredentialResolver = {
  prefix: 'sess_',
  trace: (credential) => markOf(credential, 'sess_') ?? { hash: sha256(credential) },
  ownerOf: ownerIn('session'),
  async resolve(platform, credential, environment) {
    if (!sessionPattern.test(credential)) throw new MalformedCredential('A session token is sess_ and letters, digits, "-" or "_".');
    const known = await findCredential(platform, 'session', credential, loadSession);
    if (known === null) throw new InvalidSessionToken('This session token is not accepted.');
    admit(known, environment);
    if (known.revoked) throw new SessionRevoked('This session has ended. Sign a new challenge to get another.', { headers: bearer });
    if (isOver(known, platform)) throw new SessionExpired('This session has expired. Sign a new challenge to get another.');
    refuseRevokedKey(known);
    noteUse(platform, 'agent_session', known);
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

async function loadToken(db: Db, { id, workspace }: DirectoryEntry): Promise<LoadedCredential<KnownCredential>> {
  const row = await db.agentToken.findFirst({ where: { id }, include: { agent: true } });
  return row === null ? nothing : knownOf(row, workspace, { kind: 'agent_token', id }, `agent_token:${id}`);
}

async function loadSession(db: Db, { id, workspace }: DirectoryEntry): Promise<LoadedCredential<KnownCredential>> {
  const row = await db.agentSession.findFirst({ where: { id }, include: { agent: true, key: { select: { publicKey: true } } } });
  return row === null
    ? nothing
    : knownOf(row, workspace, { kind: 'session', id, keyThumbprint: keyThumbprint(row.key.publicKey) }, `session:${id}`);
}

type CredentialRow = Pick<AgentToken, 'id' | 'expiresAt' | 'revokedAt' | 'lastUsedAt'> & { agent: Agent };

function knownOf(
  row: CredentialRow,
  workspace: Workspace,
  credential: Actor['credential'],
  tag: string,
): LoadedCredential<KnownCredential> {
  const { id, expiresAt, revokedAt, lastUsedAt, agent } = row;
  const identity = identityOf(agent, workspace, credential);
  const value = { identity, agent, expiresAt, revoked: revokedAt !== null, id, workspaceId: workspace.id, lastUsedAt };
  return { value, tags: [tag, ...tagsOf(agent)] };
}

function tagsOf({ id, workspaceId }: Agent): string[] {
  return [`agent:${id}`, `workspace:${workspaceId}`];
}

function identityOf(agent: Agent, workspace: Workspace, credential: Actor['credential']): Identity {
  const { id: agentId, name } = agent;
  return { actor: { type: 'agent', id: agentId, name, scopes: [], credential, agent: actingOf(agent) }, workspace };
}
