// The statement that begins the submission of an order: closings of windows let go of a thousand at once.
import type { Ctx } from '../../../platform/ctx.js';

/** Only an order that is on its way, due and without a reference gets one, whoever tries; from then on its transfer is processing. */
const givingOf = (table: string) => ({
  name: `give-reference-${table}`,
  text: `
    WITH begun AS (
      UPDATE ${table} SET rail_reference = $3, submitted_at = $4, submissions = submissions + 1, asked = 0
      WHERE workspace_id = $1 AND id = $2 AND status::text = ANY ($5) AND rail_reference IS NULL AND due_at <= $4
      RETURNING transfer_id
    ), processing AS (
      UPDATE transfer t SET status = 'processing', updated_at = $4
      FROM begun WHERE t.workspace_id = $1 AND t.id = begun.transfer_id AND t.status = 'pending'
    )
    SELECT transfer_id FROM begun`,
});

/** What is given a reference: the table of the order, its id, and the statuses in which it is on its way. */
interface Waiting {
  table: string;
  id: string;
  open: readonly string[];
}

/** Commits the reference of an order. False when it is not due, or has one. */
export async function assignReference(
  { platform, workspace }: Ctx,
  { table, id, open }: Waiting,
  reference: string,
  at: Date,
): Promise<boolean> {
  const { rows } = await platform.database.pool.query({ ...givingOf(table), values: [workspace.id, id, reference, at, open] });
  return rows.length > 0;
}
