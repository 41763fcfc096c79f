// The statements about nonces of relayers, and the signed forms of their transactions.
import type pg from 'pg';
import type { Bytes32, ChainAddress } from '../x402/chain/address.js';
import type { Hex } from './evm.js';
import type { PaymentKey } from './payment.sql.js';

/** An address that sends transactions on a chain. */
export interface RelayerKey {
  chainId: bigint;
  address: ChainAddress;
}

/** A nonce that is not known to be in a deep block, with its newest form. */
export interface OpenNonce {
  nonce: bigint;
  /** The payment that it carries; null for one that only uses the nonce up. */
  payment: PaymentKey | null;
  gasLimit: bigint;
  form: SignedForm | null;
}

/** A signed form of a transaction; fees in wei for a unit of gas. */
export interface SignedForm {
  hash: Bytes32;
  raw: Hex;
  maxFee: bigint;
  tip: bigint;
  createdAt: Date;
  sentAt: Date | null;
}

/** What the name of a relayer in the memory begins with. */
export const relayerPrefix = 'relayer ';

/** A relayer as the memory names it. */
export function relayerName({ chainId, address }: RelayerKey): string {
  return `${relayerPrefix}${chainId} ${address}`;
}

/** The last nonce that a relayer has given, by its name in the memory; -1 before the first. */
export async function lastNonce(tx: pg.ClientBase | pg.Pool, name: string): Promise<bigint> {
  const [chainId, address] = name.slice(relayerPrefix.length).split(' ');
  const { rows } = await (tx as pg.ClientBase).query<{ next_nonce: string }>(
    'SELECT next_nonce FROM chain_relayer WHERE chain_id = $1 AND address = $2',
    [chainId, address],
  );
  return BigInt(rows[0]?.next_nonce ?? 0) - 1n;
}

/** Lets a relayer give no nonce up to this one any more. */
export async function skipNonces(tx: pg.ClientBase, name: string, upTo: bigint): Promise<void> {
  const [chainId, address] = name.slice(relayerPrefix.length).split(' ');
  await tx.query(
    `INSERT INTO chain_relayer (chain_id, address, next_nonce) VALUES ($1, $2, $3)
     ON CONFLICT (chain_id, address) DO UPDATE SET next_nonce = greatest(chain_relayer.next_nonce, excluded.next_nonce)`,
    [chainId, address, (upTo + 1n).toString()],
  );
}

/** A payment for which a nonce is given. */
export interface Carried {
  workspaceId: string;
  id: string;
  gasLimit: bigint;
}

/** Gives the next nonces of a relayer, one for each payment in their order. They begin where the chain says when it has none yet. */
export async function giveNonces(
  tx: pg.ClientBase,
  { chainId, address }: RelayerKey,
  { firstNonce, carried, at }: { firstNonce: bigint; carried: readonly Carried[]; at: Date },
): Promise<bigint[]> {
  const { rows } = await tx.query<{ next: string }>(
    `INSERT INTO chain_relayer (chain_id, address, next_nonce) VALUES ($1, $2, $3::bigint + $4)
     ON CONFLICT (chain_id, address) DO UPDATE SET next_nonce = greatest(chain_relayer.next_nonce, $3::bigint) + $4
     RETURNING next_nonce AS next`,
    [chainId.toString(), address, firstNonce.toString(), carried.length],
  );
  const first = BigInt(rows[0]?.next ?? 0) - BigInt(carried.length);
  const nonces = carried.map((_, place) => first + BigInt(place));
  await tx.query(
    `INSERT INTO chain_transaction (chain_id, relayer, nonce, payer_workspace_id, payment_id, gas_limit, created_at)
     SELECT $1, $2, given.nonce, given.workspace_id, given.id, given.gas_limit, $7
     FROM unnest($3::bigint[], $4::uuid[], $5::uuid[], $6::bigint[]) AS given (nonce, workspace_id, id, gas_limit)`,
    [
      chainId.toString(),
      address,
      nonces.map(String),
      carried.map(({ workspaceId }) => workspaceId),
      carried.map(({ id }) => id),
      carried.map(({ gasLimit }) => gasLimit.toString()),
      at,
    ],
  );
  return nonces;
}

/** Gas of a transaction that only uses its nonce up. */
export const emptyGas = 21_000n;

interface NonceRow {
  nonce: string;
  workspaceId: string | null;
  paymentId: string | null;
  gasLimit: string;
  hash: Bytes32 | null;
  raw: Hex;
  maxFee: string;
  tip: string;
  createdAt: Date;
  sentAt: Date | null;
}

/** The nonces of a relayer of which no deep block is noted yet, in order, those from one or before one. */
export async function openNonces(
  pool: pg.Pool,
  { chainId, address }: RelayerKey,
  { from = 0n, before }: { from?: bigint; before?: bigint } = {},
): Promise<OpenNonce[]> {
  const { rows } = await pool.query<NonceRow>(
    `SELECT t.nonce, t.payer_workspace_id AS "workspaceId", t.payment_id AS "paymentId", t.gas_limit AS "gasLimit", f.hash, f.raw, f.max_fee AS "maxFee",
       f.tip, f.created_at AS "createdAt", f.sent_at AS "sentAt"
     FROM chain_transaction t LEFT JOIN LATERAL (
       SELECT * FROM chain_form f WHERE f.chain_id = t.chain_id AND f.relayer = t.relayer AND f.nonce = t.nonce ORDER BY f.max_fee DESC LIMIT 1) f ON true
     WHERE t.chain_id = $1 AND t.relayer = $2 AND t.mined_hash IS NULL AND t.nonce >= $3 AND ($4::bigint IS NULL OR t.nonce < $4) ORDER BY t.nonce`,
    [chainId.toString(), address, from.toString(), before?.toString() ?? null],
  );
  return rows.map(({ nonce, workspaceId, paymentId, gasLimit, hash, raw, maxFee, tip, createdAt, sentAt }) => ({
    nonce: BigInt(nonce),
    payment: workspaceId === null || paymentId === null ? null : { workspaceId, id: paymentId },
    gasLimit: BigInt(gasLimit),
    form: hash === null ? null : { hash, raw, maxFee: BigInt(maxFee), tip: BigInt(tip), createdAt, sentAt },
  }));
}

