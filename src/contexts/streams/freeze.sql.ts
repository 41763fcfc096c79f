// Streams stop at the instant at which the spending of their payer is stopped (CONTRACT.md 3), in that transaction, however many there are:
// one statement pauses them and writes their checkpoints.
import type { Ctx } from '../../platform/ctx.js';
import type { Frozen } from '../../platform/freeze.js';
import { runIn, type Tx } from '../../platform/postgres/database.js';

/** Streams `s` that a payer ($3) pays. */
const paidBy = {
  workspace: 's.workspace_id = $3::uuid',
  account: 's.from_account_id = $3::uuid',
  wallet: 's.from_wallet_id = $3::uuid',
  agent: '(s.agent_id = $3::uuid OR s.from_agent_id = $3::uuid)',
} as const satisfies Record<Frozen['kind'], string>;

/**
 * $2 is the instant. A stream that has stopped by itself before is left to its due step. All that has flowed is less than what stops it,
 * so nothing has to be compared.
 */
const pauseText = (kind: Frozen['kind']) => `
  WITH flowing AS MATERIALIZED (
    SELECT s.workspace_id, s.id FROM stream s
    WHERE s.workspace_id = $1::uuid AND s.status = 'active' AND (s.stops_at IS NULL OR s.stops_at > $2::timestamptz) AND ${paidBy[kind]}
    ORDER BY s.id FOR NO KEY UPDATE
  ), paused AS (
    UPDATE stream s SET
      status = 'paused', status_reason = $4, version = s.version + 1, updated_at = $2::timestamptz,
      accrued = s.accrued + s.rate_units * greatest(0, round(extract(epoch FROM $2::timestamptz - s.checkpoint_at) * 1000)),
      checkpoint_at = greatest(s.checkpoint_at, $2::timestamptz),
      stops_at = s.ends_at, due_at = s.ends_at, lease_until = NULL
    FROM flowing f WHERE s.workspace_id = f.workspace_id AND s.id = f.id
    RETURNING s.*
  )
  INSERT INTO stream_checkpoint (workspace_id, stream_id, version, at, status, rate_amount, rate_per, rate_units, accrued, deposited, buffer,
    withdrawn, returned, max_total, ends_at)
  SELECT p.workspace_id, p.id, p.version, p.checkpoint_at, p.status, p.rate_amount, p.rate_per, p.rate_units, p.accrued, p.deposited, p.buffer,
    p.withdrawn, p.returned, p.max_total, p.ends_at
  FROM paused p`;

/** What a revoked agent pays is cancelled, soon: the due step of each does it. */
const endText = `
  UPDATE stream s SET is_revoked = true, status_reason = $4, due_at = $2::timestamptz, lease_until = NULL
  WHERE s.workspace_id = $1::uuid AND s.status IN ('pending', 'active', 'paused', 'exhausted') AND ${paidBy.agent}`;

// Gap G-138: Freezing a payer pauses what its wallet, account, agent or workspace streams; withdrawing and the end go on.
/** Pauses what a payer pays by streams. */
export async function pauseStreams(ctx: Ctx, tx: Tx, { kind, id, reason }: Frozen): Promise<void> {
  const values = [ctx.workspace.id, ctx.clock.now(), id, reason];
  await runIn(tx, { name: `pause-streams-${kind}`, text: pauseText(kind) }, values);
  if (reason === 'agent_revoked') await runIn(tx, { name: 'end-streams', text: endText }, values);
}
