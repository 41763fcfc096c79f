// What mandates and their executions are to everybody else.
import { defineNoun } from '../../manifest/noun.js';
import { newestRows, resetStep } from '../../manifest/reset.js';
import { executionSubject } from './execution.js';
import { mandateLifecycle } from './mandate.js';
import { revokeMandate, stepMandate } from './mandate-request.js';

export const mandate = defineNoun({
  id: { kind: 'mandate', prefix: 'ap2_mnd', wire: 'prefixed' },
  scope: 'mandates:read',
  table: 'mandate',
  lifecycle: mandateLifecycle,
  due: { concurrency: 8, run: stepMandate },
  reset: [
    resetStep({
      stage: 'permission',
      rows: ({ db, clock }, most) =>
        db.mandate.findMany({ where: { revokedAt: null, expiresAt: { gt: clock.now() } }, ...newestRows(most) }),
      end: (ctx, { id }, reason) => revokeMandate(ctx, id, reason),
    }),
  ],
});

/** A spend by a mandate: a transfer, under a name of its own. */
export const mandateExecution = defineNoun({
  id: { kind: 'mandateExecution', prefix: 'ap2_exec', wire: 'prefixed' },
  scope: 'mandates:read',
  approvals: { mandate_execution: executionSubject },
});
