// The catalog of everything the platform tells: SPEC.md "Event types and data", those it only announces, and our own
// webhook.disabled (Gap G-63). It types `emit`, answers GET /v1/webhooks/events, and says what a subscription may name.
import type { z } from 'zod';
import { announced } from './event-announced.js';
import * as shape from './event-data.js';

/** One type. `subject` is the member of its data that names the object it is about. */
interface Definition<S extends z.ZodType = z.ZodType> {
  description: string;
  schema: S;
  example: z.infer<S>;
  subject: string;
}

const uuid = '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d';
const other = '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6e';
const at = '2026-03-02T10:00:00.000Z';
const of = (prefix: string, which = uuid) => `${prefix}_${which}`;

function row<S extends z.ZodType>(schema: S, subject: string) {
  return (description: string, example: z.infer<S>): Definition<S> => ({ description, schema, subject, example });
}

const transfer = row(shape.transfer, 'transfer_id');
const paid: z.infer<typeof shape.transfer> = {
  transfer_id: of('tx'),
  type: 'internal',
  status: 'completed',
  amount: '42.00',
  currency: 'USD',
  from_account_id: of('acc'),
  to_account_id: of('acc', other),
  protocol: 'internal',
  completed_at: at,
};
const settlement = row(shape.settlement, 'payoutId');
const brokenSettlement = row(shape.brokenSettlement, 'payoutId');
const payout: z.infer<typeof shape.settlement> = {
  payoutId: of('po'),
  transferId: of('tx'),
  status: 'pending',
  amount: '1250.00',
  destination: { type: 'bank', ref: 'ba_main' },
};
const batch = row(shape.batch, 'batch_id');
const payroll: z.infer<typeof shape.batch> = {
  batch_id: of('bat'),
  status: 'completed',
  total_count: 3,
  success_count: 2,
  failed_count: 1,
  total_amount: '300.00',
  currency: 'USD',
};
const checkout = row(shape.checkout, 'checkout_id');
const basket: z.infer<typeof shape.checkout> = {
  checkout_id: of('acp_chk'),
  merchant_id: of('mer'),
  status: 'created',
  total: '59.98',
  currency: 'USD',
  items: [{ sku: 'SKU-1', quantity: 2, unit_price: '29.99' }],
};
const person: z.infer<typeof shape.account> = { account_id: of('acc'), type: 'business', status: 'active', name: 'Acme' };
const mandate = { mandate_id: of('ap2_mnd'), account_id: of('acc'), agent_id: of('agt') };

