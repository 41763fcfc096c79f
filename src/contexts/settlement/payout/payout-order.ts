// Payouts as orders of their rails.
import type { Payout } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import type { OrderKind } from '../rail/order-kind.js';
import { openPayoutStatuses, payoutLifecycle } from './payout.js';
import { applyPayoutAnswer, failPayout } from './payout-life.js';

export const payoutOrders: OrderKind<Payout> = {
  noun: 'payout',
  table: 'payout',
  direction: 'out',
  prefix: 'po',
  lifecycle: payoutLifecycle,
  open: openPayoutStatuses,
  rows: (db) => db.payout,
  endOf: async (ctx, row) => {
    const destination = await destinationOf(ctx, row);
    if (destination === null) return { code: 'destination_gone', message: 'The bank account was deleted.' };
    return { destination, destinationRef: row.destinationRef, batch: row.batchReference };
  },
  follow: applyPayoutAnswer,
  fail: failPayout,
};

/** The whole destination; null for a bank account that was deleted. */
async function destinationOf(ctx: Ctx, { id, bankAccountId, sealedDestination }: Payout): Promise<Record<string, string> | null> {
  const open = (sealed: Uint8Array, rowId: string) => JSON.parse(ctx.platform.vault.open(sealed, rowId)) as Record<string, string>;
  if (sealedDestination !== null) return open(sealedDestination, id);
  const account = await ctx.db.bankAccount.findFirst({ where: { id: bankAccountId ?? '' } });
  if (account?.sealedDetails == null) return null;
  return { holder_name: account.holderName, ...open(account.sealedDetails, account.id) };
}
