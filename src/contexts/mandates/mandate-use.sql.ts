// What counters of mandates stand at: each execution says what it leaves (decision 0017).
import type { Ctx } from '../../platform/ctx.js';
import { counterKey } from '../spending/pipeline/posting.js';

/** What counters have used and reserved in some windows, by counterKey(); none for a counter that nothing has used. */
export async function readUses(
  { platform, workspace }: Ctx,
  counters: readonly string[],
  windows: readonly string[],
): Promise<Map<string, bigint>> {
  const { rows } = await platform.database.pool.query<{ counter: string; window: string; stands: string }>({
    name: 'mandate-use',
    text: `SELECT counter, "window", (used + reserved)::text AS stands FROM limit_counter
      WHERE workspace_id = $1::uuid AND counter = ANY ($2::text[]) AND "window" = ANY ($3::text[])`,
    values: [workspace.id, counters, windows],
  });
  return new Map(rows.map((row) => [counterKey(row), BigInt(row.stands)]));
}
