// What becomes of an order that a rail of production has accepted: it leaves once, in the limits of a day, and whoever waits for it hears how it
// ends.
import { describe, expect, it } from 'vitest';
import { connector } from '../../../src/contexts/rails/connector.js';
import { countOrder, rejectOrder, settleOrder } from '../../../src/contexts/rails/connector-order.js';
import type { RailOrder } from '../../../src/contexts/settlement/rail/rail.js';
import { addSeconds } from '../../../src/platform/clock.js';
import { inTransaction } from '../../../src/platform/postgres/database.js';
import { newId } from '../../../src/platform/schema/id.js';
import type { Json } from '../../harness.js';
import { dataOf, farSide, plenty, useRails } from './test-kind.js';

const rails = useRails([
  `usdc-base: {kind: test, ${plenty}}`,
  'usdc-far: {kind: test, limits: {per_order: "100.00", per_day: "150.00", per_day_count: 2}}',
]);
const { harness } = rails;
const payoutOf = async ({ id }: Json) => (await harness.live.get(`/v1/payouts/${id}`)).body.data;
const availableIn = async ({ id }: Json) => (await harness.live.get(`/v1/wallets/${id}`)).body.data.balance.available;

function order(extra: Partial<RailOrder> = {}): RailOrder {
  const at = harness.clock.now();
  const id = newId(at);
  const reference = `po${id.replaceAll('-', '')}`;
  const place = { destination: { address: '0x1' }, destinationRef: '0x1', batch: null };
  return { id, reference, direction: 'out', amount: 5_000_000n, currency: 'USDC', expiresAt: addSeconds(at, 60), ...place, ...extra };
}

describe('an order of a payout', () => {
  it('leaves once, and completes it', async () => {
    await rails.turn();
    const wallet = await rails.wallet();
    const payout = dataOf(await rails.payout(wallet));
    await harness.runDue();
    await harness.runDue();
    expect(farSide.arrived).toEqual([payout.id.slice(3)]);
    expect(await payoutOf(payout)).toMatchObject({ status: 'complete', rail: 'usdc-base' });
    expect(await availableIn(wallet)).toBe('900.00');
  });

  it('is settled once with what is written beside it, also where its lease has ended and another takes it too', async () => {
    let written = 0;
    const isIn: boolean[] = [];
    farSide.follow = async (ctx, row) => {
      const also = async () => {
        written += 1;
        isIn.push((await ctx.db.connectorOrder.findFirst({ where: { id: row.id } }))?.state === 'accepted');
      };
      await Promise.all([settleOrder(ctx, row, also), settleOrder(ctx, row, also)]);
    };
    const payout = dataOf(await rails.payout(await rails.wallet()));
    await harness.runDue();
    await harness.runDue();
    expect([written, isIn, (await payoutOf(payout)).status]).toEqual([1, [true], 'complete']);
  });

  it('stays open where what is written beside it fails', async () => {
    farSide.follow = (ctx, row) => settleOrder(ctx, row, () => Promise.reject(new Error('the statement is away')));
    const payout = dataOf(await rails.payout(await rails.wallet()));
    await harness.runDue();
    await harness.runDue();
    expect((await payoutOf(payout)).status).toBe('pending');
  });

  it('is rejected, and the money goes back', async () => {
    farSide.follow = (ctx, row) => rejectOrder(ctx, row, { code: 'address_blocked', reason: 'The token does not pay there.' });
    const wallet = await rails.wallet();
    const payout = dataOf(await rails.payout(wallet));
    await harness.runDue();
    expect(await payoutOf(payout)).toMatchObject({ status: 'failed' });
    expect(await availableIn(wallet)).toBe('1000.00');
  });

  it('waits while the rail is off, and leaves when it is on again', async () => {
    const wallet = await rails.wallet();
    const payout = dataOf(await rails.payout(wallet));
    await rails.turn('usdc-base', 'off');
    await harness.runDue();
    await harness.advance(3_600);
    expect([farSide.arrived, (await payoutOf(payout)).status]).toEqual([[], 'pending']);
    await rails.turn('usdc-base', 'draining');
    await harness.advance(3_600);
    expect(await payoutOf(payout)).toMatchObject({ status: 'complete' });
  });

  it('waits for tomorrow where it is beyond the day, and says so', async () => {
    harness.clock.set('2026-03-03T10:00:00.000Z');
    await rails.turn('usdc-far');
    const wallet = await rails.wallet();
    const made: Json[] = [];
    for (const amount of ['100.00', '60.00', '50.00', '1.00']) {
      made.push(dataOf(await rails.payout(wallet, { rail: 'usdc-far', amount })));
      await harness.runDue();
    }
    const shown = await Promise.all(made.map(payoutOf));
    expect(shown.map(({ status }) => status)).toEqual(['complete', 'pending', 'complete', 'pending']);
    expect(shown[1].expected_at).toBe('2026-03-04T00:10:00.000Z');
    const seen = (await harness.live.get('/v1/rails/usdc-far')).body.data;
    expect(seen).toMatchObject({ used_today: { amount: '150.00', count: 2 }, open: { count: 2, amount: '61.00' } });
    harness.clock.set('2026-03-04T00:00:01.000Z');
    await harness.runDue();
    await harness.runDue();
    expect((await Promise.all(made.map(payoutOf))).map(({ status }) => status)).toEqual(Array(4).fill('complete'));
    expect(farSide.arrived).toHaveLength(4);
  });
});

describe('the connector', () => {
  const submit = async (given: RailOrder) => connector(rails.rail()).submit(await rails.liveCtx(), given);
  const status = async (reference: string) => connector(rails.rail()).status(await rails.liveCtx(), reference);

  it('accepts an order once for its id, under its newest reference', async () => {
    const first = order();
    const newer = { ...first, reference: `${first.reference.slice(0, -1)}~` };
    for (const given of [first, first, newer, first]) expect(await submit(given)).toMatchObject({ state: 'queued' });
    expect(await harness.platform.database.unscoped.connectorOrder.count({ where: { id: first.id } })).toBe(1);
    expect(await status(newer.reference)).toMatchObject({ state: 'queued' });
    expect(await status(first.reference)).toEqual({ state: 'missing' });
  });

  it('never accepts one that has expired', async () => {
    const given = order({ expiresAt: addSeconds(harness.clock.now(), -0.001) });
    expect([await submit(given), await status(given.reference)]).toEqual([{ state: 'missing' }, { state: 'missing' }]);
  });

  it('does not carry out what nobody waits for', async () => {
    const given = order();
    await submit(given);
    await harness.runDue();
    expect([await status(given.reference), farSide.arrived]).toEqual([
      expect.objectContaining({ state: 'rejected', code: 'not_awaited' }),
      [],
    ]);
  });

  it('lets no order leave that has ended', async () => {
    const given = order();
    await submit(given);
    const { unscoped, pool } = harness.platform.database;
    const row = await unscoped.connectorOrder.findFirstOrThrow({ where: { id: given.id } });
    const count = () => inTransaction(pool, (tx) => countOrder(tx, rails.rail(), row, harness.clock.now()));
    expect([await count(), await count()]).toEqual([true, true]);
    await pool.query(`UPDATE connector_order SET state = 'rejected' WHERE workspace_id = $1 AND id = $2`, [row.workspaceId, row.id]);
    expect(await count()).toBe(false);
  });
});
