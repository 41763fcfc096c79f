// The inputs of vaulted cards.
import { z } from 'zod';
import { builder } from '../../../platform/schema/builder.js';

// The bounds are wide: whether a member has the number of a card is asked before whether it is well formed.
const words = (most: number) => z.string().trim().min(1).max(most);

const BillingAddressInput = builder.inputType('BillingAddressInput', {
  fields: (t) => ({
    line1: t.string({ validate: words(200) }),
    line2: t.string({ required: false, validate: words(200) }),
    city: t.string({ validate: words(100) }),
    state: t.string({ required: false, validate: words(100) }),
    postalCode: t.string({ validate: words(32) }),
    country: t.string({ description: 'ISO 3166, two letters.', validate: words(32) }),
  }),
});
export type BillingAddressInput = typeof BillingAddressInput.$inferInput;

export const CreateVaultedCardInput = builder.inputType('CreateVaultedCardInput', {
  description: 'A card as its processor has tokenized it. The number of a card is refused in whatever member it stands.',
  fields: (t) => ({
    accountId: t.field({ type: 'AccountId' }),
    agentId: t.field({
      type: 'AgentUuid',
      required: false,
      description: 'The one agent that pays with it; any of the account by default.',
    }),
    processor: t.string({ description: 'That of the sandbox is simulated.', validate: words(64), extensions: { example: 'simulated' } }),
    processorToken: t.string({
      description: 'What the processor calls the card.',
      validate: words(255),
      extensions: { example: 'tok_visa' },
    }),
    cardLastFour: t.string({ description: 'Four digits.', validate: words(64), extensions: { example: '4242' } }),
    cardBrand: t.string({
      description: 'visa, mastercard, amex, discover, diners, jcb, unionpay or other.',
      validate: words(64),
      extensions: { example: 'visa' },
    }),
    expiryMonth: t.int({ validate: z.int().min(1).max(12), extensions: { example: 12 } }),
    expiryYear: t.int({ description: 'Four digits.', validate: z.int().min(2000).max(2100), extensions: { example: 2031 } }),
    label: t.string({ required: false, validate: words(100) }),
    billingAddress: t.field({ type: BillingAddressInput, required: false }),
  }),
});
export type CreateVaultedCardInput = typeof CreateVaultedCardInput.$inferInput;
