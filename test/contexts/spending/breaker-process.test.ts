// The runaway breaker in several processes at once: nothing trips twice.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sweepSpendMinutes } from '../../../src/contexts/spending/breaker/breaker.sql.js';
import { breakerListener, inspectAgent } from '../../../src/contexts/spending/breaker/breaker-look.js';
import { manifest } from '../../../src/contexts.js';
import { Listening } from '../../../src/events/listener.js';
import { publishEvents } from '../../../src/events/outbox.js';
import type { Platform } from '../../../src/platform/ctx.js';
import { runDue } from '../../../src/platform/due/due-table.js';
import { createLogger } from '../../../src/platform/log.js';
import { type RunningServer, startServer } from '../../../src/server.js';
import { useHarness } from '../../harness.js';
import { ctxOf, query } from '../../ledger/wallet-ref.js';
import { payee, refuse, settle, spender, tripsOf, watch } from './runaway.js';

const harness = useHarness();
let second: RunningServer;
let both: Platform[];

beforeAll(async () => {
  const { config, clock, database } = harness.platform;
  const ready = { ...config, databaseUrl: database.url, secretsKey: config.secretsKey ?? '' };
  second = await startServer({ config: ready, log: createLogger('fatal'), clock, pollMs: 0 });
  both = [harness.platform, second.platform];
});
afterAll(() => second.stop());

const publish = () => publishEvents(harness.platform, { ...manifest.followers, listeners: [] });
const lookSteps = manifest.due.filter(({ table }) => table === 'breaker_look');

/** Lets every process hear and look at the same time. */
async function workBesideEachOther(): Promise<void> {
  await Promise.all(both.flatMap((platform) => [new Listening(platform, breakerListener).drain(), runDue(platform, lookSteps)]));
}

describe('two processes', () => {
  it('trip once for what both could hear and look at', async () => {
    await watch(
      harness,
      { kind: 'same_payment', action: 'notify', count: 3, seconds: 60 },
      { kind: 'failures', action: 'notify', count: 3, seconds: 60 },
      { kind: 'rate', action: 'notify', factor: 2 },
    );
    const agents = await Promise.all(Array.from({ length: 3 }, () => spender(harness)));
    const shop = await payee(harness);
    const payAll = (amount: string) => Promise.all(agents.map((agent) => agent.pay(shop, amount)));
    await payAll('9.00');
    harness.clock.advance(60);
    for (let n = 0; n < 12; n += 1) {
      await payAll('1.00');
      await Promise.all(agents.map((agent) => refuse(harness, agent, 1)));
      await publish();
      harness.clock.advance(1);
      if (n % 3 === 2) await workBesideEachOther();
    }
    harness.clock.advance(2);
    await workBesideEachOther();
    await workBesideEachOther();
    for (const agent of agents) {
      const kinds = (await tripsOf(harness, agent)).map(({ kind }) => kind);
      expect(kinds.sort()).toEqual(['failures', 'rate', 'same_payment']);
    }
    expect(await query(harness, 'SELECT FROM breaker_look')).toEqual([]);
    const [{ events }] = await query(harness, "SELECT count(*)::int AS events FROM event WHERE type = '_breaker.tripped'");
    expect(events).toBe(3 * agents.length);
  });

  it('follow each other when they look at one agent at the same moment', async () => {
    await watch(harness, { kind: 'same_payment', action: 'freeze', count: 2, seconds: 60 });
    const agent = await spender(harness);
    const shop = await payee(harness);
    for (let n = 0; n < 2; n += 1) await agent.pay(shop, '1.00');
    await publish();
    await new Listening(harness.platform, breakerListener).drain();
    const [look] = await query(harness, 'SELECT * FROM breaker_look');
    const looking = async (platform: Platform, id: string) =>
      inspectAgent({ ...(await ctxOf({ ...harness, platform } as typeof harness, harness.test)) }, id);
    const waiting = async () =>
      (await query(harness, "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")).length;
    const blocker = await harness.platform.database.pool.connect();
    await blocker.query('BEGIN');
    await blocker.query('LOCK TABLE event IN SHARE MODE');
    const first = looking(harness.platform, look.id);
    await expect.poll(waiting, { timeout: 20_000 }).toBe(1);
    await query(
      harness,
      'INSERT INTO breaker_look SELECT workspace_id, gen_random_uuid(), agent_id, since, due_at FROM breaker_look WHERE id = $1',
      [look.id],
    );
    const [other] = await query(harness, 'SELECT id FROM breaker_look WHERE id <> $1', [look.id]);
    const next = looking(second.platform, other.id);
    await expect.poll(waiting, { timeout: 20_000 }).toBe(2);
    await blocker.query('COMMIT');
    blocker.release();
    await Promise.all([first, next]);
    expect(await tripsOf(harness, agent)).toHaveLength(1);
    expect(await query(harness, 'SELECT FROM breaker_look')).toEqual([]);
  });
});

describe('minutes of spends', () => {
  it('are removed when no detector compares with them any more', async () => {
    await watch(harness, { kind: 'rate', action: 'notify', factor: 2 });
    const agent = await spender(harness);
    const shop = await payee(harness);
    await agent.pay(shop, '1.00');
    await settle(harness);
    const count = async () => (await query(harness, 'SELECT FROM spend_minute WHERE agent_id = $1', [agent.uuid])).length;
    await harness.advance(86_400);
    await sweepSpendMinutes(harness.platform, 1_000);
    expect(await count()).toBe(1);
    await harness.advance(86_400);
    await sweepSpendMinutes(harness.platform, 1_000);
    expect(await count()).toBe(0);
  });
});
