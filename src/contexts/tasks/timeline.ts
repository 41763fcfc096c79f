// The tasks in the timeline of an agent: those that it has given, and those that it works on.
import type { Prisma } from '../../generated/prisma/client.js';
import { idsWithin, newestIds, type Stretch, type TimelineSource } from '../../manifest/timeline.js';
import { formatMinor } from '../../platform/money.js';

/** By an index each. */
function sidesOf(stretch: Stretch, after?: string): Prisma.TaskWhereInput[] {
  const { agentId } = stretch;
  return [{ fromAgentId: agentId }, { toAgentId: agentId }].map((side) => ({ ...side, ...idsWithin(stretch, after) }));
}

export const taskTimeline: TimelineSource = {
  kind: 'task',
  async ids({ db }, stretch, { after, take }) {
    const sides = await Promise.all(sidesOf(stretch, after).map((where) => db.task.findMany({ where, take, ...newestIds })));
    return sides.flat().map(({ id }) => id);
  },
  async count({ db }, stretch, take) {
    const [given = 0, taken = 0] = await Promise.all(sidesOf(stretch).map((where) => db.task.count({ where, take })));
    return given + taken;
  },
  async load({ db }, ids) {
    const rows = await db.task.findMany({ where: { id: { in: [...ids] } } });
    return rows.map(({ id, createdAt: at, skillId, status, fromAgentId, toAgentId, amount, currency }) => {
      const payment = amount === null || currency === null ? null : { amount: formatMinor(amount, currency), currency };
      const data = { skill_id: skillId, status, from_agent_id: fromAgentId, to_agent_id: toAgentId, payment };
      return { id, at, printedId: id, summary: `${skillId}: ${status}`, data };
    });
  },
};
