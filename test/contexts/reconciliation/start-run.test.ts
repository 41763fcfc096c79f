// POST /v1/reconciliation/runs, and what a run makes of the books of both sides.
import { describe, expect, it } from 'vitest';
import { stepReport } from '../../../src/contexts/reconciliation/due.js';
import { newPayer, newPayout, readPayout } from '../../factories/payout.js';
import { findingsOf, line, newRailBooks, postLines, reconcile, upload } from '../../factories/reconciliation.js';
import { newSandbox } from '../../factories/treasury.js';
import { type Client, type Json, useHarness } from '../../harness.js';
import { ctxOf } from '../../ledger/wallet-ref.js';
import { expectInvalid } from '../../refusal.js';

const harness = useHarness();
const path = '/v1/reconciliation/runs';
const run = { rail: 'ach', date_from: '2026-03-01', date_to: '2026-03-31' };
const fault = (client: Client, kind: string) => client.make('/v1/test/rails/ach/faults', { kind, next_n: 1 });

/** A payout that the rail has paid. */
async function paid(client: Client): Promise<Json> {
  const payout = await newPayout(client, await newPayer(client));
  await harness.runDue();
  await harness.advance(86_400);
  return readPayout(client, payout);
}

const toldOf = async (client: Client, type: string): Promise<Json[]> =>
  (await client.get(`/v1/events?type=${type}&limit=200`)).body.data.map(({ data }: Json) => data);

