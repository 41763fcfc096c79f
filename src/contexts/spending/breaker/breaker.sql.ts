// The statements of the runaway breaker: which agents a stretch of events makes suspect, and what was seen of one agent. Everything is
// read by agent and time, and of each agent no more than its newest rows.
import type pg from 'pg';
import type { Stretch } from '../../../events/listener.js';
import { addSeconds } from '../../../platform/clock.js';
import type { Platform } from '../../../platform/ctx.js';
import { runIn, type Tx } from '../../../platform/postgres/database.js';
import { byIndex } from '../../../platform/postgres/lookup-plan.js';
import { firstIdAt } from '../../../platform/schema/page.js';
import {
  baselineSeconds,
  type CountDetector,
  type Detector,
  type ObservedFailure,
  type ObservedPayment,
  rateFloor,
  refusalsByFreeze,
} from './detector.js';

/** Spends of an agent that are looked at, at most: its newest. */
const mostSpends = 5_000;
/** Payments to one wallet, and failures, that are looked at. */
const mostOthers = 2_000;

/** The detectors of a workspace, for a listener. */
export async function detectorsOf(tx: pg.ClientBase, workspaceId: string): Promise<readonly Detector[]> {
  const { rows } = await tx.query<{ detectors: Detector[] }>('SELECT detectors FROM breaker WHERE workspace_id = $1', [workspaceId]);
  return rows[0]?.detectors ?? [];
}

/** An agent that took part in a transfer of a stretch. */
interface ActiveAgent {
  agent_id: string;
  since: Date;
  /** A transfer of its own failed. */
  failed: boolean;
}

/**
 * A transfer is looked up once, whatever a stretch tells of it. OFFSET 0: the planner looks up the wallet of each transfer, never the
 * transfers of a wallet.
 */
export const countStretch = {
  name: 'breaker-count-stretch',
  text: `
    WITH heard AS MATERIALIZED (
      SELECT e.at, e.made_at, e.failed, t.agent_id, payee.agent_id AS payee_agent_id, t.is_spend
      FROM (
        SELECT v.object_id, min(v.created_at) AS at, min(v.created_at) FILTER (WHERE v.type = 'transfer.created') AS made_at,
          bool_or(v.type = 'transfer.failed') AS failed
        FROM heard_events($1, $2, $3) v
        WHERE v.type IN ('transfer.created', 'transfer.completed', 'transfer.failed') GROUP BY v.object_id
      ) e
      CROSS JOIN LATERAL (SELECT * FROM transfer t WHERE t.workspace_id = $1 AND t.id = e.object_id OFFSET 0) t
      CROSS JOIN LATERAL (SELECT * FROM wallet w WHERE w.workspace_id = $1 AND w.id = t.to_wallet_id OFFSET 0) payee
      WHERE t.from_wallet_id IS NOT NULL
    ), counted AS (
      INSERT INTO spend_minute AS m (workspace_id, agent_id, minute, spends)
      SELECT $1::uuid, h.agent_id, date_trunc('minute', h.made_at, 'UTC'), count(*) FROM heard h
      WHERE $4 AND h.made_at IS NOT NULL AND h.is_spend AND h.agent_id IS NOT NULL GROUP BY 2, 3
      ON CONFLICT (workspace_id, agent_id, minute) DO UPDATE SET spends = m.spends + EXCLUDED.spends
    )
    SELECT a.agent_id, min(h.at) AS since, bool_or(h.failed AND a.is_payer) AS failed
    FROM heard h CROSS JOIN LATERAL (VALUES (h.agent_id, true), (h.payee_agent_id, false)) AS a (agent_id, is_payer)
    WHERE a.agent_id IS NOT NULL GROUP BY a.agent_id`,
};

/**
 * The breaker looks at an agent a second later, so that a storm makes one look a second. Suspect is who a detector could trip for:
 * $5 failures are watched, $6 the longest window in seconds, in which $7 payments are alike, or $8 go to one wallet (null: not watched);
 * a minute has $9 times the median, and $10 at least. The look itself decides (detector.ts).
 */
export const scheduleSuspects = {
  name: 'breaker-look-at-suspects',
  text: `
    INSERT INTO breaker_look (workspace_id, id, agent_id, since, due_at)
    SELECT $1::uuid, uuid_at(a.since), a.agent_id, a.since, a.since + interval '1 second'
    FROM unnest($2::uuid[], $3::timestamptz[], $4::boolean[]) AS a (agent_id, since, failed)
    WHERE $5::boolean AND a.failed
      OR $6::int > 0 AND EXISTS (
        SELECT FROM (
          SELECT t.to_wallet_id, count(*) AS alike FROM (
            SELECT t.to_wallet_id, t.currency, t.amount FROM transfer t
            WHERE t.workspace_id = $1 AND t.agent_id = a.agent_id AND t.id >= first_id_at(a.since - make_interval(secs => $6::int))
            ORDER BY t.id DESC LIMIT ${mostSpends}
          ) t GROUP BY t.to_wallet_id, t.currency, t.amount
        ) g GROUP BY g.to_wallet_id HAVING max(g.alike) >= $7::int OR sum(g.alike) >= $8::int)
      OR EXISTS (
        SELECT FROM spend_minute m
        WHERE m.workspace_id = $1 AND m.agent_id = a.agent_id AND m.minute >= date_trunc('minute', a.since, 'UTC')
          AND m.spends >= $10::int AND m.spends >= $9::float8 * (
            SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY o.spends) FROM spend_minute o
            WHERE o.workspace_id = $1 AND o.agent_id = m.agent_id
              AND o.minute >= m.minute - interval '${baselineSeconds} seconds' AND o.minute < m.minute))`,
};

