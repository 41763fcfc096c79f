// The inputs of executions of mandates.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';
import { mostJwtLength } from '../spending/pipeline/mandate.js';
import { CaptureByEnum, CaptureModeEnum } from '../transfers/transfer.input.js';

export const ExecuteMandateInput = builder.inputType('ExecuteMandateInput', {
  fields: (t) => ({
    mandateJwt: t.string({
      description: 'The JWT that the mandate has now.',
      validate: z.string().min(1).max(mostJwtLength),
      extensions: { example: 'eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl' },
    }),
    merchantId: t.field({ type: 'MerchantId' }),
    merchantCategory: t.string({ required: false, description: 'That of the merchant.', validate: z.string().min(1).max(64) }),
    amount: t.field({ type: 'Amount' }),
    currency: t.field({ type: 'Currency', description: 'That of the mandate.' }),
    description: t.string({ required: false, validate: z.string().max(500) }),
    fromWalletId: t.field({
      type: 'WalletId',
      required: false,
      description: "By default the agent's oldest in the currency, else its account's.",
    }),
    capture: t.field({ type: CaptureModeEnum, required: false }),
    captureBy: t.field({
      type: CaptureByEnum,
      required: false,
      description: 'Which side captures what is held; payee by default. With capture: manual.',
      extensions: { example: null },
    }),
    requestApproval: t.boolean({ required: false, description: 'Ask for an approval where a policy or a budget would refuse.' }),
  }),
});
export type ExecuteMandateInput = typeof ExecuteMandateInput.$inferInput;
