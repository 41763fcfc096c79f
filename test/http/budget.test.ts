// Counters of budgets: where they are, they count alike. Budgets of one draw are asked for together, and one that refuses is the last.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, describe, expect, it } from 'vitest';
import { Budgets, budgetSubject, type Counter, countBudgets, MemoryCounter, PrimaryCounter, RedisCounter } from '../../src/http/budget.js';
import { createLogger } from '../../src/platform/log.js';
import { Line } from '../../src/platform/processes/line.js';
import { openRedis, type Redis } from '../../src/platform/redis.js';
import { findRedis } from './redis.js';

const found = await findRedis();
const opened: Redis[] = [];
afterAll(async () => {
  for (const redis of opened) redis.disconnect();
  await found?.stop();
});

/** A line to a first process that counts. */
function primary(): Line {
  const here: Line = new Line((message) => there.hear(message));
  const there = new Line((message) => here.hear(message), { [budgetSubject]: countBudgets() });
  return here;
}

async function redisClient(): Promise<Redis> {
  const redis = openRedis(found?.url ?? '', createLogger('silent'));
  opened.push(redis);
  await once(redis, 'ready');
  return redis;
}

const refuses: Counter = { draw: () => Promise.reject(new Error('nobody counts here')) };
const prefix = () => `test-${randomUUID()}`;
const counters: [string, () => Promise<Counter>][] = [
  ['memory', async () => new MemoryCounter({ prefix: prefix() })],
  ['the first process', async () => new PrimaryCounter({ prefix: prefix() }, primary())],
];
if (found !== null) counters.push(['Redis', async () => new RedisCounter({ prefix: prefix() }, await redisClient(), refuses)]);

const actor = { key: 'actor', limit: 2 };
const workspace = { key: 'workspace', limit: 20 };

describe.each(counters)('%s', (_, open) => {
  it('counts several budgets of a draw, and none after one that does not suffice', async () => {
    const counter = await open();
    const used = async (points: number) => (await counter.draw([actor, workspace], points)).map(([count]) => count);
    expect(await used(1)).toEqual([1, 1]);
    expect(await used(1)).toEqual([2, 2]);
    for (const count of [3, 4, 5]) expect(await used(1)).toEqual([count]);
    expect((await counter.draw([workspace], 3))[0]?.[0]).toBe(5);
    const [[, msToReset = 0] = []] = await counter.draw([workspace], 1);
    expect(msToReset).toBeGreaterThan(50_000);
    expect(msToReset).toBeLessThanOrEqual(60_000);
  });

  it('loses no draw of many at once', async () => {
    const counter = await open();
    const all = await Promise.all(Array.from({ length: 30 }, () => counter.draw([workspace], 1)));
    expect(all.map(([[count] = [0]]) => count).sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, n) => n + 1));
  });
});

describe('budgets', () => {
  it('that are used up are not asked for again until they begin again, or have more', async () => {
    let asked = 0;
    const memory = new MemoryCounter({ prefix: prefix() });
    const budgets = new Budgets({
      draw: (...draw) => {
        asked += 1;
        return memory.draw(...draw);
      },
    });
    const left = async (limit: number) => (await budgets.take([{ key: 'actor', limit }, workspace], 1)).map(({ remaining }) => remaining);
    expect(await left(2)).toEqual([1, 19]);
    expect(await left(2)).toEqual([0, 18]);
    for (const _ of [1, 2, 3]) expect(await left(2)).toEqual([-1]);
    expect(asked).toBe(3);
    expect(await left(5)).toEqual([1, 17]);
    expect(asked).toBe(4);
  });
});

describe.skipIf(found === null)('a request', () => {
  it('asks Redis for the budgets of its actor and of its workspace in one command', async () => {
    const redis = await redisClient();
    const budgets = new Budgets(new RedisCounter({ prefix: prefix() }, redis, refuses));
    await budgets.take([actor, workspace], 1);
    let written = 0;
    const { stream } = redis as unknown as { stream: { write(data: unknown): boolean } };
    const write = stream.write.bind(stream);
    stream.write = (data) => {
      written += String(data).match(/\bevalsha\b/gi)?.length ?? 0;
      return write(data);
    };
    await budgets.take([actor, workspace], 1);
    expect(written).toBe(1);
  });
});
