// The GraphQL face of settlement rules. Agents have none of it. One type has the members of all triggers, one those of
// all actions; which of them belong together is for the type to say.
import { CurrencyMismatch, NotFound, StateConflict } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts, listed, pageOf } from '../../platform/schema/builder.js';
import { byId, rowsOf } from '../../platform/schema/relation.js';
import { operatorsOnly } from '../../platform/visibility.js';
import { SameWallet } from '../transfers/errors.js';
import { UnsupportedRail } from '../transfers/rail.js';
import { type Action, actionOf } from './action.js';
import { TooManySettlementRules } from './errors.js';
import { rest } from './rest.js';
import {
  ActionTypeEnum,
  AmountModeEnum,
  CreateSettlementRuleInput,
  DirectionEnum,
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
  description: 'When a rule fires, with the members of its trigger type.',
  fields: (t) => ({
    thresholdCents: t.field({
      type: 'Cents',
      nullable: true,
      description: 'A whole number of hundredths of the currency; null for other triggers.',
      resolve: ofTrigger('thresholdCents'),
    }),
    currency: t.field({
      type: 'Currency',
      nullable: true,
      description: 'The currency of the wallet; null for other triggers.',
      resolve: ofTrigger('currency'),
    }),
    direction: t.field({ type: DirectionEnum, nullable: true, resolve: ofTrigger('direction') }),
    schedule: t.string({ nullable: true, description: 'Five fields of cron; null for other triggers.', resolve: ofTrigger('schedule') }),
    timezone: t.string({
      nullable: true,
      description: 'Time zone of the schedule; null for other triggers.',
      resolve: ofTrigger('timezone'),
    }),
    eventType: t.string({
      nullable: true,
      description: 'The event that fires it; null for other triggers.',
      resolve: ofTrigger('eventType'),
    }),
    filter: t.field({
      type: 'JSONObject',
      nullable: true,
      description: "Values that members of the event's data must have; null where any event fires it.",
      resolve: ofTrigger('filter'),
    }),
    count: t.int({
      nullable: true,
      description: 'Number of completed transfers of the wallet; null for other triggers.',
      resolve: ofTrigger('count'),
    }),
    withinWindow: t.int({
      nullable: true,
      description: 'Seconds within which they must lie; null for no limit.',
      resolve: ofTrigger('withinWindow'),
    }),
  }),
});

const BankDestination = builder.objectRef<{ type: 'bank'; ref?: string | undefined }>('SettlementDestination').implement({
  description: 'A bank account.',
  fields: (t) => ({
    type: t.field({ type: SettlementDestinationTypeEnum, resolve: () => 'bank' as const }),
    ref: t.string({
      nullable: true,
      description: "The bank account; null for the default one of the wallet's account.",
      resolve: ({ ref }) => ref ?? null,
    }),
  }),
});

const ofAction = member<Action['config']>();
const ActionConfig = builder.objectRef<Action['config']>('SettlementActionConfig').implement({
  description: 'What a rule does, with the members of its action type.',
  fields: (t) => ({
    destination: t.field({
      type: BankDestination,
      nullable: true,
      description: 'The bank account; null for other actions.',
      resolve: ofAction('destination'),
    }),
    rail: t.string({
      nullable: true,
      description: 'The rail; null for other actions, and for the one that reaches the account.',
      resolve: ofAction('rail'),
    }),
    destinationAccountId: t.field({
      type: 'AccountId',
      nullable: true,
      description: 'The account that is paid; null for other actions.',
      resolve: ofAction('destinationAccountId'),
    }),
    destinationWalletId: t.field({
      type: 'WalletId',
      nullable: true,
      description: 'The wallet that is paid; null for other actions.',
      resolve: ofAction('destinationWalletId'),
    }),
    amount: t.field({ type: AmountModeEnum, nullable: true, resolve: ofAction('amount') }),
    amountCents: t.field({
      type: 'Cents',
      nullable: true,
      description: 'How much is paid or held: a whole number of hundredths of the currency; null for `all`.',
      resolve: ofAction('amountCents'),
    }),
    retainReserveCents: t.field({
      type: 'Cents',
      nullable: true,
      description: 'What stays in the wallet: a whole number of hundredths of the currency; null for nothing.',
      resolve: ofAction('retainReserveCents'),
    }),
    releaseAfterSeconds: t.int({
      nullable: true,
      description: 'Seconds until held money goes back; null for other actions, and until it is cancelled.',
      resolve: ofAction('releaseAfterSeconds'),
    }),
    message: t.string({ nullable: true, description: 'Text of the event; null for other actions.', resolve: ofAction('message') }),
  }),
});

