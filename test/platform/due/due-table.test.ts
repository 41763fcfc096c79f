// The due engine (src/platform/due): claims are fair between workspaces and lanes and bounded, and each row is taken once.
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DueTable, runDue } from '../../../src/platform/due/due-table.js';
import type { DueStep } from '../../../src/platform/due/step.js';
import { rowStep } from '../../../src/platform/due/step.js';
import { useHarness } from '../../harness.js';
import { addErrands, createErrands, Errands, laneOf, runsOf, workspaces } from './errand.js';

const harness = useHarness();
let own: string;
let other: string;
beforeAll(async () => {
  await createErrands(harness);
  [own, other] = await workspaces(harness);
});
afterEach(async () => {
  await harness.platform.database.pool.query('TRUNCATE errand');
});

const tableOf = (step: DueStep) => new DueTable(harness.platform, step);
/** More than one claim looks at in the order of time. */
const backlog = 500;

describe('workspaces', () => {
  it('share the room: a backlog of one does not keep out what became due later in another', async () => {
    await addErrands(harness, own, { count: backlog, dueIn: -60 });
    await addErrands(harness, other, { count: 3, dueIn: -1 });
    const errands = new Errands();
    const table = tableOf(errands.step({ concurrency: 8 }));
    await table.look();
    await expect.poll(() => errands.running.length).toBe(7);
    expect(errands.running.filter(({ workspaceId }) => workspaceId === other)).toHaveLength(3);
    // Half of the room is the most that one of them gets.
    expect(errands.running.filter(({ workspaceId }) => workspaceId === own)).toHaveLength(4);
    errands.finishAll();
    await table.drain();
    expect(new Set(await runsOf(harness))).toEqual(new Set([1]));
  });

  it('whose clock was moved have their own time', async () => {
    const { unscoped } = harness.platform.database;
    await unscoped.workspace.update({ where: { id: other }, data: { clockOffsetMs: 3_600_000n } });
    await addErrands(harness, own, { dueIn: 60 });
    const [moved] = await addErrands(harness, other, { dueIn: 60 });
    const errands = new Errands();
    errands.isQuick = true;
    const table = tableOf(errands.step({ concurrency: 8 }));
    expect(await table.drain()).toBe(1);
    expect(errands.taken.map(({ id }) => id)).toEqual([moved]);
    expect(await table.look()).toBe(60_000);
    await unscoped.workspace.update({ where: { id: other }, data: { clockOffsetMs: 0n } });
  });

  it('are left alone when the work is for another', async () => {
    await addErrands(harness, own, { count: 3 });
    await addErrands(harness, other, { count: 2 });
    const errands = new Errands();
    errands.isQuick = true;
    expect(await new DueTable(harness.platform, errands.step({ concurrency: 8 }), other).drain()).toBe(2);
    expect(errands.taken.every(({ workspaceId }) => workspaceId === other)).toBe(true);
  });
});

describe('lanes', () => {
  const lane = { column: 'lane', concurrency: 1 };

  it('have their turn one after the other when more are slow than fit, those that came later too', async () => {
    const lanes = Array.from({ length: 12 }, (_, number) => laneOf(2 * number));
    for (const id of lanes) await addErrands(harness, own, { lane: id, count: backlog / 10, dueIn: -60 });
    const errands = new Errands();
    const table = tableOf(errands.step({ concurrency: 8, lane }));
    await table.look();
    await expect.poll(() => errands.running.length).toBe(4);
    // One that came later, in the middle of the others, and whose row is the youngest.
    const newer = laneOf(13);
    await addErrands(harness, own, { lane: newer, dueIn: -1 });
    for (let ended = 1; ended <= 9; ended += 1) {
      const [first] = errands.running;
      if (first === undefined) throw new Error('nothing runs');
      errands.finish(first);
      await expect.poll(() => runsOf(harness).then((runs) => runs.filter((count) => count === 1).length)).toBe(ended);
      await expect
        .poll(async () => {
          await table.look();
          return errands.running.length;
        })
        .toBe(4);
    }
    // Thirteen lanes were served, and none twice before each had its turn.
    expect(new Set(errands.taken.map((errand) => errand.lane))).toEqual(new Set([...lanes, newer]));
    expect(errands.taken).toHaveLength(13);
    errands.finishAll();
    await table.stop();
  });

  it('are visited in turn when many with a backlog stand before others', async () => {
    for (let number = 1; number <= 30; number += 1) await addErrands(harness, own, { lane: laneOf(number), count: 20, dueIn: -60 });
    await addErrands(harness, own, { lane: laneOf(900), dueIn: -1 });
    const errands = new Errands();
    const table = tableOf(errands.step({ concurrency: 62, lane }));
    await table.look();
    await expect.poll(() => errands.running.length).toBe(31);
    expect(errands.running.map((errand) => errand.lane)).toContain(laneOf(900));
    errands.finishAll();
    await table.stop();
  });

  it('run in one process at a time, and no more than their places', async () => {
    await addErrands(harness, own, { lane: laneOf(1), count: 5 });
    await addErrands(harness, own, { lane: laneOf(2), count: 5 });
    const [first, second] = [new Errands(), new Errands()];
    const step = { concurrency: 2, lane };
    const [one, two] = [tableOf(first.step(step)), tableOf(second.step(step))];
    await one.look();
    await two.look();
    await expect.poll(() => [first.running.length, second.running.length]).toEqual([1, 1]);
    expect(first.running[0]?.lane).not.toBe(second.running[0]?.lane);
    first.finishAll();
    second.finishAll();
    await Promise.all([one.drain(), two.drain()]);
    expect(await runsOf(harness)).toEqual(Array.from({ length: 10 }, () => 1));
  });
});

