// What reports say of the moments before they are asked: an operation counts once, whether it is published and heard or not, and however
// the period lies to the buckets.
import { beforeAll, expect, it } from 'vitest';
import { usageListener } from '../../../src/contexts/usage/rollup.sql.js';
import { manifest } from '../../../src/contexts.js';
import { Listening } from '../../../src/events/listener.js';
import { publishEvents } from '../../../src/events/outbox.js';
import { pay, twoWallets } from '../../factories/payment.js';
import { type Json, useHarness } from '../../harness.js';
import { explain, recordStatements } from '../../plan.js';

const harness = useHarness();
let from: Json;
let to: Json;
let before: number;

const counted = async (query = ''): Promise<number> => (await harness.test.get(`/v1/usage/summary${query}`)).body.total_operations;
let listening: Listening;
const listen = () => listening.round();
const publish = () => publishEvents(harness.platform, manifest.followers);
const paid = async (times: number) => {
  for (let n = 0; n < times; n += 1) await pay(harness.test, from, to, '1.00');
};

beforeAll(async () => {
  listening = new Listening(harness.platform, usageListener);
  ({ from, to } = await twoWallets(harness.test));
  await publish();
  await listen();
  before = await counted();
});

it('counts what is written, published and heard, each once', async () => {
  await paid(1);
  await publish();
  await listen();
  await paid(2);
  await publish();
  await paid(3);
  expect(await counted()).toBe(before + 6);
  await publish();
  expect(await counted()).toBe(before + 6);
  await listen();
  expect(await counted()).toBe(before + 6);
  before += 6;
});

it('counts what was done right before a bucket ended', async () => {
  const nextBucket = 300 - ((harness.clock.now().getTime() / 1000) % 300);
  harness.clock.advance(nextBucket - 1);
  await paid(2);
  harness.clock.advance(2);
  await paid(1);
  expect(await counted()).toBe(before + 3);
  const since = (seconds: number) => `?start=${new Date(harness.clock.now().getTime() - seconds * 1000).toISOString()}`;
  // From within the current bucket, from within the one before, and up to its end.
  expect(await counted(since(1))).toBe(1);
  expect(await counted(since(100))).toBe(3);
  const edge = new Date(Math.floor(harness.clock.now().getTime() / 300_000) * 300_000).toISOString();
  expect(await counted(`${since(100)}&end=${edge}`)).toBe(2);
  await publish();
  await listen();
  expect(await counted()).toBe(before + 3);
  expect(await counted(since(100))).toBe(3);
  before += 3;
});

it('says so in series, and for ends that lie ahead', async () => {
  await paid(2);
  const { body } = await harness.test.get('/v1/analytics/protocol-activity?timeRange=24h&metric=count');
  const total = body.data.reduce((sum: number, bucket: Json) => sum + bucket.total, 0);
  expect(total).toBe(before + 2);
  expect(await counted('?start=2026-01-01&end=9999-12-31')).toBe(before + 2);
  before += 2;
});

it('reads no more raw rows of the current bucket than are unheard', async () => {
  await paid(3);
  await publish();
  await listen();
  const recorded = recordStatements(harness.platform.database.pool);
  expect(await counted()).toBe(before + 3);
  recorded.stop();
  const read = recorded.statements.find(({ text }) => text.includes('usage_rollup'));
  if (read === undefined) throw new Error('no report was read');
  const plan = await explain(harness.platform.config.databaseUrl ?? '', read, 'force_custom_plan');
  const scans = plan.filter(({ table }) => table === 'operation');
  expect(scans.length).toBeGreaterThan(0);
  expect(scans.filter(({ rows, removed }) => rows + removed > 0)).toEqual([]);
});
