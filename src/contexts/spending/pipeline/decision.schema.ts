// The GraphQL face of decisions: what the pipeline said of a spend (CONTRACT.md 6).

import type { Decision as DecisionRow } from '../../../generated/prisma/client.js';
import { DecisionOutcome } from '../../../generated/prisma/enums.js';
import type { Ctx } from '../../../platform/ctx.js';
import { NotFound } from '../../../platform/errors.js';
import { formatMinor } from '../../../platform/money.js';
import { builder, facts, pageArgs, pageOf } from '../../../platform/schema/builder.js';
import { printId, printSubject } from '../../../platform/schema/id.js';
import { byId, rowsOf } from '../../../platform/schema/relation.js';
import { type Check, type Decision, figuresOf, leadingChecks } from './decision.js';
import { decision, decisions, visibleDecisions, withFigures } from './decision-list.js';
import { inputIn } from './decision-record.js';
import { printFigure, printLimit, remainingOf } from './limit.js';
import { rulebook } from './rulebook.js';
import { countsOthers } from './shared-limit.js';

const DecisionOutcomeEnum = builder.enumType(DecisionOutcome, {
  name: 'DecisionOutcome',
  description: '`allow`: it may be spent. `deny`: it is refused. `require_approval`: a person has to approve it.',
});

// Gap G-122: An agent sees what was left of a limit; `used` and `limit` only of rules for itself and its wallets.
/** Whether an actor may see what a limit has used: an agent not of one that counts others too. */
async function seesUse(ctx: Ctx, { ruleId }: Check): Promise<boolean> {
  return ctx.actor.agent === undefined || ruleId === null || !countsOthers(ruleId, await rulebook(ctx));
}

const CheckType = builder.objectRef<Check>('DecisionCheck').implement({
  description: 'One check of the spend pipeline.',
  fields: (t) => ({
    layer: t.exposeString('layer', {
      description: 'The layer that checked: workspace, agent, wallet, kya, policy, budget, mandate or balance.',
    }),
    ruleId: t.exposeString('ruleId', { nullable: true, description: 'The rule that was checked; null for a layer without rules.' }),
    outcome: t.exposeString('outcome', { description: '`pass`, `fail`, `approve` (needs an approval), or `skipped` after a failure.' }),
    limit: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'The limit with its kind, period and currency; null for checks without one.',
      resolve: async (check, _args, ctx) => {
        const figures = (await seesUse(ctx, check)) ? figuresOf(check) : null;
        return figures === null ? null : printLimit(figures);
      },
    }),
    used: t.string({
      nullable: true,
      description: 'What of the limit was used before: an amount, or a number of spends; null without a limit.',
      resolve: async (check, _args, ctx) => {
        const used = (await seesUse(ctx, check)) ? (check.limit?.used ?? null) : null;
        return used === null ? null : String(printFigure(used, check.limit?.currency ?? null));
      },
    }),
    remaining: t.string({
      nullable: true,
      description: 'What of the limit was left: an amount, or a number of spends; null without a limit.',
      resolve: (check) => {
        const figures = figuresOf(check);
        return figures === null ? null : String(printFigure(remainingOf(figures), figures.currency));
      },
    }),
    message: t.exposeString('message', {
      nullable: true,
      description: 'The reason, as a sentence for people; null for a check that passed.',
    }),
  }),
});

const SubjectType = builder.objectRef<{ type: string; id: string }>('DecisionSubject').implement({
  description: 'What the spend was for.',
  fields: (t) => ({
    type: t.exposeString('type', { description: 'What kind of thing was paid for, such as `transfer`.' }),
    id: t.exposeString('id', { description: 'Identifier of what was paid for, as its own resource prints it.' }),
  }),
});

const InputType = builder.objectRef<DecisionRow>('DecisionInput').implement({
  description: 'The spend that was decided.',
  fields: (t) => ({
    amount: t.field({
      type: 'Amount',
      description: 'All that was to leave the wallet, fees included, in `currency`.',
      resolve: (row) => formatMinor(BigInt(inputIn(row).facts.amount), inputIn(row).facts.currency),
    }),
    currency: t.field({ type: 'Currency', resolve: (row) => inputIn(row).facts.currency }),
    protocol: t.string({ description: 'The protocol of the spend.', resolve: (row) => inputIn(row).facts.protocol }),
    fromWalletId: t.field({
      type: 'WalletId',
      nullable: true,
      description: 'The wallet that pays; null where a card pays.',
      resolve: (row) => inputIn(row).facts.payer.walletId,
    }),
    toWalletId: t.field({
      type: 'WalletId',
      nullable: true,
      description: 'The wallet that is paid; null for a payee outside.',
      resolve: (row) => inputIn(row).facts.payee?.walletId ?? null,
    }),
    merchantId: t.field({
      type: 'MerchantId',
      nullable: true,
      description: 'The merchant that is paid; null where the payee is none.',
      resolve: (row) => inputIn(row).facts.merchant?.id ?? null,
    }),
    kyaTier: t.int({
      nullable: true,
      description: 'Tier of the agent that spends; null where no agent does.',
      resolve: (row) => inputIn(row).facts.agent?.kyaTier ?? null,
    }),
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
  description: 'A policy or a budget, in the version that was applied.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'The policy or budget.' }),
    version: t.exposeInt('version', { description: 'The version that was applied.' }),
  }),
});

