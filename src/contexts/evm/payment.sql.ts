// The statements about authorizations of ours on chains.
import type pg from 'pg';
import type { ChainPaymentKind, ChainPaymentState } from '../../generated/prisma/client.js';
import { runIn, type Tx } from '../../platform/postgres/database.js';
import type { Bytes32, ChainAddress } from '../x402/chain/address.js';
import type { Hex } from './evm.js';

/** An authorization that is carried from here. */
export interface ChainPaymentRow {
  workspaceId: string;
  id: string;
  kind: ChainPaymentKind;
  rail: string;
  chainId: bigint;
  authorizer: ChainAddress;
  nonce: Bytes32;
  payee: ChainAddress;
  /** Base units of the token. */
  value: bigint;
  /** Seconds since 1970. */
  validAfter: bigint;
  validBefore: Date;
  signature: Hex | null;
  state: ChainPaymentState;
  refusal: string | null;
  txHash: Bytes32 | null;
  blockNumber: bigint | null;
  blockHash: Bytes32 | null;
  /** When an x402 payment was answered as settled while its block was not deep. */
  answeredAt: Date | null;
  createdAt: Date;
}

const columns = `p.workspace_id AS "workspaceId", p.id, p.kind, p.rail, p.chain_id AS "chainId", p.authorizer, p.nonce, p.payee, p.value,
  p.valid_after AS "validAfter", p.valid_before AS "validBefore", p.answered_at AS "answeredAt", p.created_at AS "createdAt", p.signature, p.state, p.refusal, p.tx_hash AS "txHash", p.block_number AS "blockNumber", p.block_hash AS "blockHash"`;

type Db = Tx | pg.ClientBase | pg.Pool;
type Read = Omit<ChainPaymentRow, 'chainId' | 'value' | 'validAfter' | 'blockNumber'> & {
  chainId: string;
  value: string;
  validAfter: string;
  blockNumber: string | null;
};

async function rowsOf(db: Db, name: string, text: string, values: unknown[]): Promise<ChainPaymentRow[]> {
  const rows = await runIn<Read>(db as pg.ClientBase, { name: `chain-payment-${name}`, text }, values);
  return rows.map(({ chainId, value, validAfter, blockNumber, ...row }) => ({
    ...row,
    chainId: BigInt(chainId),
    value: BigInt(value),
    validAfter: BigInt(validAfter),
    blockNumber: blockNumber === null ? null : BigInt(blockNumber),
  }));
}

/** What names an authorization. */
export type PaymentKey = Pick<ChainPaymentRow, 'workspaceId' | 'id'>;

/** The authorizations among these that are in a block, or have come to their end. */
export function movedAmong(pool: pg.Pool, keys: readonly PaymentKey[]): Promise<ChainPaymentRow[]> {
  const text = `SELECT ${columns} FROM unnest($1::uuid[], $2::uuid[]) AS asked (workspace_id, id)
    JOIN chain_payment p ON p.workspace_id = asked.workspace_id AND p.id = asked.id WHERE p.state NOT IN ('open', 'signed')`;
  return rowsOf(pool, 'moved', text, [keys.map(({ workspaceId }) => workspaceId), keys.map(({ id }) => id)]);
}

/** The authorization of an order; null where it has none yet. */
export async function paymentOf(db: Db, { workspaceId, id }: PaymentKey): Promise<ChainPaymentRow | null> {
  const [row] = await rowsOf(db, 'one', `SELECT ${columns} FROM chain_payment p WHERE p.workspace_id = $1::uuid AND p.id = $2::uuid`, [
    workspaceId,
    id,
  ]);
  return row ?? null;
}

/** The authorization that a nonce of a relayer carries; null where it carries none. */
export async function paymentOfNonce(
  pool: pg.Pool,
  { chainId, address }: { chainId: bigint; address: ChainAddress },
  nonce: bigint,
): Promise<ChainPaymentRow | null> {
  const text = `SELECT ${columns} FROM chain_transaction t JOIN chain_payment p ON p.workspace_id = t.payer_workspace_id AND p.id = t.payment_id
    WHERE t.chain_id = $1::bigint AND t.relayer = $2 AND t.nonce = $3::bigint`;
  const [row] = await rowsOf(pool, 'of-nonce', text, [chainId.toString(), address, nonce.toString()]);
  return row ?? null;
}

