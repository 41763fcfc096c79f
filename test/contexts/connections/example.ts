// Connections, as tests of every operation need them: a person makes them in a browser, so one is written by hand.
import type { Example } from '../../example.js';

export const example: Example = {
  async stored({ harness, agent }) {
    const { rows } = await harness.platform.database.pool.query<{ id: string }>(
      `INSERT INTO connection
         (workspace_id, id, agent_id, member_id, client_id, client_name, redirect_host, is_loopback, resource, scopes, created_at, expires_at)
       SELECT workspace_id, gen_random_uuid(), id, gen_random_uuid(), 'client', 'Claude', 'claude.ai', false, 'http://localhost:4001/mcp',
         '{agent:read}', $2, $2::timestamptz + interval '30 days'
       FROM agent WHERE id = $1 RETURNING id`,
      [agent.uuid, harness.platform.clock.now()],
    );
    return { connection: rows[0]?.id ?? '' };
  },
  // The authorization is looked up first, and there is none but in the browser that began it.
  free: { grantConnection: 'all' },
};
