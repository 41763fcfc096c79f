// A listener as a rollup would be: it counts published events by type in SQL, and notes each one that it heard.
import type { EventListener } from '../../src/events/listener.js';

export const tallyTables = `
  CREATE TABLE tally (workspace_id uuid, type text, count int, PRIMARY KEY (workspace_id, type));
  CREATE TABLE heard (n bigserial, workspace_id uuid, event_id uuid, pid int)`;

/** `then` is awaited before the transaction ends. */
export function tallyListener(name: string, then: (workspaceId: string) => Promise<void> = async () => {}): EventListener {
  return {
    name,
    async hear(tx, { workspaceId, after, upTo }) {
      const stretch = [workspaceId, after, upTo];
      await tx.query(
        `INSERT INTO tally SELECT workspace_id, type, count(*) FROM heard_events($1, $2, $3) GROUP BY workspace_id, type
         ON CONFLICT (workspace_id, type) DO UPDATE SET count = tally.count + EXCLUDED.count`,
        stretch,
      );
      await tx.query('INSERT INTO heard (workspace_id, event_id, pid) SELECT workspace_id, id, $4::int FROM heard_events($1, $2, $3)', [
        ...stretch,
        process.pid,
      ]);
      await then(workspaceId);
    },
  };
}
