// The inputs of card verifications.
import { z } from 'zod';
import { builder } from '../../../platform/schema/builder.js';
import { cardNetworks } from '../../transfers/rail.js';

export const CardNetworkEnum = builder.enumType('CardNetwork', { values: cardNetworks });

export const TransactionIntentInput = builder.inputType('TransactionIntentInput', {
  description: 'The payment that the agent has signed for, member by member as it was signed.',
  fields: (t) => ({
    merchantId: t.string({ validate: z.string().min(1).max(255), description: 'One of ours (mer_...), or what the network calls it.' }),
    amount: t.field({ type: 'Amount' }),
    currency: t.field({ type: 'Currency' }),
    description: t.string({ required: false, validate: z.string().max(1_000) }),
  }),
});
export type TransactionIntentInput = typeof TransactionIntentInput.$inferInput;

export const VerifyCardInput = builder.inputType('VerifyCardInput', {
  fields: (t) => ({
    agentId: t.field({ type: 'AgentUuid' }),
    network: t.field({ type: CardNetworkEnum, required: false, description: 'By default the first that the workspace is enrolled with.' }),
    transactionIntent: t.field({ type: TransactionIntentInput }),
    signedBotIdentity: t.string({
      validate: z.string().min(1).max(16_384),
      description:
        'A compact JWS (EdDSA) of the intent, or base64 of JSON with the fields of an HTTP message signature (RFC 9421, Web Bot Auth).',
    }),
  }),
});
export type VerifyCardInput = typeof VerifyCardInput.$inferInput;
