// The statement that writes when browser sessions, and so their members, were last seen.
import type pg from 'pg';

export interface Seen {
  tenantId: string;
  id: string;
  memberId: string;
  at: Date;
}

const seenStatement = {
  name: 'logins_seen',
  text: `
    WITH given AS (
      SELECT DISTINCT ON (g.tenant_id, g.id) g.* FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[]) AS g (tenant_id, id, member_id, at)
      ORDER BY g.tenant_id, g.id, g.at DESC
    ), logins AS (
      UPDATE login l SET last_seen_at = g.at FROM given g WHERE l.tenant_id = g.tenant_id AND l.id = g.id AND l.last_seen_at < g.at
    )
    UPDATE member m SET last_seen_at = g.at
    FROM (SELECT tenant_id, member_id, max(at) AS at FROM given GROUP BY tenant_id, member_id) g
    WHERE m.tenant_id = g.tenant_id AND m.id = g.member_id AND (m.last_seen_at IS NULL OR m.last_seen_at < g.at)`,
};

/** Writes that sessions were used. */
export async function writeSeen(pool: pg.Pool, seen: readonly Seen[]): Promise<void> {
  const values = [
    seen.map(({ tenantId }) => tenantId),
    seen.map(({ id }) => id),
    seen.map(({ memberId }) => memberId),
    seen.map(({ at }) => at),
  ];
  await pool.query({ ...seenStatement, values });
}
