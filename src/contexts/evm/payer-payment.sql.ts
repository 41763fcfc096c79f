// The statements about authorizations of payers outside, which pay x402 payments.
import type pg from 'pg';
import { inTransaction } from '../../platform/postgres/database.js';
import { isUniqueViolation } from '../../platform/postgres/failure.js';
import type { Bytes32, ChainAddress } from '../x402/chain/address.js';
import type { Hex } from './evm.js';
import type { ChainPaymentRow } from './payment.sql.js';

/** An authorization that a payer has signed. */
export type HandedIn = Pick<
  ChainPaymentRow,
  'workspaceId' | 'id' | 'rail' | 'chainId' | 'authorizer' | 'nonce' | 'payee' | 'value' | 'validAfter' | 'validBefore'
> & { signature: Hex; at: Date };

/**
 * Hands an authorization in, once. False where its nonce is another payment's, or where a block that was read has used it: then it has arrived
 * already, as a deposit. Blocks are read before it, or see it.
 */
export async function handIn(pool: pg.Pool, payment: HandedIn): Promise<boolean> {
  const { workspaceId, id, rail, chainId, authorizer, nonce, payee, value, validAfter, validBefore, signature, at } = payment;
  try {
    return await inTransaction(pool, async (tx) => {
      await tx.query('SELECT FROM chain_watch WHERE chain_id = $1 FOR SHARE', [chainId.toString()]);
      const { rowCount } = await tx.query(
        `INSERT INTO chain_payment (workspace_id, id, kind, rail, chain_id, authorizer, nonce, payee, value, valid_after, valid_before, signature,
           state, created_at)
         SELECT $1, $2, 'x402', $3, $4, $5, $6, $7, $8, $9, $10, $11, 'signed', $12
         WHERE NOT EXISTS (SELECT FROM chain_log l WHERE l.chain_id = $4 AND l.holder = $5 AND l.nonce = $6)
         ON CONFLICT (workspace_id, id) DO UPDATE SET valid_before = chain_payment.valid_before`,
        [
          workspaceId,
          id,
          rail,
          chainId.toString(),
          authorizer,
          nonce,
          payee,
          value.toString(),
          validAfter.toString(),
          validBefore,
          signature,
          at,
        ],
      );
      return rowCount === 1;
    });
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

/** The newest form of the transaction that carries a payment; null where none does. */
export async function formCarrying(
  pool: pg.Pool,
  { workspaceId, id }: Pick<ChainPaymentRow, 'workspaceId' | 'id'>,
): Promise<Bytes32 | null> {
  const { rows } = await pool.query<{ hash: Bytes32 }>(
    `SELECT f.hash FROM chain_transaction t JOIN chain_form f ON f.chain_id = t.chain_id AND f.relayer = t.relayer AND f.nonce = t.nonce
     WHERE t.payer_workspace_id = $1 AND t.payment_id = $2 ORDER BY t.created_at DESC, f.max_fee DESC LIMIT 1`,
    [workspaceId, id],
  );
  return rows[0]?.hash ?? null;
}

/** What may be answered before its block is deep: base units, and up to which block. */
export interface AnswerLimit {
  upTo: bigint;
  perPayment: bigint;
  open: bigint;
}

const unanswered = `SELECT p.workspace_id, p.id, p.value FROM chain_payment p
  WHERE p.chain_id = $1::bigint AND p.kind = 'x402' AND p.state = 'used' AND p.answered_at IS NULL
    AND p.block_number <= $2::bigint AND p.value <= $3::bigint AND EXISTS (SELECT FROM chain_arrival a
      WHERE a.chain_id = p.chain_id AND a.tx_hash = p.tx_hash AND a.workspace_id = p.workspace_id AND a.payment_id = p.id AND a.state <> 'gone')`;

/**
 * Lets payments be answered as settled whose transactions are in a block and have paid the wallet, those of the smallest amounts first, as many as
 * fit into what may be open. That a nonce is used says nothing of money: its owner may have signed the nonce for something else. What was
 * answered stays open until it is done or lapsed: where its block was taken back it is signed again, served and not paid.
 */
export async function admitAnswers(pool: pg.Pool, chainId: bigint, { upTo, perPayment, open }: AnswerLimit, at: Date): Promise<void> {
  const values = [chainId.toString(), upTo.toString(), perPayment.toString()];
  const { rowCount } = await pool.query(`${unanswered} LIMIT 1`, values);
  if (rowCount === 0) return;
  await inTransaction(pool, async (tx) => {
    await tx.query('SELECT FROM chain_watch WHERE chain_id = $1 FOR UPDATE', [chainId.toString()]);
    await tx.query(
      `UPDATE chain_payment p SET answered_at = $4
       FROM (SELECT workspace_id, id, sum(value) OVER (ORDER BY value, id) AS sum FROM (${unanswered}) AS waiting) AS running
       WHERE p.workspace_id = running.workspace_id AND p.id = running.id AND running.sum + (
         SELECT coalesce(sum(value), 0) FROM chain_payment WHERE chain_id = $1 AND answered_at IS NOT NULL AND state IN ('signed', 'used')) <= $5::numeric`,
      [...values, at, open.toString()],
    );
  });
}

/** Makes what a payment has brought its own. False where it is somebody else's, or a deposit. */
export async function claimArrival(
  pool: pg.Pool,
  { workspaceId, id, chainId, txHash, authorizer, payee, value }: ChainPaymentRow,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `UPDATE chain_arrival SET payment_id = $2 WHERE workspace_id = $1 AND id = coalesce(
       (SELECT a.id FROM chain_arrival a WHERE a.workspace_id = $1 AND a.payment_id = $2 AND a.tx_hash = $4 AND a.chain_id = $3),
       (SELECT a.id FROM chain_arrival a WHERE a.workspace_id = $1 AND a.chain_id = $3 AND a.tx_hash = $4 AND a.payer = $5 AND a.payee = $6
          AND a.value = $7 AND a.payment_id IS NULL AND a.funding_id IS NULL AND a.state <> 'gone' ORDER BY a.place LIMIT 1))
       AND funding_id IS NULL AND (payment_id IS NULL OR payment_id = $2)`,
    [workspaceId, id, chainId.toString(), txHash, authorizer, payee, value.toString()],
  );
  return rowCount === 1;
}

/** True where the last three transactions that carried payments of a payer since an instant were all reverted, though each was good before. */
export async function wastesGas(pool: pg.Pool, chainId: bigint, authorizer: ChainAddress, since: Date): Promise<boolean> {
  const { rows } = await pool.query<{ reverted: boolean }>(
    `SELECT t.reverted FROM chain_payment p JOIN chain_transaction t ON t.payer_workspace_id = p.workspace_id AND t.payment_id = p.id
     WHERE p.chain_id = $1 AND p.authorizer = $2 AND p.kind = 'x402' AND t.mined_at > $3 ORDER BY t.mined_at DESC LIMIT 3`,
    [chainId.toString(), authorizer, since],
  );
  return rows.length === 3 && rows.every(({ reverted }) => reverted);
}

/** What transactions carry now of a payer that is in no deep block yet, base units: of one balance so much is spoken for. */
export async function carriedOf(pool: pg.Pool, { chainId, authorizer }: Pick<ChainPaymentRow, 'chainId' | 'authorizer'>): Promise<bigint> {
  const { rows } = await pool.query<{ value: string }>(
    `SELECT coalesce(sum(p.value), 0) AS value FROM chain_payment p
     WHERE p.chain_id = $1 AND p.authorizer = $2 AND p.kind = 'x402' AND p.state = 'signed' AND EXISTS (
       SELECT FROM chain_transaction t WHERE t.payer_workspace_id = p.workspace_id AND t.payment_id = p.id)`,
    [chainId.toString(), authorizer],
  );
  return BigInt(rows[0]?.value ?? 0);
}

/** True where a payment that was handed in since an instant is in no block yet: somebody waits for it. */
export async function hasWaiting(pool: pg.Pool, chainId: bigint, since: Date): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT FROM chain_payment WHERE chain_id = $1 AND state = 'signed' AND kind = 'x402' AND created_at > $2 LIMIT 1`,
    [chainId.toString(), since],
  );
  return rowCount === 1;
}
