// What events say: the schema of each kind of data (SPEC.md "Event types and data"; what it marks "not shown" is Gap G-61).
// Ids carry their prefix.
import { z } from 'zod';

/** An id with its prefix. */
export const id = (prefix: string) => z.string().regex(new RegExp(`^${prefix}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`));
export const money = z.string().regex(/^-?\d{1,18}(\.\d{1,8})?$/);
export const time = z.iso.datetime();
export const currency = z.string().min(3).max(8);
const count = z.int().min(0);

export const transfer = z.strictObject({
  transfer_id: id('tx'),
  type: z.enum(['cross_border', 'internal', 'stream_start', 'stream_withdraw', 'stream_cancel', 'wrap', 'unwrap']),
  status: z.enum(['pending', 'processing', 'completed', 'failed', 'cancelled']),
  amount: money,
  currency,
  from_account_id: id('acc').nullable(),
  to_account_id: id('acc').nullable(),
  protocol: z.enum(['ucp', 'acp', 'ap2', 'x402', 'mpp', 'internal', 'cross_border']),
  completed_at: time.nullable(),
});

/** camelCase: SPEC.md prints these members so. */
export const settlement = z.strictObject({
  payoutId: id('po'),
  transferId: id('tx'),
  status: z.enum(['pending', 'confirmed', 'complete', 'failed', 'returned']),
  amount: money,
  destination: z.strictObject({ type: z.enum(['bank', 'wallet']), ref: z.string() }),
});
export const brokenSettlement = settlement.extend({
  return: z.strictObject({ reason: z.string(), code: z.string() }).optional(),
  errorCode: z.string().optional(),
});

export const batch = z.strictObject({
  batch_id: id('bat'),
  status: z.enum(['pending', 'processing', 'completed', 'failed']),
  total_count: count,
  success_count: count,
  failed_count: count,
  total_amount: money,
  currency: currency.nullable(),
});

export const reconciliation = z.strictObject({
  report_id: id('rec'),
  rail: z.string(),
  period: z.strictObject({ from: z.iso.date(), to: z.iso.date() }),
  totals: z.strictObject({ matched: count, unmatched_ledger: count, unmatched_rail: count, discrepancies: count }),
});
export const discrepancy = z.strictObject({
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

export const x402Payment = z.strictObject({
  payment_id: id('pay'),
  endpoint_id: id('epd'),
  amount: money,
  currency,
  payer_wallet: z.string(),
  proof: z.string(),
  tx_hash: z.string(),
});
export const x402Endpoint = z.strictObject({
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

export const mandate = z.strictObject({
  mandate_id: id('ap2_mnd'),
  account_id: id('acc'),
  agent_id: id('agt'),
  status: z.string(),
  scope: z.record(z.string(), z.unknown()),
  expires_at: time,
});
export const mandateRevoked = mandate.omit({ scope: true, expires_at: true }).extend({
  reason: z.string().nullable(),
  revoked_by: z.string(),
  revoked_at: time,
});
export const mandateExecuted = z.strictObject({
  mandate_id: id('ap2_mnd'),
  execution_id: id('ap2_exec'),
  agent_id: id('agt'),
  merchant_id: z.string(),
  amount: money,
  currency,
  remaining_daily: money.nullable(),
  remaining_monthly: money.nullable(),
});

export const checkout = z.strictObject({
  checkout_id: id('acp_chk'),
  merchant_id: z.string(),
  status: z.enum(['created', 'pending_payment', 'paid', 'fulfilled', 'expired']),
  total: money,
  currency,
  items: z.array(z.strictObject({ sku: z.string(), quantity: z.int().positive(), unit_price: money })),
});

export const account = z.strictObject({ account_id: id('acc'), type: z.string(), status: z.string(), name: z.string() });
export const changedAccount = account.extend({ changed_fields: z.array(z.string()) });
export const lowBalance = z.strictObject({ account_id: id('acc'), wallet_id: id('wal'), balance: money, threshold: money, currency });

export const webhookTest = z.strictObject({ message: z.string(), endpoint_id: id('wh'), endpoint_name: z.string() });
export const webhookDlq = z.strictObject({
  delivery_id: id('dlv'),
  event_id: id('evt'),
  event_type: z.string(),
  webhook_id: id('wh'),
  url: z.string(),
  attempts: count,
  last_response_code: z.int().nullable(),
  last_error: z.string().nullable(),
  first_attempt_at: time.nullable(),
  dlq_at: time,
});
export const webhookDisabled = z.strictObject({
  webhook_id: id('wh'),
  url: z.string(),
  reason: z.string(),
  failing_since: time.nullable(),
  disabled_at: time,
});
