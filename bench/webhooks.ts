// Deliveries per second to a receiver on loopback, from committed events to signed, answered and recorded sends, beside a bare undici
// loop that posts the same bytes to the same receiver, in turn; what a delivery costs; and how soon after its event one leaves.
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Agent, request } from 'undici';
import { loadConfig } from '../src/config.js';
import { createTenant } from '../src/contexts/identity/tenant.js';
import { eventRow, writeEvents } from '../src/events/event.js';
import { createLogger } from '../src/platform/log.js';
import { migrate } from '../src/platform/postgres/migration.js';
import { newId, printId } from '../src/platform/schema/id.js';
import { type RunningServer, startServer } from '../src/server.js';
import { postgresSeconds, postmasterOf } from './cpu.js';
import { median, openBenchDatabase, say } from './platform.js';
import { BenchReceiver } from './webhook-receiver.js';

const about = `Usage: npm run bench -- webhooks [--rounds 3] [--deliveries 8000] [--webhooks 8] [--rate 200] [--seconds 10]

Each round sends --deliveries to --webhooks subscriptions. Then --rate events a second for --seconds show how long it takes from the
commit of an event to its first request. Uses an embedded PostgreSQL of its own, fsync on, unless DATABASE_URL names an empty database. The receiver is a process of its own that
counts and answers 200.`;

/** What is measured, and what it takes. */
interface Stand {
  server: RunningServer;
  receiver: BenchReceiver;
  workspaceId: string;
  webhooks: number;
  /** The parent of PostgreSQL's processes. */
  postmaster: number;
}

interface Round {
  perSecond: number;
  /** CPU microseconds for each delivery, of this process and of PostgreSQL. */
  ownMicros: number;
  postgresMicros: number;
}

export async function run(args: string[]): Promise<void> {
  const text = { type: 'string' } as const;
  const options = { rounds: text, deliveries: text, webhooks: text, rate: text, seconds: text, help: { type: 'boolean' } } as const;
  const { values } = parseArgs({ args, options });
  if (values.help) return say(about);
  const [rounds, deliveries, webhooks] = [Number(values.rounds ?? 3), Number(values.deliveries ?? 8_000), Number(values.webhooks ?? 8)];
  const database = await openBenchDatabase();
  const receiver = await BenchReceiver.start();
  let server: RunningServer | undefined;
  try {
    await migrate(database.url);
    const secretsKey = randomBytes(32).toString('hex');
    const config = loadConfig({
      DATABASE_URL: database.url,
      SECRETS_KEY: secretsKey,
      PORT: '0',
      SANDBOX_PORT: '0',
      WEBHOOK_ALLOW_HOSTS: receiver.host,
      WEBHOOK_HOST_RATE: 'none',
    });
    server = await startServer({ config: { ...config, databaseUrl: database.url, secretsKey }, log: createLogger('warn') });
    const [workspaceId, postmaster] = [await subscribe(server, receiver.host, webhooks), await postmasterOf(server.platform.database.pool)];
    const stand: Stand = { server, receiver, webhooks, workspaceId, postmaster };
    await showRates(stand, rounds, deliveries);
    await showLatency(stand, Number(values.rate ?? 200), Number(values.seconds ?? 10));
  } finally {
    await server?.stop();
    await receiver.stop();
    await database.stop();
  }
}

async function showRates(stand: Stand, rounds: number, deliveries: number): Promise<void> {
  const { receiver, webhooks } = stand;
  await bareLoop(receiver.host, 1_000, webhooks * 10);
  await sendEvents(stand, Math.ceil(deliveries / webhooks));
  const results: (Round & { ratio: number })[] = [];
  for (let n = 1; n <= rounds; n += 1) {
    const bare = await bareLoop(receiver.host, deliveries, webhooks * 10);
    const ours = await sendEvents(stand, Math.ceil(deliveries / webhooks));
    const ratio = ours.perSecond / bare;
    results.push({ ...ours, ratio });
    say(`round ${n}: ${ours.perSecond.toFixed(0)} deliveries/s beside ${bare.toFixed(0)}/s of a bare loop, ratio ${ratio.toFixed(2)}`);
  }
  const middle = (member: keyof (typeof results)[number]) => median(results.map((result) => result[member]));
  say(
    `${webhooks} subscriptions, ${deliveries} deliveries a round: ${middle('perSecond').toFixed(0)}/s, ratio ${middle('ratio').toFixed(2)}; ` +
      `CPU of a delivery: ${middle('ownMicros').toFixed(0)} us here, ${middle('postgresMicros').toFixed(0)} us in PostgreSQL`,
  );
}