describe('POST /v1/reconciliation/runs', () => {
  describe('202', () => {
    it('begins a run, which ends by itself and is told', async () => {
      const client = await newSandbox(harness);
      const { status, body } = await client.post(path, run);
      const period = { from: '2026-03-01', to: '2026-03-31' };
      const totals = { ledger_entries: 0, rail_entries: 0, matched: 0, unmatched_ledger: 0, unmatched_rail: 0, discrepancies: 0 };
      const begun = { id: expect.stringMatching(/^rec_/), rail: 'ach', period, totals, created_at: expect.any(String), completed_at: null };
      expect([status, body.data]).toEqual([202, { ...begun, status: 'running' }]);
      await harness.runDue();
      const read = (await client.get(`/v1/reconciliation/reports/${body.data.id}`)).body.data;
      expect(read).toEqual({ ...begun, status: 'completed', discrepancies: [], completed_at: expect.any(String) });
      expect(await toldOf(client, 'reconciliation.completed')).toEqual([
        { report_id: read.id, rail: 'ach', period, totals: { matched: 0, unmatched_ledger: 0, unmatched_rail: 0, discrepancies: 0 } },
      ]);
    });

    it('finds that every payout is on the statement, one that came back twice', async () => {
      const client = await newSandbox(harness);
      await paid(client);
      await fault(client, 'return');
      await paid(client);
      await harness.advance(86_400);
      expect(await reconcile(harness, client)).toMatchObject({
        totals: { ledger_entries: 3, rail_entries: 3, matched: 3, unmatched_ledger: 0, unmatched_rail: 0, discrepancies: 0 },
        discrepancies: [],
      });
    });

    it('takes no notice of a payout that is on its way', async () => {
      const client = await newSandbox(harness);
      await newPayout(client, await newPayer(client));
      await harness.runDue();
      expect((await reconcile(harness, client)).totals).toMatchObject({ ledger_entries: 0, rail_entries: 0 });
    });

    it('finds what the rail has booked otherwise', async () => {
      const client = await newSandbox(harness);
      await fault(client, 'amount_mismatch');
      const payout = await paid(client);
      const report = await reconcile(harness, client);
      expect(report.totals).toEqual({
        ledger_entries: 1,
        rail_entries: 1,
        matched: 0,
        unmatched_ledger: 1,
        unmatched_rail: 1,
        discrepancies: 1,
      });
      expect(report.discrepancies).toEqual([
        {
          id: expect.stringMatching(/^disc_/),
          report_id: report.id,
          rail: 'ach',
          type: 'amount_mismatch',
          status: 'open',
          ledger_entry_id: expect.stringMatching(/^ltx_/),
          rail_entry_id: expect.stringMatching(/^ren_/),
          reference: payout.rail_reference,
          payout_id: payout.id,
          direction: 'debit',
          expected_amount: '100.00',
          actual_amount: '100.01',
          currency: 'USD',
          delta_cents: 1,
          detected_at: expect.any(String),
        },
      ]);
      const [found] = report.discrepancies;
      const { id: discrepancy_id, ledger_entry_id, rail_entry_id, detected_at } = found;
      expect(await toldOf(client, 'reconciliation.discrepancy')).toEqual([
        {
          discrepancy_id,
          report_id: report.id,
          rail: 'ach',
          type: 'amount_mismatch',
          ledger_entry_id,
          rail_entry_id,
          expected_amount: '100.00',
          actual_amount: '100.01',
          currency: 'USD',
          delta_cents: 1,
          detected_at,
        },
      ]);
    });

    it('names the payout whose acknowledgment was lost, and has its rail asked at once', async () => {
      const client = await newSandbox(harness);
      await fault(client, 'lost_ack');
      const payout = await newPayout(client, await newPayer(client));
      await harness.runDue();
      const waiting = await readPayout(client, payout);
      expect(waiting.status).toBe('pending');
      await upload(client, [line(waiting.rail_reference)]);
      const { discrepancies } = await reconcile(harness, client);
      expect(discrepancies).toMatchObject([
        { type: 'rail_only', payout_id: payout.id, reference: waiting.rail_reference, expected_amount: null, actual_amount: '100.00' },
      ]);
      await harness.runDue();
      // Without a second of workspace time: it would have been asked after thirty.
      expect((await readPayout(client, payout)).status).toBe('confirmed');
    });

    it('finds the same discrepancy again without telling it again, and clears it when its counterpart has come', async () => {
      const books = await newRailBooks(harness);
      const { client } = books;
      await postLines(books, [{ reference: 'r1', minor: 100_00n, day: '2026-03-01' }]);
      const [first, second] = [await reconcile(harness, client), await reconcile(harness, client)];
      expect([findingsOf(first), findingsOf(second)]).toEqual([['ledger_only r1'], ['ledger_only r1']]);
      expect(second.discrepancies).toEqual(first.discrepancies);
      await upload(client, [line('r1', { date: '2026-03-02' })]);
      const third = await reconcile(harness, client);
      expect(third).toMatchObject({ totals: { matched: 1, discrepancies: 0 }, discrepancies: [] });
      const read = (await client.get(`/v1/reconciliation/discrepancies/${first.discrepancies[0].id}`)).body.data;
      expect(read).toMatchObject({ status: 'cleared', resolved_at: expect.any(String) });
      await harness.runDue();
      expect(await toldOf(client, 'reconciliation.discrepancy')).toHaveLength(1);
      expect(await toldOf(client, 'reconciliation.completed')).toHaveLength(3);
    });

    it('finds lines that come twice, and those that are days apart', async () => {
      const books = await newRailBooks(harness);
      const days = ['2026-03-05', '2026-03-06', '2026-03-07'] as const;
      await postLines(
        books,
        days.map((day, n) => ({ reference: `r${n}`, minor: 100_00n, day })),
      );
      await upload(books.client, [
        line('r0', { date: '2026-03-06' }),
        line('r1', { date: '2026-03-08' }),
        line('r2', { date: '2026-03-07' }),
        line('r2', { date: '2026-03-20' }),
      ]);
      const report = await reconcile(harness, books.client);
      expect(findingsOf(report)).toEqual(['duplicate r2', 'timing_mismatch r1']);
      expect(report.totals).toMatchObject({ ledger_entries: 3, rail_entries: 4, matched: 2, unmatched_ledger: 1, unmatched_rail: 2 });
    });

    it('counts each line in one of two periods that follow each other', async () => {
      const books = await newRailBooks(harness);
      await postLines(books, [
        { reference: 'r1', minor: 100_00n, day: '2026-02-28' },
        { reference: null, minor: 7_00n, day: '2026-03-01' },
      ]);
      await upload(books.client, [line('r1', { date: '2026-03-01' }), line('bank-1', { amount: '7.00', date: '2026-02-28' })]);
      const totals = { ledger_entries: 1, rail_entries: 1, matched: 1, discrepancies: 0 };
      const february = await reconcile(harness, books.client, { date_from: '2026-02-01', date_to: '2026-02-28' });
      expect([february, await reconcile(harness, books.client)]).toMatchObject([{ totals }, { totals }]);
    });

    it('shows the newest hundred, and lists them all', async () => {
      const client = await newSandbox(harness);
      await upload(
        client,
        Array.from({ length: 130 }, (_, n) => line(`r${n}`)),
      );
      const { id, totals, discrepancies } = await reconcile(harness, client);
      expect([totals.discrepancies, discrepancies.length]).toEqual([130, 100]);
      const list = (await client.get(`/v1/reconciliation/discrepancies?report_id=${id}&limit=200`)).body;
      expect([list.data.length, list.pagination.total]).toEqual([130, 130]);
      await harness.runDue();
      expect(await toldOf(client, 'reconciliation.discrepancy')).toHaveLength(130);
    });

    it('once for a key', async () => {
      const client = await newSandbox(harness);
      const begin = () => client.post(path, run, { headers: { 'Idempotency-Key': 'march' } });
      expect((await begin()).body).toEqual((await begin()).body);
      expect((await client.get('/v1/reconciliation/reports')).body.pagination.total).toBe(1);
    });
  });

  describe('a run that cannot come on', () => {
    it('is tried again, and fails after five times', async () => {
      const client = await newSandbox(harness);
      const { id } = await client.make(path, run);
      const where = { id: id.slice('rec_'.length) };
      // A rail that was known when the run began.
      await harness.platform.database.unscoped.reconciliationReport.updateMany({ where, data: { rail: 'gone' } });
      const ctx = await ctxOf(harness, client);
      for (let n = 0; n < 5; n += 1) await expect(stepReport(ctx, where.id)).rejects.toThrow();
      await stepReport(ctx, where.id);
      const read = (await client.get(`/v1/reconciliation/reports/${id}`)).body.data;
      expect(read).toMatchObject({ status: 'failed', completed_at: expect.any(String) });
    });
  });

  describe('400', () => {
    it('a rail that nobody knows', async () => expectInvalid(await harness.test.post(path, { ...run, rail: 'acj' }), 'rail'));
    it('no day of the calendar', async () =>
      expectInvalid(await harness.test.post(path, { ...run, date_from: '2026-02-30', date_to: '1 March' }), 'date_from', 'date_to'));
    it('an end before its beginning, and more than 366 days', async () => {
      expectInvalid(await harness.test.post(path, { ...run, date_to: '2026-02-28' }), 'date_to');
      expectInvalid(await harness.test.post(path, { ...run, date_to: '2027-03-02' }), 'date_to');
      expect((await harness.test.post(path, { ...run, date_to: '2027-03-01' })).status).toBe(202);
    });
  });
});
