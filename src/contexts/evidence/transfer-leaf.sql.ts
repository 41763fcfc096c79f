// Which lines of the audit log are evidence of a transfer.
import type pg from 'pg';

/** What a leaf says of a transfer. */
export type Role = 'payment' | 'hold' | 'capture' | 'checkout' | 'mandate' | 'approval' | 'delivery' | 'refund' | 'dispute' | 'policy';

/** A line, and why it is there. */
export interface RoleLine {
  id: string;
  role: Role;
}

/** A line of a posting of a transfer. */
export interface PostingLine {
  id: string;
  transactionId: string;
  status: string;
}

/** The lines of the postings of transfers, in the order of the lines. */
export async function postingLines(pool: pg.Pool, workspaceId: string, transferIds: readonly string[]): Promise<PostingLine[]> {
  const { rows } = await pool.query<PostingLine>({
    name: 'evidence-posting-lines',
    text: `WITH posting AS (
        SELECT unnest($2::uuid[]) AS id
        UNION SELECT f.id FROM ledger_transaction f WHERE f.workspace_id = $1 AND f.transfer_id = ANY ($2) AND f.transfer_id <> f.id
      )
      SELECT e.id, p.id AS "transactionId", e.transfer_status AS status FROM posting p CROSS JOIN LATERAL (
        SELECT id, transfer_status FROM audit_entry e WHERE e.workspace_id = $1 AND e.transaction_id = p.id
        UNION ALL SELECT id, transfer_status FROM audit_entry e
        WHERE e.workspace_id = $1 AND e.resource_id = p.id::text AND e.transaction_id IS NULL
      ) e WHERE e.transfer_status IS NOT NULL ORDER BY e.id`,
    values: [workspaceId, transferIds],
  });
  return rows;
}

/** The lines about things, at most `most` of the first of each: how a mandate was made, who approved. */
export async function linesAbout(
  pool: pg.Pool,
  workspaceId: string,
  ids: readonly string[],
  most: number,
): Promise<{ id: string; about: string }[]> {
  const { rows } = await pool.query<{ id: string; about: string }>({
    name: 'evidence-lines-about',
    text: `SELECT e.id, u.id AS about FROM unnest($2::uuid[]) AS u (id) CROSS JOIN LATERAL (
        SELECT id FROM audit_entry e WHERE e.workspace_id = $1 AND e.resource_id = u.id::text AND e.hash IS NULL ORDER BY e.id LIMIT $3
      ) e ORDER BY e.id`,
    values: [workspaceId, ids, most],
  });
  return rows;
}

/** What stands beside a transfer and has lines of its own, by role. */
export async function besideTransfer(pool: pg.Pool, workspaceId: string, transferId: string): Promise<{ role: Role; id: string }[]> {
  const { rows } = await pool.query<{ role: Role; id: string }>({
    name: 'evidence-beside-transfer',
    text: `SELECT 'mandate' AS role, mandate_id AS id FROM transfer WHERE workspace_id = $1 AND id = $2 AND mandate_id IS NOT NULL
      UNION ALL SELECT 'approval', approval_id FROM transfer WHERE workspace_id = $1 AND id = $2 AND approval_id IS NOT NULL
      UNION ALL SELECT 'checkout', subject_id FROM transfer WHERE workspace_id = $1 AND id = $2
        AND subject_type IN ('acp_checkout', 'ucp_checkout')
      UNION ALL SELECT 'policy', (p.rule ->> 0)::uuid FROM transfer t JOIN decision d ON d.workspace_id = t.workspace_id AND d.id = t.decision_id
        CROSS JOIN LATERAL json_array_elements(d.input::json -> 'policies') AS p (rule) WHERE t.workspace_id = $1 AND t.id = $2
      UNION ALL (SELECT 'dispute', id FROM dispute WHERE workspace_id = $1 AND transfer_id = $2 ORDER BY id LIMIT 10)
      UNION ALL (SELECT 'delivery', id FROM evidence_delivery WHERE workspace_id = $1 AND transfer_id = $2 ORDER BY id LIMIT 2)`,
    values: [workspaceId, transferId],
  });
  return rows;
}

/** The transfers by which a transfer was refunded, the first ones. */
export async function refundsOf(pool: pg.Pool, workspaceId: string, transferId: string, most: number): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'evidence-refunds',
    text: `SELECT refund_transfer_id AS id FROM refund WHERE workspace_id = $1 AND original_transfer_id = $2 AND refund_transfer_id IS NOT NULL
      ORDER BY id LIMIT $3`,
    values: [workspaceId, transferId, most],
  });
  return rows.map(({ id }) => id);
}

/** The PaymentPayload that a payer signed for a payment over x402, in base64; null where none did. */
export async function paymentSignature(pool: pg.Pool, workspaceId: string, transferId: string): Promise<string | null> {
  const { rows } = await pool.query<{ signature: string | null }>({
    name: 'evidence-payment-signature',
    text: 'SELECT payment_signature AS signature FROM x402_payment WHERE workspace_id = $1 AND id = $2',
    values: [workspaceId, transferId],
  });
  return rows[0]?.signature ?? null;
}
