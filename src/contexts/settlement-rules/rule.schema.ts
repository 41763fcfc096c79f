// The GraphQL face of settlement rules and of what they did. Agents have none of it. One type has the members of all triggers, one those of
// all actions; which of them belong together is for the type to say.
import { z } from 'zod';
import type { SettlementExecution as ExecutionRow } from '../../generated/prisma/client.js';
import { ExecutionStatus, SettlementAction, SettlementTrigger } from '../../generated/prisma/enums.js';
import { CurrencyMismatch, NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts, nodesQuery, pageArgs, pageOf } from '../../platform/schema/builder.js';
import { SameWallet } from '../transfers/errors.js';
import { UnsupportedRail } from '../transfers/rail.js';
import { type Action, actionOf, amountModes } from './action.js';
import { NoManualRule, RuleDisabled, TooManySettlementRules } from './errors.js';
import { requestSettlement, runSettlementRule, settlementExecution, settlementExecutions } from './execution.js';
import { rest } from './rest.js';
import { createSettlementRule, deleteSettlementRule, settlementRule, settlementRules, updateSettlementRule } from './rule.js';
import { directions, type Trigger, triggerOf } from './trigger.js';

const TriggerTypeEnum = builder.enumType(SettlementTrigger, { name: 'SettlementTriggerType' });
const ActionTypeEnum = builder.enumType(SettlementAction, { name: 'SettlementActionType' });
const ExecutionStatusEnum = builder.enumType(ExecutionStatus, { name: 'SettlementExecutionStatus' });
const DirectionEnum = builder.enumType('ThresholdDirection', {
  description: 'above: the balance reaches the threshold. below: it falls below it.',
  values: directions,
});
const AmountModeEnum = builder.enumType('SettlementAmount', { values: amountModes });
const DestinationTypeEnum = builder.enumType('SettlementDestinationType', { values: ['bank'] as const });

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
    type: t.field({ type: DestinationTypeEnum, resolve: () => 'bank' as const }),
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

const TriggerConfigInput = builder.inputType('SettlementTriggerConfigInput', {
  description:
    'By trigger: balance_threshold {threshold_cents, currency, direction}; time_based {schedule, timezone}; event_based {event_type, filter}; ' +
    'transaction_count {count, within_window}; manual {}. Any other member is refused.',
  extensions: { example: {} },
  fields: (t) => ({
    thresholdCents: t.field({ type: 'Cents', required: false }),
    currency: t.field({ type: 'Currency', required: false, description: 'That of the wallet.' }),
    direction: t.field({ type: DirectionEnum, required: false }),
    schedule: t.string({ required: false, description: 'Five fields of cron; it fires at least 15 minutes apart.' }),
    timezone: t.string({ required: false, description: 'Such as Europe/Berlin.' }),
    eventType: t.string({ required: false, description: 'One of GET /v1/webhooks/events.', validate: z.string().max(100) }),
    filter: t.field({
      type: 'JSONObject',
      required: false,
      description: 'What members of its data have to be; a dot leads into one, as in destination.type.',
    }),
    count: t.int({ required: false, description: 'Completed transfers of the wallet.' }),
    withinWindow: t.int({ required: false, description: 'Seconds; the rule fires when so many lie within them.' }),
  }),
});

const BankDestinationInput = builder.inputType('SettlementDestinationInput', {
  fields: (t) => ({
    type: t.field({ type: DestinationTypeEnum }),
    ref: t.string({ required: false, description: 'A bank account (`ba_...`); the default one of the wallet’s account without it.' }),
  }),
});

const ActionConfigInput = builder.inputType('SettlementActionConfigInput', {
  description:
    'By action: settle_to_bank {destination, retain_reserve_cents, rail}; settle_to_account {destination_account_id} and settle_to_wallet ' +
    '{destination_wallet_id} with {amount, amount_cents, retain_reserve_cents}; hold {amount_cents, release_after_seconds}; notify {message}. ' +
    'Any other member is refused.',
  extensions: { example: {} },
  fields: (t) => ({
    destination: t.field({ type: BankDestinationInput, required: false }),
    rail: t.string({ required: false }),
    destinationAccountId: t.field({ type: 'AccountId', required: false }),
    destinationWalletId: t.field({ type: 'WalletId', required: false }),
    amount: t.field({ type: AmountModeEnum, required: false, description: '`all` by default.' }),
    amountCents: t.field({ type: 'Cents', required: false }),
    retainReserveCents: t.field({ type: 'Cents', required: false, description: 'What stays in the wallet.' }),
    releaseAfterSeconds: t.int({ required: false, description: 'Without it the money is held until the transfer is cancelled.' }),
    message: t.string({ required: false }),
  }),
});

