// Reading transfers: one, a page with filters, their entries (CONTRACT.md 2).
import type { Prisma, Protocol, Transfer, TransferStatus, TransferType } from '../../generated/prisma/client.js';
import { type Entry, transferEntries } from '../../ledger/entry.js';
import type { Ctx } from '../../platform/ctx.js';
import { NotFound, ValidationFailed } from '../../platform/errors.js';
import { parseMinor } from '../../platform/money.js';
import { createdBetween, listPage, type Page, type PageInput } from '../../platform/page.js';

/** What an actor sees: an agent what it or its wallets took part in (Gap G-24), everyone else the workspace's. */
export async function visibleTransfers({ actor, db }: Ctx): Promise<Prisma.TransferWhereInput> {
  if (actor.agent === undefined) return {};
  const own = await db.wallet.findMany({ where: { agentId: actor.agent.id }, select: { id: true } });
  const ids = own.map(({ id }) => id);
  return { OR: [{ agentId: actor.agent.id }, { fromWalletId: { in: ids } }, { toWalletId: { in: ids } }] };
}

/** The transfer, or 404. */
export async function transfer(ctx: Ctx, id: string): Promise<Transfer> {
  const found = await ctx.db.transfer.findFirst({ where: { AND: [{ id }, await visibleTransfers(ctx)] } });
  if (found === null) throw new NotFound();
  return found;
}

/** The entries of all its ledger transactions, oldest first. */
export async function entriesOfTransfer(ctx: Ctx, id: string): Promise<Entry[]> {
  await transfer(ctx, id);
  return transferEntries(ctx, id);
}

export interface TransferFilter extends PageInput {
  status?: TransferStatus | null | undefined;
  type?: TransferType | null | undefined;
  protocol?: Protocol | null | undefined;
  fromAccountId?: string | null | undefined;
  toAccountId?: string | null | undefined;
  walletId?: string | null | undefined;
  agentId?: string | null | undefined;
  currency?: string | null | undefined;
  minAmount?: string | null | undefined;
  maxAmount?: string | null | undefined;
  reference?: string | null | undefined;
  since?: Date | null | undefined;
  until?: Date | null | undefined;
}

/** Transfers, newest first. Amounts are compared within one currency, so `currency` goes with them (Gap G-42) (400 otherwise). */
export async function transfers(ctx: Ctx, filter: TransferFilter, query: object = {}): Promise<Page<Transfer>> {
  const conditions: Prisma.TransferWhereInput[] = [
    await visibleTransfers(ctx),
    createdBetween(filter.since, filter.until),
    amountBetween(filter),
  ];
  for (const field of ['status', 'type', 'protocol', 'fromAccountId', 'toAccountId', 'agentId', 'currency', 'reference'] as const) {
    if (filter[field]) conditions.push({ [field]: filter[field] });
  }
  if (filter.walletId) conditions.push(await ofWallet(ctx, filter.walletId));
  return listPage(ctx.db.transfer, { AND: conditions }, filter, query);
}

/** A wallet's transfers are among its account's, which have an index. */
async function ofWallet({ db }: Ctx, walletId: string): Promise<Prisma.TransferWhereInput> {
  const wallet = await db.wallet.findFirst({ where: { id: walletId }, select: { accountId: true } });
  const accountId = wallet?.accountId ?? walletId;
  return {
    OR: [
      { fromAccountId: accountId, fromWalletId: walletId },
      { toAccountId: accountId, toWalletId: walletId },
    ],
  };
}

function amountBetween({ currency, minAmount, maxAmount }: TransferFilter): Prisma.TransferWhereInput {
  if (!minAmount && !maxAmount) return {};
  if (!currency) throw new ValidationFailed([{ path: ['currency'], message: 'goes with min_amount and max_amount', rule: 'required' }]);
  return {
    amount: {
      ...(minAmount ? { gte: parseMinor(minAmount, currency, ['minAmount'], 0n) } : {}),
      ...(maxAmount ? { lte: parseMinor(maxAmount, currency, ['maxAmount'], 0n) } : {}),
    },
  };
}
