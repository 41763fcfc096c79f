// The catalog against the specification, whose list of types is copied here, and against the code that emits them.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { catalog, isEventPattern, namesEvent } from '../../../src/platform/event-catalog.js';

/** SPEC.md "Event types and data", in its order. */
const specified = [
  'transfer.created', 'transfer.completed', 'transfer.failed', 'transfer.refunded',
  'settlement.initiated', 'settlement.processing', 'settlement.completed', 'settlement.failed', 'settlement.returned',
  'batch.created', 'batch.processing', 'batch.completed', 'batch.failed',
  'reconciliation.completed', 'reconciliation.discrepancy',
  'x402.payment.completed', 'x402.endpoint.created',
  'ap2.mandate.created', 'ap2.mandate.executed', 'ap2.mandate.revoked',
  'acp.checkout.created', 'acp.checkout.completed', 'acp.checkout.expired',
  'account.created', 'account.updated', 'account.balance.low',
  'webhook.test', 'webhook.dlq',
]; // biome-ignore format: one line per family

/** SPEC.md "Event types announced but not emitted". */
const announcedFamilies = [
  'stream.', 'approval.', 'dispute.', 'refund.', 'agent.', 'quote.', 'mpp.', 'a2a.task.', 'funding.transaction.', 'treasury.alert.',
  'card.dispute.',
]; // biome-ignore format: one list

/** SPEC.md "Data of ... events", where it says the members. */
const members: Record<string, string[]> = {
  'transfer.': ['transfer_id', 'type', 'status', 'amount', 'currency', 'from_account_id', 'to_account_id', 'protocol', 'completed_at'],
  'settlement.': ['payoutId', 'transferId', 'status', 'amount', 'destination'],
  'batch.': ['batch_id', 'status', 'total_count', 'success_count', 'failed_count', 'total_amount', 'currency'],
  'reconciliation.completed': ['report_id', 'rail', 'period', 'totals'],
  'x402.payment.completed': ['payment_id', 'endpoint_id', 'amount', 'currency', 'payer_wallet', 'proof', 'tx_hash'],
  'ap2.mandate.executed': [
    'mandate_id', 'execution_id', 'agent_id', 'merchant_id', 'amount', 'currency', 'remaining_daily', 'remaining_monthly',
  ], // biome-ignore format: one list
  'acp.checkout.': ['checkout_id', 'merchant_id', 'status', 'total', 'currency', 'items'],
  'account.balance.low': ['account_id', 'wallet_id', 'balance', 'threshold', 'currency'],
  'webhook.test': ['message', 'endpoint_id', 'endpoint_name'],
};

describe('the event catalog', () => {
  it('has every type of the specification, those it announces, and webhook.disabled', () => {
    const types = [...catalog.keys()];
    expect(types.slice(0, specified.length)).toEqual(specified);
    const rest = types.slice(specified.length);
    expect(rest.filter((type) => !announcedFamilies.some((family) => type.startsWith(family)))).toEqual(['webhook.disabled']);
    for (const family of announcedFamilies)
      expect(
        rest.some((type) => type.startsWith(family)),
        family,
      ).toBe(true);
    for (const type of rest.slice(1)) expect(catalog.get(type)?.emitted, type).toBe(false);
  });

  it('has examples that fit their schemas, and a subject that is an id of theirs', () => {
    for (const { type, schema, example, subject } of catalog.values()) {
      expect(schema.safeParse(example), type).toMatchObject({ success: true });
      expect((example as Record<string, unknown>)[subject], type).toMatch(/^[a-z0-9_]+_[0-9a-f-]{36}$/);
      expect(schema.safeParse({ ...(example as object), surplus: 1 }).success, type).toBe(false);
    }
  });

  it('says the data that the specification says', () => {
    for (const [beginning, expected] of Object.entries(members)) {
      const named = [...catalog.values()].filter(
        ({ type, emitted }) => type.startsWith(beginning) && (emitted || specified.includes(type)),
      );
      expect(named.length, beginning).toBeGreaterThan(0);
      for (const { type, example } of named) {
        const broken = type === 'settlement.failed' || type === 'settlement.returned' ? ['return', 'errorCode'] : [];
        expect(Object.keys(example as object), type).toEqual([...expected, ...broken]);
      }
    }
  });

  it('says of each type whether this version emits it: as the code does', () => {
    const src = path.join(import.meta.dirname, '../../../src');
    const code = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.startsWith('generated') && !file.startsWith('platform/event-'))
      .map((file) => readFileSync(path.join(src, file), 'utf8'))
      .concat(readFileSync(path.join(src, '../prisma/migrations/20261121000100_ledger/migration.sql'), 'utf8'));
    const isWritten = (type: string) => code.some((text) => text.includes(`'${type}'`));
    for (const { type, emitted } of catalog.values()) expect(isWritten(type), type).toBe(emitted);
  });

  it('knows which patterns name a type', () => {
    for (const pattern of ['*', 'transfer.*', 'acp.*', 'acp.checkout.*', 'transfer.completed', 'stream.*'])
      expect(isEventPattern(pattern), pattern).toBe(true);
    for (const pattern of ['', '**', '.*', 'transfer', 'transfer.', 'trans.*', 'transfer.completed.*', 'nothing.*', 'TRANSFER.*'])
      expect(isEventPattern(pattern), pattern).toBe(false);
    expect(namesEvent('*', 'transfer.created')).toBe(true);
    expect(namesEvent('transfer.*', 'transfer.created')).toBe(true);
    expect(namesEvent('acp.*', 'acp.checkout.created')).toBe(true);
    expect(namesEvent('transfer.*', 'account.created')).toBe(false);
    expect(namesEvent('transfer.created', 'transfer.completed')).toBe(false);
  });
});
