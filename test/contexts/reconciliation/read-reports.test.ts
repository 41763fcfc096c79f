// GET /v1/reconciliation/reports and /{id}
import { describe, expect, it } from 'vitest';
import { line, reconcile, upload } from '../../factories/reconciliation.js';
import { newSandbox } from '../../factories/treasury.js';
import { type Json, useHarness } from '../../harness.js';
import { expectInvalid } from '../../refusal.js';

const harness = useHarness();
const path = '/v1/reconciliation/reports';
const run = { rail: 'ach', date_from: '2026-03-01', date_to: '2026-03-31' };

describe('GET /v1/reconciliation/reports', () => {
  describe('200', () => {
    it('newest first, by rail, status and time', async () => {
      const client = await newSandbox(harness);
      const first = await reconcile(harness, client);
      harness.clock.advance(3_600);
      const since = harness.clock.now().toISOString();
      const second = await client.make('/v1/reconciliation/runs', { ...run, rail: 'pix' });
      const ids = async (query: string) => (await client.get(`${path}?${query}`)).body.data.map(({ id }: Json) => id);
      expect(await ids('')).toEqual([second.id, first.id]);
      expect(await ids('rail=ach')).toEqual([first.id]);
      expect(await ids('status=running')).toEqual([second.id]);
      expect(await ids('status=completed')).toEqual([first.id]);
      expect(await ids(`since=${since}`)).toEqual([second.id]);
      expect(await ids(`until=${since}`)).toEqual([first.id]);
      expect(await ids(`limit=1&starting_after=${second.id}`)).toEqual([first.id]);
    });

    it('by GraphQL, the findings of several reports at once', async () => {
      const client = await newSandbox(harness);
      await upload(client, [line('one')]);
      await reconcile(harness, client);
      await reconcile(harness, client, { rail: 'pix' });
      const { body } = await client.graphql(
        '{ reconciliationReports { nodes { rail totals { discrepancies } discrepancies { type reference deltaCents } } } }',
      );
      const found = [{ type: 'rail_only', reference: 'one', deltaCents: 10_000 }];
      expect(body.data.reconciliationReports.nodes).toEqual([
        { rail: 'pix', totals: { discrepancies: 0 }, discrepancies: [] },
        { rail: 'ach', totals: { discrepancies: 1 }, discrepancies: found },
      ]);
    });
  });

  describe('400', () => {
    it('a status that there is none of', async () => expectInvalid(await harness.test.get(`${path}?status=done`), 'status'));
  });
});
