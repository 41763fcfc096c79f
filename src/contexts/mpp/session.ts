// A payment session of MPP: a deposit in escrow, of which vouchers promise the payee more and more until the session is settled
// (CONTRACT.md 10).
import type { Approval, MppSession, MppSessionStatus, Prisma } from '../../generated/prisma/client.js';
import type { OpenOn } from '../../manifest/noun.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import { type Lifecycle, wrongStatus } from '../../platform/lifecycle.js';
import type { Tx } from '../../platform/postgres/database.js';
import { lockRow } from '../../platform/postgres/row.js';
import { printId } from '../../platform/schema/id.js';
import { listOf } from '../../platform/schema/list.js';
import { Visibility } from '../../platform/visibility.js';
import { OtherSide } from './errors.js';

/** Closing ends by itself, soon; closed and expired are final. */
export const mppSessionLifecycle: Lifecycle<MppSessionStatus> = {
  noun: 'session',
  path: '/v1/mpp/sessions/{id}',
  steps: {
    pending: ['open', 'closed'],
    open: ['closing', 'closed', 'expired'],
    closing: ['closed'],
    closed: [],
    expired: [],
  },
  requests: [{ to: 'closed', rel: 'close', actor: 'any', method: 'POST', path: '/close', body: {} }],
};

/** A session that a request made or changed, and the approval that its deposit waits for. */
export interface SessionChange {
  session: MppSession;
  approval: Approval | null;
}

/** An agent sees the sessions that it pays, or that a wallet of its is on a side of. */
export const visibleSessions = new Visibility<Prisma.MppSessionWhereInput>({
  scope: 'mpp:read',
  agent: ({ id }) => ({ OR: [{ agentId: id }, { walletAgentId: id }, { payeeAgentId: id }] }),
});

/** A session, or 404. */
export async function mppSession(ctx: Ctx, id: string): Promise<MppSession> {
  const found = await ctx.db.mppSession.findFirst({ where: { AND: [{ id }, visibleSessions.where(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

/** Sessions, newest first. A wallet is on either side; an agent is the one that pays. */
export const mppSessions = listOf(
  'mppSession',
  { visible: visibleSessions },
  { walletId: (walletId: string) => ({ OR: [{ walletId }, { payeeWalletId: walletId }] }) },
);

/** A session under its row's lock. 404. */
export function lockSession(ctx: Ctx, tx: Tx, id: string): Promise<MppSession> {
  return lockRow(tx.mppSession, id, { where: visibleSessions.where(ctx) });
}

/** What is known of a session that never changes. */
export type SessionFacts = Pick<
  MppSession,
  | 'id'
  | 'serviceUrl'
  | 'walletId'
  | 'payeeWalletId'
  | 'walletAgentId'
  | 'payeeAgentId'
  | 'agentId'
  | 'currency'
  | 'maxVoucher'
  | 'voucherKey'
  | 'sealedKey'
  | 'expiresAt'
>;

/** The facts of a session, kept in the process: a voucher then costs one statement. 404. */
export async function sessionFacts(ctx: Ctx, id: string): Promise<SessionFacts> {
  const facts = await ctx.platform.cache.get(`mpp_session:${ctx.workspace.id}:${id}`, async () => ({
    value: await ctx.db.mppSession.findFirst({
      where: { id },
      select: {
        id: true,
        serviceUrl: true,
        walletId: true,
        payeeWalletId: true,
        walletAgentId: true,
        payeeAgentId: true,
        agentId: true,
        currency: true,
        maxVoucher: true,
        voucherKey: true,
        sealedKey: true,
        expiresAt: true,
      },
    }),
    tags: [],
  }));
  const { agent } = ctx.actor;
  const isSeen = facts !== null && (agent === undefined || [facts.agentId, facts.walletAgentId, facts.payeeAgentId].includes(agent.id));
  if (facts === null || !isSeen) throw new NotFound();
  return facts;
}

/** True for an actor on the payer's side. Operators stand for both. */
export function isPayer({ actor }: Ctx, { agentId, walletAgentId }: Pick<MppSession, 'agentId' | 'walletAgentId'>): boolean {
  return actor.agent === undefined || [agentId, walletAgentId].includes(actor.agent.id);
}

/** 403 for an agent that is not on the payer's side. */
export function checkPayer(ctx: Ctx, session: Pick<MppSession, 'id' | 'agentId' | 'walletAgentId'>): void {
  if (!isPayer(ctx, session)) throw new OtherSide(session.id);
}

/** 409 for a session that takes no vouchers and deposits: it waits, is being settled, or has ended. */
export function notOpen(id: string, status: MppSessionStatus) {
  const message = {
    pending: 'The session is waiting for an approval.',
    open: 'The session has expired.',
    closing: 'The session is being settled.',
    closed: 'The session is closed, which is final.',
    expired: 'The session has expired, which is final.',
  }[status];
  return wrongStatus(mppSessionLifecycle, printId('mppSession', id), status, ['open'], message);
}

/** Sessions that keep their wallets from being closed. */
export async function openSessions(_: Ctx, tx: Tx, walletIds: readonly string[], most: number): ReturnType<OpenOn> {
  const either = { in: [...walletIds] };
  const open = await tx.mppSession.findMany({
    where: { status: { in: ['pending', 'open', 'closing'] }, OR: [{ walletId: either }, { payeeWalletId: either }] },
    orderBy: { id: 'asc' },
    take: most,
    select: { id: true },
  });
  return open.map(({ id }) => {
    const printed = printId('mppSession', id);
    const ends = { rel: 'close', actor: 'any', method: 'POST', path: `/v1/mpp/sessions/${printed}/close`, body: {} } as const;
    return { type: 'mpp_session', id: printed, ends };
  });
}
