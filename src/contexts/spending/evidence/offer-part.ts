// What was shown to who paid (CONTRACT.md 25).
import type { Part } from '../../../platform/audit-leaf.js';
import { canonicalJson } from '../../../platform/canonical-json.js';
import { printId } from '../../../platform/schema/id.js';
import { type PostingFacts, textIn } from './posting-fact.js';

/** The offer of an x402 endpoint that a payment answered. */
export function offerPart({ payment }: PostingFacts): Part[] {
  if (payment === null) return [];
  const text = (column: string) => textIn(payment, column);
  const endpointId = text('endpoint_id');
  const value = {
    currency: text('currency'),
    endpoint_id: endpointId && printId('x402Endpoint', endpointId),
    id: printId('x402Payment', text('id') ?? ''),
    kind: 'x402',
    terms: {
      asset: text('asset'),
      network: text('network'),
      nonce: text('nonce'),
      pay_to: text('pay_to'),
      protocol: text('protocol'),
      scheme: text('scheme'),
    },
  };
  return [{ name: 'offer', value: canonicalJson(value) }];
}
