// POST /v1/transfers/batch
import { describe, expect, it } from 'vitest';
import { balanceOf, eventsOf, transferBody, twoWallets } from '../../factories/payment.js';
import { type Answer, nowhere, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { bare, bodies, carriedOut, createBatch, readBatch, times } from './transfer-batch.js';

const harness = useHarness();
const makeBatch = 'mutation ($input: CreateTransferBatchInput!) { createTransferBatch(input: $input) { id status totalCount } }';

describe('POST /v1/transfers/batch', () => {
  describe('202', () => {
    it('takes the transfers, and carries them out afterwards', async () => {
      const { from, to } = await twoWallets(harness.test);
      const at = harness.clock.now().toISOString();
      const { status, body } = await createBatch(harness.test, bodies(from, to, ['1.00', '2.50', '3']), {
        reference: 'payroll',
        metadata: { month: 3 },
      });
      expect(status).toBe(202);
      expect(body.data).toEqual({
        id: expect.stringMatching(/^bat_[0-9a-f-]{36}$/),
        kind: 'transfers',
        status: 'pending',
        mode: 'independent',
        reference: 'payroll',
        total_count: 3,
        success_count: 0,
        failed_count: 0,
        total_amount: '6.50',
        currency: 'USD',
        totals: [{ currency: 'USD', amount: '6.50' }],
        metadata: { month: 3 },
        created_at: at,
      });
      expect((await balanceOf(harness.test, from)).available).toBe('100.00');
      await harness.advance(1);
      const done = new Date(harness.clock.now()).toISOString();
      const { batch, items } = await readBatch(harness.test, body.data.id);
      expect(batch).toEqual({ ...body.data, status: 'completed', success_count: 3, started_at: done, completed_at: done });
      expect(items).toEqual([0, 1, 2].map((index) => ({ index, status: 'succeeded', transfer_id: expect.any(String) })));
      expect((await balanceOf(harness.test, to)).available).toBe('6.50');
      const made = (await harness.test.get(`/v1/transfers?batch_id=${batch.id}`)).body.data;
      expect(new Set(made.map(({ id }: { id: string }) => id))).toEqual(new Set(items.map(({ transfer_id }) => transfer_id)));
      expect(made[0]).toMatchObject({ batch_id: batch.id, status: 'completed', initiated_by: { type: 'api_key' } });
    });

    it('once for an Idempotency-Key: the same batch again, whatever has become of it', async () => {
      const { from, to } = await twoWallets(harness.test);
      const transfers = bodies(from, to, times(3));
      const send = (key: string, items = transfers) => createBatch(harness.test, items, {}, { headers: { 'Idempotency-Key': key } });
      const first = await send('payroll-1');
      await harness.runDue();
      const again = await send('payroll-1');
      expect(again).toMatchObject({ status: 202, body: { data: { id: first.body.data.id } } });
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expectRefused(await send('payroll-1', transfers.slice(1)), 422, 'idempotency_key_reused');
      await harness.runDue();
      expect((await balanceOf(harness.test, to)).available).toBe('3.00');
      expect((await send('payroll-2')).body.data.id).not.toBe(first.body.data.id);
    });

    it('as one request of the rate limits', async () => {
      const { from, to } = await twoWallets(harness.test);
      const left = async (work: Promise<Answer>) => Number((await work).headers.get('x-ratelimit-remaining'));
      const before = await left(harness.test.get('/v1/batches'));
      expect(await left(createBatch(harness.test, bodies(from, to, times(50, '0.01'))))).toBe(before - 1);
    });

    it('tells when it was taken, began and was completed, with counts', async () => {
      const { from, to } = await twoWallets(harness.test, { funded: '1.50' });
      const { batch } = await carriedOut(harness, bodies(from, to, ['1.00', '2.00']));
      const data = { batch_id: batch.id, total_count: 2, total_amount: '3.00', currency: 'USD' };
      expect(await eventsOf(harness, bare(batch))).toEqual([
        { type: 'batch.created', data: { ...data, status: 'pending', success_count: 0, failed_count: 0 } },
        { type: 'batch.processing', data: { ...data, status: 'processing', success_count: 0, failed_count: 0 } },
        { type: 'batch.completed', data: { ...data, status: 'completed', success_count: 1, failed_count: 1 } },
      ]);
    });
  });

  describe('400', () => {
    const good = { type: 'internal', from_wallet_id: nowhere, to_wallet_id: nowhere, amount: '1.00', currency: 'USD' };
    const cases: [string, object, string[]][] = [
      ['nothing', {}, ['transfers']],
      ['no transfers', { transfers: [] }, ['transfers']],
      ['501 transfers', { transfers: times(501).map(() => good) }, ['transfers']],
      ['transfers that are no list', { transfers: good }, ['transfers']],
      ['a transfer that is no object', { transfers: [good, 'more'] }, ['transfers.1']],
      ['an unknown mode', { transfers: [good], mode: 'both' }, ['mode']],
      ['an unknown member of an item', { transfers: [good, { ...good, amout: '1' }] }, ['transfers.1.amout']],
      ['an amount that is none', { transfers: [good, good, { ...good, amount: '-1' }] }, ['transfers.2.amount']],
      ['an amount of too many digits', { transfers: [good, { ...good, amount: '0.001' }] }, ['transfers.1.amount']],
      ['an amount of zero', { transfers: [{ ...good, amount: '0' }] }, ['transfers.0.amount']],
      ['an unknown currency', { transfers: [good, { ...good, currency: 'XAU' }] }, ['transfers.1.currency']],
      ['a payer that is missing', { transfers: [good, { ...good, from_wallet_id: undefined }] }, ['transfers.1.from_wallet_id']],
      [
        'two faults',
        {
          transfers: [
            { ...good, hold_expires_in: 60 },
            { ...good, type: 'wrap' },
          ],
        },
        ['transfers.0.hold_expires_in', 'transfers.1.to_wallet_id'],
      ],
      [
        'equal references',
        {
          transfers: [
            { ...good, reference: 'a' },
            { ...good, reference: 'b' },
            { ...good, reference: 'a' },
          ],
        },
        ['transfers.0.reference', 'transfers.2.reference'],
      ],
      ['more than a wallet can hold', { transfers: times(10).map(() => ({ ...good, amount: '999999999999999' })) }, ['transfers']],
      ['a dry run of an item', { transfers: [{ ...good, dry_run: true }] }, ['transfers.0.dry_run']],
      ['a long reference', { transfers: [good], reference: 'x'.repeat(129) }, ['reference']],
    ];
    for (const [what, body, paths] of cases) {
      it(what, async () => expectInvalid(await harness.test.post('/v1/transfers/batch', body), ...paths));
    }
    it('a dry run, for there is none', async () => {
      const batches = async () => (await harness.test.get('/v1/batches')).body.pagination.total;
      const before = await batches();
      for (const said of ['true', 'false']) {
        const answer = await harness.test.post(`/v1/transfers/batch?dry_run=${said}`, { transfers: [good] });
        expectInvalid(answer, 'dry_run');
        expect(answer.body.details.fields[0].message).toContain('not a query parameter');
      }
      expect(await batches()).toBe(before);
    });
    it('one reference of two payers is good', async () => {
      const pairs = await Promise.all([twoWallets(harness.test), twoWallets(harness.test)]);
      const transfers = pairs.map(({ from, to }) => transferBody(from, to, '1.00', { reference: 'both' }));
      const { items } = await carriedOut(harness, transfers);
      expect(items.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
    });
  });

  describe('400 over GraphQL', () => {
    it('a dry run, which no batch takes', async () => {
      const { from, to } = await twoWallets(harness.test);
      const one = { type: 'internal', fromWalletId: from.id, toWalletId: to.id, amount: '1.00', currency: 'USD' };
      const { status, body } = await harness.test.graphql(makeBatch, { input: { transfers: [one], dryRun: true } });
      expect([status, body.errors[0].extensions.code]).toEqual([400, 'validation_failed']);
      expect(JSON.stringify(body.errors[0])).toContain('dryRun');
    });
    it('names the same members', async () => {
      const { from, to } = await twoWallets(harness.test);
      const renamed = { type: 'internal', fromWalletId: from.id, toWalletId: to.id, amount: '0.001', currency: 'USD' };
      const { body } = await harness.test.graphql(makeBatch, { input: { transfers: [{ ...renamed, amount: '1.00' }, renamed] } });
      expect(body.errors[0].extensions).toMatchObject({ code: 'validation_failed', http: { status: 400 } });
      expect(body.errors[0].extensions.details.fields.map(({ path }: { path: string }) => path)).toEqual(['transfers.1.amount']);
      const many = await harness.test.graphql(makeBatch, { input: { transfers: times(501).map(() => ({ ...renamed, amount: '1.00' })) } });
      expect(many.body.errors[0].extensions.details.fields.map(({ path }: { path: string }) => path)).toEqual(['transfers']);
    });
  });

  describe('400 in an atomic batch', () => {
    const good = { type: 'internal', from_wallet_id: nowhere, to_wallet_id: nowhere, amount: '1.00', currency: 'USD' };
    const cases: [string, object, string[]][] = [
      [
        'another currency',
        { type: 'cross_border', from_wallet_id: nowhere, to_wallet_id: nowhere, quote_id: `qt_${nowhere}` },
        ['transfers.1.type'],
      ],
      ['a hold', { ...good, capture: 'manual' }, ['transfers.1.capture']],
      ['a later time', { ...good, scheduled_for: '2030-01-01T00:00:00Z' }, ['transfers.1.scheduled_for']],
      ['a wish for an approval', { ...good, request_approval: true }, ['transfers.1.request_approval']],
      [
        'money that leaves the platform',
        { type: 'internal', from_wallet_id: nowhere, amount: '1.00', currency: 'USD', destination: { type: 'bank', ref: 'ba_1' } },
        ['transfers.1.destination'],
      ],
    ];
    for (const [what, item, paths] of cases) {
      it(what, async () => expectInvalid(await createBatch(harness.test, [good, item], { mode: 'atomic' }), ...paths));
    }
  });
});
