// Transfers with the audit log and without, in turn. One server drops the line of every change before it is written, so that there is nothing to
// chain.
import type { BenchDatabase } from './platform.js';
import { compareServers, type Rounds } from './two-servers.js';

const withoutAudit = `
  CREATE FUNCTION drop_line() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
  CREATE TRIGGER a_drop BEFORE INSERT ON audit_entry FOR EACH ROW EXECUTE FUNCTION drop_line();`;

export function runAudited(database: BenchDatabase, rounds: Rounds): Promise<void> {
  return compareServers(database, [{ name: 'with the audit log' }, { name: 'without', statements: withoutAudit }], rounds);
}
