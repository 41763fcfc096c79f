// A funding transaction: money that a provider brings into a wallet (CONTRACT.md 12). It is credited when the rail has settled it.
import type { FundingStatus, FundingTransaction, Prisma } from '../../generated/prisma/client.js';
import type { OpenOn } from '../../manifest/noun.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound } from '../../platform/errors.js';
import type { Lifecycle } from '../../platform/lifecycle.js';
import type { Tx } from '../../platform/postgres/database.js';
import { printId } from '../../platform/schema/id.js';
import { listOf } from '../../platform/schema/list.js';
import { Visibility } from '../../platform/visibility.js';

/** What comes back after it was completed stays completed, with `return` (see G-170). Nobody calls one off: its rail has it. */
export const fundingLifecycle: Lifecycle<FundingStatus> = {
  noun: 'funding transaction',
  path: '/v1/funding/transactions/{id}',
  steps: { pending: ['completed', 'failed'], completed: [], failed: [] },
  requests: [],
};

/** An agent sees what came into its wallets. */
export const visibleFunding = new Visibility<Prisma.FundingTransactionWhereInput>({
  scope: 'settlement:read',
  agent: ({ id }) => ({ walletAgentId: id }),
});

/** The funding transaction, or 404. */
export async function fundingTransaction(ctx: Ctx, id: string): Promise<FundingTransaction> {
  const found = await ctx.db.fundingTransaction.findFirst({ where: { AND: [{ id }, visibleFunding.where(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

/** Funding transactions, newest first. */
export const fundingTransactions = listOf('fundingTransaction', { visible: visibleFunding });

/** Money that is on its way to one of the wallets: it keeps a wallet from being closed. */
export async function openFunding(_ctx: Ctx, tx: Tx, walletIds: readonly string[], most: number): ReturnType<OpenOn> {
  const open = await tx.fundingTransaction.findMany({
    where: { walletId: { in: [...walletIds] }, status: 'pending' },
    orderBy: { id: 'asc' },
    take: most,
    select: { id: true },
  });
  return open.map((row) => {
    const id = printId('fundingTransaction', row.id);
    const path = `/v1/funding/transactions/${id}`;
    return { type: 'funding_transaction', id, ends: { rel: 'funding_transaction', actor: 'any', method: 'GET', path } };
  });
}