export const DecisionType = builder.objectRef<Decision>('Decision').implement({
  ...byId(rowsOf('decision', visibleDecisions, { values: withFigures })),
  description: 'What the spend pipeline decided about a spend, check by check.',
  fields: (t) => ({
    id: t.expose('id', {
      type: 'DecisionId',
      nullable: true,
      description: 'Identifier of the stored decision (`dec_...`); null where none was stored.',
    }),
    outcome: t.expose('outcome', { type: DecisionOutcomeEnum }),
    code: t.exposeString('code', { nullable: true, description: 'Code with which the spend was refused; null where it was not.' }),
    message: t.exposeString('message', {
      nullable: true,
      description: 'Why it was refused, as a sentence for people; null where it was not.',
    }),
    checks: t.field({
      type: [CheckType],
      description: 'Every check, in the order of the layers.',
      ...facts({ most: mostChecks }),
      resolve: ({ checks }) => leadingChecks(checks, mostChecks),
    }),
    leadingChecks: t.field({
      type: [CheckType],
      description: 'For lists: the checks that do not let the spend pass, then the first of the others.',
      ...facts({ most: mostLeading }),
      resolve: ({ checks }) => leadingChecks(checks, mostLeading),
    }),
    rateIds: t.field({
      type: ['RateId'],
      description: 'The rates by which limits in other currencies were counted.',
      ...facts({ most: mostRates }),
      resolve: ({ rateIds }) => rateIds.slice(0, mostRates),
    }),
    rules: t.field({
      type: [RuleVersionType],
      description: 'The policies and budgets in force, in the version that was applied.',
      ...facts({ most: mostRules }),
      resolve: ({ row }) => (row === undefined ? [] : rulesIn(row)),
    }),
    evaluatedAt: t.expose('evaluatedAt', { type: 'DateTime', description: 'When it was decided.' }),
    agentId: t.field({
      type: 'AgentUuid',
      nullable: true,
      description: 'The agent that spends; null where no agent does.',
      resolve: ({ row }) => row?.agentId ?? null,
    }),
    subject: t.field({
      type: SubjectType,
      nullable: true,
      description: 'What the spend was for; null where nothing was created.',
      resolve: ({ row }) => subjectOf(row),
    }),
    approvalId: t.field({
      type: 'ApprovalId',
      nullable: true,
      description: 'The approval that was requested or given; null without one.',
      resolve: ({ row }) => row?.approvalId ?? null,
    }),
    transactionId: t.field({
      type: 'LedgerTransactionId',
      nullable: true,
      description: 'The ledger transaction that it allowed; null where nothing was posted.',
      resolve: ({ row }) => row?.transactionId ?? null,
    }),
    traceId: t.string({
      nullable: true,
      description: 'Trace id of the request; null without one.',
      resolve: ({ row }) => row?.traceId ?? null,
    }),
    input: t.field({
      type: InputType,
      nullable: true,
      description: 'The spend that was decided; null for one that was only evaluated.',
      resolve: ({ row }) => row ?? null,
    }),
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
    authScopes: { audience: 'any', scope: 'policies:read' },
    description: 'Read a decision about a spend. It has every check, the rates and the rule versions that were applied.',
    args: { id: t.arg({ type: 'DecisionId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, { id }, ctx) => decision(ctx, id),
  }),
  decisions: t.field({
    type: DecisionPage,
    authScopes: { audience: 'any', scope: 'policies:read' },
    description:
      'List decisions about spends, newest first: those in which a limit took part, that refused, or that required an approval. They are listed for 90 days; an agent sees its own.',
    args: {
      ...pageArgs(t),
      agentId: t.arg({ type: 'AgentUuid', required: false }),
      outcome: t.arg({ type: DecisionOutcomeEnum, required: false }),
    },
    resolve: (_root, filter, ctx) => decisions(ctx, filter),
  }),
}));
