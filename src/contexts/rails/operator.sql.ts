// The statement that says whether the file of rails names who runs the platform as the tenants are now.
import type pg from 'pg';

/**
 * What keeps the tenants of a database from knowing who runs the platform, in one sentence; null where nothing does. `operator`: the tenant that the
 * file of rails names, null for none. A database without tenants waits for its first.
 */
export async function operatorFault(db: pg.Pool | pg.Client, operator: string | null): Promise<string | null> {
  const { rows } = await (db as pg.Client).query<{ tenants: string; named: boolean | null }>(
    `SELECT count(*) AS tenants, bool_or(tenant_id = $1::uuid) AS named FROM workspace WHERE environment = 'live'`,
    [operator],
  );
  const tenants = Number(rows[0]?.tenants ?? 0);
  if (operator === null)
    return tenants < 2
      ? null
      : `there are ${tenants} tenants, and RAILS_FILE does not say which of them runs the platform: operator: <its id>`;
  return tenants === 0 || rows[0]?.named === true ? null : 'the operator that RAILS_FILE names is no tenant of this database';
}
