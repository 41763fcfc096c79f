// POST /v1/treasury/snapshot
import { describe, expect, it } from 'vitest';
import { pay, twoWallets } from '../../factories/payment.js';
import { newSandbox } from '../../factories/treasury.js';
import { type Json, useHarness } from '../../harness.js';
import { query, stateOf } from '../../ledger/wallet-ref.js';
import { expectInvalid, expectRefused } from '../../refusal.js';

const harness = useHarness();
const path = '/v1/treasury/snapshot';

describe('POST /v1/treasury/snapshot', () => {
  describe('201', () => {
    it('says what it made and when, in workspace time', async () => {
      const client = await newSandbox(harness);
      await client.make('/v1/test/clocks/advance', { seconds: 3_600 });
      const { status, body } = await client.post(path, { description: 'Month end' });
      const capturedAt = new Date(harness.clock.now().getTime() + 3_600_000).toISOString();
      expect([status, body]).toEqual([201, { id: expect.stringMatching(/^snap_[0-9a-f-]{36}$/), captured_at: capturedAt }]);
      const read = (await client.get(`/v1/treasury/snapshots/${body.id}`)).body.data;
      // The advance of the clock is in the audit log.
      const root = expect.stringMatching(/^[0-9a-f]{64}$/);
      expect(read).toEqual({ id: body.id, captured_at: capturedAt, description: 'Month end', balances: [], exposure: [], tree_head: root });
    });

    it('without a description, or with one of 500 characters', async () => {
      for (const body of [undefined, {}, { description: null }, { description: 'x'.repeat(500) }])
        expect((await harness.test.post(path, body)).status).toBe(201);
    });

    it('once for a key', async () => {
      const client = await newSandbox(harness);
      const take = () => client.post(path, { description: 'Once' }, { headers: { 'Idempotency-Key': 'month-end' } });
      const first = await take();
      harness.clock.advance(60);
      expect((await take()).body).toEqual(first.body);
      expect((await client.get('/v1/treasury/snapshots')).body.pagination.total).toBe(1);
    });

    it('by GraphQL', async () => {
      const client = await newSandbox(harness);
      await twoWallets(client, { funded: '12.50' });
      const { body } = await client.graphql(
        'mutation { takeTreasurySnapshot(input: { description: "Q1" }) { id description balances { currency available world } treeHead } }',
      );
      const balances = [{ currency: 'USD', available: '12.50', world: '-12.50' }];
      expect(body.data.takeTreasurySnapshot).toEqual({ id: expect.stringMatching(/^snap_/), description: 'Q1', balances, treeHead: null });
    });

    it('sees one state of the books, whatever is posted beside it', async () => {
      const client = await newSandbox(harness);
      const { from, to } = await twoWallets(client, { funded: '1000.00' });
      const spend = async (n: number) => {
        await pay(client, from, to, '3.00', n % 2 === 0 ? {} : { capture: 'manual' });
        await client.make(`/v1/wallets/${from.id}/wrap`, { amount: '0.50' });
      };
      let going = true;
      const ids: string[] = [];
      const watching = (async () => {
        while (going) ids.push((await client.post(path, {})).body.id);
      })();
      for (let round = 0; round < 5; round += 1) await Promise.all(Array.from({ length: 12 }, (_, n) => spend(n)));
      going = false;
      await watching;
      const seen: Json[] = [];
      for (const id of ids) seen.push((await client.get(`/v1/treasury/snapshots/${id}`)).body.data.balances[0]);
      const cents = (text: string) => Math.round(Number(text) * 100);
      for (const line of seen) {
        expect(line).toMatchObject({ world: '-1000.00', liabilities: '1000.00', fees: '0.00', clearing: '0.00' });
        expect(cents(line.available) + cents(line.held) + cents(line.wrapped)).toBe(100_000);
      }
      // Some of them were taken in the middle.
      expect(new Set(seen.map(({ available }) => available)).size).toBeGreaterThan(2);
    });
  });

  describe('400', () => {
    it('a description of more than 500 characters, or that is none', async () => {
      expectInvalid(await harness.test.post(path, { description: 'x'.repeat(501) }), 'description');
      expectInvalid(await harness.test.post(path, { description: 5 }), 'description');
    });
    it('a member that it does not know', async () => expectInvalid(await harness.test.post(path, { descripton: 'x' }), 'descripton'));
  });

  describe('what was captured', () => {
    it('is refused by the database to be changed or deleted', async () => {
      await harness.test.post(path, {});
      for (const sql of [`UPDATE treasury_snapshot SET description = 'x'`, 'DELETE FROM treasury_snapshot'])
        expect(await stateOf(query(harness, sql))).toBe('AP010');
    });
    it('has no endpoint that would', async () => {
      const { id } = (await harness.test.post(path, {})).body;
      for (const method of ['PATCH', 'PUT', 'DELETE'])
        expectRefused(await harness.test.call(method, `/v1/treasury/snapshots/${id}`, { body: {} }), 405, 'method_not_allowed');
    });
  });
});
