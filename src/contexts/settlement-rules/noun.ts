// What settlement rules and their executions are to everybody else.
import { defineNoun } from '../../manifest/noun.js';
import { newestRows, resetStep } from '../../manifest/reset.js';
import { executionLifecycle } from './execution.js';
import { stepExecution } from './execution-due.js';
import { deleteSettlementRule } from './rule.js';
import { stepRule } from './rule-due.js';

export const settlementRule = defineNoun({
  id: { kind: 'settlementRule', prefix: 'srl', wire: 'bare' },
  scope: 'settlement:read',
  table: 'settlement_rule',
  due: { concurrency: 4, run: stepRule },
  reset: [
    resetStep({
      stage: 'permission',
      rows: ({ db }, most) => db.settlementRule.findMany({ where: { deletedAt: null }, ...newestRows(most) }),
      end: (ctx, { id }) => deleteSettlementRule(ctx, id),
    }),
  ],
});

export const settlementExecution = defineNoun({
  id: { kind: 'settlementExecution', prefix: 'exe', wire: 'prefixed' },
  scope: 'settlement:read',
  table: 'settlement_execution',
  lifecycle: executionLifecycle,
  // What rules do with one wallet follows each other.
  due: { concurrency: 16, run: stepExecution, lane: { column: 'wallet_id', concurrency: 1 } },
  settling: { where: `status = 'pending'` },
});
