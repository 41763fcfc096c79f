// The inputs of x402 payments.
import { z } from 'zod';
import { builder } from '../../../platform/schema/builder.js';
import { snakeCase } from '../../../platform/snake-case.js';
import { mostJwtLength } from '../../spending/pipeline/mandate.js';
import { mostHeaderLength } from '../wire/wire.js';
import { mostProofLength } from './proof.js';

const oneOfDemand = (members: readonly string[]) =>
  [
    (input: Record<string, unknown>) => members.filter((member) => input[member] != null).length === 1,
    {
      message: `needs exactly one of ${members.map(snakeCase).join(', ')}`,
    },
  ] as const;

export const QuoteX402PaymentInput = builder.inputType('QuoteX402PaymentInput', {
  validate: z.any().refine(...oneOfDemand(['endpointId', 'paymentRequired'])),
  fields: (t) => ({
    endpointId: t.field({ type: 'X402EndpointId', required: false, extensions: { example: 'epd_01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d' } }),
    paymentRequired: t.field({
      type: 'JSONObject',
      required: false,
      description: 'What the endpoint said with its 402.',
      extensions: { example: null },
    }),
    fromWalletId: t.field({ type: 'WalletId', required: false, description: 'Whose discount is asked for.' }),
  }),
});
export type QuoteX402PaymentInput = typeof QuoteX402PaymentInput.$inferInput;

export const PayX402Input = builder.inputType('PayX402Input', {
  validate: z.any().refine(...oneOfDemand(['paymentRequestId', 'endpointId', 'paymentRequired'])),
  fields: (t) => ({
    fromWalletId: t.field({ type: 'WalletId' }),
    paymentRequestId: t.field({
      type: 'X402QuoteId',
      required: false,
      description: 'A price that was promised.',
      extensions: { example: null },
    }),
    endpointId: t.field({ type: 'X402EndpointId', required: false, extensions: { example: 'epd_01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d' } }),
    paymentRequired: t.field({
      type: 'JSONObject',
      required: false,
      description: 'What the endpoint said with its 402.',
      extensions: { example: null },
    }),
    maxAmount: t.field({ type: 'Amount', required: false, description: 'Nothing is paid for a call that costs more.' }),
    agentId: t.field({ type: 'AgentUuid', required: false, description: 'The agent that an API key acts for.' }),
    mandateId: t.field({ type: 'MandateId', required: false, extensions: { example: null } }),
    mandateJwt: t.string({ required: false, validate: z.string().min(1).max(mostJwtLength), extensions: { example: null } }),
    description: t.string({ required: false, validate: z.string().max(500) }),
    requestApproval: t.boolean({ required: false, description: 'Ask for an approval where a policy or a budget would refuse.' }),
  }),
});
export type PayX402Input = typeof PayX402Input.$inferInput;

export const VerifyX402PaymentInput = builder.inputType('VerifyX402PaymentInput', {
  validate: z.any().refine(...oneOfDemand(['proof', 'paymentSignature'])),
  fields: (t) => ({
    proof: t.string({
      required: false,
      validate: z.string().min(1).max(mostProofLength),
      extensions: { example: 'eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl' },
    }),
    paymentSignature: t.string({ required: false, validate: z.string().min(1).max(mostHeaderLength), extensions: { example: null } }),
    endpointId: t.field({ type: 'X402EndpointId', required: false, description: 'What should have been paid.' }),
    resource: t.string({ required: false, validate: z.string().min(1).max(2048), extensions: { example: '/weather' } }),
  }),
});
export type VerifyX402PaymentInput = typeof VerifyX402PaymentInput.$inferInput;

export const ConsumeX402PaymentInput = builder.inputType('ConsumeX402PaymentInput', {
  fields: (t) => ({
    amount: t.field({ type: 'Amount', required: false, description: 'What the call used of an upto payment; all of it by default.' }),
  }),
});
