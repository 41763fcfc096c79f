// The inputs of wallets.
import { z } from 'zod';
import { WalletOwnerType } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';

export const WalletOwnerTypeEnum = builder.enumType(WalletOwnerType, { name: 'WalletOwnerType' });
const walletName = z.string().trim().min(1).max(100);

export const CreateWalletInput = builder.inputType('CreateWalletInput', {
  fields: (t) => ({
    ownerType: t.field({ type: WalletOwnerTypeEnum }),
    ownerId: t.field({ type: 'OwnerId' }),
    currency: t.field({ type: 'Currency' }),
    name: t.string({ required: false, validate: walletName }),
    lowBalanceThreshold: t.field({
      type: 'Amount',
      required: false,
      description: 'Emit account.balance.low when available falls below it.',
    }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});
export type CreateWalletInput = typeof CreateWalletInput.$inferInput;

export const UpdateWalletInput = builder.inputType('UpdateWalletInput', {
  fields: (t) => ({
    name: t.string({ required: false, validate: walletName, extensions: { example: 'Purse' } }),
    lowBalanceThreshold: t.field({ type: 'Amount', required: false }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});
export type UpdateWalletInput = typeof UpdateWalletInput.$inferInput;

export const FreezeWalletInput = builder.inputType('FreezeWalletInput', {
  fields: (t) => ({
    reason: t.string({ required: false, validate: z.string().max(500), extensions: { example: 'The card of its owner was stolen.' } }),
  }),
});
