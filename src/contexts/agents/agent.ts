// Agents: what they are, who sees them, and the life they have (CONTRACT.md 5). A frozen one reads but does not spend, a
// suspended one is let in nowhere, a revoked one never again.

import type { Agent, AgentStatus, Prisma } from '../../generated/prisma/client.js';
import { sha256 } from '../../platform/crypto.js';
import type { ActingAgent, Ctx, Environment, Platform } from '../../platform/ctx.js';
import { Forbidden, NotFound, StateConflict } from '../../platform/errors.js';
import { stopRunning } from '../../platform/freeze.js';
import { transact } from '../../platform/idempotency.js';
import { type Lifecycle, wrongStatus } from '../../platform/lifecycle.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../platform/postgres/row.js';
import { printId } from '../../platform/schema/id.js';
import { listOf } from '../../platform/schema/list.js';
import { Visibility } from '../../platform/visibility.js';
import { endEntries } from '../identity/directory.js';
import { findEntry } from '../identity/directory.sql.js';
import type { UpdateAgentInput } from './agent.input.js';
import { liveSince } from './connection.js';
import { AgentSuspended } from './errors.js';
import { readSkills, replaceSkills } from './skill-input.js';
import { keepingPrices } from './skill-price.js';

// Gap G-55: `unfreeze` takes a frozen agent, `activate` a suspended one; revoked is final and ends key, tokens and sessions.
/** Each step has its own way in: unfreezing a suspended agent does not let it in again. */
export const agentSteps = {
  freeze: { from: ['active'], to: 'frozen' },
  unfreeze: { from: ['frozen'], to: 'active' },
  suspend: { from: ['active', 'frozen'], to: 'suspended' },
  activate: { from: ['suspended'], to: 'active' },
  revoke: { from: ['active', 'frozen', 'suspended'], to: 'revoked' },
} as const satisfies Record<string, { from: readonly AgentStatus[]; to: AgentStatus }>;
export type AgentStep = keyof typeof agentSteps;

/** The statuses of an agent. Paths name it by its printed id. */
export const agentLifecycle: Lifecycle<AgentStatus> = {
  noun: 'agent',
  path: '/v1/agents/{id}',
  steps: {
    active: ['frozen', 'suspended', 'revoked'],
    frozen: ['active', 'suspended', 'revoked'],
    suspended: ['active', 'revoked'],
    revoked: [],
  },
  requests: Object.entries(agentSteps).map(([rel, { from, to }]) => ({
    rel,
    from,
    to,
    actor: 'api_key',
    method: 'POST',
    path: `/${rel}`,
  })),
};

/** The 409 for a change of an agent that is revoked. */
export function agentRevoked({ id, status }: Pick<Agent, 'id' | 'status'>): StateConflict {
  return wrongStatus(agentLifecycle, printId('agent', id), status, agentSteps.revoke.from, 'The agent is revoked, which is final.');
}

/** The 409 for what takes an agent that may sign in, of one whose last key was revoked. */
export function lastKeyRevoked(id: string): StateConflict {
  return new StateConflict('The last key of this agent was revoked: provision a new one.', 'revoked', ['active'], {
    next_actions: [{ rel: 'provision', actor: 'api_key', method: 'POST', path: `/v1/agents/${printId('agent', id)}/auth-keys` }],
  });
}

/** Takes a step of the agent's life. Revoking ends its key, its tokens and its sessions. 409 `state_conflict` from elsewhere. */
export async function stepAgent(ctx: Ctx, id: string, step: AgentStep, reason: string | null): Promise<Agent> {
  const changed = await transact(ctx, (tx) => stepAgentWithin(ctx, tx, id, step, reason));
  ctx.platform.cache.drop(`agent:${id}`);
  return changed;
}

/** The same in the transaction of whoever has a reason. The cache tag `agent:<id>` is dropped after its commit. */
export async function stepAgentWithin(ctx: Ctx, tx: Tx, id: string, step: AgentStep, reason: string | null): Promise<Agent> {
  const { from, to } = agentSteps[step];
  const { status } = await lockRow(tx.agent, id);
  if (!(from as readonly AgentStatus[]).includes(status)) {
    const message = `The agent is ${status}; ${step} takes one that is ${from.join(' or ')}.`;
    // It is there already: no request would help.
    if (status === to) throw new StateConflict(message, status, from, { terminal: true });
    throw wrongStatus(agentLifecycle, printId('agent', id), status, from, message);
  }
  if (step === 'revoke') await endCredentials(ctx, tx, id);
  if (to !== 'active') await stopRunning(ctx, tx, { kind: 'agent', id, reason: `agent_${to}` });
  return tx.agent.update({ where: rowKey(ctx, id), data: { status: to, statusReason: reason, updatedAt: ctx.clock.now() } });
}

async function endCredentials(ctx: Ctx, tx: Tx, agentId: string): Promise<void> {
  const at = ctx.platform.clock.now();
  await tx.agentKey.updateMany({ where: { agentId, status: 'active' }, data: { status: 'revoked', revokedAt: at } });
  await revokeTokens(tx, agentId, at);
  await endSessions(ctx, tx, agentId);
}

/** Lets the tokens of an agent end at `until`, unless they end before. */
export function endTokens(tx: Tx, agentId: string, until: Date): Promise<void> {
  return endTokensWith(tx, agentId, until, {});
}

/** Revokes the live tokens of an agent. */
export function revokeTokens(tx: Tx, agentId: string, at: Date): Promise<void> {
  return endTokensWith(tx, agentId, at, { revokedAt: at });
}

