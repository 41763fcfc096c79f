// The GraphQL face of mandates.
import { NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts, pageArgs, pageOf } from '../../platform/schema/builder.js';
import { MandateExpired, MandateRevoked } from '../spending/errors.js';
import { NotInAp2, openPaymentMandate } from './ap2.js';
import { CreateMandateInput, RevokeMandateInput, UpdateMandateInput, VerifyMandateInput } from './mandate.input.js';
import { type MandateRow, mandate, mandateStatuses, mandates, statusOf } from './mandate.js';
import { createMandate, jwtOf, revokeMandate, updateMandate } from './mandate-request.js';
import { type MandateUse, useOf } from './mandate-use.js';
import { type MandateVerification, verifyMandate } from './presentation.js';
import { rest } from './rest.js';
import type { MandateScope } from './scope.js';

const MandateStatusEnum = builder.enumType('MandateStatus', {
  description: 'suspended: its agent is not active now.',
  values: mandateStatuses,
});
const MandateFormat = builder.enumType('MandateFormat', {
  description: 'ap2: the open payment mandate of AP2 v0.2.',
  values: ['ap2'] as const,
});

const ScopeType = builder.objectRef<MandateScope>('MandateScope').implement({
  description: 'What a mandate lets its agent spend, and where. A list that is not there allows all, or blocks nobody.',
  fields: (t) => {
    const limit = (member: 'maxPerTx' | 'maxPerDay' | 'maxPerMonth', description: string) =>
      t.field({
        type: 'Amount',
        nullable: true,
        description,
        resolve: ({ [member]: minor, currency }) => (minor === null ? null : formatMinor(minor, currency)),
      });
    const unlessEmpty = <T>(list: T[]) => (list.length === 0 ? null : list);
    return {
      maxPerTx: limit('maxPerTx', 'At a time.'),
      maxPerDay: limit('maxPerDay', 'In a UTC day.'),
      maxPerMonth: limit('maxPerMonth', 'In a UTC month.'),
      currency: t.expose('currency', { type: 'Currency' }),
      allowedMerchantCategories: t.stringList({ nullable: true, resolve: (scope) => unlessEmpty(scope.allowedCategories) }),
      allowedMerchants: t.field({
        type: ['MerchantId'],
        nullable: true,
        resolve: (scope) => unlessEmpty(scope.allowedMerchants),
      }),
      blockedMerchants: t.field({
        type: ['MerchantId'],
        nullable: true,
        resolve: (scope) => unlessEmpty(scope.blockedMerchants),
      }),
    };
  },
});

const ResetsAt = builder.objectRef<MandateUse>('MandateResets').implement({
  fields: (t) => ({
    day: t.field({ type: 'DateTime', nullable: true, resolve: ({ dayEndsAt }) => dayEndsAt }),
    month: t.field({ type: 'DateTime', nullable: true, resolve: ({ monthEndsAt }) => monthEndsAt }),
  }),
});

const left = (minor: bigint | null, { currency }: MandateUse) => (minor === null ? null : formatMinor(minor, currency));
const UseType = builder.objectRef<MandateUse>('MandateUsage').implement({
  description: 'What was used of a mandate, in UTC days and months. What is left is null without such a limit.',
  fields: (t) => ({
    today: t.field({ type: 'Amount', resolve: (use) => formatMinor(use.today, use.currency) }),
    month: t.field({ type: 'Amount', resolve: (use) => formatMinor(use.month, use.currency) }),
    remainingDaily: t.field({ type: 'Amount', nullable: true, resolve: (use) => left(use.remainingDaily, use) }),
    remainingMonthly: t.field({ type: 'Amount', nullable: true, resolve: (use) => left(use.remainingMonthly, use) }),
    executions: t.exposeInt('executions', { description: 'Carried out and not refunded as a whole, or holding money.' }),
    resetsAt: t.field({ type: ResetsAt, description: 'When the windows end.', resolve: (use) => use }),
  }),
});

