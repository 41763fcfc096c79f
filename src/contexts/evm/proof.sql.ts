// The statements of the proof of a chain: up to which block it was read, and what the books of this installation say of the blocks up to it.
import type pg from 'pg';
import type { ProofPart } from '../rails/rail-kind.js';
import type { ChainAddress } from '../x402/chain/address.js';
import type { SeenBlock } from './watch.sql.js';

/** A treasury of this chain, of now or of before. */
export interface Treasury {
  address: ChainAddress;
  /** From this block on all its logs were read. */
  fromBlock: bigint;
  /** What it had of which no log was read, base units; null until that is known. */
  opening: bigint | null;
}

/** What is proven: a rail over a chain, up to a block. */
export interface ProofScope {
  chainId: bigint;
  rail: string;
  block: bigint;
}

/** Notes that the logs of a treasury are read from the next block on. */
export async function noteTreasury(pool: pg.Pool, chainId: bigint, address: ChainAddress, at: Date): Promise<void> {
  await pool.query(
    `INSERT INTO chain_treasury (chain_id, address, from_block, created_at)
     SELECT $1, $2, number, $3 FROM chain_block WHERE chain_id = $1 ORDER BY number DESC LIMIT 1
     ON CONFLICT DO NOTHING`,
    [chainId.toString(), address, at],
  );
}

/** The addresses of the treasuries of a chain: the one of now, and those of before. */
export async function treasuryAddresses(pool: pg.Pool, chainId: bigint, now: ChainAddress): Promise<ChainAddress[]> {
  const { rows } = await pool.query<{ address: ChainAddress }>(
    'SELECT $2::text AS address UNION SELECT address FROM chain_treasury WHERE chain_id = $1',
    [chainId.toString(), now],
  );
  return rows.map(({ address }) => address);
}

/** The treasuries of a chain. */
export async function treasuriesOf(pool: pg.Pool, chainId: bigint): Promise<Treasury[]> {
  const { rows } = await pool.query<{ address: ChainAddress; fromBlock: string; opening: string | null }>(
    'SELECT address, from_block AS "fromBlock", opening FROM chain_treasury WHERE chain_id = $1 ORDER BY created_at DESC, address',
    [chainId.toString()],
  );
  return rows.map(({ address, fromBlock, opening }) => ({
    address,
    fromBlock: BigInt(fromBlock),
    opening: opening === null ? null : BigInt(opening),
  }));
}

/** Keeps what a treasury had at first, unless it is known by now. Returns what is kept. */
export async function keepOpening(
  pool: pg.Pool,
  { chainId, address, opening }: { chainId: bigint; address: ChainAddress; opening: bigint },
): Promise<bigint> {
  const { rows } = await pool.query<{ opening: string }>(
    'UPDATE chain_treasury SET opening = coalesce(opening, $3) WHERE chain_id = $1 AND address = $2 RETURNING opening',
    [chainId.toString(), address, opening.toString()],
  );
  return BigInt(rows[0]?.opening ?? opening);
}

/** What the logs of an address come to, up to a block. */
export async function netOf(
  pool: pg.Pool,
  { chainId, address, block }: { chainId: bigint; address: ChainAddress; block: bigint },
): Promise<bigint> {
  const { rows } = await pool.query<{ net: string }>(
    `SELECT coalesce(sum((CASE WHEN payee = $2 THEN value ELSE 0 END) - (CASE WHEN holder = $2 THEN value ELSE 0 END)), 0) AS net
     FROM chain_log WHERE chain_id = $1 AND kind = 'transfer' AND block_number <= $3 AND (payee = $2 OR holder = $2)`,
    [chainId.toString(), address, block.toString()],
  );
  return BigInt(rows[0]?.net ?? 0);
}

/**
 * The highest block up to a deep one of which all logs about us were read. Those of deposit addresses that nobody has asked for lately are read up
 * to a block of their own.
 */
export async function provableBlock(pool: pg.Pool, chainId: bigint, deep: bigint): Promise<SeenBlock | null> {
  const { rows } = await pool.query<{ number: string; hash: SeenBlock['hash'] }>(
    `SELECT number, hash FROM chain_block WHERE chain_id = $1 AND number <= least($2::bigint, (
       SELECT CASE WHEN EXISTS (SELECT FROM chain_address WHERE chain_id = $1) THEN coalesce(deposits_to, -1) ELSE $2::bigint END
       FROM chain_watch WHERE chain_id = $1))
     ORDER BY number DESC LIMIT 1`,
    [chainId.toString(), deep.toString()],
  );
  const [row] = rows;
  return row === undefined ? null : { number: BigInt(row.number), hash: row.hash };
}

/** Beside the addresses that money has reached, so many are read of those that somebody asked for last. */
const mostAsked = 20_000;

/** The deposit addresses whose balances are read. */
export async function depositPlaces(pool: pg.Pool, chainId: bigint): Promise<ChainAddress[]> {
  const { rows } = await pool.query<{ address: ChainAddress }>(
    `(SELECT address FROM chain_address WHERE chain_id = $1 ORDER BY asked_at DESC LIMIT $2)
     UNION SELECT payee FROM chain_arrival WHERE chain_id = $1 ORDER BY 1`,
    [chainId.toString(), mostAsked],
  );
  return rows.map(({ address }) => address);
}

