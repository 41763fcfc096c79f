// The inputs of vaulted cards.
import { z } from 'zod';
import { builder } from '../../../platform/schema/builder.js';

// The bounds are wide: whether a member has the number of a card is asked before whether it is well formed.
const words = (most: number) => z.string().trim().min(1).max(most);

const BillingAddressInput = builder.inputType('BillingAddressInput', {
  description: 'The billing address of a card.',
  fields: (t) => ({
    line1: t.string({ description: 'Street and number.', validate: words(200) }),
    line2: t.string({ required: false, description: 'Second line of the address.', validate: words(200) }),
    city: t.string({ description: 'City.', validate: words(100) }),
    state: t.string({ required: false, description: 'State or region.', validate: words(100) }),
    postalCode: t.string({ description: 'Postal code.', validate: words(32) }),
    country: t.string({ description: 'Country, as an ISO 3166-1 alpha-2 code such as US.', validate: words(32) }),
  }),
});
export type BillingAddressInput = typeof BillingAddressInput.$inferInput;

export const CreateVaultedCardInput = builder.inputType('CreateVaultedCardInput', {
  description: 'A card as its processor has tokenized it. A card number in any member is refused.',
  fields: (t) => ({
    accountId: t.field({ type: 'AccountId', description: 'The account that pays with it.' }),
    agentId: t.field({
      type: 'AgentUuid',
      required: false,
      description: 'The one agent that may pay with it; any agent of the account by default.',
    }),
    processor: t.string({
      description: 'The processor that has the card; `simulated` in the sandbox.',
      validate: words(64),
      extensions: { example: 'simulated' },
    }),
    processorToken: t.string({
      description: "The processor's token of the card; stored encrypted and never shown.",
      validate: words(255),
      extensions: { example: 'tok_visa' },
    }),
    cardLastFour: t.string({
      description: 'The last four digits of the card number.',
      validate: words(64),
      extensions: { example: '4242' },
    }),
    cardBrand: t.string({
      description: 'visa, mastercard, amex, discover, diners, jcb, unionpay or other.',
      validate: words(64),
      extensions: { example: 'visa' },
    }),
    expiryMonth: t.int({ description: 'Month of expiry, 1 to 12.', validate: z.int().min(1).max(12), extensions: { example: 12 } }),
    expiryYear: t.int({
      description: 'Year of expiry, four digits.',
      validate: z.int().min(2000).max(2100),
      extensions: { example: 2031 },
    }),
    label: t.string({ required: false, description: 'Your own name for the card.', validate: words(100) }),
    billingAddress: t.field({ type: BillingAddressInput, required: false, description: 'Billing address of the card.' }),
  }),
});
export type CreateVaultedCardInput = typeof CreateVaultedCardInput.$inferInput;
