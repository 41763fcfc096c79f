// The statement of a wallet: its ledger entries as pages (CONTRACT.md 1).
import { countWalletEntries, type Entry, isEntry, splitEntryId, walletEntries } from '../../ledger/entry.js';
import type { Ctx } from '../../platform/ctx.js';
import { ValidationFailed } from '../../platform/errors.js';
import type { Page, PageInput } from '../../platform/page.js';
import { wallet } from './wallet.js';

export interface EntryPageInput extends PageInput {
  since?: Date | null | undefined;
  until?: Date | null | undefined;
}

/** Entries of a wallet in all its buckets, newest first. 404 for an unknown wallet, 400 for a cursor that is none. */
export async function entries(ctx: Ctx, walletId: string, input: EntryPageInput): Promise<Page<Entry>> {
  await wallet(ctx, walletId);
  const { page, limit, after } = { page: input.page ?? 1, limit: input.limit ?? 50, after: input.after ?? undefined };
  const notACursor = () => new ValidationFailed([{ path: ['after'], message: 'must be the id of an entry', rule: 'cursor' }]);
  if (after !== undefined && splitEntryId(after)[0] === null) throw notACursor();
  const between = { since: input.since ?? undefined, until: input.until ?? undefined };
  const rows = await walletEntries(ctx, walletId, {
    ...between,
    after,
    skip: after === undefined ? (page - 1) * limit : 0,
    take: limit + 1,
  });
  // After the oldest entry there is nothing, and nothing after one that never was.
  if (after !== undefined && rows.length === 0 && !(await isEntry(ctx, after))) throw notACursor();
  const nodes = rows.slice(0, limit);
  const hasMore = rows.length > limit;
  return {
    nodes,
    page,
    limit,
    hasMore,
    nextCursor: hasMore ? (nodes.at(-1)?.id ?? null) : null,
    total: () => countWalletEntries(ctx, walletId, between),
  };
}
