// What was shown to who paid (CONTRACT.md 25).
import type { Part } from '../../../platform/audit-leaf.js';
import { canonicalJson } from '../../../platform/canonical-json.js';
import { formatMinor } from '../../../platform/money.js';
import type { Row } from '../../../platform/postgres/column.js';
import { printId } from '../../../platform/schema/id.js';
import { isHeld, type PostingFacts, subjectOf, textIn } from './posting-fact.js';

/**
 * The offer that a payment answered: of a checkout, a task, an MPP session, a quote, or a door that asks 402. Money that is held answers none
 * yet, but at a door.
 */
export function offerPart(facts: PostingFacts): Part[] {
  const offer = facts.payment === null ? subjectOffer(facts) : doorOffer(facts.payment);
  return offer === null ? [] : [{ name: 'offer', value: canonicalJson(offer) }];
}

function subjectOffer({ transfer, subject }: PostingFacts): Record<string, unknown> | null {
  if (transfer === null || isHeld(transfer.status)) return null;
  const table = subjectOf(transfer.row)?.table;
  if (subject !== null && table === 'checkout') return checkoutOffer(subject);
  if (subject !== null && table === 'task') return taskOffer(subject);
  if (subject !== null && table === 'mpp_session') return sessionOffer(subject);
  return quoteOffer(transfer.row) ?? serviceOffer(transfer.row);
}

/** What a door asked for with 402, by x402 or by MPP. */
function doorOffer(payment: Row): Record<string, unknown> {
  const text = (column: string) => textIn(payment, column);
  const endpointId = text('endpoint_id');
  return {
    currency: text('currency'),
    endpoint_id: endpointId && printId('x402Endpoint', endpointId),
    id: printId('x402Payment', text('id') ?? ''),
    kind: text('protocol') === 'mpp' ? 'mpp' : 'x402',
    terms: {
      asset: text('asset'),
      network: text('network'),
      nonce: text('nonce'),
      pay_to: text('pay_to'),
      protocol: text('protocol'),
      scheme: text('scheme'),
    },
  };
}

interface StoredItem {
  sku: string;
  title?: string;
  quantity: number;
  unitPrice: string;
}

function checkoutOffer(checkout: Row): Record<string, unknown> {
  const { text, amount } = reader(checkout);
  const items = (checkout['items'] as unknown as StoredItem[]).map(({ sku, title, quantity, unitPrice }) => ({
    quantity,
    sku,
    ...(title != null && { title }),
    unit_price: formatMinor(BigInt(unitPrice), text('currency')),
  }));
  return {
    currency: text('currency'),
    id: printId(text('protocol') === 'ucp' ? 'ucpCheckout' : 'acpCheckout', text('id')),
    items,
    kind: 'checkout',
    merchant_id: printId('merchant', text('merchant_id')),
    totals: { fulfillment: amount('fulfillment_amount'), tax: amount('tax_amount'), total: amount('total') },
  };
}

function taskOffer(task: Row): Record<string, unknown> {
  const { text, amount } = reader(task);
  return {
    currency: text('currency'),
    id: printId('task', text('id')),
    kind: 'task',
    resource: text('skill_id'),
    terms: { context_id: text('context_id'), method: text('method') },
    totals: { total: amount('amount') },
  };
}

function sessionOffer(session: Row): Record<string, unknown> {
  const { text } = reader(session);
  return { currency: text('currency'), id: printId('mppSession', text('id')), kind: 'mpp', resource: text('service_url') };
}

/** A payment over MPP between wallets names what it was for. */
function serviceOffer(transfer: Row): Record<string, unknown> | null {
  const { text, amount } = reader(transfer);
  const facts = transfer['protocol_metadata'] as { service_url?: string } | null | undefined;
  if (text('protocol') !== 'mpp' || facts?.service_url === undefined) return null;
  const currency = text('currency');
  return { currency, id: printId('transfer', text('id')), kind: 'mpp', resource: facts.service_url, totals: { total: amount('amount') } };
}

/** What a quote promised stands in the transfer that used it. */
function quoteOffer(transfer: Row): Record<string, unknown> | null {
  const { text, amount } = reader(transfer);
  const destination = textIn(transfer, 'destination_currency');
  const quoteId = textIn(transfer, 'quote_id');
  if (quoteId === null || destination === null) return null;
  return {
    currency: text('currency'),
    id: printId('quote', quoteId),
    kind: 'quote',
    terms: {
      destination_amount: formatMinor(BigInt(text('destination_amount')), destination),
      destination_currency: destination,
      fee: amount('fee_amount'),
    },
    totals: { total: amount('amount') },
  };
}

function reader(row: Row) {
  const text = (column: string) => textIn(row, column) ?? '';
  return { text, amount: (column: string) => formatMinor(BigInt(text(column) || 0), text('currency')) };
}