/** Counts the spends of a stretch by minute, and has the agents looked at for which one of `detectors` could trip. */
export async function countSpends(tx: pg.ClientBase, stretch: Stretch, detectors: readonly Detector[]): Promise<void> {
  const { workspaceId, after, upTo } = stretch;
  const counts = (kind: CountDetector['kind']) => detectors.find((detector): detector is CountDetector => detector.kind === kind);
  const [same, pong, failures] = [counts('same_payment'), counts('ping_pong'), counts('failures')];
  const rate = detectors.find((detector) => detector.kind === 'rate');
  const { rows: active } = await tx.query<ActiveAgent>({ ...countStretch, values: [workspaceId, after, upTo, rate !== undefined] });
  if (active.length === 0) return;
  await tx.query({
    ...scheduleSuspects,
    values: [
      workspaceId,
      active.map(({ agent_id }) => agent_id),
      active.map(({ since }) => since),
      active.map(({ failed }) => failed),
      failures !== undefined,
      Math.max(same?.seconds ?? 0, pong?.seconds ?? 0),
      same?.count ?? null,
      pong?.count ?? null,
      rate?.factor ?? null,
      rateFloor,
    ],
  });
}

const paymentColumns = `t.id, t.created_at AS "at", t.from_wallet_id AS "fromWalletId", t.to_wallet_id AS "toWalletId", t.amount, t.currency,
  t.status = 'completed' AS "isCompleted"`;

export const spendsOf = {
  name: 'breaker-spends-of-agent',
  text: `
    SELECT ${paymentColumns}, true AS "isOwn" FROM (
      SELECT * FROM transfer t WHERE t.workspace_id = $1::uuid AND t.agent_id = $2::uuid AND t.id >= $3::uuid
      ORDER BY t.id DESC LIMIT ${mostSpends}
    ) t
    WHERE t.is_spend AND t.to_wallet_id IS NOT NULL AND t.status IN ('pending', 'processing', 'completed') ORDER BY t.id`,
};

export const paymentsBack = {
  name: 'breaker-payments-back',
  text: `
    SELECT ${paymentColumns}, false AS "isOwn"
    FROM unnest($2::uuid[]) AS own (wallet_id) CROSS JOIN LATERAL (
      SELECT * FROM transfer t WHERE t.workspace_id = $1::uuid AND t.to_wallet_id = own.wallet_id AND t.id >= $3::uuid
      ORDER BY t.id DESC LIMIT ${mostOthers}
    ) t
    WHERE t.from_wallet_id = ANY ($4::uuid[]) AND t.status = 'completed' ORDER BY t.id`,
};

/** Payments of an agent since a time, oldest first; with `back` also those that came back to the wallets that it paid from. */
export async function readPayments(tx: Tx, workspaceId: string, agentId: string, since: Date, back: boolean): Promise<ObservedPayment[]> {
  const from = firstIdAt(since);
  const own = await runIn<ObservedPayment>(tx, spendsOf, [workspaceId, agentId, from]);
  if (!back || own.length === 0) return own;
  const distinct = (name: 'fromWalletId' | 'toWalletId') => [...new Set(own.map((payment) => payment[name]))];
  const returned = await runIn<ObservedPayment>(tx, paymentsBack, [workspaceId, distinct('fromWalletId'), from, distinct('toWalletId')]);
  const known = new Set(own.map(({ id }) => id));
  return [...own, ...returned.filter(({ id }) => !known.has(id))].sort((a, b) => (a.id < b.id ? -1 : 1));
}

export const failuresOf = {
  name: 'breaker-failures-of-agent',
  text: `
    SELECT f.at, f.code, f.transfer_id AS "transferId" FROM (
      (SELECT d.evaluated_at AS at, d.code, NULL::uuid AS transfer_id FROM decision d
       WHERE d.workspace_id = $1::uuid AND d.agent_id = $2::uuid AND d.outcome = 'deny' AND d.id >= $3::uuid AND d.code <> ALL ($4::text[])
       ORDER BY d.id DESC LIMIT ${mostOthers})
      UNION ALL
      (SELECT e.created_at, t.failure_code, t.id FROM (
         SELECT e.object_id, e.created_at FROM event e
         WHERE e.workspace_id = $1::uuid AND e.agent_id = $2::uuid AND e.type = 'transfer.failed' AND e.id >= $3::uuid
         ORDER BY e.id DESC LIMIT ${mostOthers}
       ) e JOIN transfer t ON t.workspace_id = $1::uuid AND t.id = e.object_id
       WHERE t.failure_code <> ALL ($5::text[]))
    ) f ORDER BY f.at`,
};

/**
 * Refusals and failed transfers of an agent since a time, oldest first. A transfer that failed with one of `refusals` has a refusal of its
 * own.
 */
export function readFailures(
  tx: Tx,
  workspaceId: string,
  agentId: string,
  since: Date,
  refusals: readonly string[],
): Promise<ObservedFailure[]> {
  return runIn<ObservedFailure>(tx, failuresOf, [workspaceId, agentId, firstIdAt(since), refusalsByFreeze, refusals]);
}

/** Removes minutes that no detector compares with any more; in a workspace whose clock is ahead, so much later. */
export async function sweepSpendMinutes({ database, clock }: Platform, most: number): Promise<number> {
  const { rowCount } = await byIndex(database.pool, (tx) =>
    tx.query({
      name: 'sweep-spend-minutes',
      text: `DELETE FROM spend_minute m USING (SELECT workspace_id, agent_id, minute FROM spend_minute WHERE minute < $1 ORDER BY minute LIMIT $2) old
             WHERE m.workspace_id = old.workspace_id AND m.agent_id = old.agent_id AND m.minute = old.minute`,
      values: [addSeconds(clock.now(), -2 * baselineSeconds), most],
    }),
  );
  return rowCount ?? 0;
}
