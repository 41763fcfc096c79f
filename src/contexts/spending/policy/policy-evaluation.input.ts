// The inputs of evaluations of a spend that is not made.
import { builder } from '../../../platform/schema/builder.js';
import { ProtocolEnum } from '../protocol.input.js';

export const EvaluateSpendInput = builder.inputType('EvaluateSpendInput', {
  description: 'A spend to evaluate.',
  fields: (t) => ({
    agentId: t.field({ type: 'AgentUuid', description: 'The agent that would spend; an agent asks about itself.' }),
    walletId: t.field({
      type: 'WalletId',
      required: false,
      description: "The wallet that would pay: by default the agent's oldest in the currency, else its account's.",
    }),
    toWalletId: t.field({
      type: 'WalletId',
      required: false,
      description: 'The wallet that would be paid: by default the one of the merchant, else a payee outside.',
    }),
    protocol: t.field({ type: ProtocolEnum }),
    merchantId: t.field({
      type: 'MerchantId',
      required: false,
      description: 'The merchant that would be paid: by default the one whose settlement wallet is paid.',
    }),
    amount: t.field({ type: 'Amount', description: 'All that would leave the wallet, fees included, in `currency`.' }),
    currency: t.field({ type: 'Currency' }),
  }),
});
export type EvaluateSpendInput = typeof EvaluateSpendInput.$inferInput;
