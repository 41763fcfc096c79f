// What policies, budgets, decisions, trips of the breaker and approvals are to everybody else, and how a sandbox gives up its spend controls.
import { defineNoun } from '../../manifest/noun.js';
import { newestRows, resetStep } from '../../manifest/reset.js';
import { approvalLifecycle, cancelApproval, expireApproval } from './approval/approval.js';
import { setDetectors } from './breaker/breaker.js';
import { endBudget } from './budget/budget.js';
import { unfreezeSpending } from './freeze/kill-switch.js';
import { setKyaCaps } from './policy/kya-limit.js';
import { endPolicy } from './policy/policy.js';
import { approvalTimeline, decisionTimeline } from './timeline.js';

export const approval = defineNoun({
  id: { kind: 'approval', prefix: 'apr', wire: 'prefixed' },
  scope: 'approvals:read',
  table: 'approval',
  lifecycle: approvalLifecycle,
  due: { concurrency: 8, run: expireApproval },
  timeline: approvalTimeline,
  reset: [
    resetStep({
      stage: 'block',
      type: 'kill_switch',
      rows: ({ db, workspace: { id } }) => db.workspace.findMany({ where: { id, frozenAt: { not: null } }, select: { id: true } }),
      end: unfreezeSpending,
    }),
    resetStep({
      stage: 'waiting',
      rows: ({ db }, most) => db.approval.findMany({ where: { status: 'pending' }, ...newestRows(most) }),
      end: (ctx, { id }, reason) => cancelApproval(ctx, id, reason),
    }),
  ],
});

export const policy = defineNoun({
  id: { kind: 'policy', prefix: 'pol', wire: 'prefixed' },
  scope: 'policies:read',
  table: 'policy',
  reset: [
    resetStep({
      stage: 'setting',
      rows: ({ db }, most) => db.policy.findMany({ where: { deletedAt: null }, ...newestRows(most) }),
      end: (ctx, { id }) => endPolicy(ctx, id),
    }),
    resetStep({
      stage: 'setting',
      type: 'kya_limits',
      rows: async ({ db, workspace: { id } }) => ((await db.kyaLimit.count({ take: 1 })) > 0 ? [{ id }] : []),
      end: (ctx) => setKyaCaps(ctx, []),
    }),
  ],
});

export const budget = defineNoun({
  id: { kind: 'budget', prefix: 'bud', wire: 'prefixed' },
  scope: 'policies:read',
  table: 'budget',
  reset: [
    resetStep({
      // Children are younger than their parents.
      stage: 'setting',
      rows: ({ db }, most) => db.budget.findMany({ where: { deletedAt: null }, ...newestRows(most) }),
      end: (ctx, { id }) => endBudget(ctx, id),
    }),
  ],
});

export const decision = defineNoun({
  id: { kind: 'decision', prefix: 'dec', wire: 'prefixed' },
  scope: 'policies:read',
  table: 'decision',
  timeline: decisionTimeline,
});

export const breakerTrip = defineNoun({
  id: { kind: 'breakerTrip', prefix: 'trip', wire: 'prefixed' },
  scope: 'policies:read',
  table: 'breaker_trip',
  reset: [
    resetStep({
      stage: 'setting',
      type: 'breakers',
      rows: async ({ db, workspace: { id } }) => ((await db.breaker.count({ take: 1 })) > 0 ? [{ id }] : []),
      end: (ctx) => setDetectors(ctx, []),
    }),
  ],
});