/** An authorization that is to be signed here. */
export type NewPayment = Pick<
  ChainPaymentRow,
  'workspaceId' | 'id' | 'kind' | 'rail' | 'chainId' | 'authorizer' | 'nonce' | 'payee' | 'value' | 'validBefore'
> & { at: Date };

/**
 * Writes an authorization that is to be signed. One that is there and was not signed gets the later time: it fails only after that, so a signature
 * that was lost on its way here is still outlived.
 */
export async function insertPayment(
  tx: pg.ClientBase,
  { workspaceId, id, kind, rail, chainId, authorizer, nonce, payee, value, validBefore, at }: NewPayment,
): Promise<void> {
  await tx.query(
    `INSERT INTO chain_payment (workspace_id, id, kind, rail, chain_id, authorizer, nonce, payee, value, valid_before, created_at)
     VALUES ($1, $2, $11, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (workspace_id, id) DO UPDATE SET valid_before = greatest(chain_payment.valid_before, excluded.valid_before)
       WHERE chain_payment.state = 'open'`,
    [workspaceId, id, rail, chainId.toString(), authorizer, nonce, payee, value.toString(), validBefore, at, kind],
  );
}

/** Keeps the signature of an authorization that has none. */
export async function signPayment(pool: pg.Pool, { workspaceId, id }: ChainPaymentRow, signature: Hex): Promise<void> {
  await pool.query(`UPDATE chain_payment SET signature = $3, state = 'signed' WHERE workspace_id = $1 AND id = $2 AND state = 'open'`, [
    workspaceId,
    id,
    signature,
  ]);
}

/** Notes what the token said against an authorization. */
export async function noteRefusal(pool: pg.Pool, { workspaceId, id }: ChainPaymentRow, refusal: string): Promise<void> {
  await pool.query(`UPDATE chain_payment SET refusal = $3 WHERE workspace_id = $1 AND id = $2 AND refusal IS DISTINCT FROM $3`, [
    workspaceId,
    id,
    refusal,
  ]);
}

/** An authorization of a kind is carried while it is good for so many seconds more: those of a payer outside are good for a minute or two. */
export const leastValidity: Readonly<Record<ChainPaymentKind, number>> = { payout: 60, sweep: 60, x402: 3 };

const stillGood = `p.valid_before > $2::timestamptz + make_interval(secs => CASE p.kind
  WHEN 'x402' THEN ${leastValidity.x402} ELSE ${leastValidity.payout} END)`;

/**
 * Signed authorizations that no transaction carries now. Those with a reverted one are carried again, but for payers outside, who would have us
 * pay gas as often as they like. First those that the token has not refused,
 * so that those which it refuses keep nobody waiting.
 */
export function uncarried(pool: pg.Pool, chainId: bigint, { at, most }: { at: Date; most: number }): Promise<ChainPaymentRow[]> {
  return rowsOf(
    pool,
    'uncarried',
    `SELECT ${columns} FROM chain_payment p
     WHERE p.chain_id = $1::bigint AND p.state = 'signed' AND ${stillGood}
       AND NOT EXISTS (SELECT FROM chain_transaction t
         WHERE t.payer_workspace_id = p.workspace_id AND t.payment_id = p.id AND (t.mined_hash IS NULL OR p.kind = 'x402' AND t.reverted))
     ORDER BY p.refusal IS NOT NULL, p.created_at, p.id LIMIT $3::int`,
    [chainId.toString(), at, most],
  );
}

/** Authorizations that were used in a block up to this one, and are not done yet. */
export function usedUpTo(pool: pg.Pool, chainId: bigint, block: bigint): Promise<ChainPaymentRow[]> {
  const text = `SELECT ${columns} FROM chain_payment p
     WHERE p.chain_id = $1::bigint AND p.state = 'used' AND p.block_number <= $2::bigint ORDER BY p.block_number LIMIT ${mostDecided}`;
  return rowsOf(pool, 'used', text, [chainId.toString(), block.toString()]);
}

