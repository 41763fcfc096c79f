// The inputs of one-off payments by MPP.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';
import { mostHeaderLength } from './challenge.js';
import { serviceUrl } from './session.input.js';

export const PayMppInput = builder.inputType('PayMppInput', {
  fields: (t) => ({
    serviceUrl: t.string(serviceUrl),
    payeeWalletId: t.field({
      type: 'WalletId',
      required: false,
      description: 'The wallet that is paid; by default that of the service.',
      extensions: { shown: true },
    }),
    amount: t.field({ type: 'Amount' }),
    currency: t.field({ type: 'Currency', required: false, description: 'That of both wallets.' }),
    agentId: t.field({ type: 'AgentUuid', description: 'The agent that spends.' }),
    walletId: t.field({ type: 'WalletId', description: 'The wallet that pays.' }),
    description: t.string({ required: false, validate: z.string().min(1).max(500) }),
    challenge: t.string({
      required: false,
      validate: z.string().min(1).max(mostHeaderLength),
      description: 'The WWW-Authenticate header of the 402 that is answered: its challenge of the method ledger.',
      extensions: { example: null },
    }),
    requestApproval: t.boolean({ required: false, description: 'Ask for an approval where a policy or a budget would refuse.' }),
  }),
});
export type PayMppInput = typeof PayMppInput.$inferInput;
