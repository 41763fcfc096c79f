// The statements about money that reached addresses of wallets, as the chain was read: what is seen, deep, and taken back. What becomes of it
// is written elsewhere (arrival.ts).
import type pg from 'pg';
import { newId } from '../../platform/schema/id.js';
import type { Bytes32, ChainAddress } from '../x402/chain/address.js';

/** A transfer to the address of a wallet. */
export interface SeenArrival {
  rail: string;
  txHash: Bytes32;
  /** Its place among the transfers of the token in its transaction, from 0: the same in another block. */
  place: number;
  blockNumber: bigint;
  payer: ChainAddress;
  payee: ChainAddress;
  value: bigint;
}

/**
 * Writes that money has arrived, once. It is an x402 payment's where that one's authorization was used in the same transaction to pay the same
 * amount to the same address. One that was taken back comes again.
 */
export async function seeArrival(
  tx: pg.ClientBase,
  chainId: bigint,
  { rail, txHash, place, blockNumber, payer, payee, value, state }: SeenArrival & { state: 'seen' | 'deep' },
  at: Date,
): Promise<void> {
  await tx.query(
    `INSERT INTO chain_arrival
       (workspace_id, id, rail, chain_id, tx_hash, place, block_number, payer, payee, value, wallet_id, state, payment_id, created_at, due_at)
     SELECT a.payee_workspace_id, $1, $2, $3, $4, $5, $6, $7, $8, $9, a.wallet_id, $10::chain_arrival_state, (
         SELECT p.id FROM chain_payment p
         WHERE p.chain_id = $3 AND p.authorizer = $7 AND p.kind = 'x402' AND p.tx_hash = $4 AND p.payee = $8 AND p.value = $9
           AND p.workspace_id = a.payee_workspace_id AND NOT EXISTS (
             SELECT FROM chain_arrival other WHERE other.workspace_id = p.workspace_id AND other.payment_id = p.id AND other.state <> 'gone')
         ORDER BY p.id LIMIT 1), $11, $11
     FROM chain_address a WHERE a.chain_id = $3 AND a.address = $8
     ON CONFLICT (chain_id, tx_hash, place) DO UPDATE
       SET block_number = excluded.block_number, state = excluded.state, due_at = excluded.due_at,
         payment_id = coalesce(chain_arrival.payment_id, excluded.payment_id)
       WHERE chain_arrival.state = 'gone'`,
    [newId(at), rail, chainId.toString(), txHash, place, blockNumber.toString(), payer, payee, value.toString(), state, at],
  );
}

/** Takes back what has arrived in a block that is in the chain no more. */
export async function takeArrivalsBack(tx: pg.ClientBase, chainId: bigint, blockNumber: bigint, at: Date): Promise<void> {
  await tx.query(`UPDATE chain_arrival SET state = 'gone', due_at = $3 WHERE chain_id = $1 AND state = 'seen' AND block_number = $2`, [
    chainId.toString(),
    blockNumber.toString(),
    at,
  ]);
}

/** What has arrived in blocks up to this one is deep. True where there was any. */
export async function deepenArrivals(pool: pg.Pool, chainId: bigint, upTo: bigint, at: Date): Promise<boolean> {
  const { rowCount } = await pool.query(
    `UPDATE chain_arrival SET state = 'deep', due_at = $3 WHERE chain_id = $1 AND state = 'seen' AND block_number <= $2`,
    [chainId.toString(), upTo.toString(), at],
  );
  return (rowCount ?? 0) > 0;
}

/** Which of these addresses are those of wallets. */
export async function ofWallets(db: pg.Pool | pg.ClientBase, chainId: bigint, addresses: readonly ChainAddress[]): Promise<Set<string>> {
  if (addresses.length === 0) return new Set();
  const { rows } = await (db as pg.ClientBase).query<{ address: string }>(
    'SELECT address FROM chain_address WHERE chain_id = $1 AND address = ANY($2)',
    [chainId.toString(), addresses],
  );
  return new Set(rows.map(({ address }) => address));
}

/** Addresses of wallets that somebody has asked for since an instant, the last ones first. */
export async function askedSince(pool: pg.Pool, chainId: bigint, since: Date, most: number): Promise<ChainAddress[]> {
  const { rows } = await pool.query<{ address: ChainAddress }>(
    'SELECT address FROM chain_address WHERE chain_id = $1 AND asked_at > $2 ORDER BY asked_at DESC LIMIT $3',
    [chainId.toString(), since, most],
  );
  return rows.map(({ address }) => address);
}

/** A page of all addresses of wallets, after one. */
export async function addressesAfter(pool: pg.Pool, chainId: bigint, after: string, most: number): Promise<ChainAddress[]> {
  const { rows } = await pool.query<{ address: ChainAddress }>(
    'SELECT address FROM chain_address WHERE chain_id = $1 AND address > $2 ORDER BY address LIMIT $3',
    [chainId.toString(), after, most],
  );
  return rows.map(({ address }) => address);
}

/** Whose authorizations are watched: those that the chain may still use, or take back. */
export async function watchedAuthorizers(pool: pg.Pool, chainId: bigint): Promise<ChainAddress[]> {
  const { rows } = await pool.query<{ authorizer: ChainAddress }>(
    `SELECT DISTINCT authorizer FROM chain_payment WHERE chain_id = $1 AND state IN ('open', 'signed', 'used')`,
    [chainId.toString()],
  );
  return rows.map(({ authorizer }) => authorizer);
}

/** How far the logs of all addresses were read, and when; null before the first look. */
export async function depositsRead(pool: pg.Pool, chainId: bigint): Promise<{ to: bigint; at: Date } | null> {
  const { rows } = await pool.query<{ to: string | null; at: Date }>(
    'SELECT deposits_to AS to, deposits_at AS at FROM chain_watch WHERE chain_id = $1',
    [chainId.toString()],
  );
  const [row] = rows;
  return row === undefined || row.to === null ? null : { to: BigInt(row.to), at: row.at };
}

/** Writes how far the logs of all addresses were read. */
export async function noteDepositsRead(tx: pg.ClientBase | pg.Pool, chainId: bigint, to: bigint, at: Date): Promise<void> {
  await (tx as pg.ClientBase).query('UPDATE chain_watch SET deposits_to = $2, deposits_at = $3 WHERE chain_id = $1', [
    chainId.toString(),
    to.toString(),
    at,
  ]);
}

/** Whom these transactions are known to have paid: `<hash> <payee>` of each arrival that is not taken back. */
export async function arrivedBy(pool: pg.Pool, chainId: bigint, hashes: readonly string[]): Promise<Set<string>> {
  const { rows } = await pool.query<{ arrived: string }>(
    `SELECT DISTINCT tx_hash || ' ' || payee AS arrived FROM chain_arrival WHERE chain_id = $1 AND tx_hash = ANY($2) AND state <> 'gone'`,
    [chainId.toString(), hashes],
  );
  return new Set(rows.map(({ arrived }) => arrived));
}
