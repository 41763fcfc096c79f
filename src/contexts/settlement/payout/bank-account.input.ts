// The inputs of bank accounts.
import { z } from 'zod';
import { builder } from '../../../platform/schema/builder.js';

const detail = { required: false, validate: z.string().min(1).max(128) } as const;

const BankDetailsInput = builder.inputType('BankDetailsInput', {
  description: 'What the rail needs to reach the account, no more and no less. Check digits are verified.',
  fields: (t) => ({
    routingNumber: t.string({ ...detail, description: 'For `ach`: the ABA routing number.' }),
    accountNumber: t.string({ ...detail, description: 'For `ach` and `wire`: the account number.' }),
    bic: t.string({ ...detail, description: 'For `wire`: the BIC of the bank.' }),
    iban: t.string({ ...detail, description: 'For `sepa`: the IBAN.' }),
    key: t.string({ ...detail, description: 'For `pix`: a CPF, CNPJ, phone number, e-mail address or random key.' }),
    clabe: t.string({ ...detail, description: 'For `spei`: the CLABE.' }),
  }),
});

const holderName = z.string().trim().min(1).max(200);

export const CreateBankAccountInput = builder.inputType('CreateBankAccountInput', {
  description: 'A new bank account.',
  fields: (t) => ({
    accountId: t.field({ type: 'AccountId', description: 'The account that it belongs to.' }),
    rail: t.string({
      description: 'The rail that reaches it: `ach`, `wire`, `sepa`, `pix` or `spei`.',
      validate: z.string().min(1).max(64),
      extensions: { example: 'ach' },
    }),
    holderName: t.string({ description: 'Name of its holder.', validate: holderName, extensions: { example: 'Ada Byron' } }),
    details: t.field({
      type: BankDetailsInput,
      description: 'What the rail needs to reach it; stored encrypted.',
      extensions: { example: { routing_number: '021000021', account_number: '000123456789' } },
    }),
    isDefault: t.boolean({ required: false, description: 'True makes it the default of its account; the first one is it in any case.' }),
  }),
});
export type CreateBankAccountInput = typeof CreateBankAccountInput.$inferInput;

export const UpdateBankAccountInput = builder.inputType('UpdateBankAccountInput', {
  description: 'Changes of a bank account.',
  fields: (t) => ({
    holderName: t.string({
      required: false,
      description: 'New name of its holder.',
      validate: holderName,
      extensions: { example: 'Ada Lovelace' },
    }),
    isDefault: t.boolean({ required: false, description: 'True makes it the default of its account, in place of the present one.' }),
  }),
});
export type UpdateBankAccountInput = typeof UpdateBankAccountInput.$inferInput;
