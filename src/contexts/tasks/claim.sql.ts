// The claim of an open task: of any number at once, in any number of processes, one statement changes the row (CONTRACT.md 11).
import type { Ctx } from '../../platform/ctx.js';
import { runIn, type Tx } from '../../platform/postgres/database.js';

const claimText = `
  UPDATE task SET status = 'accepted', to_agent_id = $3::uuid, audience = 'worker', offered = false, payee_wallet_id = $4::uuid, claimed_at = $5::timestamptz,
    claim_deadline = $5::timestamptz + make_interval(secs => claim_timeout_seconds), updated_at = $5::timestamptz, lease_until = NULL,
    due_at = least(deadline, $5::timestamptz + make_interval(secs => claim_timeout_seconds))
  WHERE workspace_id = $1::uuid AND id = $2::uuid AND to_agent_id IS NULL AND status = 'pending' AND status_reason IS NULL AND offered
    AND (deadline IS NULL OR deadline > $5::timestamptz)
  RETURNING id`;

export interface TaskClaim {
  id: string;
  agentId: string;
  payeeWalletId: string | null;
  at: Date;
}

/** True for the one claim that is in time and the first. */
export async function claimOpenTask({ workspace }: Ctx, tx: Tx, { id, agentId, payeeWalletId, at }: TaskClaim): Promise<boolean> {
  const values = [workspace.id, id, agentId, payeeWalletId, at];
  return (await runIn<{ id: string }>(tx, { name: 'claim-task', text: claimText }, values)).length === 1;
}

/** $2 is the agent, $3 the instant, $4 the reason. */
const revokeText = `
  UPDATE task SET status_reason = $4, due_at = $3::timestamptz, lease_until = NULL, updated_at = $3::timestamptz
  WHERE workspace_id = $1::uuid AND status IN ('pending', 'accepted', 'in_progress', 'input_required')
    AND (from_agent_id = $2::uuid OR to_agent_id = $2::uuid)`;

/** Makes the tasks due that an agent gave or works on, which was revoked: the due step of each ends it. */
export async function endTasksOf({ workspace, clock }: Ctx, tx: Tx, agentId: string, reason: string): Promise<void> {
  await runIn(tx, { name: 'end-tasks-of-agent', text: revokeText }, [workspace.id, agentId, clock.now(), reason]);
}
