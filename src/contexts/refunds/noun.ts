// What refunds, refunds to cards and disputes are to everybody else.
import { defineNoun } from '../../manifest/noun.js';
import { newestRows, resetStep } from '../../manifest/reset.js';
import { orderDue } from '../settlement/rail/order-submission.js';
import { cardRefundLifecycle, openCardRefunds } from './card-refund.js';
import { cardRefundOrders } from './card-refund-life.js';
import { disputeLifecycle, resolveDispute, stepDispute } from './dispute.js';
import { refundLifecycle } from './refund.js';
import { transfersOfRefunds } from './transfer-subject.js';

export const refund = defineNoun({
  id: { kind: 'refund', prefix: 'rf', wire: 'bare' },
  scope: 'refunds:read',
  table: 'refund',
  lifecycle: refundLifecycle,
  transfers: transfersOfRefunds,
  settling: { where: `status IN ('pending', 'processing')` },
});

export const cardRefund = defineNoun({
  id: { kind: 'cardRefund', prefix: 'crf' },
  scope: 'refunds:read',
  table: 'card_refund',
  lifecycle: cardRefundLifecycle,
  due: orderDue(cardRefundOrders),
  openOn: openCardRefunds,
});

export const dispute = defineNoun({
  id: { kind: 'dispute', prefix: 'dsp', wire: 'prefixed' },
  scope: 'refunds:read',
  table: 'dispute',
  lifecycle: disputeLifecycle,
  due: { concurrency: 4, run: stepDispute },
  reset: [
    resetStep({
      stage: 'waiting',
      rows: ({ db }, most) => db.dispute.findMany({ where: { status: { not: 'resolved' } }, ...newestRows(most) }),
      end: (ctx, { id }, notes) => resolveDispute(ctx, { id, resolution: 'withdrawn', notes }),
    }),
  ],
});
