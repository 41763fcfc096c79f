// The statements about what was read of a chain: blocks, each the parent of the next, and logs about addresses of ours.
import type pg from 'pg';
import { inTransaction } from '../../platform/postgres/database.js';
import type { Bytes32, ChainAddress } from '../x402/chain/address.js';
import { type SeenArrival, seeArrival, takeArrivalsBack } from './arrival-log.sql.js';
import type { Block } from './chain-data.js';
import { type Waking, wake } from './payment.sql.js';

/** A process reads a chain for so long, unless it says once more that it does. */
const leaseSeconds = 30;
/** One that may not send reads it when nobody has for so long. */
const idleSeconds = 60;

/** True for the one process that reads a chain now: one that may send, if there is any. */
export async function takeWatch(pool: pg.Pool, chainId: bigint, holder: string, maySend: boolean): Promise<boolean> {
  const { rowCount } = await pool.query(
    `INSERT INTO chain_watch (chain_id, holder, lease_until) VALUES ($1, $2, clock_timestamp() + make_interval(secs => $3))
     ON CONFLICT (chain_id) DO UPDATE SET holder = excluded.holder, lease_until = excluded.lease_until
       WHERE $4 AND chain_watch.holder = excluded.holder
         OR chain_watch.lease_until < clock_timestamp() - make_interval(secs => CASE WHEN $4 THEN 0 ELSE $5 END)`,
    [chainId.toString(), holder, leaseSeconds, maySend, idleSeconds],
  );
  return rowCount === 1;
}

/** A block that was read. */
export interface SeenBlock {
  number: bigint;
  hash: Bytes32;
}

async function blockBy(db: pg.Pool | pg.ClientBase, chainId: bigint, where: string, values: unknown[]): Promise<SeenBlock | null> {
  const { rows } = await (db as pg.ClientBase).query<{ number: string; hash: Bytes32 }>(
    `SELECT number, hash FROM chain_block WHERE chain_id = $1 ${where}`,
    [chainId.toString(), ...values],
  );
  const [row] = rows;
  return row === undefined ? null : { number: BigInt(row.number), hash: row.hash };
}

/** The last block that was read; null before the first. */
export function lastSeen(db: pg.Pool | pg.ClientBase, chainId: bigint): Promise<SeenBlock | null> {
  return blockBy(db, chainId, 'ORDER BY number DESC LIMIT 1', []);
}

/** The block of a height that was read. */
export function seenAt(pool: pg.Pool | pg.ClientBase, chainId: bigint, number: bigint): Promise<SeenBlock | null> {
  return blockBy(pool, chainId, 'AND number = $2', [number.toString()]);
}

/** The height of the first block that was read and made since an instant; null for none. */
export async function blockSince(pool: pg.Pool, chainId: bigint, at: Date): Promise<bigint | null> {
  const { rows } = await pool.query<{ number: string | null }>(
    'SELECT min(number) AS number FROM chain_block WHERE chain_id = $1 AND at >= $2',
    [chainId.toString(), at],
  );
  const [row] = rows;
  return row?.number == null ? null : BigInt(row.number);
}

/** A log of the token about an address of ours. */
export interface SeenLog {
  logIndex: number;
  txHash: Bytes32;
  kind: 'transfer' | 'used' | 'cancelled';
  holder: ChainAddress;
  payee: ChainAddress | null;
  value: bigint | null;
  nonce: Bytes32 | null;
}

/** What a block has about addresses of ours. */
export interface BlockContent {
  logs: readonly SeenLog[];
  arrivals: readonly SeenArrival[];
}

/**
 * Adds the block after the last one, with its logs, and marks the authorizations that it has used. False where another process has been there:
 * the last one is not the parent any more.
 */
export async function addBlock(pool: pg.Pool, chainId: bigint, block: Block, { logs, arrivals }: BlockContent, at: Date): Promise<boolean> {
  return inTransaction(pool, async (tx) => {
    const last = await lockLast(tx, chainId);
    if (last !== null && (last.number !== block.number - 1n || last.hash !== block.parentHash)) return false;
    const id = chainId.toString();
    await tx.query('INSERT INTO chain_block (chain_id, number, hash, parent_hash, at) VALUES ($1, $2, $3, $4, to_timestamp($5))', [
      id,
      block.number.toString(),
      block.hash,
      block.parentHash,
      block.timestamp.toString(),
    ]);
    await addLogs(tx, chainId, block, logs, at);
    for (const arrival of arrivals) await seeArrival(tx, chainId, { ...arrival, state: 'seen' }, at);
    return true;
  });
}

