// Ledger accounts: opened here, read here, never written elsewhere. Kinds as in CONTRACT.md 0 "Ledger model".
import type { LedgerAccount, LedgerAccountStatus } from '../generated/prisma/client.js';
import { loadTogether } from '../platform/batch.js';
import type { Ctx } from '../platform/ctx.js';
import { manyParts } from '../platform/extension.js';
import type { Tx } from '../platform/postgres/database.js';
import { newId } from '../platform/schema/id.js';
import { rememberAccount } from './account-fact.js';

/** The three buckets of a wallet. */
export const buckets = ['available', 'held', 'wrapped'] as const;
export type Bucket = (typeof buckets)[number];

// Gap G-35: A wallet's `total` is available + held + wrapped; `pending_in` is what others hold for it and is not part of it.
/** Balances of a wallet, minor units. `pendingIn` is what others hold for it, and what was seen to come from outside. */
export interface Balance {
  currency: string;
  available: bigint;
  held: bigint;
  wrapped: bigint;
  pendingIn: bigint;
}

/** Ledger account ids of a wallet, by bucket. They never change. */
export type WalletAccounts = Record<Bucket, string>;

// Gap G-36: account.balance.low is emitted when `available` falls below the threshold, and again only after it has risen above it.
/** Opens the buckets of a new wallet. `lowThreshold` (minor units) arms account.balance.low. */
export async function openWalletAccounts(ctx: Ctx, tx: Tx, walletId: string, currency: string, lowThreshold: bigint | null): Promise<void> {
  const at = ctx.clock.now();
  await tx.ledgerAccount.createMany({
    data: buckets.map((bucket) => ({
      id: newId(at),
      ownerId: walletId,
      kind: `wallet.${bucket}`,
      currency,
      lowThreshold: bucket === 'available' ? lowThreshold : null,
    })),
  });
}

/** The workspace's own account of `kind` (`world`, clearing...), opened on first use; may go below zero. */
export function unboundedAccount(ctx: Ctx, kind: string, currency: string): Promise<string> {
  return accountOf(ctx, { ownerId: ctx.workspace.id, kind, currency, unbounded: true });
}

/** The account beside a wallet where what is kept back of its payments stands, opened on first use. */
export function reserveAccount(ctx: Ctx, walletId: string, currency: string): Promise<string> {
  return accountOf(ctx, { ownerId: walletId, kind: 'settlement.reserve', currency, unbounded: false });
}

type Described = Pick<LedgerAccount, 'ownerId' | 'kind' | 'currency' | 'unbounded'>;

/** Accounts that a transaction opened itself: until it has ended, nobody else has them, and the process must not remember them. */
const openedWithin = new WeakMap<Ctx['db'], Set<string>>();

async function accountOf(ctx: Ctx, account: Described): Promise<string> {
  const { ownerId, kind, currency } = account;
  const key = `ledger_account:${ctx.workspace.id}:${ownerId}:${kind}:${currency}`;
  const known = await ctx.platform.cache.get(key, async () => {
    const isOpened = openedWithin.get(ctx.db)?.has(key) ?? false;
    return { value: isOpened ? null : await findAccount(ctx, account), tags: [] };
  });
  return known ?? openAccount(ctx, key, account);
}

async function findAccount(ctx: Ctx, { ownerId, kind, currency }: Described): Promise<string | null> {
  const row = await ctx.db.ledgerAccount.findFirst({ where: { ownerId, kind, currency }, select: { id: true } });
  return row?.id ?? null;
}

async function openAccount(ctx: Ctx, key: string, account: Described): Promise<string> {
  const opened = openedWithin.get(ctx.db) ?? new Set();
  if (isTransaction(ctx)) openedWithin.set(ctx.db, opened.add(key));
  await ctx.db.ledgerAccount.createMany({ data: [{ id: newId(ctx.clock.now()), ...account }], skipDuplicates: true });
  const id = await findAccount(ctx, account);
  if (id === null) throw new Error(`the ledger account ${account.kind} of ${account.ownerId} was not opened`);
  return id;
}

