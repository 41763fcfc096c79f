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
  description: 'The most that an agent of a tier may spend, in whatever currency: counted in one, by the rate of the day.',
  fields: (t) => ({
    tier: t.exposeInt('tier'),
    currency: t.expose('currency', { type: 'Currency' }),
    perTx: t.field({ type: 'Amount', nullable: true, resolve: (cap) => print(cap.perTx, cap.currency) }),
    perDay: t.field({ type: 'Amount', nullable: true, description: 'Per UTC day.', resolve: (cap) => print(cap.perDay, cap.currency) }),
    perMonth: t.field({
      type: 'Amount',
      nullable: true,
      description: 'Per UTC month.',
      resolve: (cap) => print(cap.perMonth, cap.currency),
    }),
  }),
});

const KyaLimits = builder.objectRef<{ tiers: KyaCap[] }>('KyaLimits').implement({
  description: 'All caps of the workspace. Without any, tiers cap nothing.',
  fields: (t) => ({ tiers: t.expose('tiers', { type: [KyaLimit], ...facts({ most: mostCaps }) }) }),
});

const AgentCapType = builder.objectRef<AgentCap>('AgentCap').implement({
  description: 'One cap of an agent and what is left of it.',
  fields: (t) => ({
    per: t.exposeString('per', { description: 'tx, day or month.' }),
    currency: t.expose('currency', { type: 'Currency' }),
    max: t.field({ type: 'Amount', resolve: (cap) => formatMinor(cap.max, cap.currency) }),
    used: t.field({ type: 'Amount', resolve: (cap) => formatMinor(cap.used, cap.currency) }),
    remaining: t.field({ type: 'Amount', resolve: ({ max, used, currency }) => formatMinor(max > used ? max - used : 0n, currency) }),
    window: t.exposeString('window', { nullable: true, description: 'The UTC day or month that is counted.' }),
    resetsAt: t.expose('resetsAt', { type: 'DateTime', nullable: true }),
  }),
});

/** What layers of rules say of an agent; each layer adds its own field. */
export const AgentLimitsType = builder.objectRef<AgentLimits>('AgentLimits').implement({
  description: 'What an agent may spend, and how much of it is left.',
  fields: (t) => ({
    agentId: t.expose('agentId', { type: 'AgentUuid' }),
    kyaTier: t.exposeInt('kyaTier'),
    kya: t.expose('kya', { type: [AgentCapType], ...facts({ most: 3 * currencies.length }) }),
  }),
});

builder.objectField(Me, 'limits', (t) =>
  t.field({
    type: AgentLimitsType,
    nullable: true,
    description: 'What you may spend, when you are an agent.',
    resolve: ({ actor }, _args, ctx) => (actor.agent === undefined ? null : agentLimits(ctx, actor.agent.id)),
  }),
);

const currentLimits = async (ctx: Ctx) => ({ tiers: await kyaCaps(ctx) });

builder.queryFields((t) => ({
  agentLimits: t.field({
    route: rest('GET /v1/agents/{id}/limits', 'Read what an agent may spend, and how much of it is left.'),
    type: AgentLimitsType,
    args: { id: t.arg({ type: 'AgentId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id }, ctx) => agentLimits(ctx, id),
  }),
  kyaLimits: t.field({
    route: rest('GET /v1/kya-limits', 'Read the caps of the KYA tiers.'),
    type: KyaLimits,
    authScopes: { audience: 'operator' },
    resolve: (_root, _args, ctx) => currentLimits(ctx),
  }),
}));

builder.mutationFields((t) => ({
  setKyaLimits: t.field({
    route: rest('PUT /v1/kya-limits', 'Replace the caps of the KYA tiers.'),
    type: KyaLimits,
    authScopes: { audience: 'api_key' },
    args: { input: t.arg({ type: KyaLimitsInput }) },
    resolve: once(async (ctx, { input }) => ({ tiers: await setKyaCaps(ctx, input.tiers) }), currentLimits),
  }),
}));
