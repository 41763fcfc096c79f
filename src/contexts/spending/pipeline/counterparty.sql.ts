// Who has paid whom: written from what was published, in one statement for a stretch of events.
import type { EventListener } from '../../../events/listener.js';

/**
 * A payment from or to the outside has no account there. A refund gives back what somebody else has paid, and makes nobody known. So does
 * a stream that has paid nothing: what is put in comes back to its payer at will.
 */
export const rememberPayees = {
  name: 'remember-counterparties',
  text: `
    INSERT INTO counterparty (workspace_id, payer_id, payee_id, since)
    SELECT $1::uuid, paid.payer, paid.payee, min(paid.at) FROM (
      SELECT t.from_account_id AS payer, t.to_account_id AS payee, e.created_at AS at FROM heard_events($1, $2, $3) e
      -- OFFSET 0: each transfer is looked up by its key, and never all of them for a stretch of events.
      CROSS JOIN LATERAL (
        SELECT * FROM transfer t WHERE t.workspace_id = $1::uuid AND t.id = e.object_id OFFSET 0
      ) t
      WHERE e.type = 'transfer.completed' AND t.status = 'completed' AND t.subject_type IS DISTINCT FROM 'refund' AND t.type <> 'stream_start' AND coalesce(t.captured_amount, t.amount) > 0
    ) paid
    WHERE paid.payer <> paid.payee GROUP BY paid.payer, paid.payee
    ON CONFLICT DO NOTHING`,
};

/** Notes which accounts have paid which of their own will, soon after the payment (see G-113). */
export const counterpartyListener: EventListener = {
  name: 'counterparties',
  async hear(tx, { workspaceId, after, upTo }) {
    await tx.query({ ...rememberPayees, values: [workspaceId, after, upTo] });
  },
};
