// The cards of the sandbox: what its processor does with an order is decided by the token of the card (docs/rails.md).
import type { RailOrder } from './rail.js';
import type { Treatment } from './rail-book.js';

/** A refusal is said at once. */
const declined = (code: string): Treatment => ({ latencySeconds: 0, faults: ['reject'], code });

// Gap G-224: The token of a sandbox card decides the result: `tok_ok`, `tok_slow`, `tok_declined` and others.
const treatments: Readonly<Record<string, Treatment>> = {
  tok_ok: { latencySeconds: 0 },
  tok_slow: { latencySeconds: 3_600 },
  tok_declined: declined('card_declined'),
  tok_insufficient_funds: declined('insufficient_funds'),
  tok_expired: declined('expired_card'),
  tok_lost_ack: { faults: ['lost_ack'] },
};

/** How the processor of the sandbox treats an order: any other token is charged in its usual time. */
export function treatmentOfCard({ destination }: Pick<RailOrder, 'destination'>): Treatment {
  const token = destination['token'] ?? destination['source_ref'] ?? '';
  return Object.hasOwn(treatments, token) ? (treatments[token] as Treatment) : {};
}
