// Mail to those who may vote on an approval (CONTRACT.md 23, 29): written down by the due step of the approval, a moment after it is asked
// for, and sent by that of the mail. It carries a link to the approval in the console, behind the sign-in, and no secret.
import type { Approval } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import { transact } from '../../../platform/idempotency.js';
import { formatMinor } from '../../../platform/money.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { lockRow, rowKey } from '../../../platform/postgres/row.js';
import { printId } from '../../../platform/schema/id.js';
import { originOf } from '../../people/link.js';
import { queueMail } from '../../people/mail.js';
import { deciders, type Voter } from '../../people/voter.sql.js';
import { rateBook } from '../../rates/rate.js';
import { requiredBy } from './approval-request.js';
import { mayVote } from './decider.js';
import { asAskedNow } from './requirement.js';
import { votesNeeded } from './vote-count.js';

// Gap G-499: A notice goes to at most 50 members; without a mail server nobody is told, and `mail_configured` says so.
/** Members that are told of one approval, at most. */
const mostTold = 50;

/** Writes to each member who may vote on an approval, in the transaction that has locked it. */
export async function tellVoters(ctx: Ctx, tx: Tx, found: Approval): Promise<void> {
  const approval = await asAskedNow(tx, found);
  const members = await deciders(tx, ctx.workspace.tenantId, mostTold);
  const rates = await rateBook({ ...ctx, db: tx as Ctx['db'] });
  const { id, amount, currency, agentId, expiresAt } = approval;
  const agent = agentId === null ? null : await tx.agent.findFirst({ where: { id: agentId }, select: { name: true } });
  const asked = `${formatMinor(amount, currency)} ${currency}`;
  const needed = votesNeeded(requiredBy(approval));
  for (const member of members.values()) {
    if (!(await mayVote(tx, ctx.workspace.id, approval, member, rates))) continue;
    await queueMail(ctx, tx, {
      to: member.email,
      subject: `${asked} wait for an approval`,
      paragraphs: [
        `${agent?.name ?? 'Somebody'} wants to spend ${asked}${ctx.workspace.environment === 'test' ? ' in the sandbox' : ''}.`,
        needed === 1 ? 'One person has to approve it.' : `${needed} people have to approve it.`,
        `It expires at ${expiresAt.toISOString()}.`,
      ],
      link: { label: 'Sign in and decide', url: `${originOf(ctx)}/console/approvals/${printId('approval', id)}` },
    });
  }
}

/** The due step of an approval before its end: those who may vote are told, once. */
export function noticeApproval(ctx: Ctx, id: string): Promise<Approval> {
  return transact(ctx, async (tx) => {
    const found = await lockRow(tx.approval, id);
    const { status, dueAt, expiresAt } = found;
    if (status !== 'pending' || dueAt === null || dueAt >= expiresAt) return found;
    await tellVoters(ctx, tx, found);
    return tx.approval.update({ where: rowKey(ctx, id), data: { dueAt: expiresAt, leaseUntil: null } });
  });
}

/** Writes a mail of a test to each member who may decide anything, and says to how many; none without a mail server. */
export async function testApprovalNotices(ctx: Ctx): Promise<{ mailed: number }> {
  const mailed = await transact(
    ctx,
    async (tx) => {
      const members: Voter[] = [...(await deciders(tx, ctx.workspace.tenantId, mostTold)).values()];
      const sent = members.map(({ email }) =>
        queueMail(ctx, tx, {
          to: email,
          subject: 'A test of approval notices',
          paragraphs: ['You would be told like this of a spend that waits for your approval.'],
          link: { label: 'Open the console', url: `${originOf(ctx)}/console/approvals` },
        }),
      );
      return (await Promise.all(sent)).filter(Boolean).length;
    },
    () => ctx.workspace.id,
  );
  return { mailed };
}
