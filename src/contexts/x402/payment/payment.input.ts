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
  description: 'A call to price: either `endpoint_id` or `payment_required`.',
  validate: z.any().refine(...oneOfDemand(['endpointId', 'paymentRequired'])),
  fields: (t) => ({
    endpointId: t.field({
      type: 'X402EndpointId',
      required: false,
      description: 'The endpoint that is called.',
      extensions: { example: 'epd_01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d' },
    }),
    paymentRequired: t.field({
      type: 'JSONObject',
      required: false,
      description: "The body of the endpoint's 402.",
      extensions: { example: null },
    }),
    fromWalletId: t.field({
      type: 'WalletId',
      required: false,
      description: 'The wallet that would pay, for its discount, balance and limits.',
    }),
  }),
});
export type QuoteX402PaymentInput = typeof QuoteX402PaymentInput.$inferInput;

export const PayX402Input = builder.inputType('PayX402Input', {
  description: 'A payment for a call: one of `payment_request_id`, `endpoint_id` and `payment_required`.',
  validate: z.any().refine(...oneOfDemand(['paymentRequestId', 'endpointId', 'paymentRequired'])),
  fields: (t) => ({
    fromWalletId: t.field({ type: 'WalletId', description: 'The wallet that pays.' }),
    paymentRequestId: t.field({
      type: 'X402QuoteId',
      required: false,
      description: 'A price from `POST /v1/x402/quote` that still holds.',
      extensions: { example: null },
    }),
    endpointId: t.field({
      type: 'X402EndpointId',
      required: false,
      description: 'The endpoint that is called, at its present price.',
      extensions: { example: 'epd_01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d' },
    }),
    paymentRequired: t.field({
      type: 'JSONObject',
      required: false,
      description: "The body of the endpoint's 402.",
      extensions: { example: null },
    }),
    maxAmount: t.field({ type: 'Amount', required: false, description: 'Pay nothing where the call costs more than this.' }),
    agentId: t.field({
      type: 'AgentUuid',
      required: false,
      description: 'The agent for which an API key acts; its limits then bind the payment.',
    }),
    mandateId: t.field({
      type: 'MandateId',
      required: false,
      description: 'The mandate that authorizes the spend; needs `mandate_jwt` too.',
      extensions: { example: null },
    }),
    mandateJwt: t.string({
      required: false,
      description: 'The current JWT of the mandate; needs `mandate_id` too.',
      validate: z.string().min(1).max(mostJwtLength),
      extensions: { example: null },
    }),
    description: t.string({ required: false, description: 'Text for people.', validate: z.string().max(500) }),
    requestApproval: t.boolean({
      required: false,
      description: 'True asks a person for an approval (202) where a policy or a budget would refuse it.',
    }),
  }),
});
export type PayX402Input = typeof PayX402Input.$inferInput;

export const VerifyX402PaymentInput = builder.inputType('VerifyX402PaymentInput', {
  description: 'A payment to verify: either `proof` or `payment_signature`.',
  validate: z.any().refine(...oneOfDemand(['proof', 'paymentSignature'])),
  fields: (t) => ({
    proof: t.string({
      required: false,
      description: 'The proof of the payment, as the buyer sent it.',
      validate: z.string().min(1).max(mostProofLength),
      extensions: { example: 'eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl' },
    }),
    paymentSignature: t.string({
      required: false,
      description: 'The signed payload that the buyer sent in the payment header.',
      validate: z.string().min(1).max(mostHeaderLength),
      extensions: { example: null },
    }),
    endpointId: t.field({ type: 'X402EndpointId', required: false, description: 'The endpoint that should have been paid.' }),
    resource: t.string({
      required: false,
      description: 'The address that should have been paid.',
      validate: z.string().min(1).max(2048),
      extensions: { example: '/weather' },
    }),
  }),
});
export type VerifyX402PaymentInput = typeof VerifyX402PaymentInput.$inferInput;

export const ConsumeX402PaymentInput = builder.inputType('ConsumeX402PaymentInput', {
  description: 'What a call used, and what was answered.',
  fields: (t) => ({
    amount: t.field({
      type: 'Amount',
      required: false,
      description: 'With `upto`: what the call used, in the currency of the payment; all that was authorized by default.',
    }),
    responseSha256: t.string({
      required: false,
      description:
        'SHA-256 of what was answered, in hex: it becomes what the payee delivered for the transfer, as with `POST /v1/transfers/{id}/delivery`.',
      validate: z.string().regex(/^[0-9a-f]{64}$/i, 'must be 64 hexadecimal digits'),
      extensions: { example: null },
    }),
  }),
});
export type ConsumeX402PaymentInput = typeof ConsumeX402PaymentInput.$inferInput;
