// How something leaves: written, put down in the memory, sent; and at whatever moment the rail is switched off, or the process dies, nothing
// leaves after the answer, and nothing is forgotten.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { depart, sendingMs } from '../../../src/contexts/rails/departure.js';
import { switchRail } from '../../../src/contexts/rails/switch.js';
import type { Platform } from '../../../src/platform/ctx.js';
import { Memory } from '../../../src/platform/memory.js';
import { randomOf } from '../../life/caller.js';
import { farSide, useRails } from './test-kind.js';

const rails = useRails();
const { harness } = rails;
const leaving = { rail: 'usdc-base', what: 'a test' };
const fact = (number: bigint, value = 'a') => ({ name: 'nonce 0x1', number, value });
const nothing = async () => ({ value: 1, facts: [] });
const arrive = async (value: unknown) => void farSide.arrived.push(String(value));
const rows = () => harness.platform.database.unscoped.railDeparture.count();

describe('a departure', () => {
  it('is written, then put down, then sent, and is over', async () => {
    await rails.turn();
    expect(await depart(harness.platform, leaving, nothing, arrive)).toMatchObject({});
    const seen: unknown[] = [];
    const put = vi
      .spyOn(Memory.prototype, 'put')
      .mockImplementation(async (facts) => void seen.push(['memory', facts.map(({ name }) => name), await rows()]));
    const departed = await depart(
      harness.platform,
      leaving,
      async () => ({ value: 7, facts: [fact(1n)] }),
      async (value) => {
        seen.push(['sent', value, await rows()]);
        return 'hash';
      },
    );
    put.mockRestore();
    expect(departed).toEqual({ sent: 'hash' });
    expect(seen).toEqual([
      ['memory', ['departure usdc-base', 'nonce 0x1'], 1],
      ['sent', 7, 1],
    ]);
    expect(await rows()).toBe(0);
  });

  it('does not happen where there is nothing to send, nor while the rail is off', async () => {
    expect(await depart(harness.platform, leaving, async () => null, arrive)).toEqual({ stays: 'nothing' });
    await rails.turn('usdc-base', 'off');
    expect(await depart(harness.platform, leaving, nothing, arrive)).toEqual({ stays: 'off' });
    expect(await depart(harness.platform, { ...leaving, rail: 'usdc-nowhere' }, nothing, arrive)).toEqual({ stays: 'off' });
    expect(farSide.arrived).toEqual([]);
    await rails.turn();
  });

  it('leaves nothing written where writing fails, and is over where sending fails', async () => {
    const fail = async () => Promise.reject(new Error('it broke'));
    await expect(depart(harness.platform, leaving, fail, arrive)).rejects.toThrow('it broke');
    await expect(depart(harness.platform, leaving, nothing, fail)).rejects.toThrow('it broke');
    expect([farSide.arrived, await rows()]).toEqual([[], 0]);
  });

  it('may happen once more after a crash between the commit and the memory, and between the memory and the sending', async () => {
    const write = async () => ({ value: 'again', facts: [fact(2n, 'this payout')] });
    const put = vi.spyOn(Memory.prototype, 'put').mockRejectedValueOnce(new Error('the process dies'));
    await expect(depart(harness.platform, leaving, write, arrive)).rejects.toThrow('the process dies');
    put.mockRestore();
    const die = async () => Promise.reject(new Error('the process dies'));
    await expect(depart(harness.platform, leaving, write, die)).rejects.toThrow('the process dies');
    expect(farSide.arrived).toEqual([]);
    expect(await depart(harness.platform, leaving, write, arrive)).toMatchObject({});
    expect(farSide.arrived).toEqual(['again']);
  });

  it('waits in a process whose memory is another', async () => {
    const memoryDir = mkdtempSync(path.join(tmpdir(), 'memory-'));
    const elsewhere: Platform = { ...harness.platform, config: { ...harness.platform.config, memoryDir }, cells: harness.platform.cells };
    expect(await depart(elsewhere, leaving, nothing, arrive)).toEqual({ stays: 'elsewhere' });
    expect(farSide.arrived).toEqual([]);
  });

  it('is not sent by a process that has stood still for as long as a switch waits', async () => {
    const now = vi.spyOn(performance, 'now');
    const real = now.getMockImplementation() ?? (() => Number(process.hrtime.bigint()) / 1e6);
    const put = vi.spyOn(Memory.prototype, 'put').mockImplementation(async () => {
      now.mockImplementation(() => real() + 2 * sendingMs + 1e9);
    });
    const departed = await depart(harness.platform, leaving, nothing, arrive);
    put.mockRestore();
    now.mockRestore();
    expect([departed, farSide.arrived]).toEqual([{ stays: 'late' }, []]);
  });

  it('is not sent where the database has lost it between the commit and the memory', async () => {
    const { pool } = harness.platform.database;
    // The memory is read when the fence is taken: first to decide, then to put down.
    const refresh = vi.spyOn(Memory.prototype, 'refresh');
    let reads = 0;
    refresh.mockImplementation(async () => {
      reads += 1;
      if (reads === 2) await pool.query('DELETE FROM rail_departure');
    });
    const departed = await depart(harness.platform, leaving, nothing, arrive);
    refresh.mockRestore();
    expect([reads, departed, farSide.arrived]).toEqual([2, { stays: 'restored' }, []]);
  });
});

describe('off', () => {
  it('means off: at 200 random instants nothing arrives after the answer, and what was under way ends', { timeout: 240_000 }, async () => {
    const next = randomOf(29);
    const ctx = await rails.liveCtx();
    const cause = { force: true } as const;
    let late = 0;
    let under = 0;
    for (let instant = 0; instant < 200; instant += 1) {
      await switchRail(ctx, { rail: 'usdc-base', to: 'on', reason: 'again' }, cause);
      farSide.arrived.length = 0;
      let isAnswered = false;
      const send = async (value: unknown) => {
        if (isAnswered) late += 1;
        for (let wait = Math.floor(next() * 20); wait > 0; wait -= 1) await turn();
        if (isAnswered) late += 1;
        await arrive(value);
      };
      const departures = Array.from({ length: 4 }, async () => {
        for (let wait = Math.floor(next() * 60); wait > 0; wait -= 1) await turn();
        return depart(harness.platform, leaving, nothing, send);
      });
      for (let wait = Math.floor(next() * 60); wait > 0; wait -= 1) await turn();
      const { inFlight } = await switchRail(ctx, { rail: 'usdc-base', to: 'off', reason: 'stop' });
      isAnswered = true;
      const atAnswer = farSide.arrived.length;
      const ended = await Promise.all(departures);
      expect(inFlight).toEqual([]);
      expect(farSide.arrived).toHaveLength(atAnswer);
      expect(ended.filter((one) => 'sent' in one)).toHaveLength(atAnswer);
      if (atAnswer > 0 && atAnswer < 4) under += 1;
    }
    expect(late).toBe(0);
    expect(under).toBeGreaterThan(5);
    expect(await rows()).toBe(0);
  });
});
