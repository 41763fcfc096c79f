// What an operation is called for people, and who was on the other side (CONTRACT.md 17 "recent-activity").
import type { Account, Operation } from '../../generated/prisma/client.js';
import { aboutCategory, type OperationCategory } from '../../manifest/operation-category.js';
import { loadTogether } from '../../platform/batch.js';
import type { Ctx } from '../../platform/ctx.js';
import { formatMinor } from '../../platform/money.js';
import { visibleAccounts } from '../accounts/account.js';

/** One line for people, such as `Checkout of 27.50 USD (checkout.complete)`. */
export function describe({ category, operation, success, amount, currency }: Operation): string {
  const moved = amount === 0n ? '' : ` of ${formatMinor(amount, currency)} ${currency}`;
  const { title } = aboutCategory(category as OperationCategory);
  return `${title}${moved} (${operation})${success ? '' : ', did not succeed'}`;
}

/** The account that was paid, where the actor may read it. */
export async function counterparty(ctx: Ctx, { counterpartyId }: Operation): Promise<Pick<Account, 'id' | 'name'> | null> {
  if (counterpartyId === null) return null;
  const found = await loadTogether(ctx, 'counterparty', counterpartyId, async (ids) => {
    const where = { AND: [{ id: { in: [...ids] } }, visibleAccounts.where(ctx)] };
    const rows = await ctx.db.account.findMany({ where, select: { id: true, name: true } });
    return new Map(rows.map((row) => [row.id, row]));
  });
  return found ?? null;
}
