// The GraphQL face of agents: their life, their enrolment and their token.
import { AgentStatus } from '../../generated/prisma/enums.js';
import { Forbidden, NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts, listed, nestedPageArgs, openToPortal, pageOf } from '../../platform/schema/builder.js';
import { nestedPage } from '../../platform/schema/nested-page.js';
import { visibleRelation } from '../../platform/schema/visible-relation.js';
import { visibleAccounts } from '../accounts/account.js';
import { Account } from '../accounts/account.schema.js';
import { visibleWallets } from '../accounts/wallet.js';
import { WalletPage } from '../accounts/wallet.schema.js';
import { AgentStepInput, CreateAgentInput, kyaTier, UpdateAgentInput } from './agent.input.js';
import { type AgentStep, agent, agents, stepAgent, updateAgent, visibleAgents } from './agent.js';
import { liveSince } from './connection.js';
import { createAgent, type Enrolment, enrolment } from './enrolment.js';
import { IssuedAuthKey } from './key.schema.js';
import { rest } from './rest.js';
import { tokenWarning } from './token.schema.js';

const AgentStatusEnum = builder.enumType(AgentStatus, { name: 'AgentStatus' });

export const Agent = builder.prismaObject('Agent', {
  description: 'A program that acts and pays for an account. Frozen: reads, does not spend. Suspended: is let in nowhere. Revoked: final.',
  select: { id: true, parentAccountId: true },
  fields: (t) => ({
    id: t.expose('id', { type: 'AgentId' }),
    parentAccountId: t.expose('parentAccountId', { type: 'AccountId' }),
    parentAccount: t.field({
      type: Account,
      nullable: true,
      description: 'The account that it acts for; null for those who may not read it.',
      ...visibleRelation('parentAccount', visibleAccounts),
    }),
    name: t.exposeString('name'),
    description: t.exposeString('description', { nullable: true }),
    status: t.expose('status', { type: AgentStatusEnum }),
    statusReason: t.exposeString('statusReason', {
      wire: { shown: false },
      nullable: true,
      description: 'Why it was last frozen, suspended, activated or revoked.',
    }),
    kyaTier: t.exposeInt('kyaTier'),
    publicKey: t.string({
      nullable: true,
      description: 'The active Ed25519 key: base64 of the 32 raw bytes.',
      select: { keys: { where: { status: 'active' }, take: 1 } },
      resolve: ({ keys: [key] }) => (key === undefined ? null : Buffer.from(key.publicKey).toString('base64')),
    }),
    // Gap G-57
    connected: t.boolean({
      description: 'True while the agent has its event channel open.',
      select: (_args, { platform }) => ({
        connections: { where: { lastHeartbeatAt: { gt: liveSince(platform) } }, take: 1, select: { id: true } },
      }),
      resolve: ({ connections }) => connections.length > 0,
    }),
    // Gap G-58
    defaultWalletId: t.field({
      type: 'WalletId',
      nullable: true,
      description: 'Its oldest wallet that is not closed.',
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
  description: 'The bearer token of an agent, told once.',
  fields: (t) => ({
    token: t.exposeString('token', { nullable: true, extensions: { secret: true } }),
    warning: t.string({ resolve: () => tokenWarning }),
  }),
});

const EnrolmentType = builder.objectRef<Enrolment>('AgentEnrolment').implement({
  description: 'A new agent with its credentials.',
  fields: (t) => ({
    agent: t.field({ type: Agent, resolve: (made) => made.agent }),
    credentials: t.field({ type: AgentCredentials, resolve: (made) => made }),
    authKey: t.field({ type: IssuedAuthKey, nullable: true, description: 'With `generateKeypair`.', resolve: (made) => made.authKey }),
  }),
});

builder.queryFields((t) => ({
  agent: t.prismaField({
    route: rest('GET /v1/agents/{id}', 'Read an agent.'),
    type: Agent,
    ...openToPortal('agents:read'),
    args: { id: t.arg({ type: 'AgentId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => agent(ctx, id, query),
  }),
  agents: t.field({
    route: rest('GET /v1/agents', 'List agents.'),
    type: AgentPage,
    ...openToPortal('agents:read'),
    ...listed(t, agents, {
      status: t.arg({ type: AgentStatusEnum, required: false }),
      parentAccountId: t.arg({ type: 'AccountId', required: false }),
      kyaTier: t.arg.int({ required: false, validate: kyaTier }),
      connected: t.arg.boolean({ required: false, description: 'Has its event channel open, or has not.' }),
    }),
  }),
}));

builder.mutationFields((t) => {
  // Plain fields: what a selection needs beyond the row is then loaded after the change.
  const step = (verb: AgentStep, summary: string) =>
    t.field({
      route: rest(`POST /v1/agents/{id}/${verb}`, summary),
      type: Agent,
      authScopes: { audience: 'operator' },
      args: { id: t.arg({ type: 'AgentId' }), input: t.arg({ type: AgentStepInput }) },
      ...facts({ errors: [NotFound, StateConflict] }),
      resolve: once((ctx, { id, input }) => stepAgent(ctx, id, verb, input.reason ?? null), agent),
    });
  return {
    createAgent: t.field({
      type: EnrolmentType,
      authScopes: { audience: 'api_key' },
      args: { input: t.arg({ type: CreateAgentInput }) },
      ...facts({ errors: [NotFound, StateConflict] }),
      resolve: once((ctx, { input }) => createAgent(ctx, input), enrolment),
    }),
    updateAgent: t.field({
      route: rest('PATCH /v1/agents/{id}', 'Change an agent.'),
      type: Agent,
      args: { id: t.arg({ type: 'AgentId' }), input: t.arg({ type: UpdateAgentInput }) },
      ...facts({ errors: [Forbidden, NotFound, StateConflict] }),
      resolve: once((ctx, { id, input }) => updateAgent(ctx, { ...input, id }), agent),
    }),
    freezeAgent: step('freeze', "Stop an agent's spending; it still reads."),
    unfreezeAgent: step('unfreeze', 'Let a frozen agent spend again.'),
    suspendAgent: step('suspend', 'Refuse every credential of an agent.'),
    activateAgent: step('activate', 'Let a suspended agent in again.'),
    revokeAgent: step('revoke', 'End an agent for good, with its key, tokens and sessions.'),
  };
});
