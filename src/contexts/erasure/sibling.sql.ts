// A member is of a tenant, and each environment has a log of its own that tells of him: both erase him.
import type { Ctx } from '../../platform/ctx.js';
import { newId } from '../../platform/schema/id.js';
import type { ErasureWork } from './work.js';

/**
 * Begins the erasure of a member in the other environments of the tenant, where it has not begun. What was found of the tenant is told to them:
 * when they look for it, it says nothing any more.
 */
export async function eraseElsewhere(ctx: Ctx, { memberId, id }: ErasureWork): Promise<void> {
  const { pool } = ctx.platform.database;
  const { workspace } = ctx;
  const { rows } = await pool.query<{ id: string }>({
    text: 'SELECT w.id FROM workspace w WHERE w.tenant_id = $1 AND w.id <> $2',
    values: [workspace.tenantId, workspace.id],
  });
  const now = ctx.platform.clock.now();
  for (const { id: workspaceId } of rows)
    await pool.query({
      text: `WITH made AS (
          INSERT INTO erasure (workspace_id, id, member_id, stage, created_at, due_at) VALUES ($1, $2, $3, 'ends', $4, $4)
          ON CONFLICT DO NOTHING RETURNING id
        ), other AS (
          SELECT id FROM made UNION ALL SELECT id FROM erasure WHERE workspace_id = $1 AND member_id = $3 AND status = 'pending'
        )
        INSERT INTO erasure_subject (workspace_id, erasure_id, id)
        SELECT $1, o.id, x.id FROM other o, erasure_subject x WHERE x.workspace_id = $5 AND x.erasure_id = $6 ON CONFLICT DO NOTHING`,
      values: [workspaceId, newId(now), memberId, now, workspace.id, id],
    });
}