async function addLogs(tx: pg.ClientBase, chainId: bigint, block: Block, logs: readonly SeenLog[], at: Date): Promise<void> {
  if (logs.length === 0) return;
  await tx.query(
    `INSERT INTO chain_log (chain_id, block_number, log_index, tx_hash, kind, holder, payee, value, nonce)
     SELECT $1, $2, log.place, log.tx_hash, log.kind, log.holder, log.payee, log.value, log.nonce
     FROM unnest($3::int[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::text[])
       AS log (place, tx_hash, kind, holder, payee, value, nonce)
     ON CONFLICT DO NOTHING`,
    [
      chainId.toString(),
      block.number.toString(),
      logs.map(({ logIndex }) => logIndex),
      logs.map(({ txHash }) => txHash),
      logs.map(({ kind }) => kind),
      logs.map(({ holder }) => holder),
      logs.map(({ payee }) => payee),
      logs.map(({ value }) => value?.toString() ?? null),
      logs.map(({ nonce }) => nonce),
    ],
  );
  const used = logs.filter(({ kind }) => kind === 'used');
  if (used.length > 0) await markUsed(tx, chainId, block, used, at);
}

/**
 * Adds logs of a block that was read before, when nobody knew that they are of ours. False where the block is not the one that was read; one
 * that was forgotten is deep.
 */
export async function addLate(pool: pg.Pool, chainId: bigint, block: Block, { logs, arrivals }: BlockContent, at: Date): Promise<boolean> {
  return inTransaction(pool, async (tx) => {
    const last = await lockLast(tx, chainId);
    const there = await seenAt(tx, chainId, block.number);
    if (last === null || block.number > last.number || (there !== null && there.hash !== block.hash)) return false;
    await addLogs(tx, chainId, block, logs, at);
    for (const arrival of arrivals) await seeArrival(tx, chainId, { ...arrival, state: 'seen' }, at);
    return true;
  });
}

/** Takes the last block back, which is in the chain no more, with its logs; what it had used is signed and unused again. */
export async function removeLast(pool: pg.Pool, chainId: bigint, { number, hash }: SeenBlock, at: Date): Promise<void> {
  await inTransaction(pool, async (tx) => {
    const last = await lockLast(tx, chainId);
    if (last === null || last.number !== number || last.hash !== hash) return;
    const values = [chainId.toString(), number.toString()];
    await tx.query('DELETE FROM chain_log WHERE chain_id = $1 AND block_number = $2', values);
    await tx.query('DELETE FROM chain_block WHERE chain_id = $1 AND number = $2', values);
    await takeArrivalsBack(tx, chainId, number, at);
    const { rows } = await tx.query<Waking>(
      `UPDATE chain_payment SET state = 'signed', tx_hash = NULL, block_number = NULL, block_hash = NULL
       WHERE chain_id = $1 AND state = 'used' AND block_number = $2 RETURNING workspace_id AS "workspaceId", id, kind`,
      values,
    );
    await wake(tx, rows, at);
  });
}

async function lockLast(tx: pg.ClientBase, chainId: bigint): Promise<SeenBlock | null> {
  await tx.query('SELECT FROM chain_watch WHERE chain_id = $1 FOR UPDATE', [chainId.toString()]);
  return lastSeen(tx, chainId);
}

async function markUsed(tx: pg.ClientBase, chainId: bigint, block: Block, used: readonly SeenLog[], at: Date): Promise<void> {
  const { rows } = await tx.query<Waking>(
    `UPDATE chain_payment p SET state = 'used', tx_hash = log.tx_hash, block_number = $2, block_hash = $3
     FROM unnest($4::text[], $5::text[], $6::text[]) AS log (holder, nonce, tx_hash)
     WHERE p.chain_id = $1 AND p.authorizer = log.holder AND p.nonce = log.nonce AND p.state IN ('open', 'signed')
     RETURNING p.workspace_id AS "workspaceId", p.id, p.kind`,
    [
      chainId.toString(),
      block.number.toString(),
      block.hash,
      used.map(({ holder }) => holder),
      used.map(({ nonce }) => nonce),
      used.map(({ txHash }) => txHash),
    ],
  );
  await wake(tx, rows, at);
}

/** What logs of a transaction that was read say of an authorization: that it was used, and the transfer of that transaction to the payee. */
export async function transferOf(
  pool: pg.Pool,
  chainId: bigint,
  { blockNumber, txHash, authorizer, payee }: { blockNumber: bigint; txHash: string; authorizer: string; payee: string },
): Promise<bigint[]> {
  const { rows } = await pool.query<{ value: string }>(
    `SELECT value FROM chain_log WHERE chain_id = $1 AND block_number = $2 AND tx_hash = $3 AND kind = 'transfer' AND holder = $4 AND payee = $5`,
    [chainId.toString(), blockNumber.toString(), txHash, authorizer, payee],
  );
  return rows.map(({ value }) => BigInt(value));
}

/** Forgets blocks that lie far below the deep one. */
export async function forgetBlocks(pool: pg.Pool, chainId: bigint, below: bigint): Promise<void> {
  await pool.query('DELETE FROM chain_block WHERE chain_id = $1 AND number < $2', [chainId.toString(), below.toString()]);
}