/** The hashes of all forms of a nonce. */
export async function formsOf(pool: pg.Pool, { chainId, address }: RelayerKey, nonce: bigint): Promise<Bytes32[]> {
  const { rows } = await pool.query<{ hash: Bytes32 }>(
    'SELECT hash FROM chain_form WHERE chain_id = $1 AND relayer = $2 AND nonce = $3 ORDER BY max_fee DESC',
    [chainId.toString(), address, nonce.toString()],
  );
  return rows.map(({ hash }) => hash);
}

/** A form, and the nonce that it is of. */
export type NewForm = Omit<SignedForm, 'sentAt'> & { nonce: bigint };

/** Keeps signed forms, before they are sent. */
export async function keepForms(pool: pg.Pool, { chainId, address }: RelayerKey, forms: readonly NewForm[]): Promise<void> {
  await pool.query(
    `INSERT INTO chain_form (chain_id, hash, relayer, nonce, raw, max_fee, tip, created_at)
     SELECT $1, form.hash, $2, form.nonce, form.raw, form.max_fee, form.tip, form.created_at
     FROM unnest($3::text[], $4::bigint[], $5::text[], $6::bigint[], $7::bigint[], $8::timestamptz[])
       AS form (hash, nonce, raw, max_fee, tip, created_at)
     ON CONFLICT DO NOTHING`,
    [
      chainId.toString(),
      address,
      forms.map(({ hash }) => hash),
      forms.map(({ nonce }) => nonce.toString()),
      forms.map(({ raw }) => raw),
      forms.map(({ maxFee }) => maxFee.toString()),
      forms.map(({ tip }) => tip.toString()),
      forms.map(({ createdAt }) => createdAt),
    ],
  );
}

/** Notes that forms were handed to nodes. */
export async function noteSent(pool: pg.Pool, chainId: bigint, hashes: readonly Bytes32[], at: Date): Promise<void> {
  await pool.query('UPDATE chain_form SET sent_at = $3 WHERE chain_id = $1 AND hash = ANY($2)', [chainId.toString(), hashes, at]);
}

/** Notes nonces before one whose form has carried a payment that is done: the logs of a deep block say so. */
export async function noteDone(pool: pg.Pool, { chainId, address }: RelayerKey, before: bigint, at: Date): Promise<void> {
  await pool.query(
    `UPDATE chain_transaction t SET mined_hash = f.hash, reverted = false, mined_at = $4
     FROM chain_payment p, chain_form f
     WHERE t.chain_id = $1 AND t.relayer = $2 AND t.mined_hash IS NULL AND t.nonce < $3 AND p.workspace_id = t.payer_workspace_id
       AND p.id = t.payment_id AND p.state = 'done' AND f.chain_id = t.chain_id AND f.hash = p.tx_hash AND f.relayer = t.relayer AND f.nonce = t.nonce`,
    [chainId.toString(), address, before.toString(), at],
  );
}

/** Notes which form of a nonce is in a deep block. */
export async function noteMined(
  pool: pg.Pool,
  { chainId, address }: RelayerKey,
  nonce: bigint,
  { hash, isReverted, at }: { hash: Bytes32; isReverted: boolean; at: Date },
): Promise<void> {
  await pool.query(
    'UPDATE chain_transaction SET mined_hash = $4, reverted = $5, mined_at = $6 WHERE chain_id = $1 AND relayer = $2 AND nonce = $3',
    [chainId.toString(), address, nonce.toString(), hash, isReverted, at],
  );
}

/**
 * A transaction that is known to be in the chain, in a block before a nonce of a relayer was given: that of the nonce before it, else one of which
 * logs were read. Null where none is known. Nodes that have forgotten it may have forgotten those of the nonce.
 */
export async function minedBefore(pool: pg.Pool, { chainId, address }: RelayerKey, nonce: bigint): Promise<Bytes32 | null> {
  const { rows } = await pool.query<{ hash: Bytes32 }>(
    `(SELECT mined_hash AS hash FROM chain_transaction
        WHERE chain_id = $1 AND relayer = $2 AND nonce < $3 AND mined_hash IS NOT NULL ORDER BY nonce DESC LIMIT 1)
     UNION ALL
     (SELECT l.tx_hash FROM chain_log l
        WHERE l.chain_id = $1 AND l.block_number < (SELECT min(b.number) FROM chain_block b JOIN chain_transaction t
          ON t.chain_id = b.chain_id AND t.relayer = $2 AND t.nonce = $3 WHERE b.chain_id = $1 AND b.at >= t.created_at)
        ORDER BY l.block_number DESC, l.log_index DESC LIMIT 1)
     LIMIT 1`,
    [chainId.toString(), address, nonce.toString()],
  );
  return rows[0]?.hash ?? null;
}
