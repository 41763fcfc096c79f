// The statements of firing: which rules of a workspace listen, what they hear in a stretch of events, and the rows of what fires. All of
// them cost nothing worth mentioning in a workspace without rules.
import type pg from 'pg';
import type { Stretch } from '../../events/listener.js';
import type { SettlementRule, SettlementTrigger } from '../../generated/prisma/client.js';
import { transferOf } from '../../ledger/transaction.js';
import { runIn, type Tx } from '../../platform/postgres/database.js';
import { newId } from '../../platform/schema/id.js';
import type { Trigger } from './trigger.js';

/** Entries of a wallet that one stretch looks at, at most; the next one goes on. */
const mostEntries = 5_000;

/** A firing of a rule that is still to be written. */
export interface Firing {
  rule: Pick<SettlementRule, 'id' | 'walletId' | 'priority'> | null;
  walletId: string;
  trigger: SettlementTrigger;
  cause: string;
  firedAt: Date;
}

/** Writes what fires; a rule that has fired on its cause before does not again. */
export async function fire(tx: Tx | pg.ClientBase, workspaceId: string, firings: readonly Firing[]): Promise<void> {
  if (firings.length === 0) return;
  const rows = firings.map(({ rule, walletId, trigger, cause, firedAt }) => ({
    id: newId(firedAt),
    rule_id: rule?.id ?? null,
    wallet_id: walletId,
    trigger,
    cause,
    priority: rule?.priority ?? 0,
    fired_at: firedAt.toISOString(),
  }));
  await runIn(tx, fireStatement, [workspaceId, JSON.stringify(rows)]);
}

const fireStatement = {
  name: 'settlement-fire',
  text: `
    INSERT INTO settlement_execution (workspace_id, id, rule_id, wallet_id, trigger, cause, priority, fired_at, status, due_at)
    SELECT $1::uuid, r.id, r.rule_id, r.wallet_id, r.trigger, r.cause, r.priority, r.fired_at, 'pending', r.fired_at
    FROM json_to_recordset($2::json) AS r (id uuid, rule_id uuid, wallet_id uuid, trigger settlement_trigger, cause text, priority int,
      fired_at timestamptz)
    ON CONFLICT DO NOTHING`,
};

/** A rule that fires on what is published. */
export interface ListeningRule {
  id: string;
  walletId: string;
  priority: number;
  triggerType: Extract<SettlementTrigger, 'balance_threshold' | 'event_based' | 'transaction_count'>;
  triggerConfig: Trigger['config'];
  armedId: string;
  counted: number;
  recent: readonly Date[];
}

/** The rules of a workspace that listen, first those that come first, under their locks: nobody changes them meanwhile. */
export function listeningRules(tx: pg.ClientBase, workspaceId: string): Promise<ListeningRule[]> {
  return runIn<ListeningRule>(tx, listeningStatement, [workspaceId]);
}

const listeningStatement = {
  name: 'settlement-listening-rules',
  text: `
    SELECT id, wallet_id AS "walletId", priority, trigger_type AS "triggerType", trigger_config AS "triggerConfig", armed_id AS "armedId",
      counted, recent
    FROM settlement_rule
    WHERE workspace_id = $1::uuid AND deleted_at IS NULL AND enabled
      AND trigger_type IN ('balance_threshold', 'event_based', 'transaction_count')
    ORDER BY priority, id FOR NO KEY UPDATE`,
};

/** An event that no rule has caused, with the wallets that its transfer or payout is about. */
export interface ReceivedEvent {
  id: string;
  type: string;
  data: Record<string, unknown>;
  createdAt: Date;
  /** False for an event that is about no transfer: it concerns every wallet. */
  hasWallets: boolean;
  fromWalletId: string | null;
  toWalletId: string | null;
}

/** The events of a stretch of these types that may fire rules of these wallets, in their order. */
export function receivedEvents(
  tx: pg.ClientBase,
  { workspaceId, after, upTo }: Stretch,
  types: readonly string[],
  walletIds: readonly string[],
): Promise<ReceivedEvent[]> {
  return runIn<ReceivedEvent>(tx, receivedStatement, [workspaceId, after, upTo, types, walletIds]);
}

/**
 * A transfer that an execution made names it, and a payout has a transfer: whatever is told of them later, a rule caused it. A balance
 * that is low names no transfer: the entries of its instant do.
 */
