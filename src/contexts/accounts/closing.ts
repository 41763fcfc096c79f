// Closing wallets, one by itself or those of an account: only empty ones on which nothing is open, and for good (CONTRACT.md 1).
import { haveMoney, lockWalletAccounts, setWalletAccounts } from '../../ledger/account.js';
import { type OpenOn, openOn } from '../../manifest/noun.js';
import type { Ctx } from '../../platform/ctx.js';
import { StateConflict } from '../../platform/errors.js';
import type { Tx } from '../../platform/postgres/database.js';

/** What is being closed: its noun and status, and the path that shows what its wallets hold. */
export interface Closing {
  noun: 'account' | 'wallet';
  status: string;
  balance: string;
}

/** Gap G-92: `details.open` has at most 20 items of `{type, id}`; `next_actions` has the request that ends each. */
const mostOpen = 20;

/**
 * Closes wallets, in the transaction that holds the lock of their account. 409 `state_conflict` while one of them has money
 * (available, held or wrapped) or something is open on it: `details.open` names what.
 */
export async function closeWallets(ctx: Ctx, tx: Tx, walletIds: readonly string[], closing: Closing): Promise<void> {
  // Closed first: no posting and no hold reaches the wallets any more, so what is seen now stays true.
  await lockWalletAccounts(ctx, tx, walletIds);
  await setWalletAccounts(tx, walletIds, 'closed');
  const open = await openItems(ctx, tx, walletIds);
  if (open.length > 0) {
    const message = `There are open items on the ${closing.noun}: see details.open. Close these items, or wait until they end.`;
    throw new StateConflict(message, closing.status, [], {
      open: open.map(({ type, id }) => ({ type, id })),
      next_actions: open.map(({ ends }) => ends),
    });
  }
  if (await haveMoney(tx, walletIds)) {
    const message = `The ${closing.noun} still has a balance, available, held or wrapped. Move the money out before you close the ${closing.noun}.`;
    throw new StateConflict(message, closing.status, [], {
      next_actions: [{ rel: 'balance', actor: 'any', method: 'GET', path: closing.balance }],
    });
  }
  await tx.wallet.updateMany({
    where: { id: { in: [...walletIds] } },
    data: { status: 'closed', frozenAt: null, frozenReason: null, updatedAt: ctx.clock.now() },
  });
}

async function openItems(ctx: Ctx, tx: Tx, walletIds: readonly string[]) {
  const found: Awaited<ReturnType<OpenOn>> = [];
  for (const findOpen of ctx.platform.extensions.of(openOn)) {
    if (found.length < mostOpen) found.push(...(await findOpen(ctx, tx, walletIds, mostOpen - found.length)));
  }
  return found;
}
