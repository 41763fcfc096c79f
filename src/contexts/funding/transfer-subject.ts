// What becomes of the transfer of money that comes in: its provider decides it.
import type { TransferSubject } from '../../manifest/noun.js';
import { StateConflict } from '../../platform/errors.js';
import { printId } from '../../platform/schema/id.js';

export const transfersOfFunding: TransferSubject = {
  openBy: ['payer', 'payee'],
  endsWithNoun: true,
  // Gap G-171: Cancelling or capturing the transfer of a funding transaction is 409, because its rail has it.
  refuse(_ctx, { status, subjectId }) {
    const path = `/v1/funding/transactions/${printId('fundingTransaction', subjectId ?? '')}`;
    throw new StateConflict('The transfer is incoming money: its provider decides the outcome.', status, [], {
      next_actions: [{ rel: 'funding_transaction', actor: 'any', method: 'GET', path }],
    });
  },
};
