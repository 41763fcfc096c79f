// Types of SPEC.md "Event types and data" that no context emits yet. Each moves to contexts/<name>/events.ts with the context that
// emits it.
import { z } from 'zod';
import { count, currency, exampleId, exampleTime, exampleUuid, id, money, time } from './data.js';
import type { Definition } from './definition.js';

/** The same data and subject for each type of a family. */
function family<S extends z.ZodType>(data: S, subject: string) {
  return (description: string, example: z.infer<S>): Definition<S> => ({ description, data, subject, example });
}

const reconciliationData = z.strictObject({
  report_id: id('rec'),
  rail: z.string(),
  period: z.strictObject({ from: z.iso.date(), to: z.iso.date() }),
  totals: z.strictObject({ matched: count, unmatched_ledger: count, unmatched_rail: count, discrepancies: count }),
});
const discrepancyData = z.strictObject({
  discrepancy_id: id('disc'),
  report_id: id('rec'),
  rail: z.string(),
  type: z.enum(['ledger_only', 'rail_only', 'amount_mismatch', 'timing_mismatch', 'duplicate']),
  ledger_entry_id: z.string().nullable(),
  rail_entry_id: z.string().nullable(),
  expected_amount: money.nullable(),
  actual_amount: money.nullable(),
  currency,
  delta_cents: z.int(),
  detected_at: time,
});

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

const mandateData = z.strictObject({
  mandate_id: id('ap2_mnd'),
  account_id: id('acc'),
  agent_id: id('agt'),
  status: z.string(),
  scope: z.record(z.string(), z.unknown()),
  expires_at: time,
});
const mandateRevokedData = mandateData.omit({ scope: true, expires_at: true }).extend({
  reason: z.string().nullable(),
  revoked_by: z.string(),
  revoked_at: time,
});
const mandateExecutedData = z.strictObject({
  mandate_id: id('ap2_mnd'),
  execution_id: id('ap2_exec'),
  agent_id: id('agt'),
  merchant_id: z.string(),
  amount: money,
  currency,
  remaining_daily: money.nullable(),
  remaining_monthly: money.nullable(),
});
const mandate = { mandate_id: exampleId('ap2_mnd'), account_id: exampleId('acc'), agent_id: exampleId('agt') };

const checkoutData = z.strictObject({
  checkout_id: id('acp_chk'),
  merchant_id: z.string(),
  status: z.enum(['created', 'pending_payment', 'paid', 'fulfilled', 'expired']),
  total: money,
  currency,
  items: z.array(z.strictObject({ sku: z.string(), quantity: z.int().positive(), unit_price: money })),
});
const checkout = family(checkoutData, 'checkout_id');
const basket: z.infer<typeof checkoutData> = {
  checkout_id: exampleId('acp_chk'),
  merchant_id: exampleId('mer'),
  status: 'created',
  total: '59.98',
  currency: 'USD',
  items: [{ sku: 'SKU-1', quantity: 2, unit_price: '29.99' }],
};

/** Each type by its name. */
export const specified: Readonly<Record<string, Definition>> = {
  'reconciliation.completed': family(reconciliationData, 'report_id')('reconciliation run finished', {
    report_id: exampleId('rec'),
    rail: 'ach',
    period: { from: '2026-03-01', to: '2026-03-02' },
    totals: { matched: 118, unmatched_ledger: 1, unmatched_rail: 0, discrepancies: 1 },
  }),
  'reconciliation.discrepancy': family(discrepancyData, 'discrepancy_id')('discrepancy detected', {
    discrepancy_id: exampleId('disc'),
    report_id: exampleId('rec'),
    rail: 'ach',
    type: 'amount_mismatch',
    ledger_entry_id: exampleUuid,
    rail_entry_id: 'ACH-20260301-17',
    expected_amount: '100.00',
    actual_amount: '99.00',
    currency: 'USD',
    delta_cents: -100,
    detected_at: exampleTime,
  }),
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
  'ap2.mandate.created': family(mandateData, 'mandate_id')('mandate signed and issued', {
    ...mandate,
    status: 'active',
    scope: { max_per_tx: '50.00', currency: 'USD' },
    expires_at: '2026-06-02T10:00:00.000Z',
  }),
  'ap2.mandate.executed': family(mandateExecutedData, 'mandate_id')('mandate execution recorded', {
    mandate_id: exampleId('ap2_mnd'),
    execution_id: exampleId('ap2_exec'),
    agent_id: exampleId('agt'),
    merchant_id: exampleId('mer'),
    amount: '12.50',
    currency: 'USD',
    remaining_daily: '87.50',
    remaining_monthly: '987.50',
  }),
  'ap2.mandate.revoked': family(mandateRevokedData, 'mandate_id')('mandate revoked', {
    ...mandate,
    status: 'revoked',
    reason: 'no longer needed',
    revoked_by: exampleId('key'),
    revoked_at: exampleTime,
  }),
  'acp.checkout.created': checkout('checkout session created', basket),
  'acp.checkout.completed': checkout('checkout completed with payment', { ...basket, status: 'paid' }),
  'acp.checkout.expired': checkout('session expired without completion', { ...basket, status: 'expired' }),
};
