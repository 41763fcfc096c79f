// What tests of the ledger itself need: a ctx of a workspace, ledger accounts with money in them, and postings between them.
import { openWalletAccounts, unboundedAccount, type WalletAccounts, walletAccounts } from '../../src/ledger/account.js';
import { postGrouped } from '../../src/ledger/group-commit.js';
import { move, type Posting, posting } from '../../src/ledger/posting.js';
import type { Ctx, Workspace } from '../../src/platform/ctx.js';
import { systemCtx } from '../../src/platform/due/step.js';
import { sqlState } from '../../src/platform/postgres/failure.js';
import { newId } from '../../src/platform/schema/id.js';
import { type Client, type Harness, openWallet } from '../harness.js';

/** A ctx of the workspace that a client works in. */
export async function ctxOf({ platform }: Harness, client: Client): Promise<Ctx> {
  const { wallet } = await openWallet(client);
  const { unscoped } = platform.database;
  const { workspaceId } = await unscoped.wallet.findFirstOrThrow({ where: { id: wallet.id } });
  const { id, tenantId, environment } = await unscoped.workspace.findUniqueOrThrow({ where: { id: workspaceId } });
  const workspace: Workspace = { id, tenantId, environment, clockOffsetMs: 0 };
  return systemCtx(platform, workspace, null);
}

/** The ledger accounts of a new wallet with `minor` of USD in it. */
export async function walletRef(ctx: Ctx, minor = 0n): Promise<WalletAccounts> {
  const walletId = newId(ctx.clock.now());
  await ctx.db.$transaction((tx) => openWalletAccounts(ctx, tx, walletId, 'USD', null));
  const accounts = (await walletAccounts(ctx, [walletId])).get(walletId) as WalletAccounts;
  if (minor > 0n) await postMove(ctx, await unboundedAccount(ctx, 'world', 'USD'), accounts.available, minor);
  return accounts;
}

export function moved(ctx: Ctx, from: string, to: string, minor: bigint, extra: Partial<Posting> = {}): Posting {
  return posting(ctx, { legs: move('USD', minor, from, to), transferId: null, ...extra });
}

export function postMove(ctx: Ctx, from: string, to: string, minor: bigint, extra: Partial<Posting> = {}): Promise<void> {
  return postGrouped(ctx.platform.database, moved(ctx, from, to, minor, extra));
}

// biome-ignore lint/suspicious/noExplicitAny: rows of any statement
export async function query({ platform }: { platform: Ctx['platform'] }, sql: string, values: unknown[] = []): Promise<any[]> {
  return (await platform.database.pool.query(sql, values)).rows;
}

/** Minor units on a ledger account. */
export async function balanceOf(ctx: Ctx, account: string): Promise<bigint> {
  return BigInt((await query(ctx, 'SELECT balance FROM ledger_account WHERE id = $1', [account]))[0].balance);
}

/** SQLSTATE with which the database refuses; undefined when it does not. */
export const stateOf = (work: Promise<unknown>) => work.then(() => undefined, sqlState);
