// The inputs of settlement rules.
import { z } from 'zod';
import { ExecutionStatus, SettlementAction, SettlementTrigger } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';
import { amountModes } from './action.js';
import { directions } from './trigger.js';

export const TriggerTypeEnum = builder.enumType(SettlementTrigger, {
  name: 'SettlementTriggerType',
  description: 'When a rule fires: at a balance, at times, at an event, after a number of transfers, or only by hand.',
});
export const ActionTypeEnum = builder.enumType(SettlementAction, {
  name: 'SettlementActionType',
  description: 'What a rule does: pay out to a bank, pay an account or wallet, hold money, or notify.',
});
export const ExecutionStatusEnum = builder.enumType(ExecutionStatus, {
  name: 'SettlementExecutionStatus',
  description:
    '`pending`: about to be carried out. `completed`: done. `skipped`: there was nothing to do. `failed`: refused; the rule stays enabled.',
});
export const DirectionEnum = builder.enumType('ThresholdDirection', {
  description:
    '`above`: the balance reaches the threshold. `below`: it falls below it. A balance that is there already fires nothing, but with `fire_now`.',
  values: directions,
});
export const AmountModeEnum = builder.enumType('SettlementAmount', {
  description: '`all`: all that is available, less the reserve. `fixed`: `amount_cents`.',
  values: amountModes,
});
export const SettlementDestinationTypeEnum = builder.enumType('SettlementDestinationType', {
  description: '`bank`: a bank account.',
  values: ['bank'] as const,
});

const SettlementTriggerConfigInput = builder.inputType('SettlementTriggerConfigInput', {
  description:
    'By trigger: balance_threshold {threshold_cents, currency, direction}; time_based {schedule, timezone}; event_based {event_type, filter}; ' +
    'transaction_count {count, within_window}; manual {}. Any other member is refused.',
  extensions: { example: {} },
  fields: (t) => ({
    thresholdCents: t.field({
      type: 'Cents',
      required: false,
      description: 'For `balance_threshold`: a whole number of hundredths of the currency.',
    }),
    currency: t.field({ type: 'Currency', required: false, description: 'For `balance_threshold`: the currency of the wallet.' }),
    direction: t.field({ type: DirectionEnum, required: false }),
    schedule: t.string({ required: false, description: 'For `time_based`: five fields of cron, at least 15 minutes apart.' }),
    timezone: t.string({ required: false, description: 'For `time_based`: a time zone such as Europe/Berlin; UTC by default.' }),
    eventType: t.string({
      required: false,
      description: 'For `event_based`: a type of `GET /v1/webhooks/events`.',
      validate: z.string().max(100),
    }),
    filter: t.field({
      type: 'JSONObject',
      required: false,
      description: "For `event_based`: values that members of the event's data must have; a dot leads into one, as in `destination.type`.",
    }),
    count: t.int({ required: false, description: 'For `transaction_count`: number of completed transfers of the wallet.' }),
    withinWindow: t.int({
      required: false,
      description: 'For `transaction_count`: seconds within which they must lie; no limit by default.',
    }),
  }),
});

const SettlementDestinationInput = builder.inputType('SettlementDestinationInput', {
  description: 'A bank account.',
  fields: (t) => ({
    type: t.field({ type: SettlementDestinationTypeEnum }),
    ref: t.string({ required: false, description: "A bank account (`ba_...`); without it the default one of the wallet's account." }),
  }),
});