const name = z.string().trim().min(1).max(200);
const priority = z.int().min(0).max(1_000_000);

const CreateInput = builder.inputType('CreateSettlementRuleInput', {
  fields: (t) => ({
    name: t.string({ validate: name }),
    walletId: t.field({ type: 'WalletId' }),
    triggerType: t.field({ type: TriggerTypeEnum, extensions: { example: 'manual' } }),
    triggerConfig: t.field({ type: TriggerConfigInput, required: false }),
    actionType: t.field({ type: ActionTypeEnum, extensions: { example: 'notify' } }),
    actionConfig: t.field({ type: ActionConfigInput, required: false }),
    enabled: t.boolean({ required: false, description: 'true by default.' }),
    priority: t.int({ required: false, description: '100 by default; the smallest comes first.', validate: priority }),
  }),
});
const UpdateInput = builder.inputType('UpdateSettlementRuleInput', {
  fields: (t) => ({
    name: t.string({ required: false, validate: name }),
    triggerType: t.field({ type: TriggerTypeEnum, required: false, description: 'Another one comes with its config.' }),
    triggerConfig: t.field({ type: TriggerConfigInput, required: false }),
    actionType: t.field({ type: ActionTypeEnum, required: false, description: 'Another one comes with its config.' }),
    actionConfig: t.field({ type: ActionConfigInput, required: false }),
    enabled: t.boolean({ required: false }),
    priority: t.int({ required: false, validate: priority }),
  }),
});
const RequestInput = builder.inputType('RequestSettlementInput', { fields: (t) => ({ walletId: t.field({ type: 'WalletId' }) }) });

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
    args: {
      ...pageArgs(t),
      triggerType: t.arg({ type: TriggerTypeEnum, required: false }),
      enabled: t.arg.boolean({ required: false }),
      walletId: t.arg({ type: 'WalletId', required: false }),
    },
    resolve: (_root, filter, ctx, info) => settlementRules(ctx, filter, nodesQuery(ctx, info)),
  }),
  settlementExecutions: t.field({
    route: rest('GET /v1/settlement-rules/{id}/executions', 'List what a settlement rule did, newest first.', { names: { ruleId: 'id' } }),
    type: SettlementExecutionPage,
    authScopes: { audience: 'operator' },
    args: { ...pageArgs(t), ruleId: t.arg({ type: 'SettlementRuleId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (_root, filter, ctx, info) => settlementExecutions(ctx, filter, nodesQuery(ctx, info)),
  }),
}));

const errors = [NotFound, CurrencyMismatch, UnsupportedRail, SameWallet];

builder.mutationFields((t) => ({
  createSettlementRule: t.field({
    route: rest('POST /v1/settlement-rules', 'Make a rule about the money of a wallet.', { status: 201 }),
    type: SettlementRule,
    authScopes: { audience: 'operator' },
    args: { input: t.arg({ type: CreateInput }) },
    ...facts({ errors: [...errors, StateConflict, TooManySettlementRules] }),
    resolve: once((ctx, { input }) => createSettlementRule(ctx, input), settlementRule),
  }),
  updateSettlementRule: t.field({
    route: rest('PATCH /v1/settlement-rules/{id}', 'Change a settlement rule. Its wallet stays.'),
    type: SettlementRule,
    authScopes: { audience: 'operator' },
    args: { id: t.arg({ type: 'SettlementRuleId' }), input: t.arg({ type: UpdateInput }) },
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
    args: { input: t.arg({ type: RequestInput }) },
    ...facts({ errors: [NotFound, NoManualRule] }),
    resolve: once((ctx, { input }) => requestSettlement(ctx, input.walletId), settlementExecution),
  }),
}));
