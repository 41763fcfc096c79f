// An erasure goes on after whatever has ended it: each set is whole or not there, and no line of the log is named twice.
import { expect, it } from 'vitest';
import { pay } from '../../factories/payment.js';
import { type Json, openWallet, useHarness } from '../../harness.js';

const h = useHarness();
const status = async ({ id }: Json) => (await h.test.get(`/v1/erasures/${id}`)).body.data;

/** A closed account with payments, of which people have written something. */
async function closed(): Promise<Json> {
  const { account, wallet } = await openWallet(h.test, { funded: '3.00', name: 'Ada' });
  const payee = await openWallet(h.test);
  for (let n = 0; n < 3; n += 1) await pay(h.test, wallet, payee.wallet, '1.00', { description: 'For Ada', metadata: { n } });
  await h.test.patch(`/v1/accounts/${account.id}`, { status: 'closed' });
  return account;
}

it('counts once what it does again', { timeout: 240_000 }, async () => {
  const { pool } = h.platform.database;
  const [undisturbed, disturbed] = [await closed(), await closed()];
  const first = await h.test.make(`/v1/accounts/${undisturbed.id}/erase`, {});
  await h.runDue();
  // Every third note of how far it is fails, and with it what was done before the note: as when the process is killed there.
  await pool.query(`CREATE SEQUENCE notes; CREATE FUNCTION fail_note() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN IF nextval('notes') % 3 = 0 THEN RAISE 'killed'; END IF; RETURN NEW; END $$;
    CREATE TRIGGER failing BEFORE UPDATE OF cursor ON erasure FOR EACH ROW EXECUTE FUNCTION fail_note()`);
  const second = await h.test.make(`/v1/accounts/${disturbed.id}/erase`, {});
  let runs = 0;
  for (; (await status(second)).status !== 'done' && runs < 100; runs += 1) {
    await h.runDue();
    // The lease of a process that was killed runs out.
    await pool.query('UPDATE erasure SET lease_until = NULL');
  }
  await pool.query('DROP TRIGGER failing ON erasure; DROP FUNCTION fail_note; DROP SEQUENCE notes');
  expect(runs).toBeGreaterThan(10);
  const [one, other] = [await status(first), await status(second)];
  expect(other).toMatchObject({ status: 'done', fields: one.fields, rows: one.rows });
  const lines: Json[] = (await pool.query("SELECT outcome->'lines' AS lines FROM audit_entry WHERE action = 'account.erase'")).rows;
  const named = lines.flatMap((line) => line.lines.map(({ line_id }: Json) => line_id));
  expect(new Set(named).size).toBe(named.length);
  const { data } = (await h.test.get('/v1/audit-log/verify')).body;
  expect(data).toMatchObject({ valid: true, erased: named.length });
  const { rows } = await pool.query('SELECT FROM erasure_subject');
  expect(rows).toEqual([]);
});
