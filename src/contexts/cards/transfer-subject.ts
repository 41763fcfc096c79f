// What becomes of the transfer of a payment by card: the processor decides it.
import type { TransferSubject } from '../../manifest/noun.js';
import { StateConflict } from '../../platform/errors.js';
import { parseAnyId } from '../../platform/schema/id.js';
import { approvalActions } from '../transfers/hold.js';

export const transfersOfCharges: TransferSubject = {
  openBy: ['payer', 'payee'],
  operation({ protocolMetadata }) {
    const { checkout_id: checkout } = (protocolMetadata ?? {}) as { checkout_id?: string };
    if (checkout === undefined) return { category: 'checkout', operation: 'checkout.charge' };
    return { category: 'checkout', operation: 'checkout.complete', subjectId: parseAnyId(checkout) };
  },
  // Gap G-227: The transfer of a card payment is pending from its opening; cancelling and capturing it are 409.
  refuse(ctx, transfer) {
    const read = { rel: 'read', actor: 'any', method: 'GET', path: `/v1/transfers/${transfer.id}` } as const;
    const next_actions = [read, ...approvalActions(ctx, transfer)];
    const message = 'The transfer is a card payment: its processor decides the outcome.';
    throw new StateConflict(message, transfer.status, [], { next_actions });
  },
};
