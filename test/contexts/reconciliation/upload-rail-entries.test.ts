// POST /v1/reconciliation/rail-entries
import { describe, expect, it } from 'vitest';
import { findingsOf, line, reconcile } from '../../factories/reconciliation.js';
import { newSandbox } from '../../factories/treasury.js';
import { type Json, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const path = '/v1/reconciliation/rail-entries';
const header = 'reference,amount,currency,direction,date,description';
const post = (body: object) => harness.test.post(path, { rail: 'ach', ...body });
const named = ({ body }: { body: Json }) => body.details.fields.map(({ path: at, message }: Json) => [at, message]);

describe('POST /v1/reconciliation/rail-entries', () => {
  describe('201', () => {
    it('lines as JSON', async () => {
      const client = await newSandbox(harness);
      const entries = [line('one'), line('two', { direction: 'credit', description: 'Came back' })];
      const { status, body } = await client.post(path, { rail: 'ach', entries });
      expect([status, body.data]).toEqual([201, { import_id: expect.stringMatching(/^imp_/), count: 2 }]);
      expect(findingsOf(await reconcile(harness, client))).toEqual(['rail_only one', 'rail_only two']);
    });

    it('lines as CSV: quoted, with columns in another order, a byte order mark and lines of Windows', async () => {
      const client = await newSandbox(harness);
      const csv =
        '\uFEFFdate,Amount,currency,direction,reference\r\n2026-03-02,1.50,USD,debit,"a, ""b"""\r\n\r\n2026-03-03,2.00,USD,CREDIT,c\r\n';
      expect(await client.make(path, { rail: 'ach', csv })).toMatchObject({ count: 2 });
      const { discrepancies } = await reconcile(harness, client);
      const read = discrepancies.map(({ reference, actual_amount, direction }: Json) => [reference, actual_amount, direction]);
      expect(read).toEqual(
        expect.arrayContaining([
          ['a, "b"', '1.50', 'debit'],
          ['c', '2.00', 'credit'],
        ]),
      );
    });

    it('ten thousand lines, in more than 256 KiB', async () => {
      const lines = Array.from({ length: 10_000 }, (_, n) => `reference-${n},1.00,USD,debit,2026-03-02,number ${n}`);
      const csv = [header, ...lines].join('\n');
      expect(csv.length).toBeGreaterThan(256 * 1024);
      expect((await post({ csv })).body.data.count).toBe(10_000);
      expectInvalid(await post({ csv: `${csv}\nmore,1.00,USD,debit,2026-03-02,one` }), 'csv');
    });

    it('once for a key', async () => {
      const send = () =>
        harness.test.post(path, { rail: 'ach', entries: [line('keyed')] }, { headers: { 'Idempotency-Key': 'statement-7' } });
      const [first, second] = [await send(), await send()];
      expect(second.body).toEqual(first.body);
      expect(await harness.platform.database.unscoped.railStatement.count({ where: { reference: 'keyed' } })).toBe(1);
    });
  });

  describe('400', () => {
    it('neither entries nor csv, and both', async () => {
      expectInvalid(await post({}), 'entries');
      expectInvalid(await post({ entries: [line('one')], csv: header }), 'entries');
    });
    it('no line', async () => {
      expectInvalid(await post({ entries: [] }), 'entries');
      expectInvalid(await post({ csv: `${header}\n` }), 'csv');
    });
    it('a rail that nobody knows', async () => expectInvalid(await post({ rail: 'acj', entries: [line('one')] }), 'rail'));
    it('every wrong line is named by its number, and none is taken', async () => {
      const rows = [
        'good,1.00,USD,debit,2026-03-02,',
        'r1,1.001,USD,debit,2026-03-02,',
        'r2,1.00,EUR,debit,2026-03-02,',
        ',x,USD,up,2026-02-30,',
      ];
      const answer = await post({ csv: [header, ...rows].join('\n') });
      expectRefused(answer, 400, 'validation_failed');
      expect(named(answer)).toEqual([
        ['csv.3.amount', expect.stringContaining('line 3: has more than the 2 decimal digits')],
        ['csv.4.currency', 'line 4: must be USD, which the rail carries'],
        ['csv.5.reference', expect.stringMatching(/^line 5: /)],
        ['csv.5.direction', expect.stringMatching(/^line 5: /)],
        ['csv.5.date', 'line 5: must be a day such as 2026-03-01'],
      ]);
      expect(await harness.platform.database.unscoped.railStatement.count({ where: { reference: 'good' } })).toBe(0);
      const asJson = await post({ entries: [line('good'), line('r2', { amount: '0.00' }), line('r3', { currency: 'EUR' })] });
      expectInvalid(asJson, 'entries.1.amount', 'entries.2.currency');
    });
    it.each([
      ['a header that lacks a column', 'reference,amount\nr,1.00'],
      ['a header with a strange column', `${header},iban\n`],
      ['a line with too few fields', `${header}\nr,1.00\n`],
      ['a quote that is not closed', `${header}\n"r,1.00,USD,debit,2026-03-02,\n`],
      ['a line that does not end', `${header}\n${'x'.repeat(5_000)},1.00,USD,debit,2026-03-02,\n`],
    ])('%s', async (_, csv) => expectInvalid(await post({ csv }), 'csv'));
    it('a member that it does not know', async () =>
      expectInvalid(await post({ entries: [line('one', { iban: 'x' })] }), 'entries.0.iban'));
  });
});
