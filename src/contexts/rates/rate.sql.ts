// The statement that finds the rates in force: the newest row of each pair, by the index, however many rates a workspace has set.
import type { Rate } from '../../generated/prisma/client.js';
import type { Ctx } from '../../platform/ctx.js';
import { currencies } from '../../platform/money.js';
import { runIn, type Tx } from '../../platform/postgres/database.js';

const newest = {
  name: 'newest-rates',
  text: `
    SELECT r.id, r.from_currency AS "fromCurrency", r.to_currency AS "toCurrency", r.rate, r.as_of AS "asOf", r.created_at AS "createdAt"
    FROM unnest($2::text[]) AS f (currency)
    CROSS JOIN unnest($2::text[]) AS t (currency)
    CROSS JOIN LATERAL (
      SELECT * FROM rate
      WHERE workspace_id = $1::uuid AND from_currency = f.currency AND to_currency = t.currency
      ORDER BY id DESC LIMIT 1
    ) r`,
};

/** The rate that the workspace has set last, of each pair in each direction; read through `ctx.db`, which may be a transaction. */
export function newestRates({ db, workspace }: Pick<Ctx, 'db' | 'workspace'>): Promise<Omit<Rate, 'workspaceId'>[]> {
  return runIn<Omit<Rate, 'workspaceId'>>(db as unknown as Tx, newest, [workspace.id, currencies]);
}
