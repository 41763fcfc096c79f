// The inputs of payouts.
import { z } from 'zod';
import { PayoutDestination, PayoutStatus } from '../../../generated/prisma/enums.js';
import { builder } from '../../../platform/schema/builder.js';

export const PayoutStatusEnum = builder.enumType(PayoutStatus, { name: 'PayoutStatus' });
export const PayoutDestinationEnum = builder.enumType(PayoutDestination, { name: 'PayoutDestinationType' });

const PayoutDestinationInput = builder.inputType('PayoutDestinationInput', {
  fields: (t) => ({
    type: t.field({ type: PayoutDestinationEnum, description: 'bank: a bank account. wallet: the address of a chain.' }),
    ref: t.string({
      description: 'A bank account id (`ba_...`) or an address.',
      validate: z.string().min(1).max(128),
      extensions: { example: 'ba_01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d' },
    }),
  }),
});

export const CreatePayoutInput = builder.inputType('CreatePayoutInput', {
  fields: (t) => ({
    walletId: t.field({ type: 'WalletId', description: 'The wallet that pays.' }),
    amount: t.field({ type: 'Amount', description: 'What arrives; the fee of the rail comes on top.' }),
    currency: t.field({ type: 'Currency' }),
    destination: t.field({ type: PayoutDestinationInput }),
    rail: t.string({
      required: false,
      description: 'By default the one that reaches the destination; usdc-base for an address of 0x.',
      validate: z.string().min(1).max(64),
    }),
    description: t.string({ required: false, validate: z.string().max(500) }),
    agentId: t.field({ type: 'AgentUuid', required: false, description: 'The agent that an API key acts for.' }),
    requestApproval: t.boolean({ required: false, description: 'Ask for an approval where a policy or a budget would refuse.' }),
  }),
});
export type CreatePayoutInput = typeof CreatePayoutInput.$inferInput;
