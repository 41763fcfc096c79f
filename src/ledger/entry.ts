// The entries of the ledger, as statements of a wallet and as the legs of a transfer. Read only: ledger_post() writes them.
import type pg from 'pg';
import type { Ctx } from '../platform/ctx.js';
import type { Bucket } from './account.js';

// Gap G-04: An entry is named `ent_<ledger account>_<number within it>`; that name is also the cursor of a statement.
/** One entry: signed amount and the balance after it, minor units. `id` names account and version. */
export interface Entry {
  id: string;
  transactionId: string;
  transferId: string | null;
  walletId: string | null;
  kind: string;
  bucket: Bucket | null;
  currency: string;
  amount: bigint;
  balanceAfter: bigint;
  createdAt: Date;
}

interface EntryRow {
  account_id: string;
  version: string;
  transaction_id: string;
  transfer_id: string | null;
  owner_id: string;
  kind: string;
  currency: string;
  amount: string;
  balance_after: string;
  created_at: Date;
}

function entryOf(row: EntryRow): Entry {
  const inWallet = row.kind.startsWith('wallet.');
  return {
    id: `ent_${row.account_id}_${row.version}`,
    transactionId: row.transaction_id,
    transferId: row.transfer_id,
    walletId: inWallet ? row.owner_id : null,
    kind: row.kind,
    bucket: inWallet ? (row.kind.slice('wallet.'.length) as Bucket) : null,
    currency: row.currency,
    amount: BigInt(row.amount),
    balanceAfter: BigInt(row.balance_after),
    createdAt: row.created_at,
  };
}

/** The transfer of an entry `e` with its transaction `t`: that of a transaction without a row has its id. */
const transferShown = 'CASE WHEN t.id IS NULL THEN e.transaction_id ELSE t.transfer_id END AS transfer_id';

/** The columns of an entry `e` with its transaction `t`; `account` is where the owner and the kind of its account stand. */
const columnsWith = (account: 'a' | 'e') =>
  `e.account_id, e.version, e.transaction_id, ${transferShown}, ${account}.owner_id, ${account}.kind, e.currency, e.amount, e.balance_after, e.created_at`;

/** Which entries of a wallet, between two times: from `since` on, before `until`. */
export interface EntrySpan {
  since?: Date | undefined;
  until?: Date | undefined;
}

/** The page of a statement: what comes after the entry `after`, or after the first `skip`. */
export interface EntryWindow {
  after?: string | undefined;
  skip: number;
  take: number;
}

/**
 * Entries of a wallet in all its buckets, newest first, ties by id. The entries of an account are numbered, and their times never
 * go back: a time, and the place of another account's entry, is a number of each account, found by halving. So each account is read
 * by its key and no further than the page needs, and what was read is merged.
 */
export async function walletEntries(ctx: Ctx, walletId: string, { since, until }: EntrySpan, window: EntryWindow): Promise<Entry[]> {
  const [account, version] = splitEntryId(window.after);
  const { rows } = await ctx.platform.database.pool.query<EntryRow>({
    name: 'wallet_entries',
    text: `SELECT ${columnsWith('e')}
      FROM (
        SELECT e.*, a.owner_id, a.kind
        FROM (
          SELECT a.id, a.owner_id, a.kind, ledger_entries_before($1, a.id, $3) AS low, least(
            ledger_entries_before($1, a.id, $4),
            CASE WHEN c.account_id IS NULL THEN a.version
                 WHEN c.account_id = a.id THEN c.version - 1
                 -- Of entries of one moment those of the greater account come first.
                 WHEN a.id < c.account_id THEN ledger_entries_before($1, a.id, c.created_at + interval '1 microsecond')
                 ELSE ledger_entries_before($1, a.id, c.created_at) END) AS high
          FROM ledger_account a
          LEFT JOIN ledger_entry c ON c.workspace_id = $1 AND c.account_id = $5 AND c.version = $6
          WHERE a.workspace_id = $1 AND a.owner_id = $2 AND a.kind LIKE 'wallet.%'
        ) a CROSS JOIN LATERAL (
          SELECT e.* FROM ledger_entry e
          WHERE e.workspace_id = $1 AND e.account_id = a.id AND e.version > coalesce(a.low, 0) AND e.version <= a.high
          ORDER BY e.version DESC LIMIT $7::int + $8::int
        ) e
        ORDER BY e.created_at DESC, e.account_id DESC, e.version DESC OFFSET $7::int LIMIT $8::int
      ) e
      LEFT JOIN ledger_transaction t ON t.workspace_id = e.workspace_id AND t.id = e.transaction_id
      ORDER BY e.created_at DESC, e.account_id DESC, e.version DESC`,
    values: [ctx.workspace.id, walletId, since ?? null, until ?? null, account, version, window.skip, window.take],
  });
  return rows.map(entryOf);
}

