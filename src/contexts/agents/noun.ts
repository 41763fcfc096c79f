// What agents and their credentials are to everybody else.
import { defineNoun } from '../../manifest/noun.js';
import { newestRows, resetStep } from '../../manifest/reset.js';
import { agentLifecycle, stepAgent } from './agent.js';
import { keyLifecycle } from './key.js';

export const agent = defineNoun({
  id: { kind: 'agent', prefix: 'agt', scalars: { AgentId: 'prefixed', AgentUuid: 'bare' } },
  scope: 'agents:read',
  table: 'agent',
  lifecycle: agentLifecycle,
  reset: [
    resetStep({
      stage: 'permission',
      rows: ({ db }, most) => db.agent.findMany({ where: { status: { not: 'revoked' } }, ...newestRows(most) }),
      end: (ctx, { id }, reason) => stepAgent(ctx, id, 'revoke', reason),
    }),
  ],
});

export const authKey = defineNoun({
  id: { kind: 'authKey', prefix: 'auth', wire: 'prefixed' },
  scope: 'agents:read',
  table: 'agent_key',
  lifecycle: keyLifecycle,
});

export const agentToken = defineNoun({
  id: { kind: 'agentToken', prefix: 'atk', wire: 'prefixed' },
  scope: 'agents:read',
  table: 'agent_token',
});

export const session = defineNoun({
  id: { kind: 'session', prefix: 'ses', wire: 'prefixed' },
  scope: 'agents:read',
  table: 'agent_session',
});
