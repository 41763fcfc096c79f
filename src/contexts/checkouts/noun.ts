// What checkouts are to everybody else: one table, with ids for each protocol.
import { defineNoun } from '../../manifest/noun.js';
import { newestRows, resetStep } from '../../manifest/reset.js';
import { allowedFrom } from '../../platform/lifecycle.js';
import { type CheckoutProtocol, checkoutLifecycle } from './checkout.js';
import { cancelCheckout, expireCheckout } from './ending.js';
import { openCheckouts } from './open.sql.js';
import { checkoutSubject } from './payment-approval.js';
import { transfersOfCheckouts } from './transfer-subject.js';

export const acpCheckout = defineNoun({
  id: { kind: 'acpCheckout', prefix: 'acp_chk', wire: 'prefixed' },
  scope: 'checkouts:read',
  table: 'checkout',
  lifecycle: checkoutLifecycle,
  due: { concurrency: 8, run: expireCheckout },
  approvals: { acp_checkout: checkoutSubject('acpCheckout') },
  transfers: transfersOfCheckouts,
  openOn: openCheckouts,
  settling: { type: 'checkout', id: `protocol || '_chk_' || id`, where: `status = 'pending_payment' AND approval_id IS NULL` },
  reset: [
    resetStep({
      stage: 'running',
      type: 'checkout',
      rows: ({ db }, most) => {
        const where = { status: { in: allowedFrom(checkoutLifecycle, 'cancelled') } };
        return db.checkout.findMany({ where, ...newestRows(most), select: { id: true, protocol: true } });
      },
      end: (ctx, { id, protocol }, reason) => cancelCheckout(ctx, protocol as CheckoutProtocol, id, { reason }),
    }),
  ],
});

export const ucpCheckout = defineNoun({
  id: { kind: 'ucpCheckout', prefix: 'ucp_chk', wire: 'prefixed' },
  scope: 'checkouts:read',
  approvals: { ucp_checkout: checkoutSubject('ucpCheckout') },
  transfers: transfersOfCheckouts,
});