/** Number of entries of a wallet: they are numbered, so none is counted. */
export async function countWalletEntries(ctx: Ctx, walletId: string, { since, until }: EntrySpan): Promise<number> {
  const { rows } = await ctx.platform.database.pool.query<{ count: string }>({
    name: 'wallet_entries_count',
    text: `SELECT coalesce(sum(greatest(0,
          coalesce(ledger_entries_before($1, a.id, $4), a.version) - coalesce(ledger_entries_before($1, a.id, $3), 0))), 0) AS count
      FROM ledger_account a WHERE a.workspace_id = $1 AND a.owner_id = $2 AND a.kind LIKE 'wallet.%'`,
    values: [ctx.workspace.id, walletId, since ?? null, until ?? null],
  });
  return Number(rows[0]?.count ?? 0);
}

/** The newest entries of each wallet in all its buckets, at most `most` of each. */
export async function newestEntries(ctx: Ctx, walletIds: readonly string[], most: number): Promise<Map<string, Entry[]>> {
  const { rows } = await ctx.platform.database.pool.query<EntryRow>({
    name: 'newest_entries',
    text: `SELECT newest.* FROM unnest($2::uuid[]) AS wallet(id) CROSS JOIN LATERAL (
        SELECT ${columnsWith('a')} FROM ledger_account a
        CROSS JOIN LATERAL (
          SELECT * FROM ledger_entry WHERE workspace_id = $1 AND account_id = a.id ORDER BY version DESC LIMIT $3) e
        LEFT JOIN ledger_transaction t ON t.workspace_id = e.workspace_id AND t.id = e.transaction_id
        WHERE a.workspace_id = $1 AND a.owner_id = wallet.id AND a.kind LIKE 'wallet.%'
        ORDER BY e.created_at DESC, e.transaction_id DESC, e.account_id DESC, e.version DESC
        LIMIT $3) AS newest
      ORDER BY created_at DESC, transaction_id DESC, account_id DESC, version DESC`,
    values: [ctx.workspace.id, walletIds, most],
  });
  const byWallet = new Map<string, Entry[]>();
  for (const row of rows) {
    const entries = byWallet.get(row.owner_id) ?? [];
    entries.push(entryOf(row));
    byWallet.set(row.owner_id, entries);
  }
  return byWallet;
}

/** Number of entries of each wallet: the sum of its accounts' versions. */
export async function countEntriesOfWallets(ctx: Ctx, walletIds: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await ctx.platform.database.pool.query<{ owner_id: string; count: string }>({
    name: 'entry_counts',
    text: `SELECT owner_id, sum(version) AS count FROM ledger_account
      WHERE workspace_id = $1 AND owner_id = ANY ($2::uuid[]) AND kind LIKE 'wallet.%' GROUP BY owner_id`,
    values: [ctx.workspace.id, walletIds],
  });
  return new Map(rows.map((row) => [row.owner_id, Number(row.count)]));
}

/** Entries of every ledger transaction of a transfer, oldest first. */
export async function transferEntries(ctx: Ctx, transferId: string): Promise<Entry[]> {
  const { rows } = await ctx.platform.database.pool.query<EntryRow>({
    name: 'transfer_entries',
    text: `SELECT ${columnsWith('a')}
      FROM (
        SELECT c.id, c.id AS transfer_id, c.created_at FROM transfer c WHERE c.workspace_id = $1 AND c.id = $2
        UNION ALL
        SELECT f.id, f.transfer_id, f.created_at FROM ledger_transaction f
        WHERE f.workspace_id = $1 AND f.transfer_id = $2 AND f.transfer_id <> f.id
      ) t
      JOIN ledger_entry e ON e.workspace_id = $1 AND e.transaction_id = t.id
      JOIN ledger_account a ON a.workspace_id = e.workspace_id AND a.id = e.account_id
      ORDER BY t.created_at, t.id, e.amount, e.account_id`,
    values: [ctx.workspace.id, transferId],
  });
  return rows.map(entryOf);
}

/** True for the id of an entry of the wallet. */
export async function isEntry(ctx: Ctx, walletId: string, id: string): Promise<boolean> {
  const { rowCount } = await ctx.platform.database.pool.query(
    `SELECT FROM ledger_account a JOIN ledger_entry e ON e.workspace_id = a.workspace_id AND e.account_id = a.id
     WHERE a.workspace_id = $1 AND a.owner_id = $2 AND a.id = $3 AND e.version = $4`,
    [ctx.workspace.id, walletId, ...splitEntryId(id)],
  );
  return rowCount === 1;
}

const entryId = /^ent_([0-9a-f-]{36})_(\d{1,18})$/;
/** Account and version of an entry id; nulls when there is none or it cannot be one. */
export function splitEntryId(id: string | undefined): [string | null, string | null] {
  const match = id === undefined ? null : entryId.exec(id);
  return match === null ? [null, null] : [match[1] ?? null, match[2] ?? null];
}

/** When the newest entry of all workspaces was made; null in an empty ledger. Reads the whole table. */
export async function newestEntryAt(pool: pg.Pool): Promise<Date | null> {
  const { rows } = await pool.query<{ at: Date | null }>('SELECT max(created_at) AS at FROM ledger_entry');
  return rows[0]?.at ?? null;
}
