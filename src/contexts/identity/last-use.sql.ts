// Writing when credentials were last used, many at a time.
import type pg from 'pg';

export interface Use {
  workspaceId: string;
  id: string;
  at: Date;
  /** The address of the caller; null where it is not kept. */
  ip: string | null;
}

/** Tables of credentials that say when they were last used. */
export type UsedTable = 'api_key' | 'agent_session' | 'agent_token' | 'connection';

/** The assignment of the address, in tables that keep it. */
const ipColumn: Readonly<Record<UsedTable, string>> = {
  api_key: ', last_used_ip = used.ip',
  agent_session: '',
  agent_token: '',
  connection: ', last_ip = used.ip',
};

/** How often a use is written. */
export const everySeconds = 60;

/** Another process may write the same rows, or be ending the credential: a row that is locked is left to it, so that nobody waits. */
const write = (table: UsedTable) => ({
  name: `last-use-${table}`,
  text: `
    UPDATE ${table} t SET last_used_at = used.at${ipColumn[table]}
    FROM (
      SELECT r.workspace_id, r.id, g.at, g.ip
      FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[]) AS g (workspace_id, id, at, ip)
      CROSS JOIN LATERAL (
        SELECT workspace_id, id FROM ${table}
        WHERE workspace_id = g.workspace_id AND id = g.id AND (last_used_at IS NULL OR last_used_at <= g.at - interval '${everySeconds} seconds')
        LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
      ) r
    ) used
    WHERE t.workspace_id = used.workspace_id AND t.id = used.id`,
});

const statements = {
  api_key: write('api_key'),
  agent_session: write('agent_session'),
  agent_token: write('agent_token'),
  connection: write('connection'),
};

/** Writes the uses of rows of one table; not those that another process wrote within the minute. */
export async function writeUses(pool: pg.Pool, table: UsedTable, uses: readonly Use[]): Promise<void> {
  const values = [uses.map(({ workspaceId }) => workspaceId), uses.map(({ id }) => id), uses.map(({ at }) => at), uses.map(({ ip }) => ip)];
  await pool.query({ ...statements[table], values });
}
