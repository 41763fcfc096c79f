// Agents: what they are, who sees them, and the life they have (CONTRACT.md 5). A frozen one reads but does not spend, a
// suspended one is let in nowhere, a revoked one never again.
import type { Agent, AgentStatus, Prisma } from '../../generated/prisma/client.js';
import { AgentSuspended } from '../../ledger/errors.js';
import type { ActingAgent, Ctx, Environment, Platform, Workspace } from '../../platform/ctx.js';
import type { Tx } from '../../platform/database.js';
import { Forbidden, NotFound, StateConflict } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import type { Lifecycle } from '../../platform/lifecycle.js';
import { createdBetween, listPage, type Page, type PageInput } from '../../platform/page.js';
import { liveSince } from './connection.js';

/** The statuses of an agent. */
export const agentLifecycle: Lifecycle<AgentStatus> = {
  active: ['frozen', 'suspended', 'revoked'],
  frozen: ['active', 'suspended', 'revoked'],
  suspended: ['active', 'revoked'],
  revoked: [],
};

/** Each step has its own way in (Gap G-48): unfreezing a suspended agent does not let it in again. */
export const agentSteps = {
  freeze: { from: ['active'], to: 'frozen' },
  unfreeze: { from: ['frozen'], to: 'active' },
  suspend: { from: ['active', 'frozen'], to: 'suspended' },
  activate: { from: ['suspended'], to: 'active' },
  revoke: { from: ['active', 'frozen', 'suspended'], to: 'revoked' },
} as const satisfies Record<string, { from: readonly AgentStatus[]; to: AgentStatus }>;
export type AgentStep = keyof typeof agentSteps;

/** Takes a step of the agent's life. Revoking ends its key, its tokens and its sessions. 409 `state_conflict` from elsewhere. */
export async function stepAgent(ctx: Ctx, id: string, step: AgentStep, reason: string | null): Promise<Agent> {
  const { from, to } = agentSteps[step];
  const changed = await transact(ctx, async (tx) => {
    const { status } = await lockAgent(tx, id);
    if (!(from as readonly AgentStatus[]).includes(status)) {
      throw new StateConflict(`The agent is ${status}; ${step} takes one that is ${from.join(' or ')}.`, status, from);
    }
    if (step === 'revoke') await endCredentials(ctx, tx, id);
    return tx.agent.update({ where: { id }, data: { status: to, statusReason: reason, updatedAt: ctx.clock.now() } });
  });
  ctx.platform.cache.drop(`agent:${id}`);
  return changed;
}

