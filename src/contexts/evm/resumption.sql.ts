// The statements of reading a chain again after deep blocks were taken back.
import type pg from 'pg';
import { inTransaction } from '../../platform/postgres/database.js';
import type { ChainAddress } from '../x402/chain/address.js';
import type { Block } from './chain-data.js';
import type { RelayerKey } from './relayer.sql.js';
import type { SeenBlock } from './watch.sql.js';

/** Notes that money is booked by the blocks up to this one. */
export async function noteDecided(pool: pg.Pool, chainId: bigint, block: bigint): Promise<void> {
  await pool.query('UPDATE chain_watch SET decided_to = $2 WHERE chain_id = $1 AND (decided_to IS NULL OR decided_to < $2)', [
    chainId.toString(),
    block.toString(),
  ]);
}

/** The highest block by which money was booked; -1 before the first. */
export async function decidedTo(pool: pg.Pool, chainId: bigint): Promise<bigint> {
  const { rows } = await pool.query<{ block: string | null }>('SELECT decided_to AS block FROM chain_watch WHERE chain_id = $1', [
    chainId.toString(),
  ]);
  return BigInt(rows[0]?.block ?? -1);
}

/** What was booked by blocks above one: orders and arrivals. The chain may have it in other blocks by now. */
export async function bookedAfter(pool: pg.Pool, chainId: bigint, block: bigint): Promise<string[]> {
  const { rows } = await pool.query<{ what: string }>(
    `SELECT what FROM (
       SELECT 'order ' || id AS what FROM chain_payment WHERE chain_id = $1 AND state = 'done' AND block_number > $2
       UNION ALL SELECT 'arrival ' || tx_hash FROM chain_arrival WHERE chain_id = $1 AND state = 'booked' AND block_number > $2) booked
     ORDER BY what LIMIT 1000`,
    [chainId.toString(), block.toString()],
  );
  return rows.map(({ what }) => what);
}

/** The blocks that were read and kept, the highest first. */
export async function seenBlocks(pool: pg.Pool, chainId: bigint): Promise<SeenBlock[]> {
  const { rows } = await pool.query<{ number: string; hash: SeenBlock['hash'] }>(
    'SELECT number, hash FROM chain_block WHERE chain_id = $1 ORDER BY number DESC',
    [chainId.toString()],
  );
  return rows.map(({ number, hash }) => ({ number: BigInt(number), hash }));
}

/** The addresses that have sent transactions on a chain. */
export async function relayersOf(pool: pg.Pool, chainId: bigint): Promise<ChainAddress[]> {
  const { rows } = await pool.query<{ address: ChainAddress }>('SELECT address FROM chain_relayer WHERE chain_id = $1', [
    chainId.toString(),
  ]);
  return rows.map(({ address }) => address);
}

/** Opens the nonces of a relayer again that the chain has not used: `next` is the first of them. */
export async function reopenNonces(pool: pg.Pool, { chainId, address }: RelayerKey, next: bigint): Promise<void> {
  await pool.query(
    'UPDATE chain_transaction SET mined_hash = NULL, reverted = NULL, mined_at = NULL WHERE chain_id = $1 AND relayer = $2 AND nonce >= $3',
    [chainId.toString(), address, next.toString()],
  );
}

/**
 * Lets a chain be read on from a block: what was read above it is forgotten, and it is the highest one that anything was booked by. Payouts and
 * sweeps that were done above it are carried again while they are good, unless the chain has them in other blocks.
 */
export async function beginAt(pool: pg.Pool, chainId: bigint, { number, hash, parentHash, timestamp }: Block): Promise<void> {
  await inTransaction(pool, async (tx) => {
    const place = [chainId.toString(), number.toString()];
    await tx.query('SELECT FROM chain_watch WHERE chain_id = $1 FOR UPDATE', [chainId.toString()]);
    await tx.query('DELETE FROM chain_log WHERE chain_id = $1 AND block_number > $2', place);
    await tx.query('DELETE FROM chain_block WHERE chain_id = $1 AND (number > $2 OR hash <> $3 AND number = $2)', [...place, hash]);
    await tx.query(
      'INSERT INTO chain_block (chain_id, number, hash, parent_hash, at) VALUES ($1, $2, $3, $4, to_timestamp($5)) ON CONFLICT DO NOTHING',
      [...place, hash, parentHash, timestamp.toString()],
    );
    await tx.query(
      `UPDATE chain_payment SET state = 'signed', tx_hash = NULL, block_number = NULL, block_hash = NULL
       WHERE chain_id = $1 AND state = 'done' AND kind <> 'x402' AND block_number > $2`,
      place,
    );
    await tx.query('UPDATE chain_watch SET decided_to = $2, deposits_to = least(deposits_to, $2) WHERE chain_id = $1', place);
  });
}
