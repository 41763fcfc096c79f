// What becomes of the transfer of a refund: one to a wallet is done at once, one to a card is up to the processor.
import type { TransferSubject } from '../../manifest/noun.js';
import { StateConflict } from '../../platform/errors.js';

export const transfersOfRefunds: TransferSubject = {
  openBy: ['payer'],
  operation: ({ type }) => ({ category: 'refund', operation: `refund.${type}` }),
  refuse(_ctx, { status, subjectId }) {
    const next_actions = [{ rel: 'refund', actor: 'any', method: 'GET', path: `/v1/refunds/${subjectId}` } as const];
    throw new StateConflict('The transfer is a card refund: the processor decides the outcome.', status, [], { next_actions });
  },
};