async function endCredentials(ctx: Ctx, tx: Tx, agentId: string): Promise<void> {
  const at = ctx.platform.clock.now();
  await tx.agentKey.updateMany({ where: { agentId, status: 'active' }, data: { status: 'revoked', revokedAt: at } });
  await tx.agentToken.updateMany({ where: { agentId, OR: [{ expiresAt: null }, { expiresAt: { gt: at } }] }, data: { expiresAt: at } });
  await endSessions(ctx, tx, agentId);
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

export interface UpdateAgentInput {
  id: string;
  name?: string | null | undefined;
  description?: string | null | undefined;
  kyaTier?: number | null | undefined;
  skills?: readonly unknown[] | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
}

/** Changes an agent. An agent changes itself, but for its tier: 403 (Gap G-49). A revoked one stays as it is: 409. */
export async function updateAgent(ctx: Ctx, input: UpdateAgentInput): Promise<Agent> {
  const { id, name, description, kyaTier, skills, metadata } = input;
  seesAgent(ctx, id);
  if (kyaTier != null && ctx.actor.type === 'agent')
    throw new Forbidden('An agent may not set its own tier: ask the company that runs you.');
  const changed = await transact(ctx, async (tx) => {
    const { status } = await lockAgent(tx, id);
    if (status === 'revoked') throw new StateConflict('The agent is revoked, which is final.', status, agentSteps.revoke.from);
    return tx.agent.update({
      where: { id },
      data: {
        ...(name != null && { name }),
        ...(description !== undefined && { description }),
        ...(kyaTier != null && { kyaTier }),
        ...(skills != null && { skills: skills as Prisma.InputJsonArray }),
        ...(metadata != null && { metadata: metadata as Prisma.InputJsonObject }),
        updatedAt: ctx.clock.now(),
      },
    });
  });
  ctx.platform.cache.drop(`agent:${id}`);
  return changed;
}

/** Takes the agent's row lock, so that changes of one agent and its credentials follow each other. 404 for an unknown one. */
export async function lockAgent(tx: Tx, id: string): Promise<Agent> {
  const { count } = await tx.agent.updateMany({ where: { id }, data: { id } });
  if (count === 0) throw new NotFound();
  return tx.agent.findFirstOrThrow({ where: { id } });
}

function isVisible({ actor }: Ctx, id: string): boolean {
  return actor.type !== 'agent' || actor.id === id;
}

/** Agents see themselves alone (Gap G-24): another one's id is 404, as if it did not exist. */
export function seesAgent(ctx: Ctx, id: string): void {
  if (!isVisible(ctx, id)) throw new NotFound();
}

/** The agent, or 404. `query` is the caller's selection. */
export async function agent(ctx: Ctx, id: string, query: object = {}): Promise<Agent> {
  seesAgent(ctx, id);
  const found = await ctx.db.agent.findFirst({ ...query, where: { id } });
  if (found === null) throw new NotFound();
  return found;
}

export interface AgentFilter extends PageInput {
  status?: AgentStatus | null | undefined;
  parentAccountId?: string | null | undefined;
  kyaTier?: number | null | undefined;
  connected?: boolean | null | undefined;
  since?: Date | null | undefined;
  until?: Date | null | undefined;
}

/** Agents, newest first; an agent's list holds itself. */
export function agents(ctx: Ctx, filter: AgentFilter, query: object = {}): Promise<Page<Agent>> {
  const where: Prisma.AgentWhereInput = {
    ...(ctx.actor.type === 'agent' && { id: ctx.actor.id }),
    ...(filter.status && { status: filter.status }),
    ...(filter.parentAccountId && { parentAccountId: filter.parentAccountId }),
    ...(filter.kyaTier != null && { kyaTier: filter.kyaTier }),
    ...(filter.connected != null && {
      connections: { [filter.connected ? 'some' : 'none']: { lastHeartbeatAt: { gt: liveSince(ctx.platform) } } },
    }),
    ...createdBetween(filter.since, filter.until),
  };
  return listPage(ctx.db.agent, where, filter, query);
}

/** What a spend needs of the agent that an API key acts for (`agent_id`), kept in the process. Null for one that the actor does not see. */
export async function actingAgent(ctx: Ctx, id: string): Promise<ActingAgent | null> {
  if (!isVisible(ctx, id)) return null;
  return ctx.platform.cache.get(`acting:${ctx.workspace.id}:${id}`, async () => {
    const found = await ctx.db.agent.findFirst({ where: { id } });
    return { value: found && actingOf(found), tags: [`agent:${id}`] };
  });
}

/** What is kept of an agent with a credential. */
export function actingOf({ id, name, status, kyaTier, parentAccountId }: Agent): ActingAgent {
  return { id, name, status, kyaTier, parentAccountId };
}

/** An agent as a public operation or a credential finds it. */
export interface FoundAgent {
  agent: Agent;
  workspace: Workspace;
}

/** The id of no workspace: where what belongs to nobody is looked for. */
export const nowhere = '00000000-0000-0000-0000-000000000000';

/**
 * The agent of any workspace in the listener's environment, or null: for operations without a credential. Asks the same
 * questions of the database whether there is one or not, so that the time of an answer does not tell.
 */
export async function findAgent({ database }: Platform, id: string, environment: Environment): Promise<FoundAgent | null> {
  const agent = await database.unscoped.agent.findFirst({ where: { id } });
  const workspace = await database.unscoped.workspace.findFirst({ where: { id: agent?.workspaceId ?? nowhere, environment } });
  if (agent === null || workspace === null) return null;
  return { agent, workspace: { ...workspace, clockOffsetMs: Number(workspace.clockOffsetMs) } };
}

/** 403 `agent_suspended` for an agent that is let in nowhere. */
export function admitAgent({ status }: Pick<Agent, 'status'>): void {
  if (status === 'suspended') throw new AgentSuspended('This agent is suspended: an API key can activate it.');
  if (status === 'revoked') throw new AgentSuspended('This agent was revoked, which is final.');
}
