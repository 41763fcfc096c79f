// The GraphQL face of mandates.

import { NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts, pageArgs, pageOf } from '../../platform/schema/builder.js';
import { byId, rowsOf } from '../../platform/schema/relation.js';
import { MandateExpired, MandateRevoked } from '../spending/errors.js';
import { NotInAp2, openPaymentMandate } from './ap2.js';
import { CreateMandateInput, RevokeMandateInput, UpdateMandateInput, VerifyMandateInput } from './mandate.input.js';
import { type MandateRow, mandate, mandateStatuses, mandates, statusOf, visibleMandates, withAgent } from './mandate.js';
import { createMandate, jwtOf, revokeMandate, updateMandate } from './mandate-request.js';
import { type MandateUse, useOf } from './mandate-use.js';
import { type MandateVerification, verifyMandate } from './presentation.js';
import { rest } from './rest.js';
import type { MandateScope } from './scope.js';

const MandateStatusEnum = builder.enumType('MandateStatus', {
  description: '`active`: can be used. `suspended`: its agent is not active now. `expired`: its time has passed. `revoked`: ended by hand.',
  values: mandateStatuses,
});
const MandateFormat = builder.enumType('MandateFormat', {
  description: '`ap2`: the open payment mandate of AP2 v0.2.',
  values: ['ap2'] as const,
});

const ScopeType = builder.objectRef<MandateScope>('MandateScope').implement({
  description: 'What a mandate lets its agent spend, and where.',
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
      maxPerTx: limit('maxPerTx', 'The most of one spend, in `currency`; null for no limit.'),
      maxPerDay: limit('maxPerDay', 'The most per UTC day, in `currency`; null for no limit.'),
      maxPerMonth: limit('maxPerMonth', 'The most per UTC month, in `currency`; null for no limit.'),
      currency: t.expose('currency', { type: 'Currency' }),
      allowedMerchantCategories: t.stringList({
        nullable: true,
        description: 'Only merchants of these categories are paid; null for any.',
        resolve: (scope) => unlessEmpty(scope.allowedCategories),
      }),
      allowedMerchants: t.field({
        type: ['MerchantId'],
        nullable: true,
        description: 'Only these merchants are paid; null for any.',
        resolve: (scope) => unlessEmpty(scope.allowedMerchants),
      }),
      blockedMerchants: t.field({
        type: ['MerchantId'],
        nullable: true,
        description: 'These merchants are never paid; null for none.',
        resolve: (scope) => unlessEmpty(scope.blockedMerchants),
      }),
    };
  },
});

const ResetsAt = builder.objectRef<MandateUse>('MandateResets').implement({
  description: 'When the windows of a mandate end.',
  fields: (t) => ({
    day: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the present UTC day ends.',
      resolve: ({ dayEndsAt }) => dayEndsAt,
    }),
    month: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the present UTC month ends.',
      resolve: ({ monthEndsAt }) => monthEndsAt,
    }),
  }),
});

const left = (minor: bigint | null, { currency }: MandateUse) => (minor === null ? null : formatMinor(minor, currency));
const UseType = builder.objectRef<MandateUse>('MandateUsage').implement({
  description: 'What was spent under a mandate in the present UTC day and month.',
  fields: (t) => ({
    today: t.field({
      type: 'Amount',
      description: "Spent in the present UTC day, in the mandate's currency.",
      resolve: (use) => formatMinor(use.today, use.currency),
    }),
    month: t.field({
      type: 'Amount',
      description: "Spent in the present UTC month, in the mandate's currency.",
      resolve: (use) => formatMinor(use.month, use.currency),
    }),
    remainingDaily: t.field({
      type: 'Amount',
      nullable: true,
      description: 'What may still be spent today; null without a daily limit.',
      resolve: (use) => left(use.remainingDaily, use),
    }),
    remainingMonthly: t.field({
      type: 'Amount',
      nullable: true,
      description: 'What may still be spent this month; null without a monthly limit.',
      resolve: (use) => left(use.remainingMonthly, use),
    }),
    executions: t.exposeInt('executions', {
      description: 'Number of executions that were completed or hold money; fully refunded ones do not count.',
    }),
    resetsAt: t.field({ type: ResetsAt, description: 'When the windows end.', resolve: (use) => use }),
  }),
});