/** From the commit of an event to its first request at the receiver, at a steady rate. */
async function showLatency(stand: Stand, rate: number, seconds: number): Promise<void> {
  await stand.receiver.seen();
  const goal = (await stand.receiver.count()) + rate * seconds * stand.webhooks;
  const committed = new Map<string, number>();
  const commit = async () => {
    const [id = ''] = await commitEvents(stand, 1);
    committed.set(printId('event', id), performance.timeOrigin + performance.now());
  };
  const begun = performance.now();
  const commits: Promise<void>[] = [];
  for (let n = 0; n < rate * seconds; n += 1) {
    const due = begun + (n * 1000) / rate;
    if (due > performance.now()) await pause(due - performance.now());
    commits.push(commit());
  }
  await Promise.all(commits);
  await settled(stand, goal);
  const seen = await stand.receiver.seen();
  const spans = [...committed].map(([id, at]) => (seen.get(id) ?? Number.NaN) - at).sort((a, b) => a - b);
  const at = (share: number) => (spans[Math.ceil(spans.length * share) - 1] ?? Number.NaN).toFixed(1);
  say(`${spans.length} events at ${rate}/s, from the commit to the first request: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms`);
}

async function subscribe({ platform, urls }: RunningServer, host: string, count: number): Promise<string> {
  const { testKey } = await createTenant(platform, { name: 'Bench' });
  for (let n = 0; n < count; n += 1) {
    const response = await fetch(`${urls.test}/v1/webhooks`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${testKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: `http://${host}/${n}`, events: ['account.created'] }),
    });
    if (!response.ok) throw new Error(await response.text());
  }
  return (await platform.database.unscoped.webhook.findFirstOrThrow()).workspaceId;
}

/** Commits so many events together; returns their ids. */
async function commitEvents({ server: { platform }, workspaceId }: Stand, count: number): Promise<string[]> {
  const { unscoped, written } = platform.database;
  const at = platform.clock.now();
  const data = { account_id: `acc_${newId(at)}`, type: 'business', status: 'active', name: 'Bench' };
  const rows = Array.from({ length: count }, () => eventRow({ clock: { now: () => at } }, 'account.created', data));
  await unscoped.$transaction((tx) => writeEvents(tx, workspaceId, rows));
  written.ring();
  return rows.map(({ id }) => id);
}

/** Returns when the receiver has seen so many requests and every delivery is recorded. */
async function settled({ server: { platform }, receiver }: Stand, goal: number): Promise<void> {
  while ((await receiver.count()) < goal) await pause(20);
  while ((await platform.database.unscoped.webhookDelivery.findFirst({ where: { dueAt: { not: null } } })) !== null) await pause(20);
}

async function cpuSeconds({ postmaster }: Stand): Promise<{ own: number; postgres: number }> {
  const { user, system } = process.cpuUsage();
  return { own: (user + system) / 1e6, postgres: await postgresSeconds(postmaster).catch(() => Number.NaN) };
}

/** From the commit of the events until every delivery is recorded. */
async function sendEvents(stand: Stand, count: number): Promise<Round> {
  const total = count * stand.webhooks;
  const goal = (await stand.receiver.count()) + total;
  const before = await cpuSeconds(stand);
  const begun = performance.now();
  await commitEvents(stand, count);
  await settled(stand, goal);
  const seconds = (performance.now() - begun) / 1000;
  const after = await cpuSeconds(stand);
  const micros = (from: number, to: number) => ((to - from) * 1e6) / total;
  return {
    perSecond: total / seconds,
    ownMicros: micros(before.own, after.own),
    postgresMicros: micros(before.postgres, after.postgres),
  };
}

/** Requests per second of nothing but undici, with as many in flight. */
async function bareLoop(host: string, count: number, inFlight: number): Promise<number> {
  const dispatcher = new Agent({ connections: 256 });
  const body = Buffer.from(JSON.stringify({ id: 'evt_x', type: 'account.created', timestamp: '', data: { filler: 'x'.repeat(150) } }));
  const headers = {
    'Content-Type': 'application/json',
    'X-Svc-Signature': `t=1700000000,v1=${'0'.repeat(64)}`,
    'X-Svc-Event-Id': `evt_${'0'.repeat(36)}`,
    'X-Svc-Delivery-Id': `del_${'0'.repeat(36)}`,
    'X-Svc-Webhook-Id': `wh_${'0'.repeat(36)}`,
  };
  let left = count;
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (left > 0) {
        left -= 1;
        const answer = await request(`http://${host}/bare`, { dispatcher, method: 'POST', headers, body });
        await answer.body.text();
      }
    }),
  );
  const seconds = (performance.now() - begun) / 1000;
  await dispatcher.close();
  return count / seconds;
}
