// The GraphQL face of settlement rules and of what they did. Agents have none of it. One type has the members of all triggers, one those of
// all actions; which of them belong together is for the type to say.
import type { SettlementExecution as ExecutionRow } from '../../generated/prisma/client.js';
import { CurrencyMismatch, NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts, listed, pageOf } from '../../platform/schema/builder.js';
import { SameWallet } from '../transfers/errors.js';
import { UnsupportedRail } from '../transfers/rail.js';
import { type Action, actionOf } from './action.js';
import { NoManualRule, RuleDisabled, TooManySettlementRules } from './errors.js';
import { requestSettlement, runSettlementRule, settlementExecution, settlementExecutions } from './execution.js';
import { rest } from './rest.js';
import {
  ActionTypeEnum,
  AmountModeEnum,
  CreateSettlementRuleInput,
  DirectionEnum,
  ExecutionStatusEnum,
  RequestSettlementInput,
  SettlementDestinationTypeEnum,
  TriggerTypeEnum,
  UpdateSettlementRuleInput,
} from './rule.input.js';
import { createSettlementRule, deleteSettlementRule, settlementRule, settlementRules, updateSettlementRule } from './rule.js';
import { type Trigger, triggerOf } from './trigger.js';

type NamesOf<Config> = Config extends unknown ? keyof Config : never;
type ValueOf<Config, Name> = Config extends unknown ? (Name extends keyof Config ? Exclude<Config[Name], undefined> : never) : never;

/** A member of a config; null where its type has none, or it was not given. */
const member =
  <Config extends object>() =>
  <Name extends NamesOf<Config>>(name: Name) =>
  (config: Config): ValueOf<Config, Name> | null =>
    (config as { [Key in Name]?: ValueOf<Config, Name> })[name] ?? null;

const ofTrigger = member<Trigger['config']>();
const TriggerConfig = builder.objectRef<Trigger['config']>('SettlementTriggerConfig').implement({
  description: 'When a rule fires, with the members of its trigger.',
  fields: (t) => ({
    thresholdCents: t.field({ type: 'Cents', nullable: true, resolve: ofTrigger('thresholdCents') }),
    currency: t.field({ type: 'Currency', nullable: true, resolve: ofTrigger('currency') }),
    direction: t.field({ type: DirectionEnum, nullable: true, resolve: ofTrigger('direction') }),
    schedule: t.string({ nullable: true, resolve: ofTrigger('schedule') }),
    timezone: t.string({ nullable: true, resolve: ofTrigger('timezone') }),
    eventType: t.string({ nullable: true, resolve: ofTrigger('eventType') }),
    filter: t.field({ type: 'JSONObject', nullable: true, resolve: ofTrigger('filter') }),
    count: t.int({ nullable: true, resolve: ofTrigger('count') }),
    withinWindow: t.int({ nullable: true, resolve: ofTrigger('withinWindow') }),
  }),
});

const BankDestination = builder.objectRef<{ type: 'bank'; ref?: string | undefined }>('SettlementDestination').implement({
  fields: (t) => ({
    type: t.field({ type: SettlementDestinationTypeEnum, resolve: () => 'bank' as const }),
    ref: t.string({ nullable: true, resolve: ({ ref }) => ref ?? null }),
  }),
});

const ofAction = member<Action['config']>();
const ActionConfig = builder.objectRef<Action['config']>('SettlementActionConfig').implement({
  description: 'What a rule does, with the members of its action.',
  fields: (t) => ({
    destination: t.field({ type: BankDestination, nullable: true, resolve: ofAction('destination') }),
    rail: t.string({ nullable: true, resolve: ofAction('rail') }),
    destinationAccountId: t.field({ type: 'AccountId', nullable: true, resolve: ofAction('destinationAccountId') }),
    destinationWalletId: t.field({ type: 'WalletId', nullable: true, resolve: ofAction('destinationWalletId') }),
    amount: t.field({ type: AmountModeEnum, nullable: true, resolve: ofAction('amount') }),
    amountCents: t.field({ type: 'Cents', nullable: true, resolve: ofAction('amountCents') }),
    retainReserveCents: t.field({ type: 'Cents', nullable: true, resolve: ofAction('retainReserveCents') }),
    releaseAfterSeconds: t.int({ nullable: true, resolve: ofAction('releaseAfterSeconds') }),
    message: t.string({ nullable: true, resolve: ofAction('message') }),
  }),
});

