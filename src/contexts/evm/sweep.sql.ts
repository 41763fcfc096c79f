// The statements about sweeping: what lies at the addresses of wallets, and authorizations that bring it to the treasury.
import type pg from 'pg';
import type { Bytes32, ChainAddress } from '../x402/chain/address.js';

/** An address of a wallet. */
export interface WalletAddress {
  workspaceId: string;
  walletId: string;
  address: ChainAddress;
}

/** A sweep that was not signed yet. */
export interface UnsignedSweep extends Omit<WalletAddress, 'address'> {
  id: string;
}

const unswept = `NOT swept AND state IN ('deep', 'booked')`;

/** The addresses that more has reached than is left there, those with the most first. One that is being swept is left out. */
export async function sweepable(
  pool: pg.Pool,
  chainId: bigint,
  { above, most }: { above: bigint; most: number },
): Promise<WalletAddress[]> {
  const { rows } = await pool.query<WalletAddress>(
    `SELECT a.workspace_id AS "workspaceId", a.wallet_id AS "walletId", a.payee AS address FROM chain_arrival a
     WHERE a.chain_id = $1 AND ${unswept} AND NOT EXISTS (SELECT FROM chain_payment p
       WHERE p.chain_id = a.chain_id AND p.authorizer = a.payee AND p.kind = 'sweep' AND p.state IN ('open', 'signed', 'used'))
     GROUP BY 1, 2, 3 HAVING sum(a.value) >= $2 ORDER BY sum(a.value) DESC LIMIT $3`,
    [chainId.toString(), above.toString(), most],
  );
  return rows;
}

/** Marks what had reached an address by a block: it is swept, or not there. */
export async function markSwept(db: pg.Pool | pg.ClientBase, chainId: bigint, address: ChainAddress, upTo: bigint): Promise<void> {
  await (db as pg.ClientBase).query(
    `UPDATE chain_arrival SET swept = true WHERE chain_id = $1 AND payee = $2 AND block_number <= $3 AND ${unswept}`,
    [chainId.toString(), address, upTo.toString()],
  );
}

/** The authorization of a sweep. Its payer is the address of a wallet. */
export interface NewSweep extends WalletAddress {
  id: string;
  rail: string;
  chainId: bigint;
  treasury: ChainAddress;
  nonce: Bytes32;
  /** Base units of the token. */
  value: bigint;
  validBefore: Date;
  at: Date;
}

/** Writes the authorization of a sweep. False where another one of its address is open. */
export async function insertSweep(
  tx: pg.ClientBase,
  { workspaceId, id, rail, chainId, address, nonce, treasury, value, validBefore, at }: NewSweep,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `INSERT INTO chain_payment (workspace_id, id, kind, rail, chain_id, authorizer, nonce, payee, value, valid_before, created_at)
     VALUES ($1, $2, 'sweep', $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING`,
    [workspaceId, id, rail, chainId.toString(), address, nonce, treasury, value.toString(), validBefore, at],
  );
  return rowCount === 1;
}

/** Sweeps that were written and not signed: the process died between the two, or nothing was to leave. */
export async function unsignedSweeps(pool: pg.Pool, chainId: bigint): Promise<UnsignedSweep[]> {
  const { rows } = await pool.query<UnsignedSweep>(
    `SELECT p.workspace_id AS "workspaceId", p.id, a.wallet_id AS "walletId"
     FROM chain_payment p JOIN chain_address a ON a.chain_id = p.chain_id AND a.address = p.authorizer
     WHERE p.chain_id = $1 AND p.state = 'open' AND p.kind = 'sweep'`,
    [chainId.toString()],
  );
  return rows;
}

/** Gives a sweep that was not signed a later end. False where it is signed by now. */
export async function prolongSweep(tx: pg.ClientBase, { workspaceId, id }: UnsignedSweep, validBefore: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE chain_payment SET valid_before = greatest(valid_before, $3) WHERE workspace_id = $1 AND id = $2 AND state = 'open'`,
    [workspaceId, id, validBefore],
  );
  return rowCount === 1;
}

/** Forgets sweeps that never will be carried: what had reached their addresses is looked at again. */
export async function forgetLapsed(pool: pg.Pool, chainId: bigint): Promise<void> {
  await pool.query(
    `WITH lapsed AS (
       DELETE FROM chain_payment WHERE chain_id = $1 AND kind = 'sweep' AND state = 'lapsed' RETURNING chain_id, authorizer)
     UPDATE chain_arrival a SET swept = false FROM lapsed l JOIN chain_address w ON w.chain_id = l.chain_id AND w.address = l.authorizer
     WHERE a.workspace_id = w.payee_workspace_id AND a.wallet_id = w.wallet_id AND a.chain_id = l.chain_id`,
    [chainId.toString()],
  );
}
