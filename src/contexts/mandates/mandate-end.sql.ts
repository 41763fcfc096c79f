// The end of an agent's mandates with the agent (CONTRACT.md 5, 29): one statement makes them due, however many they are.

import { printActor } from '../../platform/actor.js';
import type { Ctx } from '../../platform/ctx.js';
import { ringAt } from '../../platform/due/due-bell.js';
import type { Frozen } from '../../platform/freeze.js';
import { runIn, type Tx } from '../../platform/postgres/database.js';

/** $2 is the agent, $3 the instant, $4 who revoked the agent. */
const endText = `
  UPDATE mandate SET due_at = $3::timestamptz, lease_until = NULL, revoked_by = $4
  WHERE workspace_id = $1::uuid AND agent_id = $2::uuid AND revoked_at IS NULL AND expires_at > $3::timestamptz`;

// Gap G-432: Mandates of a revoked agent become due; each is revoked within a moment and pays nothing meanwhile.
/**
 * Makes the mandates of an agent due that is revoked; the due step of each revokes it soon. They pay nothing meanwhile, for their agent is
 * not active.
 */
export async function endMandates(ctx: Ctx, tx: Tx, { kind, id, reason }: Frozen): Promise<void> {
  if (kind !== 'agent' || reason !== 'agent_revoked') return;
  const at = ctx.clock.now();
  await runIn(tx, { name: 'end-mandates-of-agent', text: endText }, [ctx.workspace.id, id, at, printActor(ctx.actor.type, ctx.actor.id)]);
  ringAt(ctx, 'mandate', at);
}
