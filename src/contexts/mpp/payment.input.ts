// The inputs of one-off payments by MPP.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';
import { mostHeaderLength } from './challenge.js';
import { serviceUrl } from './session.input.js';

export const PayMppInput = builder.inputType('PayMppInput', {
  description: 'A one-off payment of a service.',
  fields: (t) => ({
    serviceUrl: t.string(serviceUrl),
    payeeWalletId: t.field({
      type: 'WalletId',
      required: false,
      description: 'The wallet that is paid; by default that of the service.',
      extensions: { shown: true },
    }),
    amount: t.field({ type: 'Amount', description: 'What is paid, in `currency`.' }),
    currency: t.field({ type: 'Currency', required: false, description: 'The currency of both wallets.' }),
    agentId: t.field({ type: 'AgentUuid', description: 'The agent that spends.' }),
    walletId: t.field({ type: 'WalletId', description: 'The wallet that pays.' }),
    description: t.string({ required: false, description: 'Text for people.', validate: z.string().min(1).max(500) }),
    challenge: t.string({
      required: false,
      validate: z.string().min(1).max(mostHeaderLength),
      description: 'The WWW-Authenticate header of the 402 that is answered, with its challenge of the method `ledger`.',
      extensions: { example: null },
    }),
    requestApproval: t.boolean({
      required: false,
      description: 'True asks a person for an approval (202) where a policy or a budget would refuse it.',
    }),
  }),
});
export type PayMppInput = typeof PayMppInput.$inferInput;