describe('rows', () => {
  it('are shared by two workers, each taken once', async () => {
    await addErrands(harness, own, { count: backlog });
    await addErrands(harness, other, { count: 20 });
    const [first, second] = [new Errands(), new Errands()];
    first.isQuick = true;
    second.isQuick = true;
    const step = { concurrency: 20 };
    const counts = await Promise.all([tableOf(first.step(step)).drain(), tableOf(second.step(step)).drain()]);
    expect(counts[0] + counts[1]).toBe(backlog + 20);
    expect(Math.min(...counts)).toBeGreaterThan(0);
    const taken = [...first.taken, ...second.taken].map(({ id }) => id);
    expect(new Set(taken).size).toBe(taken.length);
    expect(new Set(await runsOf(harness))).toEqual(new Set([1]));
  });

  it('of a process that died are taken when their lease has ended', async () => {
    const [lost, held] = await addErrands(harness, own, { count: 2 });
    const { pool } = harness.platform.database;
    await pool.query(`UPDATE errand SET lease_until = clock_timestamp() - interval '1 second' WHERE id = $1`, [lost]);
    await pool.query(`UPDATE errand SET lease_until = clock_timestamp() + interval '20 seconds' WHERE id = $1`, [held]);
    const errands = new Errands();
    errands.isQuick = true;
    expect(await runDue(harness.platform, [errands.step({ concurrency: 8 })])).toBe(1);
    expect(errands.taken.map(({ id }) => id)).toEqual([lost]);
  });

  it('whose step fails keep their lease; the others of the batch are done', async () => {
    const [bad] = await addErrands(harness, own, { count: 3 });
    const { pool } = harness.platform.database;
    const step = rowStep({
      table: 'errand',
      concurrency: 8,
      async run(ctx, id) {
        if (id === bad) throw new Error('this one is faulty');
        await pool.query('UPDATE errand SET runs = runs + 1, due_at = NULL, lease_until = NULL WHERE workspace_id = $1 AND id = $2', [
          ctx.workspace.id,
          id,
        ]);
      },
    });
    expect(await tableOf(step).drain()).toBe(3);
    const { rows } = await pool.query('SELECT id, runs, lease_until > clock_timestamp() AS leased FROM errand ORDER BY due_at NULLS LAST');
    expect(rows).toMatchObject([
      { id: bad, runs: 0, leased: true },
      { runs: 1, leased: null },
      { runs: 1, leased: null },
    ]);
  });

  it('are held no more than their bytes allow', async () => {
    await addErrands(harness, own, { count: 40 });
    const errands = new Errands();
    const table = tableOf(errands.step({ concurrency: 20, maxBytes: 500, bytes: () => 100 }));
    // A claim of ten is loaded before its bytes are known; nothing is claimed on top of it.
    await table.look();
    await expect.poll(() => errands.running.length).toBe(10);
    await table.look();
    for (const errand of errands.running.slice(0, 5)) errands.finish(errand);
    await expect.poll(async () => (await runsOf(harness)).filter((runs) => runs === 1).length).toBe(5);
    await table.look();
    expect(errands.taken).toHaveLength(10);
    errands.finishAll();
    await table.drain();
    expect(new Set(await runsOf(harness))).toEqual(new Set([1]));
  });
});