/** The types of SPEC.md, in its order, and webhook.disabled. */
const fired = {
  'transfer.created': transfer('transfer record created', { ...paid, status: 'pending', completed_at: null }),
  'transfer.completed': transfer('transfer settled', paid),
  'transfer.failed': transfer('transfer settlement failed', { ...paid, status: 'failed', completed_at: null }),
  'transfer.refunded': transfer('transfer refunded', paid),
  'settlement.initiated': settlement('payout submitted (status pending)', payout),
  'settlement.processing': settlement('payout accepted by rail (status confirmed)', { ...payout, status: 'confirmed' }),
  'settlement.completed': settlement('payout finalized', { ...payout, status: 'complete' }),
  'settlement.failed': brokenSettlement('payout rejected by rail', {
    ...payout,
    status: 'failed',
    return: { reason: 'account closed', code: 'R02' },
    errorCode: 'account_closed',
  }),
  'settlement.returned': brokenSettlement('payout returned', {
    ...payout,
    status: 'returned',
    return: { reason: 'no account', code: 'R03' },
    errorCode: 'no_account',
  }),
  'batch.created': batch('batch queued', { ...payroll, status: 'pending', success_count: 0, failed_count: 0 }),
  'batch.processing': batch('batch processing started', { ...payroll, status: 'processing', success_count: 0, failed_count: 0 }),
  'batch.completed': batch('all items processed', payroll),
  'batch.failed': batch('batch failed at batch level', { ...payroll, status: 'failed', success_count: 0, failed_count: 3 }),
  'reconciliation.completed': row(shape.reconciliation, 'report_id')('reconciliation run finished', {
    report_id: of('rec'),
    rail: 'ach',
    period: { from: '2026-03-01', to: '2026-03-02' },
    totals: { matched: 118, unmatched_ledger: 1, unmatched_rail: 0, discrepancies: 1 },
  }),
  'reconciliation.discrepancy': row(shape.discrepancy, 'discrepancy_id')('discrepancy detected', {
    discrepancy_id: of('disc'),
    report_id: of('rec'),
    rail: 'ach',
    type: 'amount_mismatch',
    ledger_entry_id: uuid,
    rail_entry_id: 'ACH-20260301-17',
    expected_amount: '100.00',
    actual_amount: '99.00',
    currency: 'USD',
    delta_cents: -100,
    detected_at: at,
  }),
  'x402.payment.completed': row(shape.x402Payment, 'payment_id')('x402 payment settled to endpoint owner', {
    payment_id: of('pay'),
    endpoint_id: of('epd'),
    amount: '0.0035',
    currency: 'USDC',
    payer_wallet: of('wal'),
    proof: 'eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl',
    tx_hash: '0x8f2d0d7a5c5b4c1b9a7d6e4f3c2b1a09f8e7d6c5b4a39281706f5e4d3c2b1a09',
  }),
  'x402.endpoint.created': row(shape.x402Endpoint, 'endpoint_id')('x402 endpoint registered', {
    endpoint_id: of('epd'),
    account_id: of('acc'),
    name: 'Weather',
    path: '/weather',
    method: 'GET',
    base_price: '0.0035',
    currency: 'USDC',
    network: 'ledger:test',
    status: 'active',
  }),
  'ap2.mandate.created': row(shape.mandate, 'mandate_id')('mandate signed and issued', {
    ...mandate,
    status: 'active',
    scope: { max_per_tx: '50.00', currency: 'USD' },
    expires_at: '2026-06-02T10:00:00.000Z',
  }),
  'ap2.mandate.executed': row(shape.mandateExecuted, 'mandate_id')('mandate execution recorded', {
    mandate_id: of('ap2_mnd'),
    execution_id: of('ap2_exec'),
    agent_id: of('agt'),
    merchant_id: of('mer'),
    amount: '12.50',
    currency: 'USD',
    remaining_daily: '87.50',
    remaining_monthly: '987.50',
  }),
  'ap2.mandate.revoked': row(shape.mandateRevoked, 'mandate_id')('mandate revoked', {
    ...mandate,
    status: 'revoked',
    reason: 'no longer needed',
    revoked_by: of('key'),
    revoked_at: at,
  }),
  'acp.checkout.created': checkout('checkout session created', basket),
  'acp.checkout.completed': checkout('checkout completed with payment', { ...basket, status: 'paid' }),
  'acp.checkout.expired': checkout('session expired without completion', { ...basket, status: 'expired' }),
  'account.created': row(shape.account, 'account_id')('account created', person),
  'account.updated': row(shape.changedAccount, 'account_id')('account modified', { ...person, changed_fields: ['name'] }),
  'account.balance.low': row(shape.lowBalance, 'wallet_id')('balance below configured threshold', {
    account_id: of('acc'),
    wallet_id: of('wal'),
    balance: '9.50',
    threshold: '10.00',
    currency: 'USD',
  }),
  'webhook.test': row(shape.webhookTest, 'endpoint_id')('test delivery requested', {
    message: 'A test of this endpoint.',
    endpoint_id: of('wh'),
    endpoint_name: 'Orders',
  }),
  'webhook.dlq': row(shape.webhookDlq, 'delivery_id')('delivery exhausted retries', {
    delivery_id: of('dlv'),
    event_id: of('evt'),
    event_type: 'transfer.completed',
    webhook_id: of('wh'),
    url: 'https://example.com/hook',
    attempts: 5,
    last_response_code: 500,
    last_error: null,
    first_attempt_at: '2026-03-02T08:39:00.000Z',
    dlq_at: at,
  }),
  'webhook.disabled': row(shape.webhookDisabled, 'webhook_id')('subscription disabled after failures', {
    webhook_id: of('wh'),
    url: 'https://example.com/hook',
    reason: '20 deliveries in a row went to the dead-letter queue',
    failing_since: '2026-02-25T10:00:00.000Z',
    disabled_at: at,
  }),
} as const satisfies Record<string, Definition<never> | Definition>;

export type EventType = keyof typeof fired;
export type EventData<T extends EventType> = z.infer<(typeof fired)[T]['schema']>;

/** What this version emits. A type whose context comes later is added with it; a test reads the code. */
const emitted: ReadonlySet<string> = new Set<EventType>([
  'transfer.created',
  'transfer.completed',
  'transfer.failed',
  'account.created',
  'account.updated',
  'account.balance.low',
  'webhook.test',
  'webhook.dlq',
  'webhook.disabled',
]);

/** A type as the catalog shows it. */
export interface CatalogEntry extends Definition {
  type: string;
  /** First word of the type: `transfer.*` names all that share it. */
  family: string;
  /** Whether this version emits it (Gap G-64). */
  emitted: boolean;
}

/** Every type by its name. */
export const catalog: ReadonlyMap<string, CatalogEntry> = new Map(
  Object.entries<Definition>({ ...(fired as unknown as Record<string, Definition>), ...announced }).map(([type, definition]) => [
    type,
    { ...definition, type, family: type.split('.', 1)[0] as string, emitted: emitted.has(type) },
  ]),
);

/** True for a type, `*`, or the beginning of a type up to a dot and `*`: `transfer.*`, `acp.checkout.*` (Gap G-65). */
export function isEventPattern(text: string): boolean {
  if (text === '*') return true;
  if (!text.endsWith('.*')) return catalog.has(text);
  return [...catalog.keys()].some((type) => type.startsWith(text.slice(0, -1)));
}

/** Everything that names a type: `acp.checkout.paid` is named by itself, `acp.checkout.*`, `acp.*` and `*`. */
export function patternsOf(type: string): string[] {
  const words = type.split('.');
  return [type, ...words.slice(1).map((_, i) => `${words.slice(0, i + 1).join('.')}.*`), '*'];
}

/** True when `pattern` names `type`. */
export function namesEvent(pattern: string, type: string): boolean {
  return patternsOf(type).includes(pattern);
}
