// The inputs of funding transactions.
import { z } from 'zod';
import { FundingType } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';

export const FundingTypeEnum = builder.enumType(FundingType, { name: 'FundingType' });
export const provider = z.string().min(1).max(64);

export const CreateFundingTransactionInput = builder.inputType('CreateFundingTransactionInput', {
  fields: (t) => ({
    provider: t.string({
      description: 'One of those of GET /v1/funding/providers.',
      validate: provider,
      extensions: { example: 'sandbox' },
    }),
    type: t.field({ type: FundingTypeEnum, extensions: { example: 'sandbox' } }),
    walletId: t.field({ type: 'WalletId', description: 'The wallet that gets the money.' }),
    amount: t.field({ type: 'Amount', description: 'What is collected; the fee of the rail is a part of it.' }),
    currency: t.field({ type: 'Currency', description: 'That of the wallet.' }),
    sourceRef: t.string({
      required: false,
      description: 'What the provider calls the source: a token of a card, a mandate, an address. Never the number of a card.',
      validate: z.string().trim().min(1).max(128),
    }),
  }),
});
export type CreateFundingTransactionInput = typeof CreateFundingTransactionInput.$inferInput;
