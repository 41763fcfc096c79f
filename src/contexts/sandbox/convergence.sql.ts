// The statement that says whether everything in a sandbox has come to its end, and agrees. It is one, so that it sees one state of the
// database: nothing can slip from what it has not read yet into what it has read.
import type { Ctx } from '../../platform/ctx.js';
import { runIn, type Tx } from '../../platform/postgres/database.js';
import { strayLines } from '../reconciliation/stray.sql.js';

/**
 * What ends by itself, and has not: its type, its table, its id and status, and which rows are open. What waits for a person, an approval
 * or a time to come is explained (Gap G-190). A context whose things end by themselves has a line here.
 */
const openings = [
  { type: 'batch', from: 'batch', id: 'id', status: 'status', where: `status IN ('pending', 'processing')` },
  {
    type: 'transfer',
    from: 'transfer',
    id: 'id',
    status: 'status',
    where: `payout_id IS NULL AND funding_id IS NULL AND card_charge_id IS NULL AND refund_id IS NULL AND (status = 'processing' OR status = 'pending' AND hold_id IS NULL AND scheduled_for IS NULL)`,
  },
  { type: 'refund', from: 'refund', id: 'id', status: 'status', where: `status IN ('pending', 'processing')` },
  { type: 'payout', from: 'payout', id: 'id', status: 'status', where: `status IN ('pending', 'confirmed') AND due_at IS NOT NULL` },
  {
    type: 'funding_transaction',
    from: 'funding_transaction',
    id: 'id',
    status: 'status',
    where: `status = 'pending' AND due_at IS NOT NULL`,
  },
  { type: 'card_charge', from: 'card_charge', id: 'id', status: 'status', where: `status = 'pending' AND due_at IS NOT NULL` },
  {
    type: 'card_instruction',
    from: 'card_instruction',
    id: 'id',
    status: 'status',
    where: `status IN ('pending', 'submitted') AND due_at IS NOT NULL`,
  },
  {
    type: 'checkout',
    from: 'checkout',
    id: `protocol || '_chk_' || id`,
    status: 'status',
    where: `status = 'pending_payment' AND approval_id IS NULL`,
  },
  { type: 'x402_payment', from: 'x402_payment', id: 'id', status: 'status', where: `status = 'pending' AND due_at IS NOT NULL` },
  { type: 'mpp_session', from: 'mpp_session', id: 'id', status: 'status', where: `status = 'closing'` },
  { type: 'task', from: 'task', id: 'id', status: 'status', where: `status_reason = 'agent_revoked' AND due_at IS NOT NULL` },
  { type: 'settlement_execution', from: 'settlement_execution', id: 'id', status: 'status', where: `status = 'pending'` },
  { type: 'rail_order', from: 'rail_order', id: 'reference', status: 'state', where: 'due_at IS NOT NULL' },
  { type: 'report', from: 'reconciliation_report', id: 'id', status: 'status', where: `status = 'running'` },
  { type: 'event', from: 'outbox', id: 'coalesce(event_ids[1], operation_ids[1])', status: `'unpublished'`, where: 'true' },
  { type: 'delivery', from: 'webhook_delivery', id: 'id', status: 'status', where: 'due_at IS NOT NULL' },
] as const;

/** Kinds of things that may be open. */
export const openTypes = openings.length;

const openRows = openings.map(
  ({ type, from, id, status, where }) => `
    (SELECT 'open' AS list, '${type}' AS kind, (${id})::text AS id, (${status})::text AS expected, NULL::text AS actual FROM ${from}
     WHERE workspace_id = $1::uuid AND (${where}) LIMIT $2::int)`,
);

const statement = {
  name: 'convergence',
  text: `${openRows.join(' UNION ALL ')}
    UNION ALL
    SELECT 'mismatch', 'trial_balance', currency, money_text(0, currency), money_text(sum(balance)::bigint, currency)
    FROM ledger_account WHERE workspace_id = $1::uuid GROUP BY currency HAVING sum(balance) <> 0
    UNION ALL SELECT 'mismatch', s.* FROM (${strayLines}) s`,
};

interface Row {
  list: 'open' | 'mismatch';
  kind: string;
  id: string;
  /** Of what is open, its status. */
  expected: string | null;
  actual: string | null;
}

/** What is open in the workspace and what does not agree, so many of each kind. */
export function readConvergence({ db, workspace }: Pick<Ctx, 'db' | 'workspace'>, most: number): Promise<Row[]> {
  return runIn<Row>(db as unknown as Tx, statement, [workspace.id, most]);
}
