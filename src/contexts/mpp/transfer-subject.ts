// What becomes of transfers of MPP: the deposit of a session is settled with the session, a one-off payment of a call as one of x402 is.
import type { TransferSubject } from '../../manifest/noun.js';
import { StateConflict } from '../../platform/errors.js';
import { printId } from '../../platform/schema/id.js';
import { failPayment } from '../x402/payment/payment-life.js';

export const transfersOfSessions: TransferSubject = {
  openBy: ['payer', 'payee'],
  endsWithNoun: true,
  operation: () => ({ category: 'mpp_payment', operation: 'mpp.session' }),
  // Gap G-311: The deposit is a pending transfer to the payee and is not captured or cancelled by itself (409).
  refuse(_ctx, { id, status, subjectId }) {
    const close = `/v1/mpp/sessions/${printId('mppSession', subjectId ?? '')}/close`;
    throw new StateConflict('The transfer is the deposit of an MPP session: close the session.', status, [], {
      next_actions: [
        { rel: 'read', actor: 'any', method: 'GET', path: `/v1/transfers/${id}` },
        { rel: 'close', actor: 'any', method: 'POST', path: close, body: {} },
      ],
    });
  },
};

export const transfersOfMppPayments: TransferSubject = {
  endsWithNoun: true,
  operation: () => ({ category: 'mpp_payment', operation: 'mpp.pay' }),
  onEnded: failPayment,
};
