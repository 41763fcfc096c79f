// The inputs of funding transactions.
import { z } from 'zod';
import { FundingType } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';

export const FundingTypeEnum = builder.enumType(FundingType, {
  name: 'FundingType',
  description: 'How the money comes in: by card, bank transfer or stablecoin, or as test money in the `sandbox`.',
});
export const provider = z.string().min(1).max(64);

export const CreateFundingTransactionInput = builder.inputType('CreateFundingTransactionInput', {
  description: 'Money to bring into a wallet.',
  fields: (t) => ({
    provider: t.string({
      description: 'The provider, one of `GET /v1/funding/providers`.',
      validate: provider,
      extensions: { example: 'sandbox' },
    }),
    type: t.field({ type: FundingTypeEnum, extensions: { example: 'sandbox' } }),
    walletId: t.field({ type: 'WalletId', description: 'The wallet that is credited.' }),
    amount: t.field({ type: 'Amount', description: 'What is collected, in `currency`; the fee of the rail is part of it.' }),
    currency: t.field({ type: 'Currency', description: 'The currency of the wallet; another one is 422.' }),
    sourceRef: t.string({
      required: false,
      description: 'What the provider calls the source: a card token, a debit mandate, an address. Never a card number.',
      validate: z.string().trim().min(1).max(128),
    }),
  }),
});
export type CreateFundingTransactionInput = typeof CreateFundingTransactionInput.$inferInput;
