// The events of x402 (SPEC.md "Event types and data", CONTRACT.md 9).
import { z } from 'zod';
import { currency, exampleId, id, money } from '../../events/data.js';
import { declareEvents } from '../../events/declaration.js';
import { text } from '../../events/personal.js';

const endpointCreated = z.strictObject({
  endpoint_id: id('epd'),
  account_id: id('acc'),
  name: text,
  path: text.nullable(),
  method: z.string(),
  base_price: money,
  currency,
  network: z.string(),
  status: z.string(),
});

const paymentCompleted = z.strictObject({
  payment_id: id('pay'),
  /** Null where a facilitator settled for somebody who has no endpoint here. */
  endpoint_id: id('epd').nullable(),
  amount: money,
  currency,
  /** A wallet's id, or an address of a chain. */
  payer_wallet: z.union([id('wal'), z.string().regex(/^0x[0-9a-f]{40}$/)]),
  proof: z.string(),
  tx_hash: z.string(),
});

const paymentReversed = z.strictObject({
  payment_id: id('pay'),
  endpoint_id: id('epd').nullable(),
  amount: money,
  currency,
  /** The transaction that the chain has no more. */
  tx_hash: z.string(),
  /** `reorged`. */
  reason: z.string(),
});

export const { events, emit, event } = declareEvents({
  'x402.payment.completed': {
    description: 'x402 payment settled to endpoint owner',
    data: paymentCompleted,
    subject: 'payment_id',
    example: {
      payment_id: exampleId('pay'),
      endpoint_id: exampleId('epd'),
      amount: '0.0035',
      currency: 'USDC',
      payer_wallet: exampleId('wal'),
      proof: 'eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl',
      tx_hash: '0x8f2d0d7a5c5b4c1b9a7d6e4f3c2b1a09f8e7d6c5b4a39281706f5e4d3c2b1a09',
    },
  },
  'x402.payment.reversed': {
    description: 'x402 payment taken back by its chain before it was credited',
    data: paymentReversed,
    subject: 'payment_id',
    example: {
      payment_id: exampleId('pay'),
      endpoint_id: exampleId('epd'),
      amount: '0.0035',
      currency: 'USDC',
      tx_hash: '0x8f2d0d7a5c5b4c1b9a7d6e4f3c2b1a09f8e7d6c5b4a39281706f5e4d3c2b1a09',
      reason: 'reorged',
    },
  },
  'x402.endpoint.created': {
    description: 'x402 endpoint registered',
    data: endpointCreated,
    subject: 'endpoint_id',
    example: {
      endpoint_id: exampleId('epd'),
      account_id: exampleId('acc'),
      name: 'Weather',
      path: '/weather',
      method: 'GET',
      base_price: '0.0035',
      currency: 'USDC',
      network: 'ledger:test',
      status: 'active',
    },
  },
});
