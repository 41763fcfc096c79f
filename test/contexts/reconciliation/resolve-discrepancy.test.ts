// POST /v1/reconciliation/discrepancies/{id}/resolve, and reading discrepancies.
import { describe, expect, it } from 'vitest';
import { pay, twoWallets } from '../../factories/payment.js';
import { line, reconcile, upload } from '../../factories/reconciliation.js';
import { newSandbox } from '../../factories/treasury.js';
import { type Client, type Json, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const list = '/v1/reconciliation/discrepancies';
const pathOf = (id: string) => `${list}/${id}/resolve`;

async function newDiscrepancy(client: Client, reference = 'alone'): Promise<Json> {
  await upload(client, [line(reference)]);
  const { discrepancies } = await reconcile(harness, client);
  return discrepancies.find((one: Json) => one.reference === reference);
}

describe('POST /v1/reconciliation/discrepancies/{id}/resolve', () => {
  describe('200', () => {
    it('with a note, and the transfer that sets it right', async () => {
      const client = await newSandbox(harness);
      const found = await newDiscrepancy(client);
      const { from, to } = await twoWallets(client, { funded: '200.00' });
      const { id: transfer } = await pay(client, from, to, '100.00');
      const body = { resolution: 'adjusted', note: 'Booked by hand', adjustment_transfer_id: transfer };
      const resolved = await client.make(pathOf(found.id), body);
      expect(resolved).toEqual({ ...found, ...body, status: 'resolved', resolved_at: harness.clock.now().toISOString() });
      expect((await client.get(`${list}/${found.id}`)).body.data).toEqual(resolved);
    });

    it('chasing leaves it open to be resolved later', async () => {
      const client = await newSandbox(harness);
      const { id } = await newDiscrepancy(client);
      const chased = await client.make(pathOf(id), { resolution: 'chasing', note: 'Asked the bank' });
      expect(chased).toMatchObject({ status: 'chasing', resolution: 'chasing', note: 'Asked the bank' });
      expect(await client.make(pathOf(id), { resolution: 'written_off' })).toMatchObject({ status: 'resolved', resolution: 'written_off' });
    });

    it('stays resolved, and untold, when another run finds it', async () => {
      const client = await newSandbox(harness);
      const { id } = await newDiscrepancy(client);
      const resolved = await client.make(pathOf(id), { resolution: 'no_action' });
      expect((await reconcile(harness, client)).discrepancies).toEqual([resolved]);
      await harness.runDue();
      expect((await client.get('/v1/events?type=reconciliation.discrepancy')).body.data).toHaveLength(1);
    });

    it('is listed by status, type, rail and report', async () => {
      const client = await newSandbox(harness);
      const first = await newDiscrepancy(client, 'one');
      const second = await newDiscrepancy(client, 'two');
      await client.make(pathOf(first.id), { resolution: 'no_action' });
      const ids = async (query: string) => (await client.get(`${list}?${query}`)).body.data.map(({ id }: Json) => id);
      expect(await ids('')).toEqual([second.id, first.id]);
      expect(await ids('status=resolved')).toEqual([first.id]);
      expect(await ids('type=duplicate')).toEqual([]);
      expect(await ids('rail=ach&status=open')).toEqual([second.id]);
      expect(await ids(`report_id=${first.report_id}`)).toEqual([first.id]);
      expect(await ids(`report_id=${second.report_id}`)).toEqual([second.id, first.id]);
    });

    it('once for a key', async () => {
      const client = await newSandbox(harness);
      const { id } = await newDiscrepancy(client);
      const resolve = () => client.post(pathOf(id), { resolution: 'no_action' }, { headers: { 'Idempotency-Key': 'done' } });
      expect((await resolve()).body).toEqual((await resolve()).body);
    });
  });

  describe('400', () => {
    it('an unknown resolution, a note that is too long, a transfer that nothing was adjusted by', async () => {
      const path = pathOf((await newDiscrepancy(await newSandbox(harness))).id);
      expectInvalid(await harness.test.post(path, { resolution: 'forgotten' }), 'resolution');
      expectInvalid(await harness.test.post(path, { resolution: 'no_action', note: 'x'.repeat(1_001) }), 'note');
      const body = { resolution: 'no_action', adjustment_transfer_id: '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d' };
      expectInvalid(await harness.test.post(path, body), 'adjustment_transfer_id');
    });
  });

  describe('404', () => {
    it('a transfer of another tenant', async () => {
      const client = await newSandbox(harness);
      const { id } = await newDiscrepancy(client);
      const { from, to } = await twoWallets(harness.other, { funded: '1.00' });
      const { id: foreign } = await pay(harness.other, from, to, '1.00');
      const answer = await client.post(pathOf(id), { resolution: 'adjusted', adjustment_transfer_id: foreign });
      expectRefused(answer, 404, 'not_found');
    });
  });

  describe('409', () => {
    it('one that is resolved already', async () => {
      const client = await newSandbox(harness);
      const { id } = await newDiscrepancy(client);
      await client.make(pathOf(id), { resolution: 'no_action' });
      for (const resolution of ['written_off', 'chasing']) {
        const answer = await client.post(pathOf(id), { resolution });
        expectRefused(answer, 409, 'state_conflict', { current_status: 'resolved' });
      }
    });
  });
});
