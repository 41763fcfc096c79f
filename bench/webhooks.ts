// Deliveries per second to a receiver on loopback, from committed events to signed, answered and recorded sends, beside a bare undici
// loop that posts the same bytes to the same receiver, in turn.
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { Agent, request } from 'undici';
import { loadConfig } from '../src/config.js';
import { createTenant } from '../src/contexts/identity/tenant.js';
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres.js';
import { eventRow, writeEvents } from '../src/platform/events.js';
import { newId } from '../src/platform/ids.js';
import { createLogger } from '../src/platform/log.js';
import { migrate } from '../src/platform/migrate.js';
import { type RunningServer, startServer } from '../src/server.js';

const about = `Usage: npm run bench -- webhooks [--rounds 3] [--deliveries 8000] [--webhooks 8]

Uses an embedded PostgreSQL of its own, fsync on. The receiver is a thread of its own that counts and answers 200.`;

const receiver = `
const { createServer } = require('node:http');
const { parentPort } = require('node:worker_threads');
let count = 0;
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => { count += 1; response.end('ok'); });
});
server.keepAliveTimeout = 60000;
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
parentPort.on('message', () => parentPort.postMessage(count));`;

export async function run(args: string[]): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ args, options: { rounds: text, deliveries: text, webhooks: text, help: { type: 'boolean' } } });
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  if (values.help) return say(about);
  const [rounds, deliveries, webhooks] = [Number(values.rounds ?? 3), Number(values.deliveries ?? 8_000), Number(values.webhooks ?? 8)];
  const scratch = await mkdtemp(path.join(tmpdir(), 'payments-bench-'));
  // As root PostgreSQL runs as another user, who must be able to enter.
  await chmod(scratch, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir: path.join(scratch, 'data'), notice: say });
  const thread = new Worker(receiver, { eval: true });
  const ask = (): Promise<number> => {
    const answer = new Promise<number>((resolve) => thread.once('message', resolve));
    thread.postMessage('count');
    return answer;
  };
  let server: RunningServer | undefined;
  try {
    const port = await new Promise<number>((resolve) => thread.once('message', resolve));
    const host = `127.0.0.1:${port}`;
    await migrate(postgres.url);
    const secretsKey = randomBytes(32).toString('hex');
    const config = loadConfig({
      DATABASE_URL: postgres.url,
      SECRETS_KEY: secretsKey,
      PORT: '0',
      SANDBOX_PORT: '0',
      WEBHOOK_ALLOW_HOSTS: host,
    });
    server = await startServer({ config: { ...config, databaseUrl: postgres.url, secretsKey }, log: createLogger('warn') });
    const workspaceId = await subscribe(server, host, webhooks);
    const send = () => sendEvents(server as RunningServer, workspaceId, Math.ceil(deliveries / webhooks), webhooks, ask);
    await bareLoop(host, 1_000, webhooks * 10);
    await send();
    const results = [];
    for (let round = 0; round < rounds; round += 1) {
      const bare = await bareLoop(host, deliveries, webhooks * 10);
      const ours = await send();
      results.push({ bare, ours, ratio: ours / bare });
      say(
        `round ${round + 1}: ${ours.toFixed(0)} deliveries/s beside ${bare.toFixed(0)}/s of a bare loop, ratio ${(ours / bare).toFixed(2)}`,
      );
    }
    const median = (list: number[]) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN;
    say(
      `${webhooks} subscriptions, ${deliveries} deliveries a round: ${median(results.map(({ ours }) => ours)).toFixed(0)}/s, ratio ${median(results.map(({ ratio }) => ratio)).toFixed(2)}`,
    );
  } finally {
    await server?.stop();
    await thread.terminate();
    await postgres.stop();
    await rm(scratch, { recursive: true, force: true });
  }
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

/** Deliveries per second, from the commit of the events until every one is recorded. */
async function sendEvents(
  { platform }: RunningServer,
  workspaceId: string,
  count: number,
  webhooks: number,
  ask: () => Promise<number>,
): Promise<number> {
  const { unscoped, written } = platform.database;
  const before = await ask();
  const at = platform.clock.now();
  const data = { account_id: `acc_${newId(at)}`, type: 'business', status: 'active', name: 'Bench' };
  const rows = Array.from({ length: count }, () => eventRow(at, 'account.created', data, {}));
  const begun = performance.now();
  await unscoped.$transaction((tx) => writeEvents(tx, workspaceId, rows));
  written.ring();
  while ((await ask()) - before < count * webhooks) await pause(20);
  while ((await unscoped.webhookDelivery.findFirst({ where: { dueAt: { not: null } } })) !== null) await pause(20);
  return (count * webhooks * 1000) / (performance.now() - begun);
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
