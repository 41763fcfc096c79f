// The GraphQL face of decisions: what the pipeline said of a spend (CONTRACT.md 6).
import type { Decision as DecisionRow } from '../../../generated/prisma/client.js';
import { DecisionOutcome } from '../../../generated/prisma/enums.js';
import type { Ctx } from '../../../platform/ctx.js';
import { NotFound } from '../../../platform/errors.js';
import { formatMinor } from '../../../platform/money.js';
import { builder, facts, pageArgs, pageOf } from '../../../platform/schema/builder.js';
import { printId, printSubject } from '../../../platform/schema/id.js';
import { type Check, type Decision, figuresOf, leadingChecks } from './decision.js';
import { decision, decisions } from './decision-list.js';
import { inputIn } from './decision-record.js';
import { printFigure, printLimit, remainingOf } from './limit.js';
import { rulebook } from './rulebook.js';
import { countsOthers } from './shared-limit.js';

const DecisionOutcomeEnum = builder.enumType(DecisionOutcome, { name: 'DecisionOutcome' });

/** Whether an actor may see what a limit has used: an agent not of one that counts others too (Gap G-122). */
async function seesUse(ctx: Ctx, { ruleId }: Check): Promise<boolean> {
  return ctx.actor.agent === undefined || ruleId === null || !countsOthers(ruleId, await rulebook(ctx));
}

const CheckType = builder.objectRef<Check>('DecisionCheck').implement({
  fields: (t) => ({
    layer: t.exposeString('layer', { description: 'workspace, agent, wallet, kya, policy, budget, mandate or balance.' }),
    ruleId: t.exposeString('ruleId', { nullable: true, description: 'The rule that was asked.' }),
    outcome: t.exposeString('outcome', { description: 'pass, fail, approve, or skipped after a failure.' }),
    limit: t.field({
      type: 'JSONObject',
      nullable: true,
      resolve: async (check, _args, ctx) => {
        const figures = (await seesUse(ctx, check)) ? figuresOf(check) : null;
        return figures === null ? null : printLimit(figures);
      },
    }),
    used: t.string({
      nullable: true,
      description: 'What the limit had used: an amount, or a number of spends.',
      resolve: async (check, _args, ctx) => {
        const used = (await seesUse(ctx, check)) ? (check.limit?.used ?? null) : null;
        return used === null ? null : String(printFigure(used, check.limit?.currency ?? null));
      },
    }),
    remaining: t.string({
      nullable: true,
      description: 'What was left of it.',
      resolve: (check) => {
        const figures = figuresOf(check);
        return figures === null ? null : String(printFigure(remainingOf(figures), figures.currency));
      },
    }),
    message: t.exposeString('message', { nullable: true }),
  }),
});

const SubjectType = builder.objectRef<{ type: string; id: string }>('DecisionSubject').implement({
  description: 'What a spend was for.',
  fields: (t) => ({ type: t.exposeString('type'), id: t.exposeString('id') }),
});

const InputType = builder.objectRef<DecisionRow>('DecisionInput').implement({
  description: 'What was asked.',
  fields: (t) => ({
    amount: t.field({
      type: 'Amount',
      description: 'All that was to leave the wallet, fees too.',
      resolve: (row) => formatMinor(BigInt(inputIn(row).facts.amount), inputIn(row).facts.currency),
    }),
    currency: t.field({ type: 'Currency', resolve: (row) => inputIn(row).facts.currency }),
    protocol: t.string({ resolve: (row) => inputIn(row).facts.protocol }),
    fromWalletId: t.field({
      type: 'WalletId',
      nullable: true,
      description: 'Null where a card pays.',
      resolve: (row) => inputIn(row).facts.payer.walletId,
    }),
    toWalletId: t.field({ type: 'WalletId', nullable: true, resolve: (row) => inputIn(row).facts.payee?.walletId ?? null }),
    merchantId: t.field({ type: 'MerchantId', nullable: true, resolve: (row) => inputIn(row).facts.merchant?.id ?? null }),
    kyaTier: t.int({ nullable: true, resolve: (row) => inputIn(row).facts.agent?.kyaTier ?? null }),
  }),
});

