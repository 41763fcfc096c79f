// What batches of transfers are to everybody else.
import { defineNoun } from '../../manifest/noun.js';
import { newestRows, resetStep } from '../../manifest/reset.js';
import { batchLifecycle, cancelBatch } from './batch.js';
import { stepBatch } from './due.js';

export const batch = defineNoun({
  id: { kind: 'batch', prefix: 'bat', wire: 'prefixed' },
  scope: 'transfers:read',
  table: 'batch',
  lifecycle: batchLifecycle,
  due: { isBookkeeping: true, concurrency: 4, run: stepBatch },
  settling: { where: `status IN ('pending', 'processing')` },
  reset: [
    resetStep({
      stage: 'running',
      rows: ({ db }, most) => db.batch.findMany({ where: { status: 'pending' }, ...newestRows(most) }),
      end: (ctx, { id }, reason) => cancelBatch(ctx, id, reason),
    }),
  ],
});
