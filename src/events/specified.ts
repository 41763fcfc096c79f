// Types of SPEC.md "Event types and data" that no context emits yet. Each moves to contexts/<name>/events.ts with the context that
// emits it.
import { z } from 'zod';
import { currency, exampleId, id, money } from './data.js';
import type { Definition } from './definition.js';

/** The same data and subject for each type of a family. */
function family<S extends z.ZodType>(data: S, subject: string) {
  return (description: string, example: z.infer<S>): Definition<S> => ({ description, data, subject, example });
}

const x402PaymentData = z.strictObject({
  payment_id: id('pay'),
  endpoint_id: id('epd'),
  amount: money,
  currency,
  payer_wallet: z.string(),
  proof: z.string(),
  tx_hash: z.string(),
});
const x402EndpointData = z.strictObject({
  endpoint_id: id('epd'),
  account_id: id('acc'),
  name: z.string(),
  path: z.string().nullable(),
  method: z.string(),
  base_price: money,
  currency,
  network: z.string(),
  status: z.string(),
});

/** Each type by its name. */
export const specified: Readonly<Record<string, Definition>> = {
  'x402.payment.completed': family(x402PaymentData, 'payment_id')('x402 payment settled to endpoint owner', {
    payment_id: exampleId('pay'),
    endpoint_id: exampleId('epd'),
    amount: '0.0035',
    currency: 'USDC',
    payer_wallet: exampleId('wal'),
    proof: 'eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl',
    tx_hash: '0x8f2d0d7a5c5b4c1b9a7d6e4f3c2b1a09f8e7d6c5b4a39281706f5e4d3c2b1a09',
  }),
  'x402.endpoint.created': family(x402EndpointData, 'endpoint_id')('x402 endpoint registered', {
    endpoint_id: exampleId('epd'),
    account_id: exampleId('acc'),
    name: 'Weather',
    path: '/weather',
    method: 'GET',
    base_price: '0.0035',
    currency: 'USDC',
    network: 'ledger:test',
    status: 'active',
  }),
};
