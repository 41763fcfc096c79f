// The GraphQL face of KYA caps and of what agents have left of them.
import type { Ctx } from '../../../platform/ctx.js';
import { NotFound } from '../../../platform/errors.js';
import { once } from '../../../platform/idempotency.js';
import { currencies, formatMinor } from '../../../platform/money.js';
import { builder, facts } from '../../../platform/schema/builder.js';
import { Me } from '../../agents/me.schema.js';
import { rest } from '../rest.js';
import { type AgentCap, type AgentLimits, agentLimits } from './agent-limits.js';
import { KyaLimitsInput, mostCaps } from './kya-limit.input.js';
import { type KyaCap, kyaCaps, setKyaCaps } from './kya-limit.js';

const print = (minor: bigint | null, currency: string) => (minor === null ? null : formatMinor(minor, currency));

const KyaLimit = builder.objectRef<KyaCap>('KyaLimit').implement({
  description: 'The most that an agent of a tier may spend. Spends in other currencies are converted by the rate of the day.',
  fields: (t) => ({
    tier: t.exposeInt('tier', { description: 'Tier of the agents that it caps, 0 to 3.' }),
    currency: t.expose('currency', { type: 'Currency' }),
    perTx: t.field({
      type: 'Amount',
      nullable: true,
      description: 'The most of one spend; null for no cap.',
      resolve: (cap) => print(cap.perTx, cap.currency),
    }),
    perDay: t.field({
      type: 'Amount',
      nullable: true,
      description: 'The most per UTC day; null for no cap.',
      resolve: (cap) => print(cap.perDay, cap.currency),
    }),
    perMonth: t.field({
      type: 'Amount',
      nullable: true,
      description: 'The most per UTC month; null for no cap.',
      resolve: (cap) => print(cap.perMonth, cap.currency),
    }),
  }),
});

const KyaLimits = builder.objectRef<{ tiers: KyaCap[] }>('KyaLimits').implement({
  description: 'The caps of all KYA tiers. A tier without a line has no cap.',
  fields: (t) => ({
    tiers: t.expose('tiers', { type: [KyaLimit], description: 'One line per tier and currency.', ...facts({ most: mostCaps }) }),
  }),
});

const AgentCapType = builder.objectRef<AgentCap>('AgentCap').implement({
  description: 'One cap of an agent and what is left of it.',
  fields: (t) => ({
    per: t.exposeString('per', { description: '`tx` (one spend), `day` or `month`, in UTC.' }),
    currency: t.expose('currency', { type: 'Currency' }),
    max: t.field({ type: 'Amount', description: 'The most that may be spent.', resolve: (cap) => formatMinor(cap.max, cap.currency) }),
    used: t.field({
      type: 'Amount',
      description: 'What was spent in the present window.',
      resolve: (cap) => formatMinor(cap.used, cap.currency),
    }),
    remaining: t.field({
      type: 'Amount',
      description: 'What may still be spent in the present window.',
      resolve: ({ max, used, currency }) => formatMinor(max > used ? max - used : 0n, currency),
    }),
    window: t.exposeString('window', { nullable: true, description: 'The UTC day or month that is counted; null for a cap of one spend.' }),
    resetsAt: t.expose('resetsAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the next window begins; null for a cap of one spend.',
    }),
  }),
});

/** What layers of rules say of an agent; each layer adds its own field. */
export const AgentLimitsType = builder.objectRef<AgentLimits>('AgentLimits').implement({
  description: 'What an agent may spend, and what is left of it.',
  fields: (t) => ({
    agentId: t.expose('agentId', { type: 'AgentUuid', description: 'The agent.' }),
    kyaTier: t.exposeInt('kyaTier', { description: 'Tier of its identity check, which selects its caps.' }),
    kya: t.expose('kya', {
      type: [AgentCapType],
      description: 'Caps of its tier, with what is left of each.',
      ...facts({ most: 3 * currencies.length }),
    }),
  }),
});

builder.objectField(Me, 'limits', (t) =>
  t.field({
    type: AgentLimitsType,
    nullable: true,
    description: 'What you may spend and what is left of it, where you are an agent; else null.',
    resolve: ({ actor }, _args, ctx) => (actor.agent === undefined ? null : agentLimits(ctx, actor.agent.id)),
  }),
);

const currentLimits = async (ctx: Ctx) => ({ tiers: await kyaCaps(ctx) });

builder.queryFields((t) => ({
  agentLimits: t.field({
    route: rest(
      'GET /v1/agents/{id}/limits',
      'Read what an agent may spend, and what is left of it. The answer has the caps of its tier, the budgets and the policy rules that bind it. Of limits that it shares with others an agent sees only what is left.',
    ),
    type: AgentLimitsType,
    authScopes: { audience: 'any', scope: 'policies:read' },
    args: { id: t.arg({ type: 'AgentId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id }, ctx) => agentLimits(ctx, id),
  }),
  kyaLimits: t.field({
    route: rest('GET /v1/kya-limits', 'Read the caps of the KYA tiers. A tier without a line has no cap.'),
    type: KyaLimits,
    authScopes: { audience: 'operator', scope: 'policies:read' },
    resolve: (_root, _args, ctx) => currentLimits(ctx),
  }),
}));

builder.mutationFields((t) => ({
  setKyaLimits: t.field({
    route: rest(
      'PUT /v1/kya-limits',
      'Replace the caps of the KYA tiers. They hold from the next spend on and count what was already spent in the present day and month. Needs an API key.',
    ),
    type: KyaLimits,
    authScopes: { audience: 'api_key', scope: 'policies:write' },
    args: { input: t.arg({ type: KyaLimitsInput }) },
    resolve: once(async (ctx, { input }) => ({ tiers: await setKyaCaps(ctx, input.tiers) }), currentLimits),
  }),
}));