function isTransaction({ db, platform, workspace }: Ctx): boolean {
  return db !== platform.database.forWorkspace(workspace.id);
}

/** Opens an escrow account of `kind` for money that belongs to a thing and to no wallet; its id. */
export async function openEscrowAccount(ctx: Ctx, tx: Tx, kind: `${string}.escrow`, ownerId: string, currency: string): Promise<string> {
  const id = newId(ctx.clock.now());
  await tx.ledgerAccount.createMany({ data: [{ id, ownerId, kind, currency }] });
  return id;
}

/** What a wallet can pay with, under the locks of its ledger accounts: it stays so until the transaction ends, but for credits. */
export async function lockedBalances({ workspace }: Ctx, tx: Tx, walletId: string): Promise<Record<'available' | 'wrapped', bigint>> {
  const rows = await tx.$queryRaw<{ kind: string; balance: string }[]>`SELECT kind, balance::text AS balance FROM ledger_account
    WHERE workspace_id = ${workspace.id}::uuid AND owner_id = ${walletId}::uuid AND kind LIKE 'wallet.%'
    ORDER BY id FOR NO KEY UPDATE`;
  const of = (bucket: Bucket) => BigInt(rows.find(({ kind }) => kind === `wallet.${bucket}`)?.balance ?? 0);
  return { available: of('available'), wrapped: of('wrapped') };
}

/** What a debit can take from a wallet, under the lock of its ledger account: nothing while it is frozen or closed. */
export async function lockedTakeable({ workspace }: Ctx, tx: Tx, walletId: string): Promise<bigint> {
  const [row] = await tx.$queryRaw<{ balance: string }[]>`SELECT balance::text AS balance FROM ledger_account
    WHERE workspace_id = ${workspace.id}::uuid AND owner_id = ${walletId}::uuid AND kind = 'wallet.available' AND status = 'open'
    FOR NO KEY UPDATE`;
  return BigInt(row?.balance ?? 0);
}

/**
 * What happens to the wallet's money: `blocked` takes credits and refuses debits, `closed` refuses both. Money held stays movable (see
 * G-42).
 */
export async function setWalletAccounts(tx: Tx, walletIds: readonly string[], status: LedgerAccountStatus): Promise<void> {
  await tx.ledgerAccount.updateMany({
    where: { ownerId: { in: [...walletIds] }, kind: { in: ['wallet.available', 'wallet.wrapped'] } },
    data: { status },
  });
}

/** Holds up every posting of the wallets, and every hold for them, until the transaction that closes them has ended. */
export async function lockWalletAccounts({ workspace }: Ctx, tx: Tx, walletIds: readonly string[]): Promise<void> {
  await tx.$queryRaw`SELECT id FROM ledger_account
    WHERE workspace_id = ${workspace.id}::uuid AND owner_id = ANY (${[...walletIds]}::uuid[]) AND kind LIKE 'wallet.%'
    ORDER BY id FOR UPDATE`;
}

/** True when any of the wallets has money in any bucket. After setWalletAccounts() in the same transaction, it stays so. */
export async function haveMoney(tx: Tx, walletIds: readonly string[]): Promise<boolean> {
  const where = { ownerId: { in: [...walletIds] }, kind: { startsWith: 'wallet.' }, balance: { not: 0n } };
  return (await tx.ledgerAccount.findFirst({ where, select: { id: true } })) !== null;
}

/** Sets or clears the threshold of account.balance.low, minor units. */
export async function setLowThreshold(tx: Tx, walletId: string, lowThreshold: bigint | null): Promise<void> {
  await tx.ledgerAccount.updateMany({ where: { ownerId: walletId, kind: 'wallet.available' }, data: { lowThreshold } });
}

/** The kinds of ledger accounts, by id. */
export async function accountKinds(ctx: Ctx, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await ctx.db.ledgerAccount.findMany({ where: { id: { in: [...ids] } }, select: { id: true, kind: true } });
  return new Map(rows.map(({ id, kind }) => [id, kind]));
}