/**
 * What has moved up to the block and is not posted yet, less what is posted and has moved after it: payouts by the logs of their authorizations,
 * deposits by their arrivals, and x402 payments by the arrivals that they brought.
 */
export async function inFlightOf(tx: pg.ClientBase, { chainId, rail, block }: ProofScope): Promise<bigint> {
  const { rows } = await tx.query<{ amount: string }>(
    `SELECT coalesce(sum(amount), 0) AS amount FROM (
       SELECT -p.value AS amount FROM connector_order o JOIN chain_payment p ON p.workspace_id = o.workspace_id AND p.id = o.id
       WHERE o.rail = $2 AND o.state = 'accepted' AND p.chain_id = $1 AND p.kind = 'payout' AND EXISTS (
         SELECT FROM chain_log u WHERE u.chain_id = $1 AND u.holder = p.authorizer AND u.nonce = p.nonce AND u.kind = 'used' AND u.block_number <= $3)
       UNION ALL
       SELECT p.value FROM chain_log u JOIN chain_payment p ON p.chain_id = u.chain_id AND p.authorizer = u.holder AND p.nonce = u.nonce
         JOIN connector_order o ON o.workspace_id = p.workspace_id AND o.id = p.id
       WHERE u.chain_id = $1 AND u.block_number > $3 AND u.kind = 'used' AND p.kind = 'payout' AND o.state = 'settled'
       UNION ALL
       SELECT value FROM chain_arrival WHERE chain_id = $1 AND payment_id IS NULL AND state IN ('seen', 'deep') AND block_number <= $3
       UNION ALL
       SELECT a.value FROM x402_payment x JOIN chain_arrival a ON a.workspace_id = x.workspace_id AND a.payment_id = x.id
       WHERE x.status <> 'failed' AND x.transfer_id IS NULL AND a.chain_id = $1 AND a.state <> 'gone' AND a.block_number <= $3
       UNION ALL
       SELECT -a.value FROM chain_arrival a LEFT JOIN x402_payment x ON x.workspace_id = a.workspace_id AND x.id = a.payment_id
       WHERE a.chain_id = $1 AND a.block_number > $3 AND a.state <> 'gone' AND CASE WHEN a.payment_id IS NULL
         THEN a.state = 'booked' AND a.funding_id IS NOT NULL ELSE x.transfer_id IS NOT NULL END) moved`,
    [chainId.toString(), rail, block.toString()],
  );
  return BigInt(rows[0]?.amount ?? 0);
}

/** How many movements of a part are named. */
const mostNamed = 10;

async function partsOf(tx: pg.ClientBase, text: string, values: unknown[]): Promise<ProofPart[]> {
  const { rows } = await tx.query<Omit<ProofPart, 'amount' | 'count'> & { amount: string; count: string }>(text, values);
  return rows.map((row) => ({ ...row, amount: BigInt(row.amount), count: Number(row.count) }));
}

/**
 * Capital that the operator has put in or taken out: transfers of the token to a treasury that came from no address of ours, and from a treasury
 * without an authorization. What left by an authorization and is no payout of this database explains nothing: it may be one that a restore has
 * lost, or a thief with the key.
 */
export function movedCapital(tx: pg.ClientBase, { chainId, block }: ProofScope): Promise<ProofPart[]> {
  return partsOf(
    tx,
    `WITH own AS (SELECT address FROM chain_treasury WHERE chain_id = $1),
     moved AS (
       SELECT l.*, l.payee IN (SELECT address FROM own) AS is_in FROM chain_log l
       WHERE l.chain_id = $1 AND l.kind = 'transfer' AND l.block_number <= $2 AND l.value > 0
         AND (l.holder IN (SELECT address FROM own)) <> (l.payee IN (SELECT address FROM own))),
     capital AS (
       SELECT * FROM moved m WHERE CASE WHEN is_in
         THEN NOT EXISTS (SELECT FROM chain_address a WHERE a.chain_id = $1 AND a.address = m.holder)
         ELSE NOT EXISTS (SELECT FROM chain_log u WHERE u.chain_id = $1 AND u.block_number = m.block_number AND u.tx_hash = m.tx_hash
           AND u.holder = m.holder AND u.kind = 'used') END)
     SELECT CASE WHEN is_in THEN 'put_in' ELSE 'taken_out' END AS reason, sum(CASE WHEN is_in THEN value ELSE -value END) AS amount, count(*) AS count,
       (array_agg(tx_hash ORDER BY block_number DESC, log_index DESC))[1:$3::int] AS newest
     FROM capital GROUP BY is_in ORDER BY 1`,
    [chainId.toString(), block.toString(), mostNamed],
  );
}

/** What reached deposit addresses, was too little to be credited, and stays there: it is on the statement alone. */
export function belowMinimum(tx: pg.ClientBase, { chainId, block }: ProofScope): Promise<ProofPart[]> {
  return partsOf(
    tx,
    `SELECT 'below_minimum' AS reason, sum(value) AS amount, count(*) AS count,
       (array_agg(tx_hash ORDER BY block_number DESC, place DESC))[1:$3::int] AS newest
     FROM chain_arrival WHERE chain_id = $1 AND state = 'booked' AND block_number <= $2 AND funding_id IS NULL AND payment_id IS NULL
     HAVING count(*) > 0`,
    [chainId.toString(), block.toString(), mostNamed],
  );
}
