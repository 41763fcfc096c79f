// The tables that hold rows of a tenant, as the catalog has them: a new table moves with its tenant by having the column.
import type pg from 'pg';

/**
 * What stays where it is: the directory's own tables, and what a cell notes of moves. Credentials are listed in both by themselves
 * (credential-list.ts), because the directory has those of every cell in the same table.
 */
const staying = new Set([
  'credential',
  'oauth_artifact',
  'oidc_attempt',
  'tenant_place',
  'workspace_place',
  'member_place',
  'slug_place',
  'tenant_move',
  'moved_workspace',
]);

/** A table that has rows of tenants. */
export interface TenantTable {
  name: string;
  /** The columns that are copied, in their order. What PostgreSQL computes is computed again. */
  columns: readonly string[];
  /** The column that says whose a row is. */
  owner: string;
  /** Of whom it holds the id. */
  ownedBy: 'tenant' | 'workspace';
  /** The columns of the primary key, and their types. */
  key: readonly { name: string; type: string }[];
  /** It has leases of the due engine. */
  isDue: boolean;
}

interface Found {
  name: string;
  columns: string[];
  key: { name: string; type: string }[];
}

const statement = `
  SELECT c.relname AS name,
    array_agg(a.attname::text ORDER BY a.attnum) FILTER (WHERE a.attgenerated = '') AS columns,
    (SELECT json_agg(json_build_object('name', k.attname, 'type', format_type(k.atttypid, NULL))
       ORDER BY array_position(i.indkey::int2[], k.attnum)) FROM pg_index i
     JOIN pg_attribute k ON k.attrelid = c.oid AND k.attnum = ANY (i.indkey::int2[]) WHERE i.indrelid = c.oid AND i.indisprimary) AS key
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
    AND NOT EXISTS (SELECT FROM pg_inherits i WHERE i.inhrelid = c.oid)
  GROUP BY c.oid, c.relname ORDER BY c.relname`;

/** The tables of tenants, by name. */
export async function tenantTables(db: pg.Pool | pg.ClientBase): Promise<TenantTable[]> {
  const { rows } = await db.query<Found>(statement);
  return rows.flatMap(({ name, columns, key }) => {
    const owned = ownerOf(name, columns);
    if (owned === null) return [];
    const { owner } = owned;
    if (!key.some((column) => column.name === owner))
      throw new Error(`The primary key of ${name} has no ${owner}: its changes cannot follow a tenant.`);
    return [{ name, columns, ...owned, key, isDue: columns.includes('lease_until') }];
  });
}

function ownerOf(name: string, columns: readonly string[]): Pick<TenantTable, 'owner' | 'ownedBy'> | null {
  if (staying.has(name)) return null;
  if (name === 'tenant' || name === 'workspace') return { owner: 'id', ownedBy: name };
  if (columns.includes('workspace_id')) return { owner: 'workspace_id', ownedBy: 'workspace' };
  return columns.includes('tenant_id') ? { owner: 'tenant_id', ownedBy: 'tenant' } : null;
}

/** A tenant with its workspaces. */
export interface MovingTenant {
  id: string;
  workspaceIds: readonly string[];
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The condition that a row of `table` is the tenant's. It is text, because neither publications nor COPY take parameters. */
export function isOf({ id, workspaceIds }: MovingTenant, { owner, ownedBy }: Pick<TenantTable, 'owner' | 'ownedBy'>, row = ''): string {
  const ids = ownedBy === 'workspace' ? workspaceIds : [id];
  if (!ids.every((each) => uuid.test(each))) throw new Error('A tenant and its workspaces are named by UUIDs.');
  return `${row}${owner} IN (${ids.map((each) => `'${each}'`).join(', ')})`;
}

/** How many rows of how many tables a tenant has. */
export async function sizeOf(pool: pg.Pool, tenant: MovingTenant): Promise<{ tables: number; rows: number }> {
  const tables = await tenantTables(pool);
  const counts = tables.map((table) => `(SELECT count(*) FROM ${table.name} WHERE ${isOf(tenant, table)})`);
  const { rows } = await pool.query<{ rows: string }>(`SELECT (${counts.join(' + ')})::text AS rows`);
  return { tables: tables.length, rows: Number(rows[0]?.rows ?? 0) };
}
