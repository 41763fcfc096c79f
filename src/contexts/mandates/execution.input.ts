// The inputs of executions of mandates.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';
import { mostJwtLength } from '../spending/pipeline/mandate.js';
import { CaptureByEnum, CaptureModeEnum } from '../transfers/transfer.input.js';

export const ExecuteMandateInput = builder.inputType('ExecuteMandateInput', {
  description: 'A spend under a mandate.',
  fields: (t) => ({
    mandateJwt: t.string({
      description: 'The current JWT of the mandate; one of an earlier version is refused.',
      validate: z.string().min(1).max(mostJwtLength),
      extensions: { example: 'eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl' },
    }),
    merchantId: t.field({ type: 'MerchantId', description: 'The merchant that is paid.' }),
    merchantCategory: t.string({
      required: false,
      description: 'The category of the merchant, if you want it checked.',
      validate: z.string().min(1).max(64),
    }),
    amount: t.field({ type: 'Amount', description: 'What is paid, in `currency`.' }),
    currency: t.field({ type: 'Currency', description: 'The currency of the mandate; another one is 422.' }),
    description: t.string({ required: false, description: 'Text for people.', validate: z.string().max(500) }),
    fromWalletId: t.field({
      type: 'WalletId',
      required: false,
      description: "The wallet that pays: by default the agent's oldest in the currency, else its account's.",
    }),
    capture: t.field({
      type: CaptureModeEnum,
      required: false,
      description: '`automatic`, the default, pays at once. `manual` holds the money until it is captured.',
    }),
    captureBy: t.field({
      type: CaptureByEnum,
      required: false,
      description: 'With `capture: manual`, the side that captures: `payee` by default.',
      extensions: { example: null },
    }),
    requestApproval: t.boolean({
      required: false,
      description: 'True asks a person for an approval (202) where a policy or a budget would refuse the spend.',
    }),
  }),
});
export type ExecuteMandateInput = typeof ExecuteMandateInput.$inferInput;