const SettlementRule = builder.prismaObject('SettlementRule', {
  ...byId(rowsOf('settlementRule', operatorsOnly('settlement:read'), { where: { deletedAt: null } })),
  description: 'What is done with the money of a wallet, and when.',
  fields: (t) => ({
    id: t.expose('id', { type: 'SettlementRuleId' }),
    name: t.exposeString('name', { description: 'Your own name for the rule.' }),
    walletId: t.expose('walletId', { type: 'WalletId', description: 'The wallet whose money it handles.' }),
    triggerType: t.expose('triggerType', { type: TriggerTypeEnum }),
    triggerConfig: t.field({
      type: TriggerConfig,
      description: 'When exactly it fires, with the members of its trigger type.',
      resolve: (row) => triggerOf(row).config,
    }),
    actionType: t.expose('actionType', { type: ActionTypeEnum }),
    actionConfig: t.field({
      type: ActionConfig,
      description: 'What exactly it does, with the members of its action type.',
      resolve: (row) => actionOf(row).config,
    }),
    enabled: t.exposeBoolean('enabled', { description: 'False: the rule does not fire.' }),
    priority: t.exposeInt('priority', { description: 'Of rules that fire together the smallest number goes first.' }),
    nextFiringAt: t.expose('dueAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When a `time_based` rule that is enabled fires next; null for others.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
const SettlementRulePage = pageOf(SettlementRule, 'SettlementRule');

const DeletedRule = builder.objectRef<{ id: string }>('DeletedSettlementRule').implement({
  description: 'A settlement rule that was deleted.',
  fields: (t) => ({ id: t.expose('id', { type: 'SettlementRuleId' }), deleted: t.boolean({ resolve: () => true }) }),
});

builder.queryFields((t) => ({
  settlementRule: t.prismaField({
    route: rest('GET /v1/settlement-rules/{id}', 'Read a settlement rule. It shows when a `time_based` rule fires next.'),
    type: SettlementRule,
    authScopes: { audience: 'operator', scope: 'settlement:read' },
    args: { id: t.arg({ type: 'SettlementRuleId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: (query, _root, { id }, ctx) => settlementRule(ctx, id, query),
  }),
  settlementRules: t.field({
    route: rest(
      'GET /v1/settlement-rules',
      'List settlement rules, newest first. Filter by trigger type, wallet or whether they are enabled.',
    ),
    type: SettlementRulePage,
    authScopes: { audience: 'operator', scope: 'settlement:read' },
    ...listed(t, settlementRules, {
      triggerType: t.arg({ type: TriggerTypeEnum, required: false }),
      enabled: t.arg.boolean({ required: false }),
      walletId: t.arg({ type: 'WalletId', required: false }),
    }),
  }),
}));

const errors = [NotFound, CurrencyMismatch, UnsupportedRail, SameWallet];

builder.mutationFields((t) => ({
  createSettlementRule: t.field({
    route: rest(
      'POST /v1/settlement-rules',
      'Create a rule about the money of a wallet: when it fires and what it does. A config with members that are not of its type is 400. Moving money by a rule is a payout or transfer with its own events.',
      { status: 201 },
    ),
    type: SettlementRule,
    authScopes: { audience: 'operator', scope: 'settlement:write' },
    args: { input: t.arg({ type: CreateSettlementRuleInput }) },
    ...facts({ errors: [...errors, StateConflict, TooManySettlementRules] }),
    resolve: once((ctx, { input }) => createSettlementRule(ctx, input), settlementRule),
  }),
  updateSettlementRule: t.field({
    route: rest(
      'PATCH /v1/settlement-rules/{id}',
      'Change a settlement rule; its wallet stays. A new trigger or action type needs its config. A trigger that is changed or enabled begins anew.',
    ),
    type: SettlementRule,
    authScopes: { audience: 'operator', scope: 'settlement:write' },
    args: { id: t.arg({ type: 'SettlementRuleId' }), input: t.arg({ type: UpdateSettlementRuleInput }) },
    ...facts({ errors }),
    resolve: once((ctx, { id, input }) => updateSettlementRule(ctx, { ...input, id }), settlementRule),
  }),
  deleteSettlementRule: t.field({
    route: rest(
      'DELETE /v1/settlement-rules/{id}',
      'Delete a settlement rule. Executions that were not carried out are skipped; those of the past stay readable.',
    ),
    type: DeletedRule,
    authScopes: { audience: 'operator', scope: 'settlement:write' },
    args: { id: t.arg({ type: 'SettlementRuleId' }) },
    ...facts({ errors: [NotFound] }),
    resolve: once(
      (ctx, { id }) => deleteSettlementRule(ctx, id),
      async (_ctx, reference) => ({ id: reference }) as never,
    ),
  }),
}));
