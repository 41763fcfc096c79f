// The GraphQL face of agents: their life, their enrolment and their token.

import { AgentStatus } from '../../generated/prisma/enums.js';
import { Forbidden, NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts, listed, nestedPageArgs, openToPortal, pageOf } from '../../platform/schema/builder.js';
import { nestedPage } from '../../platform/schema/nested-page.js';
import { byId, rowsOf } from '../../platform/schema/relation.js';
import { visibleRelation } from '../../platform/schema/visible-relation.js';
import type { Scope } from '../../platform/scope.js';
import { visibleAccounts } from '../accounts/account.js';
import { Account } from '../accounts/account.schema.js';
import { visibleWallets } from '../accounts/wallet.js';
import { WalletPage } from '../accounts/wallet.schema.js';
import { AgentStepInput, CreateAgentInput, kyaTier, UpdateAgentInput } from './agent.input.js';
import { type AgentStep, agent, agents, namedAgent, stepAgent, updateAgent, visibleAgents } from './agent.js';
import { liveSince } from './connection.js';
import { createAgent, type Enrolment, enrolment } from './enrolment.js';
import { IssuedAuthKey } from './key.schema.js';
import { rest } from './rest.js';
import { tokenWarning } from './token.schema.js';

const AgentStatusEnum = builder.enumType(AgentStatus, {
  name: 'AgentStatus',
  description:
    '`active`: acts and spends. `frozen`: reads, does not spend. `suspended`: every credential is refused. `revoked`: the same, for good.',
});

