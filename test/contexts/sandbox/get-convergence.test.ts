// GET /v1/test/convergence
import { describe, expect, it } from 'vitest';
import { newPayer, newPayout } from '../../factories/payout.js';
import { line, reconcile, upload } from '../../factories/reconciliation.js';
import { moveOut, newSandbox } from '../../factories/treasury.js';
import { type Client, type Json, openWallet, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';

const harness = useHarness();
const path = '/v1/test/convergence';
const read = async (client: Client): Promise<Json> => (await client.get(path)).body;
/** Once what was told has been published. */
const settled = async (client: Client): Promise<Json> => {
  await harness.runDue();
  return read(client);
};

describe('GET /v1/test/convergence', () => {
  describe('200', () => {
    it('of an empty sandbox has converged', async () => {
      const client = await newSandbox(harness);
      const checkedAt = harness.clock.now().toISOString();
      expect(await settled(client)).toEqual({ converged: true, open: [], mismatches: [], checked_at: checkedAt });
    });

    it('names what is on its way until it has ended', async () => {
      const client = await newSandbox(harness);
      const payer = await newPayer(client, 'pix');
      const payout = await newPayout(client, payer);
      const before = await read(client);
      expect(before.converged).toBe(false);
      expect(before.open).toContainEqual({ type: 'payout', id: payout.id, status: 'pending' });
      expect(before.open).toContainEqual({ type: 'event', id: expect.stringMatching(/^evt_/), status: 'unpublished' });
      const { open, mismatches } = await settled(client);
      expect(open).toEqual([
        { type: 'payout', id: payout.id, status: 'confirmed' },
        { type: 'rail_order', id: expect.stringMatching(/^po/), status: 'accepted' },
      ]);
      expect(mismatches).toEqual([]);
      await harness.advance(10);
      expect(await settled(client)).toMatchObject({ converged: true, open: [] });
    });

    it('takes what waits for a person or its time as explained', async () => {
      const client = await newSandbox(harness);
      const [{ wallet: from }, { wallet: to }] = [await openWallet(client, { funded: '10.00' }), await openWallet(client)];
      const transfer = { type: 'internal', from_wallet_id: from.id, to_wallet_id: to.id, amount: '1.00', currency: 'USD' };
      await client.make('/v1/transfers', { ...transfer, capture: 'manual' });
      await client.make('/v1/transfers', { ...transfer, scheduled_for: '2030-01-01T00:00:00Z' });
      expect(await settled(client)).toMatchObject({ converged: true });
    });

    it('names deliveries that were not made yet', async () => {
      const client = await newSandbox(harness);
      await client.make('/v1/webhooks', { url: 'https://receiver.invalid/hooks', events: ['account.created'] });
      await openWallet(client);
      const { converged, open } = await settled(client);
      expect([converged, open.map(({ type }: Json) => type)]).toEqual([false, ['delivery']]);
    });

    it('names lines that the other side has not, twice, or otherwise', async () => {
      const client = await newSandbox(harness);
      const { wallet } = await openWallet(client, { funded: '50.00' });
      await moveOut(harness, client, wallet, 5_00n);
      await upload(client, [line('alone', { amount: '7.00' }), line('alone', { amount: '7.00' })]);
      await client.make('/v1/test/rails/pix/faults', { kind: 'amount_mismatch', next_n: 1 });
      await newPayout(client, await newPayer(client, 'pix'));
      await harness.runDue();
      await harness.advance(10);
      const { converged, open, mismatches } = await settled(client);
      expect([converged, open]).toEqual([false, []]);
      expect(mismatches).toHaveLength(3);
      expect(mismatches).toEqual(
        expect.arrayContaining([
          { kind: 'ledger_only', id: expect.any(String), expected: '5.00', actual: null },
          { kind: 'rail_only', id: 'alone', expected: null, actual: '14.00' },
          { kind: 'amount_mismatch', id: expect.stringMatching(/^po/), expected: '100.00', actual: '100.01' },
        ]),
      );
    });

    it('adds lines up beyond the numbers of the database', async () => {
      const client = await newSandbox(harness);
      await upload(
        client,
        Array.from({ length: 100 }, () => line('much', { amount: '999999999999999.00' })),
      );
      expect((await settled(client)).mismatches).toEqual([{ kind: 'rail_only', id: 'much', expected: null, actual: expect.any(String) }]);
    });

    it('takes a discrepancy that was resolved as explained', async () => {
      const client = await newSandbox(harness);
      await upload(client, [line('gone')]);
      expect((await settled(client)).mismatches).toHaveLength(1);
      const { discrepancies } = await reconcile(harness, client);
      await client.make(`/v1/reconciliation/discrepancies/${discrepancies[0].id}/resolve`, { resolution: 'written_off' });
      expect(await settled(client)).toMatchObject({ converged: true, mismatches: [] });
    });
  });

  describe('403', () => {
    it('in production', async () => expectRefused(await harness.live.get(path), 403, 'test_mode_only'));
  });
});
