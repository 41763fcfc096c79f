// The decisions and approvals in the timeline of an agent: of what it has spent, or wanted to.
import type { Prisma } from '../../generated/prisma/client.js';
import { idsWithin, newestIds, type Stretch, type TimelineSource } from '../../manifest/timeline.js';
import { formatMinor } from '../../platform/money.js';
import { printId, printSubject } from '../../platform/schema/id.js';
import { countDecisions, type DecisionChoice, decisionIds } from './pipeline/decision.sql.js';
import { inputIn } from './pipeline/decision-record.js';

const choiceOf = ({ agentId, from, below }: Stretch): DecisionChoice => ({
  visibleTo: undefined,
  agentId,
  outcome: undefined,
  from,
  below,
});

export const decisionTimeline: TimelineSource = {
  kind: 'decision',
  ids: (ctx, stretch, window) => decisionIds(ctx, choiceOf(stretch), window),
  count: (ctx, stretch, most) => countDecisions(ctx, choiceOf(stretch), most),
  async load({ db }, ids) {
    const rows = await db.decision.findMany({ where: { id: { in: [...ids] } } });
    return rows.map((row) => {
      const { id, outcome, code, message, subjectType, subjectId, evaluatedAt: at } = row;
      const { amount, currency, protocol } = inputIn(row).facts;
      const asked = formatMinor(BigInt(amount), currency);
      const summary = `${outcome} ${asked} ${currency}${code === null ? '' : `: ${code}`}`;
      const subject = subjectType === null || subjectId === null ? null : { type: subjectType, id: printSubject(subjectType, subjectId) };
      const data = { outcome, code, message, amount: asked, currency, protocol, subject };
      return { id, at, printedId: printId('decision', id), summary, data };
    });
  },
};

function approvalsOf(stretch: Stretch, after?: string): Prisma.ApprovalWhereInput {
  return { agentId: stretch.agentId, ...idsWithin(stretch, after) };
}

export const approvalTimeline: TimelineSource = {
  kind: 'approval',
  async ids({ db }, stretch, { after, take }) {
    const rows = await db.approval.findMany({ where: approvalsOf(stretch, after), take, ...newestIds });
    return rows.map(({ id }) => id);
  },
  count: ({ db }, stretch, take) => db.approval.count({ where: approvalsOf(stretch), take }),
  async load({ db }, ids) {
    const rows = await db.approval.findMany({ where: { id: { in: [...ids] } } });
    return rows.map(({ id, requestedAt: at, status, amount, currency, subjectType, subjectId, decidedAt, comment, description }) => {
      const asked = formatMinor(amount, currency);
      const subject = { type: subjectType, id: printSubject(subjectType, subjectId) };
      const data = { status, amount: asked, currency, subject, decided_at: decidedAt?.toISOString() ?? null, comment, description };
      return { id, at, printedId: printId('approval', id), summary: `${status} ${asked} ${currency}`, data };
    });
  },
};
