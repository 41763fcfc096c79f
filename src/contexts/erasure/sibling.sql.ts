// A member is of a tenant, and each environment has a log of its own that tells of him: both erase him.
import type { Ctx } from '../../platform/ctx.js';
import { newId } from '../../platform/schema/id.js';

/** Begins the erasure of a member in the other environments of the tenant, where it has not begun. */
export async function eraseElsewhere(ctx: Ctx, memberId: string): Promise<void> {
  const { pool } = ctx.platform.database;
  const { workspace } = ctx;
  const { rows } = await pool.query<{ id: string }>({
    text: `SELECT w.id FROM workspace w WHERE w.tenant_id = $1 AND w.id <> $2
        AND NOT EXISTS (SELECT FROM erasure e WHERE e.workspace_id = w.id AND e.member_id = $3)`,
    values: [workspace.tenantId, workspace.id, memberId],
  });
  const now = ctx.platform.clock.now();
  for (const { id: workspaceId } of rows)
    await pool.query({
      text: `WITH made AS (
          INSERT INTO erasure (workspace_id, id, member_id, stage, created_at, due_at) VALUES ($1, $2, $3, 'ends', $4, $4)
          ON CONFLICT DO NOTHING RETURNING workspace_id, id
        ) INSERT INTO erasure_subject (workspace_id, erasure_id, id) SELECT workspace_id, id, $3 FROM made`,
      values: [workspaceId, newId(now), memberId, now],
    });
}
