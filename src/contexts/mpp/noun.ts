// What MPP sessions, their vouchers and one-off payments are to everybody else.
import { defineNoun } from '../../manifest/noun.js';
import { newestRows, resetStep } from '../../manifest/reset.js';
import { sessionSubject, sessionTopUpSubject } from './approval.js';
import { closeMppSession, stepMppSession } from './closing.js';
import { mppPaymentSubject } from './payment.js';
import { mppSessionLifecycle, openSessions } from './session.js';
import { transfersOfMppPayments, transfersOfSessions } from './transfer-subject.js';

export const mppSession = defineNoun({
  id: { kind: 'mppSession', prefix: 'mses', wire: 'prefixed' },
  scope: 'mpp:read',
  table: 'mpp_session',
  lifecycle: mppSessionLifecycle,
  due: { concurrency: 8, run: stepMppSession },
  approvals: { mpp_session: sessionSubject, mpp_top_up: sessionTopUpSubject },
  transfers: transfersOfSessions,
  openOn: openSessions,
  settling: { where: `status = 'closing'` },
  reset: [
    resetStep({
      stage: 'running',
      rows: ({ db }, most) => db.mppSession.findMany({ where: { status: { in: ['pending', 'open'] } }, ...newestRows(most) }),
      end: (ctx, { id }) => closeMppSession(ctx, { id }),
    }),
  ],
});

/** A one-off payment of a call: a transfer, under a name of its own. */
export const mppPayment = defineNoun({
  id: { kind: 'mppPayment', prefix: 'mpay', wire: 'prefixed' },
  scope: 'mpp:read',
  approvals: { mpp_payment: mppPaymentSubject },
  transfers: transfersOfMppPayments,
});

export const mppVoucher = defineNoun({ id: { kind: 'mppVoucher', prefix: 'vch', wire: 'prefixed' }, scope: 'mpp:read' });