/** Ledger account ids of wallets, by wallet. Wallets of other workspaces are not in the answer. */
export async function walletAccounts(ctx: Ctx, walletIds: readonly string[]): Promise<Map<string, WalletAccounts>> {
  const rows = await ctx.db.ledgerAccount.findMany({
    where: { ownerId: { in: [...walletIds] }, kind: { startsWith: 'wallet.' } },
    select: { id: true, ownerId: true, kind: true },
  });
  const byWallet = new Map<string, WalletAccounts>();
  for (const { id, ownerId, kind } of rows) {
    const accounts = byWallet.get(ownerId) ?? ({} as WalletAccounts);
    accounts[kind.slice('wallet.'.length) as Bucket] = id;
    rememberAccount(id, { kind, ownerId });
    byWallet.set(ownerId, accounts);
  }
  return byWallet;
}

interface BalanceRow {
  owner_id: string;
  kind: string;
  currency: string;
  balance: string;
  pending_in: string;
}

const balancesNow = `SELECT a.owner_id, a.kind, a.currency, a.balance,
    (SELECT coalesce(sum(h.amount), 0) FROM hold h WHERE h.workspace_id = a.workspace_id AND h.to_account_id = a.id
       AND h.status = 'held') AS pending_in
  FROM ledger_account a WHERE a.workspace_id = $1 AND a.owner_id = ANY ($2::uuid[]) AND a.kind LIKE 'wallet.%'`;
const balancesThen = `SELECT a.owner_id, a.kind, a.currency, ledger_balance_at($1, a.id, $3) AS balance,
    (SELECT coalesce(sum(h.amount), 0) FROM hold h WHERE h.workspace_id = $1 AND h.to_account_id = a.id
       AND h.status = 'held' AND h.created_at <= $3)
    + (SELECT coalesce(sum(h.amount), 0) FROM hold h WHERE h.workspace_id = $1 AND h.to_account_id = a.id
       AND h.resolved_at > $3 AND h.created_at <= $3) AS pending_in
  FROM ledger_account a WHERE a.workspace_id = $1 AND a.owner_id = ANY ($2::uuid[]) AND a.kind LIKE 'wallet.%'`;

/** Says what is on its way to wallets from outside and was not posted, minor units by wallet: now, or as it was at `at`. */
export type MoneyOnItsWay = (ctx: Ctx, walletIds: readonly string[], at?: Date) => Promise<ReadonlyMap<string, bigint>>;

/** Who knows of money on its way that has no hold here. */
export const moneyOnItsWay = manyParts<MoneyOnItsWay>('money on its way to wallets');

/** Balances of wallets, now or as they were at `at` (workspace time), in one query, and one for each who knows of money on its way. */
export async function balances(ctx: Ctx, walletIds: readonly string[], at?: Date): Promise<Map<string, Balance>> {
  const [{ rows }, ...onItsWay] = await Promise.all([
    ctx.platform.database.pool.query<BalanceRow>({
      name: at === undefined ? 'wallet_balances' : 'wallet_balances_then',
      text: at === undefined ? balancesNow : balancesThen,
      values: at === undefined ? [ctx.workspace.id, walletIds] : [ctx.workspace.id, walletIds, at],
    }),
    ...ctx.platform.extensions.of(moneyOnItsWay).map((find) => find(ctx, walletIds, at)),
  ]);
  const byWallet = new Map<string, Balance>();
  for (const row of rows) {
    const balance = byWallet.get(row.owner_id) ?? { currency: row.currency, available: 0n, held: 0n, wrapped: 0n, pendingIn: 0n };
    balance[row.kind.slice('wallet.'.length) as Bucket] = BigInt(row.balance);
    balance.pendingIn += BigInt(row.pending_in);
    byWallet.set(row.owner_id, balance);
  }
  for (const [id, balance] of byWallet) for (const found of onItsWay) balance.pendingIn += found.get(id) ?? 0n;
  return byWallet;
}

/** The balance of one wallet now; all that one request asks for are read together. */
export async function balance(ctx: Ctx, walletId: string): Promise<Balance> {
  const found = await loadTogether(ctx, 'balance', walletId, (ids) => balances(ctx, ids));
  if (found === undefined) throw new Error(`wallet ${walletId} has no ledger accounts`);
  return found;
}
