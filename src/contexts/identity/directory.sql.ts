// The one look-up over all workspaces (decision 0026): which row a hash stands for, and the workspace that is to be searched for it.
import type pg from 'pg';
import type { DirectoryKind } from '../../generated/prisma/client.js';
import { type Environment, type Workspace, workspaceOf } from '../../platform/ctx.js';

/** A row of the directory: the id of what a hash stands for, and where it is. */
export interface DirectoryEntry {
  id: string;
  workspace: Workspace;
}

interface EntryRow {
  id: string;
  workspaceId: string;
  tenantId: string;
  environment: Environment;
  /** PostgreSQL's bigint. */
  clockOffsetMs: string;
  actorRate: number | null;
  workspaceRate: number | null;
}

const entry = {
  name: 'directory-entry',
  text: `
    SELECT c.id, w.id AS "workspaceId", w.tenant_id AS "tenantId", w.environment, w.clock_offset_ms AS "clockOffsetMs",
      w.actor_rate AS "actorRate", w.workspace_rate AS "workspaceRate"
    FROM credential c JOIN workspace w ON w.id = c.workspace_id
    WHERE c.hash = $1 AND c.kind = $2::directory_kind`,
};

/** What `hash` stands for, if it is of this kind. */
export async function findEntry(pool: pg.Pool, kind: DirectoryKind, hash: Buffer): Promise<DirectoryEntry | null> {
  const { rows } = await pool.query<EntryRow>({ ...entry, values: [hash, kind] });
  const [row] = rows;
  if (row === undefined) return null;
  return { id: row.id, workspace: workspaceOf({ ...row, id: row.workspaceId }) };
}
