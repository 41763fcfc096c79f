// What a payment at the paid door is answered, by whichever protocol it was made (CONTRACT.md 9).
import type { DoorAnswer } from '../../../platform/door.js';
import { printId } from '../../../platform/schema/id.js';
import type { MadePayment } from './ledger-payment.js';

/** 200 for a payment, 202 for one that waits for an approval, which has no receipt. */
export function madeAnswer({ payment, approval }: MadePayment, receipt: object, headers: DoorAnswer['headers'] = {}): DoorAnswer {
  const ids = { payment_id: printId('x402Payment', payment.id), endpoint_id: printId('x402Endpoint', payment.endpointId ?? '') };
  if (approval === null)
    return { status: 200, headers, body: { paid: payment.status === 'settled', ...ids, proof: payment.proof, receipt } };
  const waits = { id: printId('approval', approval.id), status: approval.status, expires_at: approval.expiresAt.toISOString() };
  return { status: 202, headers, body: { paid: false, ...ids, approval: waits } };
}