const receivedStatement = {
  name: 'settlement-received-events',
  text: `
    SELECT e.id, e.type, e.data, e.created_at AS "createdAt", t.id IS NOT NULL AS "hasWallets", t.from_wallet_id AS "fromWalletId",
      t.to_wallet_id AS "toWalletId"
    FROM heard_events($1::uuid, $2::bigint, $3::bigint) e
    LEFT JOIN LATERAL (
      SELECT p.transfer_id FROM payout p WHERE p.workspace_id = $1 AND p.id = e.object_id AND e.type LIKE 'settlement.%' OFFSET 0
    ) p ON true
    LEFT JOIN LATERAL (
      SELECT * FROM transfer t WHERE t.workspace_id = $1
        AND t.id = CASE WHEN e.type LIKE 'transfer.%' THEN e.object_id ELSE p.transfer_id END OFFSET 0
    ) t ON true
    WHERE e.type = ANY ($4::text[]) AND t.origin_type IS DISTINCT FROM 'settlement_execution'
      AND (t.id IS NULL OR t.from_wallet_id = ANY ($5::uuid[]) OR t.to_wallet_id = ANY ($5::uuid[]))
      AND NOT (e.type = 'account.balance.low' AND EXISTS (
        SELECT FROM ledger_account a
        CROSS JOIN LATERAL (SELECT ledger_entries_before($1, a.id, e.created_at) AS before,
          ledger_entries_before($1, a.id, e.created_at + interval '1 microsecond') AS last) v
        JOIN ledger_entry n ON n.workspace_id = $1 AND n.account_id = a.id AND n.version > v.before AND n.version <= v.last
        JOIN transfer c ON c.workspace_id = $1 AND c.id = ${transferOf('$1', 'n.transaction_id')}
        WHERE a.workspace_id = $1 AND a.owner_id = e.object_id AND a.kind = 'wallet.available' AND c.origin_type = 'settlement_execution'))`,
};

/** A balance that passed the threshold of a rule: the posting that did it, and when. */
export interface Crossing {
  ruleId: string;
  transactionId: string;
  at: Date;
}

/** A threshold, in minor units. */
export interface Threshold {
  ruleId: string;
  threshold: bigint;
  direction: 'above' | 'below';
}

/** What passed a threshold since it was last looked at, and was not done by a rule. From now on it has been looked at. */
export function crossings(tx: pg.ClientBase, workspaceId: string, thresholds: readonly Threshold[]): Promise<Crossing[]> {
  const columns = [
    thresholds.map(({ ruleId }) => ruleId),
    thresholds.map(({ threshold }) => threshold.toString()),
    thresholds.map(({ direction }) => direction === 'above'),
  ];
  return runIn<Crossing>(tx, crossingStatement, [workspaceId, ...columns]);
}

/**
 * The entries of an account are numbered without a hole, and each has the balance after it. One statement, so that what it notes as seen
 * is what it has looked at.
 */
const crossingStatement = {
  name: 'settlement-crossings',
  text: `
    WITH moved AS MATERIALIZED (
      SELECT r.id AS rule_id, r.priority, w.threshold, w.above, a.id AS account_id, r.seen_version AS after,
        least(a.version, r.seen_version + ${mostEntries}) AS up_to
      FROM unnest($2::uuid[], $3::bigint[], $4::boolean[]) AS w (rule_id, threshold, above)
      JOIN settlement_rule r ON r.workspace_id = $1::uuid AND r.id = w.rule_id
      JOIN ledger_account a ON a.workspace_id = $1 AND a.owner_id = r.wallet_id AND a.kind = 'wallet.available'
      WHERE a.version > r.seen_version
    ), seen AS (
      UPDATE settlement_rule r SET seen_version = m.up_to FROM moved m WHERE r.workspace_id = $1 AND r.id = m.rule_id
    )
    SELECT m.rule_id AS "ruleId", n.transaction_id AS "transactionId", n.created_at AS at
    FROM moved m CROSS JOIN LATERAL (
      SELECT * FROM ledger_entry n WHERE n.workspace_id = $1 AND n.account_id = m.account_id AND n.version > m.after AND n.version <= m.up_to
      OFFSET 0
    ) n
    WHERE CASE WHEN m.above THEN n.balance_after >= m.threshold AND n.balance_after - n.amount < m.threshold
               ELSE n.balance_after < m.threshold AND n.balance_after - n.amount >= m.threshold END
      AND NOT EXISTS (
        SELECT FROM transfer c
        WHERE c.workspace_id = $1 AND c.id = ${transferOf('$1', 'n.transaction_id')} AND c.origin_type = 'settlement_execution')
    ORDER BY n.created_at, m.priority, m.rule_id`,
};

/** Keeps what rules have counted. */
export async function saveCounts(tx: pg.ClientBase, workspaceId: string, rules: readonly ListeningRule[]): Promise<void> {
  if (rules.length === 0) return;
  const rows = rules.map(({ id, counted, recent }) => ({ id, counted, recent: recent.map((at) => at.toISOString()) }));
  await runIn(tx, saveCountsStatement, [workspaceId, JSON.stringify(rows)]);
}

const saveCountsStatement = {
  name: 'settlement-keep-counts',
  text: `
    UPDATE settlement_rule r SET counted = k.counted, recent = k.recent
    FROM json_to_recordset($2::json) AS k (id uuid, counted int, recent timestamptz[])
    WHERE r.workspace_id = $1::uuid AND r.id = k.id`,
};