export const Mandate = builder.objectRef<MandateRow>('Mandate').implement({
  ...byId(rowsOf('mandate', visibleMandates, { include: withAgent })),
  description: 'A signed authorization for an agent to spend within a scope.',
  fields: (t) => ({
    id: t.expose('id', { type: 'MandateId' }),
    accountId: t.expose('accountId', { type: 'AccountId', description: 'The account whose money may be spent.' }),
    agentId: t.expose('agentId', { type: 'AgentUuid', description: 'The agent that may spend.' }),
    status: t.field({ type: MandateStatusEnum, resolve: (row, _args, ctx) => statusOf(ctx, row) }),
    version: t.exposeInt('version', { description: 'Raised by every change of the scope or the end.' }),
    mandateJwt: t.string({
      nullable: true,
      description: 'The signed JWT of this version, presented on every execution; null in the replay of a keyed request.',
      extensions: { secret: true },
      resolve: (row, _args, ctx) => jwtOf(ctx, row),
    }),
    scope: t.field({ type: ScopeType, description: 'What may be spent and where.', resolve: (row) => row }),
    usage: t.field({ type: UseType, description: 'What was spent, and what is left.', resolve: (row, _args, ctx) => useOf(ctx, row) }),
    openPaymentMandate: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'The mandate in another format, where one is asked for; else null.',
      args: { format: t.arg({ type: MandateFormat, required: false, description: 'The format to show it in.' }) },
      ...facts({ errors: [NotInAp2] }),
      resolve: (row, { format }, ctx) => (format === 'ap2' ? openPaymentMandate(ctx, row) : null),
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When the mandate ends by itself.' }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true, description: 'When it was revoked; null where it was not.' }),
    revokedReason: t.exposeString('revokedReason', {
      nullable: true,
      description: 'Why it was revoked; null where it was not, or where no reason was given.',
    }),
    metadata: t.expose('metadata', { type: 'JSONObject' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
const MandatePage = pageOf(Mandate, 'Mandate');

const VerificationType = builder.objectRef<MandateVerification>('MandateVerification').implement({
  description: 'Whether a mandate is valid, and for a spend.',
  fields: (t) => ({
    valid: t.exposeBoolean('valid', { description: 'True where an execution would be accepted by the mandate.' }),
    mandateId: t.expose('mandateId', {
      type: 'MandateId',
      nullable: true,
      description: 'The mandate; null for a JWT that is none of ours.',
    }),
    status: t.expose('status', {
      type: MandateStatusEnum,
      nullable: true,
      description: 'Its status; null for a JWT that is none of ours.',
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'The code with which an execution would be refused; null where it is valid.',
    }),
    remainingDaily: t.field({
      type: 'Amount',
      nullable: true,
      description: 'What may still be spent today; null without such a limit, and for a JWT of another version.',
      resolve: ({ use }) => use && left(use.remainingDaily, use),
    }),
    remainingMonthly: t.field({
      type: 'Amount',
      nullable: true,
      description: 'What may still be spent this month; null without such a limit, and for a JWT of another version.',
      resolve: ({ use }) => use && left(use.remainingMonthly, use),
    }),
  }),
});

builder.queryFields((t) => ({
  mandate: t.field({
    type: Mandate,
    authScopes: { audience: 'any', scope: 'mandates:read' },
    description:
      'Read a mandate with its scope and what is left of it. With `format=ap2` the answer has it as an open payment mandate of AP2 v0.2 too; a scope that AP2 cannot express is then 422.',
    args: { id: t.arg({ type: 'MandateId' }) },
    ...facts({ errors: [NotFound, NotInAp2] }),
    resolve: (_root, { id }, ctx) => mandate(ctx, id),
  }),
  mandates: t.field({
    route: rest(
      'GET /v1/ap2/mandates',
      'List mandates, newest first. Filter by status, agent or account; an agent sees those that it holds.',
    ),
    type: MandatePage,
    authScopes: { audience: 'any', scope: 'mandates:read' },
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
    route: rest(
      'POST /v1/ap2/mandates',
      'Issue a signed mandate that authorizes an agent to spend within a scope. The agent must be one of the account (400), and the JWT in the answer is presented on every execution. Emits `ap2.mandate.created`.',
      { status: 201 },
    ),
    type: Mandate,
    authScopes: { audience: 'operator', scope: 'mandates:write' },
    args: { input: t.arg({ type: CreateMandateInput }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { input }) => createMandate(ctx, input), mandate),
  }),
  updateMandate: t.field({
    route: rest(
      'PATCH /v1/ap2/mandates/{id}',
      'Change the scope or the end of a mandate. This makes a new version with a new JWT, and the one before is refused; what was spent still counts. A mandate that has ended is 409.',
    ),
    type: Mandate,
    authScopes: { audience: 'operator', scope: 'mandates:write' },
    args: { id: t.arg({ type: 'MandateId' }), input: t.arg({ type: UpdateMandateInput }) },
    ...facts({ errors: [NotFound, MandateRevoked, MandateExpired] }),
    resolve: once((ctx, { id, input }) => updateMandate(ctx, { ...input, id }), mandate),
  }),
  revokeMandate: t.field({
    type: Mandate,
    description:
      'Revoke a mandate for good. Once this is answered nothing can be spent under it. A mandate that has ended is 409. Emits `ap2.mandate.revoked`.',
    authScopes: { audience: 'operator', scope: 'mandates:write' },
    args: { id: t.arg({ type: 'MandateId' }), input: t.arg({ type: RevokeMandateInput, required: false }) },
    ...facts({ errors: [NotFound, StateConflict] }),
    resolve: once((ctx, { id, input }) => revokeMandate(ctx, id, input?.reason ?? null), mandate),
  }),
  verifyMandate: t.field({
    route: rest(
      'POST /v1/ap2/mandates/verify',
      'Verify a mandate, and whether it would allow a spend. It takes no credential, because whoever holds the JWT may ask, and changes nothing.',
    ),
    type: VerificationType,
    skipTypeScopes: true,
    authScopes: { audience: 'public' },
    args: { input: t.arg({ type: VerifyMandateInput }) },
    ...facts({ effect: 'none', errors: [NotFound] }),
    resolve: (_root, { input }, ctx) => verifyMandate(ctx, input),
  }),
}));
