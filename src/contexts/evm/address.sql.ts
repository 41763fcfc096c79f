// The statement about addresses of wallets on chains.
import type pg from 'pg';
import type { ChainAddress } from '../x402/chain/address.js';

/** An address, and whose it is. */
export interface AskedAddress {
  chainId: bigint;
  address: ChainAddress;
  workspaceId: string;
  walletId: string;
  /** When it was asked for. */
  at: Date;
}

/**
 * Notes that an address was asked for: true the first time. One that was noted a few minutes ago is not written again. Null where nobody has
 * begun to look for what reaches addresses of the chain: then none is given.
 */
export async function noteAsked(pool: pg.Pool, { chainId, address, workspaceId, walletId, at }: AskedAddress): Promise<boolean | null> {
  const { rows } = await pool.query<{ is_new: boolean }>({
    name: 'chain-address-asked',
    text: `INSERT INTO chain_address (chain_id, address, payee_workspace_id, wallet_id, asked_at)
      SELECT $1, $2, $3, $4, $5 WHERE EXISTS (SELECT FROM chain_watch WHERE chain_id = $1 AND deposits_to IS NOT NULL)
      ON CONFLICT (chain_id, address) DO UPDATE SET asked_at = excluded.asked_at
        WHERE chain_address.asked_at < excluded.asked_at - interval '5 minutes'
      RETURNING xmax = 0 AS is_new`,
    values: [chainId.toString(), address, workspaceId, walletId, at],
  });
  const [row] = rows;
  if (row !== undefined) return row.is_new;
  return (await isKnown(pool, chainId, address)) ? false : null;
}

/** Whether an address was asked for. */
export async function isKnown(pool: pg.Pool, chainId: bigint, address: ChainAddress): Promise<boolean> {
  const { rowCount } = await pool.query('SELECT FROM chain_address WHERE chain_id = $1 AND address = $2', [chainId.toString(), address]);
  return rowCount === 1;
}

/** A wallet of production. */
export interface WalletKey {
  workspaceId: string;
  walletId: string;
}

/** Wallets in USDC of production that are open, after one. */
export async function walletsAfter(pool: pg.Pool, after: WalletKey | null, most: number): Promise<WalletKey[]> {
  const { rows } = await pool.query<WalletKey>(
    `SELECT w.workspace_id AS "workspaceId", w.id AS "walletId" FROM wallet w
     WHERE w.currency = 'USDC' AND w.status <> 'closed' AND ($1::uuid IS NULL OR (w.workspace_id, w.id) > ($1, $2::uuid))
       AND EXISTS (SELECT FROM workspace e WHERE e.id = w.workspace_id AND e.environment = 'live')
     ORDER BY w.workspace_id, w.id LIMIT $3`,
    [after?.workspaceId ?? null, after?.walletId ?? null, most],
  );
  return rows;
}