export const Agent = builder.prismaObject('Agent', {
  ...byId(rowsOf('agent', visibleAgents)),
  description: 'A program that acts and pays for an account. Frozen: reads, does not spend. Suspended: is let in nowhere. Revoked: final.',
  select: { id: true, parentAccountId: true },
  fields: (t) => ({
    id: t.expose('id', { type: 'AgentId' }),
    parentAccountId: t.expose('parentAccountId', { type: 'AccountId', description: 'The account that the agent acts and pays for.' }),
    parentAccount: t.field({
      type: Account,
      nullable: true,
      description: 'The account that it acts for; null for those who may not read it.',
      ...visibleRelation('parentAccount', visibleAccounts),
    }),
    name: t.exposeString('name', { description: 'Name of the agent.' }),
    description: t.exposeString('description', { nullable: true, description: 'What the agent does; null where nothing was said.' }),
    status: t.expose('status', { type: AgentStatusEnum }),
    statusReason: t.exposeString('statusReason', {
      wire: { shown: false },
      nullable: true,
      description: 'Why the agent was last frozen, suspended, activated or revoked; null where no reason was given.',
    }),
    kyaTier: t.exposeInt('kyaTier', {
      description: "Tier of the agent's identity check, 0 to 3; it selects the caps of `/v1/kya-limits`.",
    }),
    publicKey: t.string({
      nullable: true,
      description: 'The active Ed25519 public key, base64 of 32 bytes; null while the agent has none.',
      select: { keys: { where: { status: 'active' }, take: 1 } },
      resolve: ({ keys: [key] }) => (key === undefined ? null : Buffer.from(key.publicKey).toString('base64')),
    }),
    // Gap G-57: `connected` is true while a stream of the agent, in any process, has a recent heartbeat; agents can be filtered by it.
    connected: t.boolean({
      description: 'True while the agent has its event channel open.',
      select: (_args, { platform }) => ({
        connections: { where: { lastHeartbeatAt: { gt: liveSince(platform) } }, take: 1, select: { id: true } },
      }),
      resolve: ({ connections }) => connections.length > 0,
    }),
    // Gap G-58: `default_wallet_id` is the agent's oldest wallet that is not closed.
    defaultWalletId: t.field({
      type: 'WalletId',
      nullable: true,
      description: "The agent's oldest wallet that is not closed; null while it has none.",
      select: { wallets: { where: { status: { not: 'closed' } }, orderBy: { id: 'asc' }, take: 1, select: { id: true } } },
      resolve: ({ wallets: [wallet] }) => wallet?.id ?? null,
    }),
    wallets: t.field({
      type: WalletPage,
      description: 'The wallets that it owns, newest first.',
      args: nestedPageArgs(t, 'WalletId'),
      extensions: { visible: true },
      resolve: nestedPage({ model: 'Wallet', parent: 'agentId', visible: visibleWallets }),
    }),
    metadata: t.expose('metadata', { type: 'JSONObject' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
const AgentPage = pageOf(Agent, 'Agent');

builder.prismaObjectFields(Account, (t) => ({
  agents: t.field({
    type: AgentPage,
    description: 'The agents that act for the account, newest first, as far as you may read them.',
    args: nestedPageArgs(t, 'AgentId'),
    extensions: { visible: true },
    resolve: nestedPage({ model: 'Agent', parent: 'parentAccountId', visible: visibleAgents }),
  }),
}));

const AgentCredentials = builder.objectRef<Pick<Enrolment, 'token'>>('AgentCredentials').implement({
  description: 'The bearer token of a new agent, shown once.',
  fields: (t) => ({
    token: t.exposeString('token', {
      nullable: true,
      description: 'The bearer token, shown only in this response; null in a replay.',
      extensions: { secret: true },
    }),
    warning: t.string({ description: 'A reminder that the token is not shown again.', resolve: () => tokenWarning }),
  }),
});

const EnrolmentType = builder.objectRef<Enrolment>('AgentEnrolment').implement({
  description: 'A new agent with its credentials.',
  fields: (t) => ({
    agent: t.field({ type: Agent, description: 'The new agent.', resolve: (made) => made.agent }),
    credentials: t.field({ type: AgentCredentials, description: 'Its bearer token, shown once.', resolve: (made) => made }),
    authKey: t.field({
      type: IssuedAuthKey,
      nullable: true,
      description: 'Its key pair, where `generate_keypair` was true; else null.',
      resolve: (made) => made.authKey,
    }),
  }),
});

builder.queryFields((t) => ({
  agent: t.prismaField({
    route: rest('GET /v1/agents/{id}', 'Read an agent with its status and skills. An agent reads itself; any other is 404 to it.'),
    type: Agent,
    ...openToPortal('agents:read'),
    args: { id: t.arg({ type: 'AgentId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => agent(ctx, id, query),
  }),
  agents: t.field({
    route: rest(
      'GET /v1/agents',
      "List agents, newest first. Filter by status, account, tier or connection; an agent's own list holds only itself.",
    ),
    type: AgentPage,
    ...openToPortal('agents:read'),
    ...listed(t, agents, {
      status: t.arg({ type: AgentStatusEnum, required: false }),
      parentAccountId: t.arg({ type: 'AccountId', required: false }),
      kyaTier: t.arg.int({ required: false, validate: kyaTier }),
      connected: t.arg.boolean({ required: false, description: 'True: only agents whose event channel is open. False: only the others.' }),
    }),
  }),
}));

builder.mutationFields((t) => {
  // Plain fields: what a selection needs beyond the row is then loaded after the change.
  const step = (verb: AgentStep, scope: Scope, summary: string) =>
    t.field({
      route: rest(`POST /v1/agents/{id}/${verb}`, summary),
      type: Agent,
      authScopes: { audience: 'operator', scope },
      args: { id: t.arg({ type: 'AgentId' }), input: t.arg({ type: AgentStepInput }) },
      ...facts({ errors: [NotFound, StateConflict] }),
      resolve: once((ctx, { id, input }) => stepAgent(ctx, id, verb, input.reason ?? null), namedAgent),
    });
  return {
    createAgent: t.field({
      type: EnrolmentType,
      description:
        'Create an agent of an account. Its token, and its private key where `generate_keypair` is true, are shown once; a replay leaves them out. The account must be active, else 409.',
      authScopes: { audience: 'api_key', scope: 'agents:write' },
      args: { input: t.arg({ type: CreateAgentInput }) },
      ...facts({ errors: [NotFound, StateConflict] }),
      resolve: once((ctx, { input }) => createAgent(ctx, input), enrolment),
    }),
    updateAgent: t.field({
      route: rest(
        'PATCH /v1/agents/{id}',
        'Change the name, description, skills or metadata of an agent. An agent may change itself but not its tier, which is 403; a revoked agent is 409.',
      ),
      type: Agent,
      authScopes: { audience: 'any', scope: 'agents:write' },
      args: { id: t.arg({ type: 'AgentId' }), input: t.arg({ type: UpdateAgentInput }) },
      ...facts({ errors: [Forbidden, NotFound, StateConflict] }),
      resolve: once((ctx, { id, input }) => updateAgent(ctx, { ...input, id }), agent),
    }),
    freezeAgent: step(
      'freeze',
      'freeze:write',
      'Freeze an agent, which stops its spending. It still reads, and streams that it pays are paused. An agent that is not active is 409 `state_conflict`.',
    ),
    unfreezeAgent: step(
      'unfreeze',
      'policies:write',
      'Let a frozen agent spend again. Streams that the freeze paused stay paused until they are resumed. An agent that is not frozen is 409 `state_conflict`.',
    ),
    suspendAgent: step(
      'suspend',
      'freeze:write',
      'Suspend an agent, whose credentials are then all refused. Streams that it pays are paused; `activate` lets it in again.',
    ),
    activateAgent: step(
      'activate',
      'policies:write',
      'Activate a suspended agent, whose credentials are then accepted again. An agent that is not suspended is 409 `state_conflict`.',
    ),
    revokeAgent: step(
      'revoke',
      'agents:write',
      'Revoke an agent for good, with its key, tokens and sessions. Its mandates are revoked, its MPP sessions closed, its streams cancelled and its open tasks ended, soon after.',
    ),
  };
});
