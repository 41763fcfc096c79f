// A database that was put back while the memory stayed: every rail goes off before anything leaves a second time, and goes on when a person has
// looked. One that only moved to another cluster goes on.
import { describe, expect, it } from 'vitest';
import { depart } from '../../../src/contexts/rails/departure.js';
import { examine, healthWork } from '../../../src/contexts/rails/doctor.js';
import { compareMemory } from '../../../src/contexts/rails/restored.js';
import { switchRail } from '../../../src/contexts/rails/switch.js';
import { adoptMemory } from '../../../src/platform/fence.js';
import { inTransaction } from '../../../src/platform/postgres/database.js';
import type { Json } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { saveWorld } from '../../saved-world.js';
import { dataOf, farSide, plenty, useRails } from './test-kind.js';

const rails = useRails([`usdc-base: {kind: test, ${plenty}}`, `usdc-far: {kind: test, ${plenty}}`]);
const { harness } = rails;
const states = async () =>
  Promise.all(['usdc-base', 'usdc-far'].map(async (name) => (await harness.live.get(`/v1/rails/${name}`)).body.data));
const payoutOf = async ({ id }: Json) => (await harness.live.get(`/v1/payouts/${id}`)).body.data;
const leave = (rail = 'usdc-base') =>
  depart(
    harness.platform,
    { rail, what: 'a test' },
    async () => ({ value: 1, facts: [] }),
    async () => void farSide.arrived.push('again'),
  );
const letGo = async (rail: string) => {
  await examine(harness.platform, rails.rail(rail));
  return switchRail(await rails.liveCtx(), { rail, to: 'on', reason: 'seen' }, { hasSeen: true });
};

describe('a database that was put back', () => {
  it('pays nobody again: every rail is off before a thing leaves, without a restart', async () => {
    // A process compares when it starts, before anything leaves.
    expect(await compareMemory(harness.platform)).toBe(false);
    for (const name of ['usdc-base', 'usdc-far']) await rails.turn(name);
    const wallet = await rails.wallet();
    const payout = dataOf(await rails.payout(wallet));
    const restore = await saveWorld(harness.platform);
    await harness.runDue();
    expect([farSide.arrived.length, (await payoutOf(payout)).status]).toEqual([1, 'complete']);
    await restore();
    expect((await payoutOf(payout)).status).toBe('pending');
    await harness.runDue();
    expect(farSide.arrived).toHaveLength(1);
    expect((await states()).map(({ status, reason }) => [status, reason])).toEqual(Array(2).fill(['off', 'restored']));
    await harness.runDue();
    const told = (await harness.live.get('/v1/events?type=rail.switched')).body.data.filter(({ data }: Json) => data.reason === 'restored');
    expect(told.map(({ data: { rail, from, to, by } }: Json) => [rail, from, to, by]).sort()).toEqual([
      ['usdc-base', 'on', 'off', null],
      ['usdc-far', 'on', 'off', null],
    ]);
    const written = await harness.platform.database.unscoped.railSwitch.findMany({ where: { reason: 'restored' } });
    expect(written.map(({ by }) => by)).toEqual(['system', 'system']);
    expect((await harness.live.get('/v1/audit-log?action=switchRail&limit=2')).body.data).toHaveLength(2);
  });

  it('409: is let go on by no request, however its rail was switched since', async () => {
    const switchTo = (to: string) => harness.live.post('/v1/rails/usdc-base/switch', { to, reason: 'again' });
    for (const name of ['usdc-base', 'usdc-far']) await examine(harness.platform, rails.rail(name));
    for (const to of ['on', 'draining', 'off', 'on', 'draining']) {
      const answer = await switchTo(to);
      if (to === 'off') expect(answer.status).toBe(200);
      else
        expectRefused(answer, 409, 'state_conflict', {
          next_actions: [{ rel: 'switch_on', actor: 'operator', command: 'rails on usdc-base' }],
        });
    }
    expect(await leave()).toEqual({ stays: 'off' });
    await letGo('usdc-base');
    expect(await leave()).toMatchObject({ sent: undefined });
    expect(await compareMemory(harness.platform)).toBe(false);
    expect((await states()).map(({ status }) => status)).toEqual(['on', 'off']);
  });

  it('is found by the look of each minute too, when nothing leaves, and only once', async () => {
    await letGo('usdc-far');
    const restore = await saveWorld(harness.platform);
    await leave('usdc-far');
    await restore();
    await healthWork.run({ ...harness.platform, cells: harness.platform.cells });
    expect((await states()).map(({ status }) => status)).toEqual(['off', 'off']);
    const count = () => harness.platform.database.unscoped.railSwitch.count({ where: { reason: 'restored' } });
    const before = await count();
    expect(await compareMemory(harness.platform)).toBe(false);
    expect(await count()).toBe(before);
  });

  it('does not bring back a rail that was switched off since', async () => {
    for (const name of ['usdc-base', 'usdc-far']) await letGo(name);
    const restore = await saveWorld(harness.platform);
    dataOf(await rails.turn('usdc-base', 'off'), 200);
    await restore();
    expect(await leave('usdc-base')).toEqual({ stays: 'restored' });
    expect((await states()).map(({ status }) => status)).toEqual(['off', 'off']);
  });
});

describe('a database in another cluster', () => {
  const move = () => harness.platform.database.pool.query(`UPDATE fence SET timeline = '00000009'`);

  it('goes on where it knows what the memory knows', async () => {
    await letGo('usdc-base');
    await leave();
    await move();
    expect(await leave()).toMatchObject({ sent: undefined });
  });

  it('stops where it knows less', async () => {
    const restore = await saveWorld(harness.platform);
    await leave();
    await restore();
    await move();
    farSide.reset();
    expect([await leave(), farSide.arrived]).toEqual([{ stays: 'restored' }, []]);
  });

  it('waits for its memory, which is adopted by hand', async () => {
    await letGo('usdc-base');
    const { pool } = harness.platform.database;
    await pool.query(`UPDATE fence SET memory_id = repeat('0', 32)`);
    expect(await leave()).toEqual({ stays: 'elsewhere' });
    await inTransaction(pool, (tx) => adoptMemory(tx, harness.platform.config));
    expect(await leave()).toMatchObject({ sent: undefined });
  });
});
