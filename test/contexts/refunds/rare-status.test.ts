// The few refunds and disputes that are open, among many that are not: they are found by index.
import { expect, it } from 'vitest';
import { storedDispute, storedRefund } from '../../factories/refund.js';
import { useHarness } from '../../harness.js';
import { query } from '../../ledger/wallet-ref.js';
import { explain, recordStatements } from '../../plan.js';

const harness = useHarness();
const many = 5_000;

it.each([
  ['refund', storedRefund, 'completed', ['processing', 'failed']],
  ['dispute', storedDispute, 'resolved', ['under_review', 'escalated']],
] as const)('of every %s', async (table, store, usual, rare) => {
  await store(harness, harness.test);
  const names = table === 'refund' ? 'original_transfer_id' : 'transfer_id';
  await query(
    harness,
    `INSERT INTO ${table} SELECT r.* FROM ${table} t, generate_series(1, ${many}) n, jsonb_populate_record(t, jsonb_build_object(
       'id', md5(t.id || '-' || n), '${names}', md5(n || '-' || t.id), 'status', '${usual}')) r`,
  );
  await query(harness, `ANALYZE ${table}`);
  for (const status of rare) {
    const recorded = recordStatements(harness.platform.database.pool);
    const { body } = await harness.test.get(`/v1/${table}s?status=${status}`);
    recorded.stop();
    expect(body.data).toEqual([]);
    const asked = recorded.statements.filter(({ text }) => text.includes(`"${table}"`));
    expect(asked).not.toEqual([]);
    for (const statement of asked) {
      const nodes = (await explain(harness.platform.database.url, statement, 'force_custom_plan')).filter((node) => node.table === table);
      expect(
        nodes.reduce((sum, { rows, removed }) => sum + rows + removed, 0),
        statement.text,
      ).toBeLessThan(100);
    }
  }
});
