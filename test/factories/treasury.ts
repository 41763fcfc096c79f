// What tests of the treasury need: workspaces of their own, and money that leaves the platform, as payouts move it.
import { createTenant } from '../../src/contexts/identity/tenant.js';
import { unboundedAccount, walletAccounts } from '../../src/ledger/account.js';
import { postGrouped } from '../../src/ledger/group-commit.js';
import { move, posting } from '../../src/ledger/posting.js';
import { Client, type Harness, type Json } from '../harness.js';
import { ctxOf } from '../ledger/wallet-ref.js';

/** The sandbox of a new tenant. */
export async function newSandbox({ platform, test }: Harness): Promise<Client> {
  const { testKey } = await createTenant(platform, { name: 'Treasurer' });
  return new Client(test.url, testKey);
}

/** Moves minor units from a wallet to an outside account of its workspace; below zero they come in. */
export async function moveOut(harness: Harness, client: Client, wallet: Json, minor: bigint, kind = 'rail.clearing:ach'): Promise<void> {
  const ctx = await ctxOf(harness, client);
  const available = (await walletAccounts(ctx, [wallet.id])).get(wallet.id)?.available as string;
  const outside = await unboundedAccount(ctx, kind, wallet.currency);
  const way: [bigint, string, string] = minor > 0n ? [minor, available, outside] : [-minor, outside, available];
  await postGrouped(harness.platform.database, posting(ctx, { legs: move(wallet.currency, ...way), transferId: null }));
}