/** Authorizations that are open, and whose cancellation was read in a block up to this one. */
export function cancelledUpTo(pool: pg.Pool, chainId: bigint, block: bigint): Promise<ChainPaymentRow[]> {
  const text = `SELECT ${columns} FROM chain_payment p
     WHERE p.chain_id = $1::bigint AND p.state IN ('open', 'signed') AND EXISTS (SELECT FROM chain_log l
       WHERE l.chain_id = p.chain_id AND l.holder = p.authorizer AND l.nonce = p.nonce AND l.kind = 'cancelled' AND l.block_number <= $2::bigint)
     LIMIT ${mostDecided}`;
  return rowsOf(pool, 'cancelled', text, [chainId.toString(), block.toString()]);
}

/**
 * Authorizations whose time was over at an instant: signed ones, and payouts that are not signed and are of a treasury of before, whose key signs no
 * more. `treasury`: the one of now.
 */
export function expiredBy(
  pool: pg.Pool,
  { chainId, treasury, at }: { chainId: bigint; treasury: ChainAddress; at: Date },
): Promise<ChainPaymentRow[]> {
  const text = `SELECT ${columns} FROM chain_payment p
     WHERE p.chain_id = $1::bigint AND p.valid_before <= $2::timestamptz
       AND (p.state = 'signed' OR p.state = 'open' AND p.kind = 'payout' AND p.authorizer <> $3) ORDER BY p.valid_before LIMIT ${mostDecided}`;
  return rowsOf(pool, 'expired', text, [chainId.toString(), at, treasury]);
}

/** One look decides of so many at most. */
const mostDecided = 1_000;

/**
 * Marks authorizations as used of which a log was read before they were written here, as after a restore: the chain has carried them already.
 * Their orders go on at once.
 */
export async function markSeen(pool: pg.Pool, chainId: bigint, at: Date): Promise<void> {
  const { rows } = await pool.query<Waking>(
    `UPDATE chain_payment p SET state = 'used', tx_hash = l.tx_hash, block_number = l.block_number,
       block_hash = (SELECT b.hash FROM chain_block b WHERE b.chain_id = l.chain_id AND b.number = l.block_number)
     FROM chain_log l
     WHERE p.chain_id = $1 AND p.state IN ('open', 'signed') AND l.chain_id = p.chain_id AND l.holder = p.authorizer AND l.nonce = p.nonce AND l.kind = 'used'
     RETURNING p.workspace_id AS "workspaceId", p.id, p.kind`,
    [chainId.toString()],
  );
  await wake(pool, rows, at);
}

/** Takes a step of an authorization, where it still stands as before and is good for as long. True where it did. */
export async function movePayment(
  tx: pg.ClientBase | pg.Pool,
  { workspaceId, id, state: before, validBefore }: ChainPaymentRow,
  { state, refusal }: { state: ChainPaymentState; refusal?: string },
): Promise<boolean> {
  const { rowCount } = await (tx as pg.ClientBase).query(
    `UPDATE chain_payment SET state = $4::chain_payment_state, refusal = coalesce($5, refusal)
     WHERE workspace_id = $1 AND id = $2 AND state = $3::chain_payment_state AND valid_before = $6`,
    [workspaceId, id, before, state, refusal ?? null, validBefore],
  );
  return rowCount === 1;
}

/** Whose authorization it is. */
export type Waking = Pick<ChainPaymentRow, 'workspaceId' | 'id' | 'kind'>;

const waking: Readonly<Record<ChainPaymentKind, string | null>> = {
  payout: `UPDATE connector_order o SET due_at = least(o.due_at, $3) FROM unnest($1::uuid[], $2::uuid[]) AS woken (workspace_id, id)
    WHERE o.workspace_id = woken.workspace_id AND o.id = woken.id AND o.state = 'accepted'`,
  x402: `UPDATE x402_payment o SET due_at = least(o.due_at, $3) FROM unnest($1::uuid[], $2::uuid[]) AS woken (workspace_id, id)
    WHERE o.workspace_id = woken.workspace_id AND o.id = woken.id AND o.due_at IS NOT NULL`,
  sweep: null,
};

/** Lets what authorizations are for go on at once. */
export async function wake(tx: pg.ClientBase | pg.Pool, all: readonly Waking[], at: Date): Promise<void> {
  for (const [kind, text] of Object.entries(waking)) {
    const some = all.filter((each) => each.kind === kind);
    if (text === null || some.length === 0) continue;
    await (tx as pg.ClientBase).query(text, [some.map(({ workspaceId }) => workspaceId), some.map(({ id }) => id), at]);
  }
}
