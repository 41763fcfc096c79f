// The inputs of payouts.
import { z } from 'zod';
import { PayoutDestination, PayoutStatus } from '../../../generated/prisma/enums.js';
import { builder } from '../../../platform/schema/builder.js';

export const PayoutStatusEnum = builder.enumType(PayoutStatus, {
  name: 'PayoutStatus',
  description:
    '`pending`: not accepted by the rail yet. `confirmed`: accepted. `complete`: paid. `failed`: not paid. `returned`: it came back.',
});
export const PayoutDestinationEnum = builder.enumType(PayoutDestination, {
  name: 'PayoutDestinationType',
  description: '`bank`: a bank account. `wallet`: an address of a chain.',
});

const PayoutDestinationInput = builder.inputType('PayoutDestinationInput', {
  description: 'Where a payout goes.',
  fields: (t) => ({
    type: t.field({ type: PayoutDestinationEnum, description: '`bank`: a bank account. `wallet`: an address of a chain.' }),
    ref: t.string({
      description: 'A bank account id (`ba_...`) or an address.',
      validate: z.string().min(1).max(128),
      extensions: { example: 'ba_01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d' },
    }),
  }),
});

export const CreatePayoutInput = builder.inputType('CreatePayoutInput', {
  description: 'A new payout.',
  fields: (t) => ({
    walletId: t.field({ type: 'WalletId', description: 'The wallet that pays.' }),
    amount: t.field({ type: 'Amount', description: 'What arrives, in `currency`; the fee of the rail comes on top.' }),
    currency: t.field({ type: 'Currency' }),
    destination: t.field({ type: PayoutDestinationInput, description: 'Where the money goes.' }),
    rail: t.string({
      required: false,
      description: 'The rail, such as `ach`; by default the one that reaches the destination, `usdc-base` for an address of 0x.',
      validate: z.string().min(1).max(64),
    }),
    description: t.string({ required: false, description: 'Text for people.', validate: z.string().max(500) }),
    agentId: t.field({
      type: 'AgentUuid',
      required: false,
      description: 'The agent for which an API key acts; its limits then bind the payout.',
    }),
    requestApproval: t.boolean({
      required: false,
      description: 'True asks a person for an approval (202) where a policy or a budget would refuse the payout.',
    }),
  }),
});
export type CreatePayoutInput = typeof CreatePayoutInput.$inferInput;
