// How agents were rated: a sum and a count for each, written in the transaction of the rating.
import type { Ctx } from '../../platform/ctx.js';
import type { Tx } from '../../platform/postgres/database.js';

/** Adds a rating of 1 to 5 that a sender gave to the agent that worked. Locks the row of the agent's ratings until the commit. */
export async function addRating({ workspace }: Ctx, tx: Tx, agentId: string, rating: number): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO agent_rating AS r (workspace_id, agent_id, count, total, average)
    VALUES (${workspace.id}::uuid, ${agentId}::uuid, 1, ${rating}, 100 * ${rating}::integer)
    ON CONFLICT (workspace_id, agent_id) DO UPDATE
      SET count = r.count + 1, total = r.total + excluded.total, average = 100 * (r.total + excluded.total) / (r.count + 1)`;
}