const SettlementActionConfigInput = builder.inputType('SettlementActionConfigInput', {
  description:
    'By action: settle_to_bank {destination, retain_reserve_cents, rail}; settle_to_account {destination_account_id} and settle_to_wallet ' +
    '{destination_wallet_id} with {amount, amount_cents, retain_reserve_cents}; hold {amount_cents, release_after_seconds}; notify {message}. ' +
    'Any other member is refused.',
  extensions: { example: {} },
  fields: (t) => ({
    destination: t.field({
      type: SettlementDestinationInput,
      required: false,
      description: "For `settle_to_bank`: the bank account; by default the one of the wallet's account.",
    }),
    rail: t.string({ required: false, description: 'For `settle_to_bank`: the rail; by default the one that reaches the account.' }),
    destinationAccountId: t.field({
      type: 'AccountId',
      required: false,
      description: 'For `settle_to_account`: the account that is paid.',
    }),
    destinationWalletId: t.field({ type: 'WalletId', required: false, description: 'For `settle_to_wallet`: the wallet that is paid.' }),
    amount: t.field({
      type: AmountModeEnum,
      required: false,
      description: 'Whether all that is available is paid or `amount_cents`; `all` by default.',
    }),
    amountCents: t.field({
      type: 'Cents',
      required: false,
      description: 'How much is paid or held: a whole number of hundredths of the currency.',
    }),
    retainReserveCents: t.field({
      type: 'Cents',
      required: false,
      description: 'What stays in the wallet: a whole number of hundredths of the currency.',
    }),
    releaseAfterSeconds: t.int({
      required: false,
      description: 'For `hold`: seconds until the money goes back; without it, until the transfer is cancelled.',
    }),
    message: t.string({ required: false, description: 'For `notify`: text of the event.' }),
  }),
});

const name = z.string().trim().min(1).max(200);
const priority = z.int().min(0).max(1_000_000);

export const CreateSettlementRuleInput = builder.inputType('CreateSettlementRuleInput', {
  description: 'A new settlement rule.',
  fields: (t) => ({
    name: t.string({ description: 'Your own name for the rule.', validate: name, extensions: { example: 'Tell me' } }),
    walletId: t.field({ type: 'WalletId', description: 'The wallet whose money it handles.' }),
    triggerType: t.field({ type: TriggerTypeEnum, extensions: { example: 'manual' } }),
    triggerConfig: t.field({
      type: SettlementTriggerConfigInput,
      required: false,
      description: 'When exactly it fires, with the members of its trigger type.',
    }),
    actionType: t.field({ type: ActionTypeEnum, extensions: { example: 'notify' } }),
    actionConfig: t.field({
      type: SettlementActionConfigInput,
      required: false,
      description: 'What exactly it does, with the members of its action type.',
    }),
    enabled: t.boolean({ required: false, description: 'False creates it without effect; true by default.' }),
    fireNow: t.boolean({
      required: false,
      description:
        'Of a balance_threshold, which waits until the balance crosses it: true fires at once where the balance is beyond it already. False by default.',
    }),
    priority: t.int({
      required: false,
      description: 'Of rules that fire together the smallest number goes first; 100 by default.',
      validate: priority,
    }),
  }),
});
export type CreateSettlementRuleInput = typeof CreateSettlementRuleInput.$inferInput;

export const UpdateSettlementRuleInput = builder.inputType('UpdateSettlementRuleInput', {
  description: 'Changes of a settlement rule. A member that is left out stays as it is.',
  fields: (t) => ({
    name: t.string({ required: false, description: 'New name.', validate: name }),
    triggerType: t.field({ type: TriggerTypeEnum, required: false, description: 'New trigger type; needs its `trigger_config` too.' }),
    triggerConfig: t.field({
      type: SettlementTriggerConfigInput,
      required: false,
      description: 'New config of the trigger, which replaces the one before.',
    }),
    actionType: t.field({ type: ActionTypeEnum, required: false, description: 'New action type; needs its `action_config` too.' }),
    actionConfig: t.field({
      type: SettlementActionConfigInput,
      required: false,
      description: 'New config of the action, which replaces the one before.',
    }),
    enabled: t.boolean({ required: false, description: 'False stops the rule; true starts it again.', extensions: { example: false } }),
    priority: t.int({ required: false, description: 'Of rules that fire together the smallest number goes first.', validate: priority }),
  }),
});
export type UpdateSettlementRuleInput = typeof UpdateSettlementRuleInput.$inferInput;

export const RequestSettlementInput = builder.inputType('RequestSettlementInput', {
  description: 'The wallet to settle.',
  fields: (t) => ({
    walletId: t.field({ type: 'WalletId', description: 'The wallet to settle, by its first enabled rule with the trigger `manual`.' }),
  }),
});
