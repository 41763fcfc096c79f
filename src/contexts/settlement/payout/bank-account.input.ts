// The inputs of bank accounts.
import { z } from 'zod';
import { builder } from '../../../platform/schema/builder.js';

const detail = { required: false, validate: z.string().min(1).max(128) } as const;

const BankDetailsInput = builder.inputType('BankDetailsInput', {
  description: 'What the rail needs: no more and no less.',
  fields: (t) => ({
    routingNumber: t.string({ ...detail, description: 'ach: an ABA routing number.' }),
    accountNumber: t.string({ ...detail, description: 'ach and wire.' }),
    bic: t.string({ ...detail, description: 'wire.' }),
    iban: t.string({ ...detail, description: 'sepa.' }),
    key: t.string({ ...detail, description: 'pix: a CPF, CNPJ, phone number, e-mail address or random key.' }),
    clabe: t.string({ ...detail, description: 'spei.' }),
  }),
});

const holderName = z.string().trim().min(1).max(200);

export const CreateBankAccountInput = builder.inputType('CreateBankAccountInput', {
  fields: (t) => ({
    accountId: t.field({ type: 'AccountId' }),
    rail: t.string({
      description: 'ach, wire, sepa, pix or spei.',
      validate: z.string().min(1).max(64),
      extensions: { example: 'ach' },
    }),
    holderName: t.string({ validate: holderName, extensions: { example: 'Ada Byron' } }),
    details: t.field({
      type: BankDetailsInput,
      extensions: { example: { routing_number: '021000021', account_number: '000123456789' } },
    }),
    isDefault: t.boolean({ required: false }),
  }),
});
export type CreateBankAccountInput = typeof CreateBankAccountInput.$inferInput;

export const UpdateBankAccountInput = builder.inputType('UpdateBankAccountInput', {
  fields: (t) => ({
    holderName: t.string({ required: false, validate: holderName, extensions: { example: 'Ada Lovelace' } }),
    isDefault: t.boolean({ required: false, description: 'true: instead of the one that is.' }),
  }),
});
export type UpdateBankAccountInput = typeof UpdateBankAccountInput.$inferInput;
