// GET /metrics: every metric that docs/operations.md lists is there, and moves with what it counts.
import { afterAll, describe, expect, it, vi } from 'vitest';
import { manifest } from '../src/contexts.js';
import { publishEvents } from '../src/events/outbox.js';
import { createMetrics } from '../src/http/metrics.js';
import { createLogger } from '../src/platform/log.js';
import { type RunningServer, startServer } from '../src/server.js';
import { Receiver, subscribe } from './contexts/webhooks/receiver.js';
import { nowhere, openWallet, useHarness } from './harness.js';
import { readFiles } from './source.js';

const receiver = await Receiver.start();
const harness = useHarness({ env: { WEBHOOK_ALLOW_HOSTS: receiver.host } });
afterAll(() => receiver.stop());

/** Values by metric and labels, as they are printed. Gauges are read at most every five seconds. */
async function scrape(url = harness.test.url): Promise<Map<string, number>> {
  harness.clock.advance(5);
  const response = await fetch(`${url}/metrics`);
  expect(response.status).toBe(200);
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  // With one cell it is `main` everywhere.
  const nameOf = (line: string) =>
    line
      .slice(0, line.lastIndexOf(' '))
      .replace(/(?<=\{)cell="main",?/, '')
      .replace('{}', '');
  return new Map(lines.map((line) => [nameOf(line), Number(line.slice(line.lastIndexOf(' ') + 1))]));
}

/** How much each of `names` grew while `work` was done. */
async function growth(names: readonly string[], work: () => Promise<unknown>): Promise<(number | undefined)[]> {
  const before = await scrape();
  await work();
  const after = await scrape();
  return names.map((name) => (after.has(name) ? (after.get(name) ?? 0) - (before.get(name) ?? 0) : undefined));
}

async function twoWallets() {
  const { wallet: from } = await openWallet(harness.test, { funded: '10.00' });
  const { wallet: to } = await openWallet(harness.test);
  await harness.runDue();
  const pay = (extra: object = {}) =>
    harness.test.make('/v1/transfers', {
      type: 'internal',
      from_wallet_id: from.id,
      to_wallet_id: to.id,
      amount: '1.00',
      currency: 'USD',
      ...extra,
    });
  return { from, to, pay };
}

describe('GET /metrics', () => {
  it('counts requests and refusals by code', async () => {
    const names = [
      'refusals_total{status="404",code="not_found"}',
      'refusals_total{status="400",code="validation_failed"}',
      'http_request_duration_seconds_count{environment="test",route="/v1/wallets/{id}",status="4xx"}',
    ];
    const work = async () => {
      await harness.test.get(`/v1/wallets/${nowhere}`);
      await harness.test.graphql('query ($id: WalletId!) { wallet(id: $id) { id } }', { id: nowhere });
      await harness.test.post('/v1/accounts', { type: 'business', nam: 'Acme' });
    };
    expect(await growth(names, work)).toEqual([2, 1, 1]);
  });

  it('counts postings and their sets, and steps of the publisher', async () => {
    const { pay } = await twoWallets();
    const names = ['posting_set_size_count', 'posting_set_size_sum', 'posting_wait_seconds_count'];
    const [sets, postings, waits] = await growth(names, () => Promise.all([pay(), pay(), pay()]));
    expect([postings, waits]).toEqual([3, 3]);
    expect(sets).toBeGreaterThanOrEqual(1);
    const steps = ['publication_steps_total{result="published"}', 'publication_lag_seconds_count'];
    expect(await growth(steps, () => harness.runDue())).toEqual([1, 1]);
    expect(await growth(['publication_steps_total{result="idle"}'], () => harness.runDue())).toEqual([1]);
  });

  it('tells what waits: in the outbox, before listeners, and among due rows', async () => {
    const { pay } = await twoWallets();
    expect(await scrape().then((values) => values.get('outbox_lines'))).toBe(0);
    await pay();
    const waiting = await scrape();
    expect(waiting.get('outbox_lines')).toBe(1);
    expect(waiting.get('outbox_oldest_seconds')).toBeGreaterThan(0);
    await publishEvents(harness.platform, manifest.followers);
    harness.clock.advance(30);
    const lags = manifest.followers.listeners.map(({ name }) => `listener_lag_seconds{listener="${name}"}`);
    const unheard = await scrape();
    for (const lag of lags) expect(unheard.get(lag), lag).toBeGreaterThanOrEqual(30);
    await harness.runDue();
    const heard = await scrape();
    for (const lag of lags) expect(heard.get(lag), lag).toBe(0);

    await pay({ scheduled_for: new Date(harness.clock.now().getTime() + 60_000).toISOString() });
    expect(await scrape().then((values) => values.get('due_rows{table="transfer"}'))).toBe(0);
    harness.clock.advance(100);
    const due = await scrape();
    expect(due.get('due_rows{table="transfer"}')).toBe(1);
    expect(due.get('due_oldest_seconds{table="transfer"}')).toBe(50);
    await harness.runDue();
    expect(await scrape().then((values) => values.get('due_rows{table="transfer"}'))).toBe(0);
  });

  it('counts rows by the clock of their workspace', async () => {
    const { pay } = await twoWallets();
    await pay({ scheduled_for: new Date(harness.clock.now().getTime() + 86_400_000).toISOString() });
    const { unscoped } = harness.platform.database;
    await unscoped.workspace.updateMany({
      where: { tenantId: harness.tenantId, environment: 'test' },
      data: { clockOffsetMs: 86_460_000n },
    });
    expect(await scrape().then((values) => values.get('due_rows{table="transfer"}'))).toBe(1);
    await harness.runDue();
    expect(await scrape().then((values) => values.get('due_rows{table="transfer"}'))).toBe(0);
    await unscoped.workspace.updateMany({ where: { tenantId: harness.tenantId }, data: { clockOffsetMs: 0n } });
  });

  it('counts attempts, retries that wait, and dead letters', async () => {
    receiver.answer('/broken', 500);
    await subscribe(harness.test, receiver, '/broken', ['account.created']);
    await subscribe(harness.test, receiver, '/good', ['account.created']);
    const names = ['delivered', 'failed'].map((outcome) => `webhook_attempts_total{outcome="${outcome}"}`);
    const first = async () => {
      await harness.test.make('/v1/accounts', { type: 'business', name: 'Ada' });
      await harness.runDue();
    };
    expect(await growth(names, first)).toEqual([1, 1]);
    expect(await scrape().then((values) => values.get('webhook_deliveries{state="waiting"}'))).toBe(1);
    const dead = ['webhook_dead_letters_total{reason="attempts_exhausted"}', 'webhook_deliveries{state="dead"}', ...names];
    const rest = async () => {
      for (let hours = 0; hours < 4; hours += 1) await harness.advance(2 * 3_600);
    };
    expect(await growth(dead, rest)).toEqual([1, 1, 0, 4]);
    expect(await scrape().then((values) => values.get('webhook_deliveries{state="waiting"}'))).toBe(0);
  });

  it('counts open streams', async () => {
    const gone = new AbortController();
    const open = 'open_streams{face="graphql"}';
    const listen = () =>
      fetch(`${harness.test.url}/graphql/stream`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${harness.test.key}`, 'Content-Type': 'application/json', Accept: 'text/event-stream' },
        body: JSON.stringify({ query: 'subscription { workspaceEvents { id } }' }),
        signal: gone.signal,
      });
    expect(await growth([open], listen)).toEqual([1]);
    gone.abort();
    await vi.waitFor(async () => expect((await scrape()).get(open)).toBe(0), { timeout: 20_000, interval: 10 });
  });

  it('is read from a worker too, which says how it works and whether it has Redis', async () => {
    const config = { ...harness.platform.config, databaseUrl: harness.platform.config.databaseUrl as string };
    const worker: RunningServer = await startServer({
      config: { ...config, secretsKey: config.secretsKey as string, role: 'worker', metricsPort: 0, redisUrl: 'redis://127.0.0.1:1' },
      log: createLogger('silent'),
      clock: harness.clock,
    });
    try {
      expect(worker.urls).toEqual({});
      const values = await scrape(worker.metricsUrl);
      expect(values.get('redis_up')).toBe(0);
      expect(values.get('worker_lag_seconds')).toBeGreaterThanOrEqual(0);
      const statuses = await Promise.all(['/health', '/ready', '/v1/me'].map((path) => fetch(worker.metricsUrl + path)));
      expect(statuses.map(({ status }) => status)).toEqual([200, 200, 404]);
    } finally {
      await worker.stop();
    }
    // The harness runs no worker and has no Redis.
    const without = await scrape();
    expect([without.has('redis_up'), without.has('worker_lag_seconds')]).toEqual([false, false]);
  });

  it('is read also where a group of gauges cannot be, and says so', async () => {
    const groups = ['well', 'ill'].map((name) => ({
      name,
      gauges: [{ name: `${name}_rows`, help: 'Rows.' }],
      read: async () => {
        if (name === 'ill') throw new Error('no database');
        return [{ name: 'well_rows', value: 3 }];
      },
    }));
    const { registry } = createMetrics(harness.platform.database.pool, { platform: harness.platform, metrics: [], groups });
    const text = await registry.metrics();
    expect(text).toContain('gauges_read{cell="main",group="well"} 1\n');
    expect(text).toContain('gauges_read{cell="main",group="ill"} 0\n');
    expect(text).toContain('\nwell_rows{cell="main"} 3\n');
    expect(text).not.toMatch(/^ill_rows/m);
  });

  it('asks the database for a group once at a time, and goes on when it has answered', async () => {
    const answers: (() => void)[] = [];
    const group = {
      name: 'slow',
      gauges: [{ name: 'slow_rows', help: 'Rows.' }],
      read: () =>
        new Promise<[{ name: string; value: number }]>((resolve) => answers.push(() => resolve([{ name: 'slow_rows', value: 4 }]))),
    };
    const { platform } = harness;
    const { registry } = createMetrics(platform.database.pool, { platform, metrics: [], groups: [group] });
    const read = () => {
      harness.clock.advance(5);
      return registry.metrics();
    };
    for (let scrapes = 0; scrapes < 3; scrapes += 1) expect(await read()).toContain('gauges_read{cell="main",group="slow"} 0');
    expect(answers).toHaveLength(1);
    answers[0]?.();
    let next: Promise<string> | undefined;
    await vi.waitFor(() => {
      next = read();
      expect(answers).toHaveLength(2);
    });
    answers[1]?.();
    expect(await next).toContain('\nslow_rows{cell="main"} 4\n');
  });

  it('counts nobody as waiting for a connection while one is idle', async () => {
    await harness.platform.database.pool.query('SELECT 1');
    for (let scrapes = 0; scrapes < 3; scrapes += 1) {
      const values = await scrape();
      expect(values.get('database_connections{state="idle"}')).toBeGreaterThan(0);
      expect(values.get('database_connections{state="waiting"}')).toBe(0);
    }
    const { pool } = harness.platform.database;
    const taken = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
    const late = pool.connect();
    const busy = createMetrics(pool).registry;
    expect(await busy.metrics()).toContain('database_connections{cell="main",state="waiting"} 1\n');
    for (const client of taken) client.release();
    (await late).release();
  });

  it('has what alerts count from the start: they see a counter grow, and not one appear', async () => {
    const values = await scrape();
    for (const name of [
      'refusals_total{status="500",code="internal_error"}',
      'refusals_total{status="503",code="overloaded"}',
      'refusals_total{status="503",code="dependency_unavailable"}',
      'webhook_dead_letters_total{reason="attempts_exhausted"}',
    ])
      expect(values.has(name), name).toBe(true);
  });

  it('names no tenant, and nothing of one', async () => {
    const { from } = await twoWallets();
    const text = await (await fetch(`${harness.test.url}/metrics`)).text();
    const { workspaceId } = await harness.platform.database.unscoped.wallet.findFirstOrThrow({ where: { id: from.id } });
    for (const secret of [workspaceId, harness.tenantId, from.id, harness.test.key]) expect(text).not.toContain(secret);
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
  });
});

describe('docs', () => {
  const [operations, alerts] = ['operations.md', 'alerts.yml'].map(
    (name) => readFiles(['docs'], ['.md', '.yml']).find(({ path }) => path === `docs/${name}`)?.text ?? '',
  ) as [string, string];
  const ofRuntime = /^(nodejs|process)_/;
  /** What the table of a section has in its first column. */
  const listed = (heading: string): string[] => {
    const section = operations.split('\n## ').find((text) => text.startsWith(`${heading}\n`)) ?? '';
    return [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name);
  };

  it('list every metric that there is, and no other', async () => {
    const text = await (await fetch(`${harness.test.url}/metrics`)).text();
    const told = text.split('\n').flatMap((line) => /^# TYPE (\S+)/.exec(line)?.[1] ?? []);
    expect(listed('Metrics').sort()).toEqual(told.filter((name) => !ofRuntime.test(name)).sort());
    // By the script for cron, which stands beside its alerts.
    const written = [...operations.matchAll(/(?:'|\\n)([a-z]+(?:_[a-z]+)+) %s/g)].map(([, name = '']) => name);
    const asked = alerts.split('\n').flatMap((line) => /^\s+expr: (.*)/.exec(line)?.[1] ?? []);
    expect(asked.length).toBeGreaterThan(8);
    for (const expression of asked) {
      const named = [...expression.matchAll(/[a-z0-9]+(?:_[a-z0-9]+)+(?=[[{ )])/g)].map(([name]) =>
        name.replace(/_(bucket|count|sum)$/, ''),
      );
      expect(named.length, expression).toBeGreaterThan(0);
      expect(
        named.filter((name) => ![...told, ...written].includes(name) && name !== 'internal_error'),
        expression,
      ).toEqual([]);
    }
  });

  it('explain every alert', () => {
    const names = [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(8);
    expect(listed('Alerts')).toEqual(names);
  });
});
