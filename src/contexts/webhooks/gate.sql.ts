// The statements of gates: passing, waiting, and being let go again. What they do is in functions of the database (see the migration
// *_webhook_verification), so that any number of processes keeps one measure.
import type { Ctx, Platform } from '../../platform/ctx.js';
import { byIndex } from '../../platform/postgres/lookup-plan.js';

/** What bounds the sends to a host. Its measure is real time: no workspace's clock moves it. */
export interface Gate {
  /** Begins with `host:` for endpoints that have not proved themselves. */
  name: string;
  /** Between two places. */
  intervalUs: number;
  /** Places that are free at once after a rest. */
  burst: number;
  /** Places of a day in UTC; null: any number. */
  daily: number | null;
}

const measureOf = ({ intervalUs, burst, daily }: Gate) => [intervalUs, burst, daily];

/** Acquires up to so many places, and returns how many it got: none while others wait. */
export async function acquirePlaces({ platform, workspace }: Ctx, gate: Gate, wanted: number): Promise<number> {
  const { rows } = await platform.database.pool.query<{ passed: number }>({
    name: 'webhook-pass',
    text: `SELECT webhook_pass($2, $3, $4, $5, $6, $7) AS passed FROM (VALUES ($1::uuid)) AS asking (workspace_id)`,
    values: [workspace.id, gate.name, platform.clock.now(), wanted, ...measureOf(gate)],
  });
  return rows[0]?.passed ?? 0;
}

/** Uses the turn that a delivery has at a gate. False when it was used before. */
export async function consumeTurn({ platform, workspace }: Ctx, gate: Gate, deliveryId: string): Promise<boolean> {
  const { rowCount } = await platform.database.pool.query({
    name: 'webhook-turn',
    text: 'UPDATE webhook_delivery SET waits_for = NULL WHERE workspace_id = $1 AND id = $2 AND waits_for = $3',
    values: [workspace.id, deliveryId, gate.name],
  });
  return rowCount === 1;
}

/** Lets claimed deliveries wait at a gate. */
export async function waitAt({ platform, workspace }: Ctx, gate: Gate, deliveryIds: readonly string[]): Promise<void> {
  await platform.database.pool.query({
    name: 'webhook-wait',
    text: 'SELECT webhook_wait(workspace_id, $2, $3, $4, $5, $6, $7) FROM (VALUES ($1::uuid)) AS asking (workspace_id)',
    values: [workspace.id, deliveryIds, gate.name, platform.clock.now(), ...measureOf(gate)],
  });
}

const waiting = "waits_for IS NOT NULL AND due_at IS NULL AND status IN ('pending', 'failed')";

/**
 * Makes deliveries of a subscription due that wait at another gate than `gate`; of null at any. `all`: those that go elsewhere too.
 * Returns how many, at most `most`.
 */
export async function releaseDeliveries(
  { platform, workspace, clock }: Ctx,
  webhookId: string,
  gate: string | null,
  all: boolean,
  most: number,
): Promise<number> {
  const found = (side: string) => `
    (SELECT id FROM webhook_delivery WHERE workspace_id = $1 AND webhook_id = $2 AND ${waiting} AND waits_for ${side} AND ($5 OR override_url IS NULL)
     LIMIT $6)`;
  const { rowCount } = await byIndex(platform.database.pool, (tx) =>
    tx.query({
      name: 'webhook-let-go',
      text: `UPDATE webhook_delivery d SET waits_for = NULL, due_at = $4
             FROM (SELECT id FROM (${found("< coalesce($3::text, '')")} UNION ALL ${found("> coalesce($3::text, '')")}) either LIMIT $6) stale
             WHERE d.workspace_id = $1 AND d.id = stale.id AND ${waiting}`,
      values: [workspace.id, webhookId, gate, clock.now(), all, most],
    }),
  );
  return rowCount ?? 0;
}

// Gap G-411: Next at a host is the workspace whose last turn is oldest, with its oldest delivery; it waits 30 days at most.
/**
 * Assigns the turns that gates have room for, to workspaces in turn. Returns the milliseconds until it should be called again; null when
 * nothing waits.
 */
export async function assignTurns({ database, clock }: Platform): Promise<{ given: number; nextMs: number | null }> {
  const { rows } = await database.pool.query<{ given: number; more: boolean; next_ms: number | null }>({
    name: 'webhook-give-turns',
    text: `SELECT given, more, next_ms FROM webhook_give_turns($1, ${mostGates}) /* of every workspace_id */`,
    values: [clock.now()],
  });
  const { given = 0, more = false, next_ms = null } = rows[0] ?? {};
  return { given, nextMs: more ? 0 : next_ms };
}

/** Gates that one statement looks at. */
const mostGates = 200;

/** Removes gates that nobody has passed for a day; up to `most`. */
export async function sweepGates({ database, clock }: Platform, most: number): Promise<number> {
  const { rowCount } = await byIndex(database.pool, (tx) =>
    tx.query({
      name: 'sweep-webhook-gates',
      text: `DELETE FROM webhook_gate WHERE name IN (
               SELECT name FROM webhook_gate WHERE NOT waiting AND next_at < $1::timestamptz - interval '1 day' ORDER BY next_at LIMIT $2
             ) AND NOT waiting /* of every workspace_id */`,
      values: [clock.now(), most],
    }),
  );
  return rowCount ?? 0;
}