/** A hundred policies of fifty rules could bind one spend; so many checks of it are shown, and so many where decisions are listed. */
const mostChecks = 500;
const mostLeading = 40;
/** More than one spend converts with. */
const mostRates = 100;
/** A workspace has at most a hundred policies, and a thousand budgets. */
const mostRules = 1_100;

const RuleVersionType = builder.objectRef<{ id: string; version: number }>('RuleVersion').implement({
  description: 'A policy or a budget as it stood then.',
  fields: (t) => ({ id: t.exposeString('id'), version: t.exposeInt('version') }),
});

export const DecisionType = builder.objectRef<Decision>('Decision').implement({
  description: 'What the spend pipeline says, step by step.',
  fields: (t) => ({
    id: t.expose('id', { type: 'DecisionId', nullable: true, description: 'Null where none was stored.' }),
    outcome: t.expose('outcome', { type: DecisionOutcomeEnum }),
    code: t.exposeString('code', { nullable: true }),
    message: t.exposeString('message', { nullable: true }),
    checks: t.field({ type: [CheckType], ...facts({ most: mostChecks }), resolve: ({ checks }) => leadingChecks(checks, mostChecks) }),
    leadingChecks: t.field({
      type: [CheckType],
      description: 'For lists: those that do not let the spend pass, and the first of the others.',
      ...facts({ most: mostLeading }),
      resolve: ({ checks }) => leadingChecks(checks, mostLeading),
    }),
    rateIds: t.field({
      type: ['RateId'],
      description: 'The rates that limits in other currencies were counted by.',
      ...facts({ most: mostRates }),
      resolve: ({ rateIds }) => rateIds.slice(0, mostRates),
    }),
    rules: t.field({
      type: [RuleVersionType],
      description: 'The policies and budgets in force, in the version that was asked.',
      ...facts({ most: mostRules }),
      resolve: ({ row }) => (row === undefined ? [] : rulesIn(row)),
    }),
    evaluatedAt: t.expose('evaluatedAt', { type: 'DateTime' }),
    agentId: t.field({ type: 'AgentUuid', nullable: true, description: 'Who spent.', resolve: ({ row }) => row?.agentId ?? null }),
    subject: t.field({ type: SubjectType, nullable: true, resolve: ({ row }) => subjectOf(row) }),
    approvalId: t.field({ type: 'ApprovalId', nullable: true, resolve: ({ row }) => row?.approvalId ?? null }),
    transactionId: t.field({ type: 'LedgerTransactionId', nullable: true, resolve: ({ row }) => row?.transactionId ?? null }),
    traceId: t.string({ nullable: true, resolve: ({ row }) => row?.traceId ?? null }),
    input: t.field({ type: InputType, nullable: true, resolve: ({ row }) => row ?? null }),
  }),
});
const DecisionPage = pageOf(DecisionType, 'Decision');

function rulesIn(row: DecisionRow): { id: string; version: number }[] {
  const { policies = [], budgets = [] } = inputIn(row);
  const print =
    (kind: 'policy' | 'budget') =>
    ([id, version]: [string, number]) => ({ id: printId(kind, id), version });
  return [...policies.map(print('policy')), ...budgets.map(print('budget'))].slice(0, mostRules);
}

function subjectOf(row: DecisionRow | undefined): { type: string; id: string } | null {
  if (row === undefined || row.subjectType === null || row.subjectId === null) return null;
  return { type: row.subjectType, id: printSubject(row.subjectType, row.subjectId) };
}

builder.queryFields((t) => ({
  decision: t.field({
    type: DecisionType,
    args: { id: t.arg({ type: 'DecisionId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id }, ctx) => decision(ctx, id),
  }),
  decisions: t.field({
    type: DecisionPage,
    args: {
      ...pageArgs(t),
      agentId: t.arg({ type: 'AgentUuid', required: false }),
      outcome: t.arg({ type: DecisionOutcomeEnum, required: false }),
    },
    resolve: (_root, filter, ctx) => decisions(ctx, filter),
  }),
}));
