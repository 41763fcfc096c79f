// What becomes of the transfer of a payout: the payout decides it (CONTRACT.md 2 "The transfer of a payout").
import type { TransferSubject } from '../../manifest/noun.js';
import { StateConflict } from '../../platform/errors.js';
import { printId } from '../../platform/schema/id.js';

export const transfersOfPayouts: TransferSubject = {
  openBy: ['payer', 'payee'],
  endsWithNoun: true,
  // Gap G-158: Cancelling or capturing a payout's transfer is 409 with the request that cancels the payout.
  refuse(_ctx, { status, subjectId }) {
    const path = `/v1/payouts/${printId('payout', subjectId ?? '')}`;
    throw new StateConflict('The transfer is that of a payout: cancel the payout, while it was not submitted.', status, [], {
      next_actions: [
        { rel: 'payout', actor: 'any', method: 'GET', path },
        { rel: 'cancel_payout', actor: 'any', method: 'POST', path: `${path}/cancel` },
      ],
    });
  },
};
