// What a process keeps is bounded by bytes, and what is too old leaves the memory, asked for or not.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CoherentCache } from '../../src/platform/cache.js';
import { createLogger } from '../../src/platform/log.js';
import { sizeOf } from '../../src/platform/size.js';
import { useHarness } from '../harness.js';

const harness = useHarness();
const maxBytes = 1024 * 1024;
let now = 1;
let cache: CoherentCache;
beforeAll(async () => {
  cache = new CoherentCache(harness.platform.config.databaseUrl ?? '', createLogger('silent'), { maxBytes, perf: { now: () => now } });
  await cache.open();
});
afterAll(() => cache.close());

const keep = (name: string, value: unknown) => cache.get(name, async () => ({ value, tags: [`tag:${name}`] }));

describe('the cache of a process', () => {
  it('keeps so many bytes, and lets go of what was used longest ago', async () => {
    for (let n = 0; n < 50; n += 1) await keep(`text ${n}`, 'x'.repeat(20_000));
    const { entries, bytes } = cache.size;
    expect(bytes).toBeLessThanOrEqual(maxBytes);
    expect(bytes).toBeGreaterThan(maxBytes / 2);
    expect(entries).toBeLessThan(30);
    expect(cache.peek('text 0')).toBeUndefined();
    expect(cache.peek('text 49')).toBeDefined();
  });

  it('keeps nothing that is larger than itself', async () => {
    const before = cache.size;
    expect(await keep('large', 'x'.repeat(maxBytes))).toHaveLength(maxBytes);
    expect(cache.peek('large')).toBeUndefined();
    expect(cache.size).toEqual(before);
  });

  it('drops by tag what is kept', async () => {
    await keep('tagged', 1);
    cache.drop('tag:tagged');
    expect(cache.peek('tagged')).toBeUndefined();
  });

  it('lets go of what is too old although nobody asks for it', () => {
    expect(cache.size.entries).toBeGreaterThan(0);
    now += 61_000;
    cache.sweep();
    expect(cache.size).toEqual({ entries: 0, bytes: 0 });
  });
});

describe('the size of a value', () => {
  it('grows with everything that is in it', () => {
    const text = 'x'.repeat(1_000);
    for (const value of [text, [text], { text }, new Map([[1, text]]), new Set([text]), { a: { b: [new Map([[text, 1]])] } }]) {
      expect(sizeOf(value)).toBeGreaterThanOrEqual(2_000);
      expect(sizeOf(value)).toBeLessThan(3_000);
    }
    expect(sizeOf(Buffer.alloc(5_000))).toBeGreaterThanOrEqual(5_000);
    const ring: unknown[] = [];
    ring.push(ring);
    expect(sizeOf(ring)).toBeLessThan(200);
  });
});
