// Who is absent from a cell although rows of it stand there: a tenant that has moved away, or has not arrived.
import type { Database } from '../postgres/database.js';

/** The condition that the workspace of a row is not absent. Work for all tenants asks it, so that what lies there keeps nobody waiting. */
export const isPresent = (row: string): string => `NOT EXISTS (SELECT FROM moved_workspace m WHERE m.workspace_id = ${row}.workspace_id)`;

/** True where work for a workspace has failed because its tenant left meanwhile: it is done in the other cell. False where nobody can say. */
export async function hasLeft({ pool }: Database, workspaceId: string): Promise<boolean> {
  const asked = { name: 'has-left', text: 'SELECT FROM moved_workspace WHERE workspace_id = $1', values: [workspaceId] };
  return pool.query(asked).then(
    ({ rowCount }) => rowCount === 1,
    () => false,
  );
}
