// Which processes are older than a version: what only they use must stay while they live.
import type { Queryable } from './migration-history.js';

/** As the connections of a process are named in pg_stat_activity, before its version. */
export const applicationName = 'agent-payments';

/** A process that was not seen for so many seconds is dead. */
const deadSeconds = 60;

/** Whether release `a` is later than `b`: numbers with points between them. An empty one is earlier than any. */
export function isNewer(a: string, b: string): boolean {
  return a !== '' && a.localeCompare(b, 'en', { numeric: true }) > 0;
}

interface Living {
  version: string;
  what: string;
}

/**
 * The living processes that are older than `version`, in words: those that have entered themselves in the directory, and those that hold
 * a connection to `db`, for releases before 0.2.0 do not enter themselves and do not say their version.
 */
export async function olderProcesses(db: Queryable, directory: Queryable, version: string): Promise<string[]> {
  const { rows: entered } = await directory
    .query(
      `select version, format('%s process %s of version %s, seen %s s ago', role, id, version, extract(epoch from now() - seen_at)::int) as what
       from process where seen_at > now() - interval '${deadSeconds} seconds'`,
    )
    .catch((error: { code?: string }) => {
      // A directory of before that table has processes of before alone: their connections show them.
      if (error.code === '42P01') return { rows: [] };
      throw error;
    });
  const { rows: connected } = await db.query(
    `select version, format('%s connections of a process of version %s', count(*), coalesce(nullif(version, ''), 'before 0.2.0')) as what
     from (select substr(application_name, ${applicationName.length + 2}) as version from pg_stat_activity
       where datname = current_database() and (application_name = '${applicationName}' or starts_with(application_name, '${applicationName} '))) of
     group by version order by version`,
  );
  return [...(entered as Living[]), ...(connected as Living[])]
    .filter((living) => isNewer(version, living.version))
    .map(({ what }) => what);
}
