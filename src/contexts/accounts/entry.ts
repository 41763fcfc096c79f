// The statement of a wallet: its ledger entries as pages (CONTRACT.md 1).
import {
  countEntriesOfWallets,
  countWalletEntries,
  type Entry,
  isEntry,
  newestEntries,
  splitEntryId,
  walletEntries,
} from '../../ledger/entry.js';
import { loadTogether } from '../../platform/batch.js';
import type { Ctx } from '../../platform/ctx.js';
import { cutPage } from '../../platform/schema/nested-page.js';
import { type Page, type PageInput, readPage, refuseCursor, type Source } from '../../platform/schema/page.js';
import { visibleWallets, wallet } from './wallet.js';

/** Entries of a wallet in all its buckets, newest first. 404 for an unknown wallet, 400 for a cursor that is none. */
export async function entries(ctx: Ctx, walletId: string, input: PageInput): Promise<Page<Entry>> {
  await wallet(ctx, walletId);
  const span = { since: input.since ?? undefined, until: input.until ?? undefined };
  const source: Source<Entry> = {
    read: async (window) => {
      if (window.after !== undefined && !(await isEntry(ctx, walletId, window.after))) refuseCursor();
      return walletEntries(ctx, walletId, span, window);
    },
    count: async () => ({ count: await countWalletEntries(ctx, walletId, span), isMinimum: false }),
    parse: (text) => (splitEntryId(text)[0] === null ? null : text),
  };
  return readPage(ctx, `entry ${walletId}`, source, input);
}

/** The newest entries of a wallet that the actor sees, for a document that asks for those of many: they are read together. */
export async function newestOfWallet(ctx: Ctx, walletId: string, limit: number): Promise<Page<Entry>> {
  const rows = await loadTogether(ctx, `entries ${limit}`, walletId, (ids) => newestEntries(ctx, ids, limit + 1));
  const counted = () => loadTogether(ctx, 'entries total', walletId, (ids) => countEntriesOfWallets(ctx, ids));
  return cutPage(rows ?? [], limit, async () => ({ count: (await counted()) ?? 0, isMinimum: false }));
}

// Gap G-363: Of transfers that it sees, a portal token reads the entries of its customer's wallets.
/** Those of `entries` whose wallets the actor may read, or whose customer it is. The platform's own accounts are for those who see all. */
export async function readableEntries(ctx: Ctx, entries: readonly Entry[]): Promise<Entry[]> {
  if (visibleWallets.isWhole(ctx)) return [...entries];
  const { customer } = ctx.actor;
  const ids = entries.flatMap(({ walletId }) => (walletId === null ? [] : [walletId]));
  const own = customer === undefined ? visibleWallets.where(ctx) : { accountId: { in: [...customer.accountIds] } };
  const rows = await ctx.db.wallet.findMany({ where: { AND: [{ id: { in: ids } }, own] }, select: { id: true } });
  const seen = new Set(rows.map(({ id }) => id));
  return entries.filter(({ walletId }) => walletId !== null && seen.has(walletId));
}
