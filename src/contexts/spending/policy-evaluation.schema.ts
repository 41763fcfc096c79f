// The GraphQL face of asking what a spend would be answered.
import { CurrencyMismatch, NotFound } from '../../platform/errors.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { DecisionType } from './decision.schema.js';
import { NotYourWallet } from './pipeline.js';
import { evaluateSpend } from './policy-evaluation.js';
import { ProtocolEnum } from './protocol.schema.js';
import { rest } from './rest.js';

const EvaluateSpendInput = builder.inputType('EvaluateSpendInput', {
  fields: (t) => ({
    agentId: t.field({ type: 'AgentUuid', description: 'The agent that would spend. An agent asks about itself.' }),
    walletId: t.field({
      type: 'WalletId',
      required: false,
      description: 'The wallet that would pay: by default the agent’s oldest in the currency, else its account’s.',
    }),
    toWalletId: t.field({
      type: 'WalletId',
      required: false,
      description: 'The wallet that would be paid: by default the one where the merchant’s money goes, else one outside.',
    }),
    protocol: t.field({ type: ProtocolEnum }),
    merchantId: t.field({ type: 'MerchantId', required: false, description: 'By default the one whose settlement wallet is paid.' }),
    amount: t.field({ type: 'Amount', description: 'With all that would leave the wallet, fees too.' }),
    currency: t.field({ type: 'Currency' }),
  }),
});

builder.mutationField('evaluateSpend', (t) =>
  t.field({
    route: rest('POST /v1/policies/evaluate', 'Ask what the spend pipeline would decide about a spend. Nothing is changed.'),
    type: DecisionType,
    description: 'What the spend pipeline would decide now: KYA caps, policies, budgets and the balance. Nothing is changed.',
    args: { input: t.arg({ type: EvaluateSpendInput }) },
    ...facts({ effect: 'none', errors: [NotFound, CurrencyMismatch, NotYourWallet] }),
    resolve: (_root, { input }, ctx) => evaluateSpend(ctx, input),
  }),
);
