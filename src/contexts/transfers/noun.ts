// What transfers and quotes are to everybody else.
import { defineNoun } from '../../manifest/noun.js';
import { newestRows, resetStep } from '../../manifest/reset.js';
import { transferSubject } from './approval.js';
import { cancelTransfer, stepTransfer } from './hold.js';
import { subjectTypes } from './subject.js';
import { transferTimeline } from './timeline.js';
import { transferLifecycle } from './transfer.js';
import { openTransfers } from './transfer-list.js';

export const transfer = defineNoun({
  id: { kind: 'transfer', prefix: 'tx', wire: 'bare' },
  scope: 'transfers:read',
  table: 'transfer',
  lifecycle: transferLifecycle,
  due: { concurrency: 8, run: stepTransfer },
  approvals: { transfer: transferSubject },
  openOn: openTransfers,
  timeline: transferTimeline,
  // That of a payout, of money that comes in, of a charge or of a refund ends with it.
  settling: {
    where: `(subject_type IS NULL OR subject_type NOT IN ('payout', 'funding_transaction', 'card_charge', 'refund'))
      AND (status = 'processing' OR status = 'pending' AND hold_id IS NULL AND scheduled_for IS NULL)`,
  },
  reset: [
    resetStep({
      stage: 'running',
      rows: (ctx, most) => {
        const others = subjectTypes(ctx, ({ endsWithNoun }) => endsWithNoun === true);
        const alone = { OR: [{ subjectType: null }, { subjectType: { notIn: others } }] };
        return ctx.db.transfer.findMany({ where: { status: 'pending', ...alone }, ...newestRows(most) });
      },
      end: (ctx, { id }, reason) => cancelTransfer(ctx, id, reason),
    }),
  ],
});

export const quote = defineNoun({ id: { kind: 'quote', prefix: 'qt', wire: 'prefixed' }, scope: 'transfers:read', table: 'quote' });
