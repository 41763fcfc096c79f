// The inputs of wallets.
import { z } from 'zod';
import { WalletOwnerType } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';

export const WalletOwnerTypeEnum = builder.enumType(WalletOwnerType, {
  name: 'WalletOwnerType',
  description: '`account`: an account owns the wallet itself. `agent`: one of its agents does.',
});
const walletName = z.string().trim().min(1).max(100);

export const CreateWalletInput = builder.inputType('CreateWalletInput', {
  description: 'A new wallet.',
  fields: (t) => ({
    ownerType: t.field({ type: WalletOwnerTypeEnum, description: 'Whether `owner_id` names an account or an agent.' }),
    ownerId: t.field({ type: 'OwnerId', description: 'The account or agent that owns the wallet.' }),
    currency: t.field({ type: 'Currency', description: 'The one currency that the wallet holds; it cannot be changed.' }),
    name: t.string({ required: false, description: 'Your own name for the wallet, 1 to 100 characters.', validate: walletName }),
    lowBalanceThreshold: t.field({
      type: 'Amount',
      required: false,
      description: "`account.balance.low` is emitted each time the available balance falls below this amount, in the wallet's currency.",
    }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});
export type CreateWalletInput = typeof CreateWalletInput.$inferInput;

export const UpdateWalletInput = builder.inputType('UpdateWalletInput', {
  description: 'Changes of a wallet. A member that is left out stays as it is.',
  fields: (t) => ({
    name: t.string({
      required: false,
      description: 'New name, 1 to 100 characters; null removes it.',
      validate: walletName,
      extensions: { example: 'Purse' },
    }),
    lowBalanceThreshold: t.field({
      type: 'Amount',
      required: false,
      description: "New threshold of `account.balance.low`, in the wallet's currency; null turns it off.",
    }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});
export type UpdateWalletInput = typeof UpdateWalletInput.$inferInput;

export const FreezeWalletInput = builder.inputType('FreezeWalletInput', {
  description: 'Why a wallet is frozen or unfrozen.',
  fields: (t) => ({
    reason: t.string({
      required: false,
      description: 'Why, at most 500 characters; shown as `frozen_reason`.',
      validate: z.string().max(500),
      extensions: { example: 'The card of its owner was stolen.' },
    }),
  }),
});
