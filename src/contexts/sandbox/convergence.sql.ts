// The statement that says whether everything in a sandbox has come to its end, and agrees. It is one, so that it sees one state of the
// database: nothing can slip from what it has not read yet into what it has read.
import { type Settling, settlings } from '../../manifest/noun.js';
import type { Ctx } from '../../platform/ctx.js';
import { runIn, type Tx } from '../../platform/postgres/database.js';
import { strayLines } from '../reconciliation/stray.sql.js';

/** Kinds of things that may be open, at most. */
export const mostOpenTypes = 16;

/** The statement, over everything that ends by itself. */
function statementFor(open: readonly Settling[]): { name: string; text: string } {
  const rows = open.map(
    ({ type, from, id, status, where }) => `
    (SELECT 'open' AS list, '${type}' AS kind, (${id})::text AS id, (${status})::text AS expected, NULL::text AS actual FROM ${from}
     WHERE workspace_id = $1::uuid AND (${where}) LIMIT $2::int)`,
  );
  return {
    name: 'convergence',
    text: `${rows.join(' UNION ALL ')}
    UNION ALL
    SELECT 'mismatch', 'trial_balance', currency, money_text(0, currency), money_text(sum(balance)::bigint, currency)
    FROM ledger_account WHERE workspace_id = $1::uuid GROUP BY currency HAVING sum(balance) <> 0
    UNION ALL SELECT 'mismatch', s.* FROM (${strayLines}) s`,
  };
}

interface Row {
  list: 'open' | 'mismatch';
  kind: string;
  id: string;
  /** Of what is open, its status. */
  expected: string | null;
  actual: string | null;
}

/** What is open in the workspace and what does not agree, so many of each kind. */
export function readConvergence({ db, workspace, platform }: Pick<Ctx, 'db' | 'workspace' | 'platform'>, most: number): Promise<Row[]> {
  const statement = statementFor(platform.extensions.of(settlings));
  return runIn<Row>(db as unknown as Tx, statement, [workspace.id, most]);
}
