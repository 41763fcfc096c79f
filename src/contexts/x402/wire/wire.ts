// What x402 writes in JSON, in both of its versions: the shapes are the protocol's, camelCase and all (x402 specification, sections 5 and 7).
import { z } from 'zod';
import { invalidRequest } from '../../../platform/errors.js';
import { checkJson } from '../../../platform/schema/scalar.js';

/** Base units in decimal digits, without leading zeros. */
export const digits = z.string().regex(/^(0|[1-9]\d{0,77})$/, 'must be a whole number in decimal digits');
const word = z.string().min(1).max(256);
const free = z.record(z.string(), z.unknown());

/** PaymentRequirements of version 2. */
export const requirementsV2 = z.object({
  scheme: word.describe('How the price is settled: `exact` or `upto`.'),
  network: word.describe('Network of the payment, such as `eip155:84532` or `ledger:test`.'),
  amount: digits.describe('What is to be paid, in base units of the asset.'),
  asset: word.describe('What is paid with: the address of a token, or a currency.'),
  payTo: word.describe('Who is paid: an address of the network, or the id of a wallet.'),
  maxTimeoutSeconds: z.number().int().positive().describe('Seconds for which an authorization may be good.'),
  extra: free.nullish().describe('Further facts of the scheme, such as the name and version of the token.'),
});

/** PaymentRequirements of version 1. */
export const requirementsV1 = z.object({
  scheme: word.describe('How the price is settled: `exact` or `upto`.'),
  network: word.describe('Network of the payment, by its name in version 1, such as `base-sepolia`.'),
  maxAmountRequired: digits.describe('What is to be paid, in base units of the asset.'),
  resource: z.string().max(2048).describe('Address that is paid for.'),
  description: z.string().max(2048).describe('What is sold.'),
  mimeType: z.string().max(256).nullish().describe('Media type of what is sold.'),
  outputSchema: free.nullish().describe('Shape of what is sold.'),
  payTo: word.describe('Who is paid: an address of the network, or the id of a wallet.'),
  maxTimeoutSeconds: z.number().int().positive().describe('Seconds for which an authorization may be good.'),
  asset: word.describe('What is paid with: the address of a token, or a currency.'),
  extra: free.nullish().describe('Further facts of the scheme, such as the name and version of the token.'),
});

export const resourceInfo = z.object({
  url: z.string().max(2048).describe('Address that is paid for.'),
  description: z.string().max(2048).optional().describe('What is sold.'),
  mimeType: z.string().max(256).optional().describe('Media type of what is sold.'),
});

/** Extensions of a payload, of which one is understood. */
const extensions = z.looseObject({
  'payment-identifier': z
    .looseObject({
      info: z
        .looseObject({
          id: z
            .string()
            .regex(/^[A-Za-z0-9_-]{16,128}$/, 'is no payment-identifier')
            .optional()
            .describe('Id that the payer chose: a payment sent again with it has one effect.'),
        })
        .describe('Facts of the extension.'),
    })
    .optional()
    .describe('Names the payment, so that sending it again is safe.'),
});

/** PaymentPayload of version 2. */
export const payloadV2 = z.object({
  x402Version: z.literal(2).describe('Version of the protocol.'),
  resource: resourceInfo.nullish().describe('What is paid for.'),
  accepted: requirementsV2.describe('The requirements that the payer accepted.'),
  payload: free.describe('The signed authorization, as its scheme has it.'),
  extensions: extensions.nullish().describe('Extensions of the protocol.'),
});

/** PaymentPayload of version 1. */
export const payloadV1 = z.object({
  x402Version: z.literal(1).describe('Version of the protocol.'),
  scheme: word.describe('How the price is settled: `exact` or `upto`.'),
  network: word.describe('Network of the payment, by its name in version 1, such as `base-sepolia`.'),
  payload: free.describe('The signed authorization, as its scheme has it.'),
});

export const paymentPayload = z.discriminatedUnion('x402Version', [payloadV2, payloadV1]);
export type PaymentPayload = z.infer<typeof paymentPayload>;

/** What a payment was asked for, whatever the version. */
export interface Requirements {
  scheme: string;
  network: string;
  amount: string;
  asset: string;
  payTo: string;
  extra: Record<string, unknown>;
}

/** Requirements of either version as one. */
export function readRequirements(given: z.infer<typeof requirementsV2> | z.infer<typeof requirementsV1>): Requirements {
  const { scheme, network, asset, payTo, extra } = given;
  const amount = 'amount' in given ? given.amount : given.maxAmountRequired;
  return { scheme, network, amount, asset, payTo, extra: extra ?? {} };
}

/** What a PaymentRequired of either version accepts. 400 for what is none. */
export function acceptsIn(paymentRequired: Record<string, unknown>): Requirements[] {
  const read = z
    .object({
      accepts: z
        .array(z.union([requirementsV2, requirementsV1]))
        .min(1)
        .max(32),
    })
    .safeParse(paymentRequired);
  if (!read.success) throw invalidRequest('payment_required is no PaymentRequired of x402.', 'x402');
  return read.data.accepts.map(readRequirements);
}

/** SettlementResponse. */
export const settlementResponse = z.object({
  success: z.boolean().describe('True where the payment was settled.'),
  errorReason: z.string().optional().describe('Why it was not, as a word of the protocol.'),
  payer: z.string().optional().describe('Who paid: an address, or the id of a wallet.'),
  transaction: z.string().describe('Hash of the transaction that settled it; empty where none did.'),
  network: z.string().describe('Network of the payment.'),
  amount: z.string().optional().describe('What was settled, in base units of the asset.'),
});
export type SettlementResponse = z.infer<typeof settlementResponse>;

/** Longest header that carries a payment. */
export const mostHeaderLength = 16_384;

/** The payload in a header: base64 of JSON, with its padding. Null for what is none, and for text that has no canonical form. */
export function readPaymentHeader(header: string): PaymentPayload | null {
  if (header.length > mostHeaderLength || !/^[A-Za-z0-9+/]+={0,2}$/.test(header) || header.length % 4 !== 0) return null;
  try {
    const content: unknown = JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
    checkJson(content);
    const read = paymentPayload.safeParse(content);
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}

/** What a header of the protocol says: base64 of JSON. */
export function printHeader(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}