export const Mandate = builder.objectRef<MandateRow>('Mandate').implement({
  description: 'Signed leave for an agent to spend within a scope.',
  fields: (t) => ({
    id: t.expose('id', { type: 'MandateId' }),
    accountId: t.expose('accountId', { type: 'AccountId' }),
    agentId: t.expose('agentId', { type: 'AgentUuid' }),
    status: t.field({ type: MandateStatusEnum, resolve: (row, _args, ctx) => statusOf(ctx, row) }),
    version: t.exposeInt('version'),
    mandateJwt: t.string({
      nullable: true,
      description: 'The signed mandate of this version, presented on every execution. The replay of a keyed request leaves it out.',
      extensions: { secret: true },
      resolve: (row, _args, ctx) => jwtOf(ctx, row),
    }),
    scope: t.field({ type: ScopeType, resolve: (row) => row }),
    usage: t.field({ type: UseType, resolve: (row, _args, ctx) => useOf(ctx, row) }),
    openPaymentMandate: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'The mandate in another format, where one is asked for.',
      args: { format: t.arg({ type: MandateFormat, required: false }) },
      ...facts({ errors: [NotInAp2] }),
      resolve: (row, { format }, ctx) => (format === 'ap2' ? openPaymentMandate(ctx, row) : null),
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime' }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true }),
    revokedReason: t.exposeString('revokedReason', { nullable: true }),
    metadata: t.expose('metadata', { type: 'JSONObject' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
const MandatePage = pageOf(Mandate, 'Mandate');

const VerificationType = builder.objectRef<MandateVerification>('MandateVerification').implement({
  description: 'Whether a mandate is good, and for such a spend.',
  fields: (t) => ({
    valid: t.exposeBoolean('valid'),
    mandateId: t.expose('mandateId', { type: 'MandateId', nullable: true }),
    status: t.expose('status', { type: MandateStatusEnum, nullable: true }),
    reason: t.exposeString('reason', { nullable: true, description: 'The code that an execution would be refused with.' }),
    remainingDaily: t.field({
      type: 'Amount',
      nullable: true,
      description: 'Null without such a limit, and for a JWT of another version.',
      resolve: ({ use }) => use && left(use.remainingDaily, use),
    }),
    remainingMonthly: t.field({ type: 'Amount', nullable: true, resolve: ({ use }) => use && left(use.remainingMonthly, use) }),
  }),
});

builder.queryFields((t) => ({
  mandate: t.field({
    type: Mandate,
    args: { id: t.arg({ type: 'MandateId' }) },
    ...facts({ errors: [NotFound, NotInAp2] }),
    resolve: (_root, { id }, ctx) => mandate(ctx, id),
  }),
  mandates: t.field({
    route: rest('GET /v1/ap2/mandates', 'List mandates.'),
    type: MandatePage,
    args: {
      ...pageArgs(t),
      status: t.arg({ type: MandateStatusEnum, required: false }),
      agentId: t.arg({ type: 'AgentUuid', required: false }),
      accountId: t.arg({ type: 'AccountId', required: false }),
    },
    resolve: (_root, filter, ctx) => mandates(ctx, filter),
  }),
}));

builder.mutationFields((t) => ({
  createMandate: t.field({
    route: rest('POST /v1/ap2/mandates', 'Issue a signed mandate that authorizes an agent to spend within a scope.', { status: 201 }),
    type: Mandate,
    authScopes: { audience: 'operator' },
    args: { input: t.arg({ type: CreateMandateInput }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { input }) => createMandate(ctx, input), mandate),
  }),
  updateMandate: t.field({
    route: rest('PATCH /v1/ap2/mandates/{id}', 'Change the scope or the end of a mandate: a new version, with a new JWT.'),
    type: Mandate,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'MandateId' }), input: t.arg({ type: UpdateMandateInput }) },
    ...facts({ errors: [NotFound, MandateRevoked, MandateExpired] }),
    resolve: once((ctx, { id, input }) => updateMandate(ctx, { ...input, id }), mandate),
  }),
  revokeMandate: t.field({
    type: Mandate,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'MandateId' }), input: t.arg({ type: RevokeMandateInput, required: false }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { id, input }) => revokeMandate(ctx, id, input?.reason ?? null), mandate),
  }),
  verifyMandate: t.field({
    route: rest(
      'POST /v1/ap2/mandates/verify',
      'Ask whether a mandate is good, and for such a spend. It takes no credential: who holds the JWT may ask.',
    ),
    type: VerificationType,
    description: 'Ask whether a mandate is good. It takes no credential: who holds the JWT may ask.',
    skipTypeScopes: true,
    authScopes: { audience: 'public' },
    args: { input: t.arg({ type: VerifyMandateInput }) },
    ...facts({ effect: 'none', errors: [NotFound] }),
    resolve: (_root, { input }, ctx) => verifyMandate(ctx, input),
  }),
}));