async function endTokensWith(tx: Tx, agentId: string, until: Date, more: { revokedAt?: Date }): Promise<void> {
  const ended = await tx.agentToken.updateManyAndReturn({
    where: { agentId, OR: [{ expiresAt: null }, { expiresAt: { gt: until } }] },
    data: { expiresAt: until, ...more },
    select: { hash: true },
  });
  await endEntries(
    tx,
    ended.map(({ hash }) => hash),
    until,
  );
}

/** Revokes the live sessions of an agent; how many there were. Comes after the change of its key, whose row serializes logins. */
export async function endSessions(ctx: Ctx, tx: Tx, agentId: string): Promise<number> {
  const at = ctx.platform.clock.now();
  const { count } = await tx.agentSession.updateMany({
    where: { agentId, revokedAt: null, expiresAt: { gt: at } },
    data: { revokedAt: at },
  });
  return count;
}

// Gap G-56: An agent may change itself, except its tier (403).
/** Changes an agent. A revoked one stays as it is: 409. */
export async function updateAgent(ctx: Ctx, input: UpdateAgentInput & { id: string }): Promise<Agent> {
  const { id, name, description, kyaTier, skills, metadata } = input;
  canSeeAgent(ctx, id);
  if (kyaTier != null && ctx.actor.type === 'agent')
    throw new Forbidden('An agent may not set its own tier: ask the company that runs you.');
  const read = skills == null ? null : await readSkills(ctx, skills);
  const changed = await transact(ctx, async (tx) => {
    const { status } = await lockRow(tx.agent, id);
    if (status === 'revoked') throw agentRevoked({ id, status });
    if (read !== null) await keepingPrices(ctx, tx, id, () => replaceSkills(ctx, tx, id, read));
    return tx.agent.update({
      where: rowKey(ctx, id),
      data: {
        ...(name != null && { name }),
        ...(description !== undefined && { description }),
        ...(kyaTier != null && { kyaTier }),
        ...(metadata != null && { metadata: metadata as Prisma.InputJsonObject }),
        updatedAt: ctx.clock.now(),
      },
    });
  });
  ctx.platform.cache.drop(`agent:${id}`);
  return changed;
}

/** An agent sees itself alone (see G-29): another one's id is 404, as if it did not exist. */
export const visibleAgents = new Visibility<Prisma.AgentWhereInput>({
  scope: 'agents:read',
  agent: ({ id }) => ({ id }),
  portal: { scope: 'agents:read', where: ({ accountIds }) => ({ parentAccountId: { in: [...accountIds] } }) },
});

/** True for who may name every agent, and for the agent itself. Asks nothing of the database, so of a portal token it says no. */
function mayName(ctx: Ctx, id: string): boolean {
  return ctx.actor.customer === undefined && visibleAgents.reaches(ctx, { id });
}

/** 404 for an agent that the actor may not name, as `mayName` says. */
export function canSeeAgent(ctx: Ctx, id: string): void {
  if (!mayName(ctx, id)) throw new NotFound();
}

/** The agent of something that is not shown with the agent itself, or 404: its limits, its budgets, what it did. */
export async function namedAgent(ctx: Ctx, id: string): Promise<Agent> {
  const found = await ctx.db.agent.findFirst({ where: { AND: [{ id }, visibleAgents.reach(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

/** The agent, or 404. `query` is the caller's selection. */
export async function agent(ctx: Ctx, id: string, query: object = {}): Promise<Agent> {
  const found = await ctx.db.agent.findFirst({ ...query, where: { AND: [{ id }, visibleAgents.where(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

/** Agents, newest first; an agent's list holds itself. */
export const agents = listOf(
  'agent',
  { visible: visibleAgents },
  {
    connected: (connected: boolean, { platform }) => ({
      connections: { [connected ? 'some' : 'none']: { lastHeartbeatAt: { gt: liveSince(platform) } } },
    }),
  },
);

/** What a spend needs of the agent that an API key acts for (`agent_id`), kept in the process. Null for one that the actor may not name. */
export async function actingAgent(ctx: Ctx, id: string): Promise<ActingAgent | null> {
  if (!mayName(ctx, id)) return null;
  return ctx.platform.cache.get(`acting:${ctx.workspace.id}:${id}`, async () => {
    const found = await ctx.db.agent.findFirst({ where: { id } });
    return { value: found && actingOf(found), tags: [`agent:${id}`] };
  });
}

/** What is kept of an agent with a credential. */
export function actingOf({ id, name, status, kyaTier, parentAccountId }: Agent): ActingAgent {
  return { id, name, status, kyaTier, parentAccountId };
}

/** Under what the directory knows an agent: SHA-256 of its id as it is printed. */
export function agentHash(id: string): Buffer<ArrayBuffer> {
  return sha256(printId('agent', id));
}

/** Where an agent is, in the listener's environment, or null: for operations without a credential. One statement in its cell either way. */
export async function placeOfAgent(
  { cells }: Platform,
  id: string,
  environment: Environment,
): Promise<Pick<Ctx, 'platform' | 'workspace'> | null> {
  const hash = agentHash(id);
  const platform = cells.only ?? (await cells.find({ hash }));
  const entry = await findEntry(platform.database.pool, 'agent', hash);
  return entry?.workspace.environment === environment ? { platform, workspace: entry.workspace } : null;
}

/** 403 `agent_suspended` for an agent that is let in nowhere. */
export function admitAgent({ id, status }: Pick<Agent, 'id' | 'status'>): void {
  if (status === 'suspended') {
    throw new AgentSuspended('This agent is suspended: an API key can activate it.', {
      details: {
        next_actions: [{ rel: 'activate', actor: 'api_key', method: 'POST', path: `/v1/agents/${printId('agent', id)}/activate` }],
      },
    });
  }
  if (status === 'revoked') throw new AgentSuspended('This agent was revoked, which is final.', { details: { terminal: true } });
}