const SettlementRule = builder.prismaObject('SettlementRule', {
  description: 'What is done with the money of a wallet, and when.',
  fields: (t) => ({
    id: t.expose('id', { type: 'SettlementRuleId' }),
    name: t.exposeString('name'),
    walletId: t.expose('walletId', { type: 'WalletId' }),
    triggerType: t.expose('triggerType', { type: TriggerTypeEnum }),
    triggerConfig: t.field({
      type: TriggerConfig,
      resolve: (row) => triggerOf(row).config,
    }),
    actionType: t.expose('actionType', { type: ActionTypeEnum }),
    actionConfig: t.field({
      type: ActionConfig,
      resolve: (row) => actionOf(row).config,
    }),
    enabled: t.exposeBoolean('enabled'),
    priority: t.exposeInt('priority', { description: 'Of rules that fire on one cause the smallest comes first.' }),
    nextFiringAt: t.expose('dueAt', { type: 'DateTime', nullable: true, description: 'Of a time_based rule that is enabled.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
const SettlementRulePage = pageOf(SettlementRule, 'SettlementRule');

const DeletedRule = builder.objectRef<{ id: string }>('DeletedSettlementRule').implement({
  fields: (t) => ({ id: t.expose('id', { type: 'SettlementRuleId' }), deleted: t.boolean({ resolve: () => true }) }),
});

const ExecutionError = builder.objectRef<ExecutionRow>('SettlementExecutionError').implement({
  description: 'Why nothing was done.',
  fields: (t) => ({
    code: t.string({ resolve: (row) => row.errorCode ?? '' }),
    message: t.string({ resolve: (row) => row.errorMessage ?? '' }),
  }),
});

const SettlementExecution = builder.prismaObject('SettlementExecution', {
  description: 'A firing of a rule, and what came of it.',
  fields: (t) => ({
    id: t.expose('id', { type: 'SettlementExecutionId' }),
    ruleId: t.expose('ruleId', { type: 'SettlementRuleId', nullable: true }),
    walletId: t.expose('walletId', { wire: { shown: false }, type: 'WalletId' }),
    firedAt: t.expose('firedAt', { type: 'DateTime' }),
    trigger: t.expose('trigger', {
      type: TriggerTypeEnum,
      description: 'manual where it was run by hand, whatever the trigger of the rule.',
    }),
    status: t.expose('status', { type: ExecutionStatusEnum }),
    transferId: t.expose('transferId', { type: 'TransferId', nullable: true, description: 'The transfer, hold, or money of the payout.' }),
    payoutId: t.expose('payoutId', { wire: { after: 'status' }, type: 'PayoutId', nullable: true }),
    error: t.field({
      type: ExecutionError,
      nullable: true,
      resolve: (row) => (row.errorCode === null ? null : (row as ExecutionRow)),
    }),
  }),
});
const SettlementExecutionPage = pageOf(SettlementExecution, 'SettlementExecution');

const StartedExecution = builder
  .objectRef<ExecutionRow>('StartedSettlementExecution')
  .implement({ extensions: { component: false }, fields: (t) => ({ executionId: t.expose('id', { type: 'SettlementExecutionId' }) }) });

builder.queryFields((t) => ({
  settlementRule: t.prismaField({
    route: rest('GET /v1/settlement-rules/{id}', 'Read a settlement rule.'),
    type: SettlementRule,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'SettlementRuleId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => settlementRule(ctx, id, query),
  }),
  settlementRules: t.field({
    route: rest('GET /v1/settlement-rules', 'List settlement rules.'),
    type: SettlementRulePage,
    authScopes: { audience: 'operator' },
    ...listed(t, settlementRules, {
      triggerType: t.arg({ type: TriggerTypeEnum, required: false }),
      enabled: t.arg.boolean({ required: false }),
      walletId: t.arg({ type: 'WalletId', required: false }),
    }),
  }),
  settlementExecutions: t.field({
    route: rest('GET /v1/settlement-rules/{id}/executions', 'List what a settlement rule did, newest first.', { names: { ruleId: 'id' } }),
    type: SettlementExecutionPage,
    authScopes: { audience: 'operator' },
    ...facts({ errors: [NotFound] }),
    ...listed(t, settlementExecutions, { ruleId: t.arg({ type: 'SettlementRuleId' }) }),
  }),
}));

const errors = [NotFound, CurrencyMismatch, UnsupportedRail, SameWallet];

builder.mutationFields((t) => ({
  createSettlementRule: t.field({
    route: rest('POST /v1/settlement-rules', 'Make a rule about the money of a wallet.', { status: 201 }),
    type: SettlementRule,
    authScopes: { audience: 'operator' },
    args: { input: t.arg({ type: CreateSettlementRuleInput }) },
    ...facts({ errors: [...errors, StateConflict, TooManySettlementRules] }),
    resolve: once((ctx, { input }) => createSettlementRule(ctx, input), settlementRule),
  }),
  updateSettlementRule: t.field({
    route: rest('PATCH /v1/settlement-rules/{id}', 'Change a settlement rule. Its wallet stays.'),
    type: SettlementRule,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'SettlementRuleId' }), input: t.arg({ type: UpdateSettlementRuleInput }) },
    ...facts({ errors }),
    resolve: once((ctx, { id, input }) => updateSettlementRule(ctx, { ...input, id }), settlementRule),
  }),
  deleteSettlementRule: t.field({
    route: rest('DELETE /v1/settlement-rules/{id}', 'Delete a settlement rule.'),
    type: DeletedRule,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'SettlementRuleId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: once(
      (ctx, { id }) => deleteSettlementRule(ctx, id),
      async (_ctx, reference) => ({ id: reference }) as never,
    ),
  }),
  runSettlementRule: t.field({
    route: rest('POST /v1/settlement-rules/{id}/run', 'Run a settlement rule now, whatever its trigger.', { status: 202 }),
    type: StartedExecution,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'SettlementRuleId' }) },
    ...facts({ errors: [NotFound, RuleDisabled] }),
    resolve: once((ctx, { id }) => runSettlementRule(ctx, id), settlementExecution),
  }),
  requestSettlement: t.field({
    route: rest(
      'POST /v1/settlement-rules/request-manual',
      'Settle a wallet by hand: run its first enabled rule with the trigger manual.',
      { status: 202 },
    ),
    type: StartedExecution,
    authScopes: { audience: 'operator' },
    args: { input: t.arg({ type: RequestSettlementInput }) },
    ...facts({ errors: [NotFound, NoManualRule] }),
    resolve: once((ctx, { input }) => requestSettlement(ctx, input.walletId), settlementExecution),
  }),
}));
