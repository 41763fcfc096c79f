// The entries of the ledger, as statements of a wallet and as the legs of a transfer. Read only: ledger_post() writes them.
import type { Ctx } from '../platform/ctx.js';
import type { Bucket } from './account.js';

/** One entry: signed amount and the balance after it, minor units. `id` names account and version (Gap G-04). */
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

const columns = `e.account_id, e.version, e.transaction_id, t.transfer_id, a.owner_id, a.kind, e.currency, e.amount, e.balance_after, e.created_at`;

export interface EntryFilter {
  since?: Date | undefined;
  until?: Date | undefined;
  /** An entry id: the page begins after it. */
  after?: string | undefined;
  skip: number;
  take: number;
}

/** Entries of a wallet in all its buckets, newest first. */
export async function walletEntries(ctx: Ctx, walletId: string, filter: EntryFilter): Promise<Entry[]> {
  const { rows } = await ctx.platform.database.pool.query<EntryRow>({
    name: 'wallet_entries',
    text: `SELECT ${columns}
      FROM ledger_account a
      JOIN ledger_entry e ON e.account_id = a.id
      JOIN ledger_transaction t ON t.workspace_id = e.workspace_id AND t.id = e.transaction_id
      WHERE a.workspace_id = $1 AND a.owner_id = $2 AND a.kind LIKE 'wallet.%'
        AND ($3::timestamptz IS NULL OR e.created_at >= $3) AND ($4::timestamptz IS NULL OR e.created_at < $4)
        AND ($5::uuid IS NULL OR (e.created_at, e.transaction_id, e.account_id, e.version) < (
          SELECT c.created_at, c.transaction_id, c.account_id, c.version FROM ledger_entry c
          WHERE c.account_id = $5 AND c.version = $6 AND c.workspace_id = $1))
      ORDER BY e.created_at DESC, e.transaction_id DESC, e.account_id DESC, e.version DESC
      OFFSET $7 LIMIT $8`,
    values: [
      ctx.workspace.id,
      walletId,
      filter.since ?? null,
      filter.until ?? null,
      ...splitEntryId(filter.after),
      filter.skip,
      filter.take,
    ],
  });
  return rows.map(entryOf);
}

/** Number of entries of a wallet: the sum of its accounts' versions, or a count where a time is asked for. */
export async function countWalletEntries(
  ctx: Ctx,
  walletId: string,
  { since, until }: Pick<EntryFilter, 'since' | 'until'>,
): Promise<number> {
  const { rows } = await ctx.platform.database.pool.query<{ count: string }>({
    text:
      since === undefined && until === undefined
        ? `SELECT coalesce(sum(version), 0) AS count FROM ledger_account WHERE workspace_id = $1 AND owner_id = $2`
        : `SELECT count(*) FROM ledger_account a JOIN ledger_entry e ON e.account_id = a.id
           WHERE a.workspace_id = $1 AND a.owner_id = $2
             AND ($3::timestamptz IS NULL OR e.created_at >= $3) AND ($4::timestamptz IS NULL OR e.created_at < $4)`,
    values:
      since === undefined && until === undefined
        ? [ctx.workspace.id, walletId]
        : [ctx.workspace.id, walletId, since ?? null, until ?? null],
  });
  return Number(rows[0]?.count ?? 0);
}

/** Entries of every ledger transaction of a transfer, oldest first. */
export async function transferEntries(ctx: Ctx, transferId: string): Promise<Entry[]> {
  const { rows } = await ctx.platform.database.pool.query<EntryRow>({
    name: 'transfer_entries',
    text: `SELECT ${columns}
      FROM ledger_transaction t
      JOIN ledger_entry e ON e.workspace_id = t.workspace_id AND e.transaction_id = t.id
      JOIN ledger_account a ON a.id = e.account_id
      WHERE t.workspace_id = $1 AND (t.id = $2 OR t.transfer_id = $2 AND t.transfer_id <> t.id)
      ORDER BY t.created_at, t.id, e.amount, e.account_id`,
    values: [ctx.workspace.id, transferId],
  });
  return rows.map(entryOf);
}

/** True for the id of an entry of the workspace. */
export async function isEntry(ctx: Ctx, id: string): Promise<boolean> {
  const { rowCount } = await ctx.platform.database.pool.query(
    'SELECT FROM ledger_entry WHERE account_id = $2 AND version = $3 AND workspace_id = $1',
    [ctx.workspace.id, ...splitEntryId(id)],
  );
  return rowCount === 1;
}

const entryId = /^ent_([0-9a-f-]{36})_(\d{1,18})$/;
/** Account and version of an entry id; nulls when there is none or it cannot be one. */
export function splitEntryId(id: string | undefined): [string | null, string | null] {
  const match = id === undefined ? null : entryId.exec(id);
  return match === null ? [null, null] : [match[1] ?? null, match[2] ?? null];
}
