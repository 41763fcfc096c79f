// The inputs of settlement rules.
import { z } from 'zod';
import { ExecutionStatus, SettlementAction, SettlementTrigger } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';
import { amountModes } from './action.js';
import { directions } from './trigger.js';

export const TriggerTypeEnum = builder.enumType(SettlementTrigger, { name: 'SettlementTriggerType' });
export const ActionTypeEnum = builder.enumType(SettlementAction, { name: 'SettlementActionType' });
export const ExecutionStatusEnum = builder.enumType(ExecutionStatus, { name: 'SettlementExecutionStatus' });
export const DirectionEnum = builder.enumType('ThresholdDirection', {
  description: 'above: the balance reaches the threshold. below: it falls below it.',
  values: directions,
});
export const AmountModeEnum = builder.enumType('SettlementAmount', { values: amountModes });
export const SettlementDestinationTypeEnum = builder.enumType('SettlementDestinationType', { values: ['bank'] as const });

const SettlementTriggerConfigInput = builder.inputType('SettlementTriggerConfigInput', {
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

const SettlementDestinationInput = builder.inputType('SettlementDestinationInput', {
  fields: (t) => ({
    type: t.field({ type: SettlementDestinationTypeEnum }),
    ref: t.string({ required: false, description: 'A bank account (`ba_...`); the default one of the wallet’s account without it.' }),
  }),
});

const SettlementActionConfigInput = builder.inputType('SettlementActionConfigInput', {
  description:
    'By action: settle_to_bank {destination, retain_reserve_cents, rail}; settle_to_account {destination_account_id} and settle_to_wallet ' +
    '{destination_wallet_id} with {amount, amount_cents, retain_reserve_cents}; hold {amount_cents, release_after_seconds}; notify {message}. ' +
    'Any other member is refused.',
  extensions: { example: {} },
  fields: (t) => ({
    destination: t.field({ type: SettlementDestinationInput, required: false }),
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

export const CreateSettlementRuleInput = builder.inputType('CreateSettlementRuleInput', {
  fields: (t) => ({
    name: t.string({ validate: name, extensions: { example: 'Tell me' } }),
    walletId: t.field({ type: 'WalletId' }),
    triggerType: t.field({ type: TriggerTypeEnum, extensions: { example: 'manual' } }),
    triggerConfig: t.field({ type: SettlementTriggerConfigInput, required: false }),
    actionType: t.field({ type: ActionTypeEnum, extensions: { example: 'notify' } }),
    actionConfig: t.field({ type: SettlementActionConfigInput, required: false }),
    enabled: t.boolean({ required: false, description: 'true by default.' }),
    priority: t.int({ required: false, description: '100 by default; the smallest comes first.', validate: priority }),
  }),
});
export type CreateSettlementRuleInput = typeof CreateSettlementRuleInput.$inferInput;

export const UpdateSettlementRuleInput = builder.inputType('UpdateSettlementRuleInput', {
  fields: (t) => ({
    name: t.string({ required: false, validate: name }),
    triggerType: t.field({ type: TriggerTypeEnum, required: false, description: 'Another one comes with its config.' }),
    triggerConfig: t.field({ type: SettlementTriggerConfigInput, required: false }),
    actionType: t.field({ type: ActionTypeEnum, required: false, description: 'Another one comes with its config.' }),
    actionConfig: t.field({ type: SettlementActionConfigInput, required: false }),
    enabled: t.boolean({ required: false, extensions: { example: false } }),
    priority: t.int({ required: false, validate: priority }),
  }),
});
export type UpdateSettlementRuleInput = typeof UpdateSettlementRuleInput.$inferInput;

export const RequestSettlementInput = builder.inputType('RequestSettlementInput', {
  fields: (t) => ({ walletId: t.field({ type: 'WalletId' }) }),
});
