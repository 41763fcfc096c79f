// The logins and credentials in the timeline of an agent, as the audit log has them.
import type { Prisma } from '../../generated/prisma/client.js';
import { idsWithin, newestIds, type Stretch, type TimelineSource } from '../../manifest/timeline.js';
import { printId } from '../../platform/schema/id.js';

const actions = ['authenticateAgent', 'provisionAuthKey', 'rotateAuthKey', 'revokeAuthKey', 'rotateAgentToken', 'revokeAgentToken'];

function entriesOf(stretch: Stretch, after?: string): Prisma.AuditEntryWhereInput {
  return { resourceId: stretch.agentId, action: { in: actions }, ...idsWithin(stretch, after) };
}

// Gap G-369: Logins and changes of keys and tokens come from the audit log, in real time.
export const loginTimeline: TimelineSource = {
  kind: 'auth',
  async ids({ db }, stretch, { after, take }) {
    const rows = await db.auditEntry.findMany({ where: entriesOf(stretch, after), take, ...newestIds });
    return rows.map(({ id }) => id);
  },
  count: ({ db }, stretch, take) => db.auditEntry.count({ where: entriesOf(stretch), take }),
  async load({ db }, ids) {
    const rows = await db.auditEntry.findMany({ where: { id: { in: [...ids] } } });
    return rows.map(({ id, at, action, actorType, ip }) => {
      // `authenticateAgent` reads "authenticate agent".
      const summary = action.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
      return { id, at, printedId: printId('auditEntry', id), summary, data: { action, actor: actorType, ip } };
    });
  },
};
