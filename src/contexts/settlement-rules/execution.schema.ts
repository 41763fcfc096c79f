// The GraphQL face of what settlement rules did, and of running one by hand.
import type { SettlementExecution as ExecutionRow } from '../../generated/prisma/client.js';
import { NotFound } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts, listed, pageOf } from '../../platform/schema/builder.js';
import { NoManualRule, RuleDisabled } from './errors.js';
import { requestSettlement, runSettlementRule, settlementExecution, settlementExecutions } from './execution.js';
import { rest } from './rest.js';
import { ExecutionStatusEnum, RequestSettlementInput, TriggerTypeEnum } from './rule.input.js';

const ExecutionError = builder.objectRef<ExecutionRow>('SettlementExecutionError').implement({
  description: 'Why an execution was skipped or failed.',
  fields: (t) => ({
    code: t.string({ resolve: (row) => row.errorCode ?? '' }),
    message: t.string({ resolve: (row) => row.errorMessage ?? '' }),
  }),
});

const SettlementExecution = builder.prismaObject('SettlementExecution', {
  description: 'A firing of a settlement rule, and its result.',
  fields: (t) => ({
    id: t.expose('id', { type: 'SettlementExecutionId' }),
    ruleId: t.expose('ruleId', {
      type: 'SettlementRuleId',
      nullable: true,
      description: 'The rule that fired; null for automatic settlement without a rule.',
    }),
    walletId: t.expose('walletId', { wire: { shown: false }, type: 'WalletId', description: 'The wallet whose money it handled.' }),
    firedAt: t.expose('firedAt', { type: 'DateTime', description: 'When the rule fired.' }),
    trigger: t.expose('trigger', {
      type: TriggerTypeEnum,
      description: 'What fired it; `manual` where it was run by hand.',
    }),
    status: t.expose('status', { type: ExecutionStatusEnum }),
    transferId: t.expose('transferId', {
      type: 'TransferId',
      nullable: true,
      description: 'The transfer or hold that it made, or the one of its payout; null without one.',
    }),
    payoutId: t.expose('payoutId', {
      wire: { after: 'status' },
      type: 'PayoutId',
      nullable: true,
      description: 'The payout that it made; null without one.',
    }),
    error: t.field({
      type: ExecutionError,
      nullable: true,
      description: 'Why nothing was done; null where something was.',
      resolve: (row) => (row.errorCode === null ? null : (row as ExecutionRow)),
    }),
  }),
});
const SettlementExecutionPage = pageOf(SettlementExecution, 'SettlementExecution');

const StartedExecution = builder.objectRef<ExecutionRow>('StartedSettlementExecution').implement({
  extensions: { component: false },
  description: 'An execution that was started.',
  fields: (t) => ({
    executionId: t.expose('id', {
      type: 'SettlementExecutionId',
      description: "The execution, to find in the list of the rule's executions.",
    }),
  }),
});

builder.queryFields((t) => ({
  settlementExecutions: t.field({
    route: rest(
      'GET /v1/settlement-rules/{id}/executions',
      'List the executions of a settlement rule, newest first. Each says what fired it, what it made, or why nothing was done.',
      { names: { ruleId: 'id' } },
    ),
    type: SettlementExecutionPage,
    authScopes: { audience: 'operator', scope: 'settlement:read' },
    ...facts({ errors: [NotFound] }),
    ...listed(t, settlementExecutions, { ruleId: t.arg({ type: 'SettlementRuleId' }) }),
  }),
}));

builder.mutationFields((t) => ({
  runSettlementRule: t.field({
    route: rest(
      'POST /v1/settlement-rules/{id}/run',
      'Run a settlement rule now, whatever its trigger. It is carried out soon (202): find the execution in `GET /v1/settlement-rules/{id}/executions`. A disabled rule is 409.',
      { status: 202 },
    ),
    type: StartedExecution,
    authScopes: { audience: 'operator', scope: 'settlement:write' },
    args: { id: t.arg({ type: 'SettlementRuleId' }) },
    ...facts({ errors: [NotFound, RuleDisabled] }),
    resolve: once((ctx, { id }) => runSettlementRule(ctx, id), settlementExecution),
  }),
  requestSettlement: t.field({
    route: rest(
      'POST /v1/settlement-rules/request-manual',
      'Settle a wallet by hand: run its first enabled rule with the trigger `manual`. It is carried out soon (202). A wallet without such a rule is 409.',
      { status: 202 },
    ),
    type: StartedExecution,
    authScopes: { audience: 'operator', scope: 'settlement:write' },
    args: { input: t.arg({ type: RequestSettlementInput }) },
    ...facts({ errors: [NotFound, NoManualRule] }),
    resolve: once((ctx, { input }) => requestSettlement(ctx, input.walletId), settlementExecution),
  }),
}));
