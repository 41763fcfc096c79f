// Mail to the owners of the company when a program is connected (CONTRACT.md 22): whoever did not mean it is told by whom it was done, what
// the program may do, and where it is ended. It is written with the connection and sent a moment later.
import type { Agent, Connection } from '../../generated/prisma/client.js';
import { actScope } from '../../platform/agent-scope.js';
import type { ActingMember, Ctx } from '../../platform/ctx.js';
import type { Tx } from '../../platform/postgres/database.js';
import { originOf } from '../people/link.js';
import { queueMail } from '../people/mail.js';

// Gap G-535: At most 50 owners are mailed of a connection, in both environments, and so is the one who made it.
const mostTold = 50;

/** What is told of a connection beside its row. */
interface Told {
  member: ActingMember;
  agent: Agent;
  budget: { amount: string; currency: string; period: string } | null | undefined;
}

/** Writes to each active owner that a program was connected, in the transaction that makes the connection. */
export async function tellOwners(ctx: Ctx, tx: Tx, connection: Connection, told: Told): Promise<void> {
  const owners = await tx.member.findMany({
    where: { role: 'owner', status: 'active' },
    select: { email: true },
    orderBy: { id: 'asc' },
    take: mostTold,
  });
  const { clientName, redirectHost, isLoopback, expiresAt } = connection;
  const place = ctx.workspace.environment === 'test' ? ' in the sandbox' : '';
  const content = {
    subject: `A program was connected to ${told.agent.name}${place}`,
    paragraphs: [
      `${told.member.name} let a program act as the agent ${told.agent.name}${place}. It calls itself ${clientName}; nobody vouches for that.`,
      isLoopback ? `It runs on a computer (${redirectHost}).` : `It runs at ${redirectHost}.`,
      `${mayDo(connection, told)} It is connected until ${expiresAt.toISOString()}.`,
      'If nobody of you meant this, revoke the connection.',
    ],
    link: { label: 'See the connections', url: `${originOf(ctx)}/console/connections` },
  };
  for (const { email } of owners) await queueMail(ctx, tx, { ...content, to: email });
}

function mayDo({ scopes }: Connection, { budget }: Told): string {
  if (!scopes.includes(actScope)) return 'It may read what the agent sees, and pay nothing.';
  const { amount = '0', currency = '', period = 'once' } = budget ?? {};
  return `It may pay up to ${amount} ${currency} ${period === 'once' ? 'in all' : `a ${period}`}.`;
}
