// The input of deposit addresses.
import { z } from 'zod';
import { builder } from '../../platform/schema/builder.js';

export const AskDepositAddressInput = builder.inputType('AskDepositAddressInput', {
  description: 'The rail on which a wallet is to be reached.',
  fields: (t) => ({
    rail: t.string({
      description: 'The rail, one of `GET /v1/rails` that carries the currency of the wallet.',
      validate: z.string().min(1).max(40),
      extensions: { example: 'usdc-base' },
    }),
  }),
});
