// A payout: money of a wallet that leaves the platform over a rail (CONTRACT.md 12). What it holds stands in its transfer.
import { v5 } from 'uuid';
import type { Payout, PayoutStatus, Prisma } from '../../../generated/prisma/client.js';
import type { OpenOn } from '../../../manifest/noun.js';
import type { Ctx } from '../../../platform/ctx.js';
import { NotFound } from '../../../platform/errors.js';
import type { Lifecycle } from '../../../platform/lifecycle.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { printId } from '../../../platform/schema/id.js';
import { listOf } from '../../../platform/schema/list.js';
import { Visibility } from '../../../platform/visibility.js';

/** What was paid may still come back; failed and returned are final. Paths name the payout by its printed id. */
export const payoutLifecycle: Lifecycle<PayoutStatus> = {
  noun: 'payout',
  path: '/v1/payouts/{id}',
  steps: {
    pending: ['confirmed', 'failed'],
    confirmed: ['complete', 'failed', 'returned'],
    complete: ['returned'],
    failed: [],
    returned: [],
  },
  requests: [{ to: 'failed', from: ['pending'], rel: 'cancel', actor: 'any', method: 'POST', path: '/cancel' }],
};

/** The statuses of a payout that is on its way. */
export const openPayoutStatuses = ['pending', 'confirmed'] as const satisfies readonly PayoutStatus[];

/** The lane of a rail in a workspace: a rail that hangs holds up its own payouts alone. */
export function laneOf({ workspace }: Pick<Ctx, 'workspace'>, rail: string): string {
  return v5(rail, workspace.id);
}

/** An agent sees the payouts that it made, and those of its wallets. */
export const visiblePayouts = new Visibility<Prisma.PayoutWhereInput>({
  scope: 'settlement:read',
  agent: ({ id }) => ({ OR: [{ agentId: id }, { walletAgentId: id }] }),
});

/** The payout, or 404. */
export async function payout(ctx: Ctx, id: string): Promise<Payout> {
  const found = await ctx.db.payout.findFirst({ where: { AND: [{ id }, visiblePayouts.where(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

/** The payout that a request is about, which it need not be allowed to read; or 404. */
export async function namedPayout(ctx: Ctx, id: string): Promise<Payout> {
  const found = await ctx.db.payout.findFirst({ where: { AND: [{ id }, visiblePayouts.reach(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

/** Payouts, newest first. */
export const payouts = listOf('payout', { visible: visiblePayouts });

/** Payouts of the wallets that are on their way: they keep a wallet from being closed. */
export async function openPayouts(_ctx: Ctx, tx: Tx, walletIds: readonly string[], most: number): ReturnType<OpenOn> {
  const open = await tx.payout.findMany({
    where: { walletId: { in: [...walletIds] }, status: { in: [...openPayoutStatuses] } },
    orderBy: { id: 'asc' },
    take: most,
    select: { id: true },
  });
  return open.map((row) => {
    const id = printId('payout', row.id);
    return { type: 'payout', id, ends: { rel: 'cancel', actor: 'any', method: 'POST', path: `/v1/payouts/${id}/cancel` } };
  });
}
