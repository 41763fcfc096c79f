// Processes are replaced one by one behind the gateway of docker-compose.yml, while requests come: none is refused, none is cut, and each is
// answered by the platform itself (CONTRACT.md 24). Skipped where there is no nginx.
import { randomBytes, randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { freePort } from '../src/platform/postgres/cluster.js';
import { Gateway, hasGateway } from './gateway.js';
import { make } from './load.js';
import { type NewDatabase, newDatabase } from './new-database.js';
import { buildOnce, type ServerProcess, startServerProcess } from './process.js';
import { isSlow } from './slow.js';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 });

const requests = isSlow ? 10_000 : 2_400;
const perSecond = 200;
/** A machine that has other work to do is sent less. */
const mostAtOnce = isSlow ? 100 : 20;
/** A process that has just started is slow; the other one is replaced a little later. */
const restMs = 2_000;
const addresses = ['127.0.0.2', '127.0.0.3'];

let database: NewDatabase;
let gateway: Gateway;
let env: Readonly<Record<string, string>>;
const servers: ServerProcess[] = [];
const agent = new Agent({ keepAlive: true, maxSockets: 512 });

const start = (at: number) => startServerProcess({ ...env, HOST: addresses[at] ?? '' });

beforeAll(async () => {
  if (!hasGateway) return;
  await buildOnce();
  database = await newDatabase();
  const [port, sandboxPort] = [(await freePort()) ?? 0, (await freePort()) ?? 0];
  env = {
    ROLE: 'api',
    DATABASE_URL: database.url,
    PORT: `${port}`,
    SANDBOX_PORT: `${sandboxPort}`,
    SECRETS_KEY: randomBytes(32).toString('hex'),
    BOOTSTRAP_TEST_KEY: `pk_test_${randomUUID()}`,
    BOOTSTRAP_LIVE_KEY: `pk_live_${randomUUID()}`,
    RATE_LIMIT_SANDBOX: '1000000',
    TRUSTED_PROXIES: '1',
    DRAIN_SECONDS: '1',
    LOG_LEVEL: 'error',
  };
  servers.push(await start(0), await start(1));
  gateway = await Gateway.start({ addresses, port, sandboxPort });
});

afterAll(async () => {
  agent.destroy();
  await gateway?.stop();
  for (const server of servers) if (server.isRunning) await server.kill('SIGTERM');
  await database?.drop();
});

interface Answer {
  kind: string;
  status: number;
  /** Whether a process, or the gateway in its name, says which request it was. */
  isNamed: boolean;
  text: string;
  ms: number;
}

interface Question {
  kind: string;
  path: string;
  body?: unknown;
  key?: string;
}

/** Sends a request over connections that are kept. What gets no answer has status 0. */
async function send({ kind, path, body, key }: Question): Promise<Answer> {
  const begun = performance.now();
  const headers = {
    Authorization: `Bearer ${env['BOOTSTRAP_TEST_KEY']}`,
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(key !== undefined && { 'Idempotency-Key': key }),
  };
  try {
    const sent = request(gateway.test + path, { method: body === undefined ? 'GET' : 'POST', agent, headers });
    sent.end(body === undefined ? '' : JSON.stringify(body));
    const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve).once('error', reject);
    });
    const text = await textOf(response);
    const isNamed = response.headers['x-request-id'] !== undefined;
    return { kind, status: response.statusCode ?? 0, isNamed, text, ms: performance.now() - begun };
  } catch (error) {
    return { kind, status: 0, isNamed: false, text: String(error), ms: performance.now() - begun };
  }
}

/** What is asked, in turn: half of it pays, with a key and without one. */
async function questions(): Promise<(n: number) => Question> {
  const sandbox = { url: gateway.test, key: env['BOOTSTRAP_TEST_KEY'] ?? '' };
  const account = await make(sandbox, '/v1/accounts', { type: 'business', name: 'Restart' });
  const wallets: string[] = [];
  for (let n = 0; n < 8; n += 1) {
    const wallet = await make(sandbox, '/v1/wallets', { owner_type: 'account', owner_id: account.id, currency: 'USD' });
    await make(sandbox, `/v1/wallets/${wallet.id}/fund`, { amount: '100000.00' });
    wallets.push(wallet.id);
  }
  const [path, reference] = ['/v1/transfers', (n: number) => `restart-${n}`];
  const transfer = (n: number) => {
    const [from, to] = [wallets[n % 8], wallets[(n + 1) % 8]];
    return { type: 'internal', from_wallet_id: from, to_wallet_id: to, amount: '0.01', currency: 'USD', reference: reference(n) };
  };
  const kinds: ((n: number) => Question)[] = [
    (n) => ({ kind: 'a payment with a key', path, body: transfer(n), key: reference(n) }),
    (n) => ({ kind: 'a wallet', path: `/v1/wallets/${wallets[n % 8]}` }),
    (n) => ({ kind: 'a payment without a key', path, body: transfer(n) }),
    () => ({ kind: 'a query', path: '/graphql', body: { query: '{ accounts(limit: 1) { nodes { name } } }' } }),
  ];
  return (n) => kinds[n % kinds.length]?.(n) as Question;
}

/** Sends all of them, as many a second as they are to be. */
async function sendAll(question: (n: number) => Question): Promise<Answer[]> {
  const answers: Promise<Answer>[] = [];
  const begun = performance.now();
  let answered = 0;
  while (answers.length < requests) {
    const due = Math.min(requests, ((performance.now() - begun) * perSecond) / 1_000);
    while (answers.length < due && answers.length - answered < mostAtOnce) {
      const answer = send(question(answers.length));
      answers.push(answer);
      void answer.then(() => {
        answered += 1;
      });
    }
    await pause(2);
  }
  return Promise.all(answers);
}

/** Replaces one process after the other, until it is told to end. Returns how many. */
async function replace(isOver: () => boolean): Promise<number> {
  let count = 0;
  for (; !isOver(); count += 1) {
    const ended = await servers[count % 2]?.kill('SIGTERM');
    expect(ended, ended?.stderr).toMatchObject({ code: 0 });
    servers[count % 2] = await start(count % 2);
    await pause(restMs);
  }
  return count;
}

/** The same answers are counted. */
function counted(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind, status, text } of answers) {
    const name = `${kind}: ${status} ${text.slice(0, 120)}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

it.skipIf(!hasGateway)('refuses and cuts nothing while processes are replaced one by one', async () => {
  const question = await questions();
  let isOver = false;
  const begun = performance.now();
  const replaced = replace(() => isOver);
  const answers = await sendAll(question);
  const seconds = (performance.now() - begun) / 1_000;
  isOver = true;
  const restarts = await replaced;

  const times = answers.map(({ ms }) => ms).sort((a, b) => a - b);
  const [middle, late, longest] = [0.5, 0.99, 1].map((share) => Math.round(times[Math.ceil(times.length * share) - 1] ?? 0));
  const figures = `${requests} requests in ${seconds.toFixed(1)} s, ${restarts} restarts; p50 ${middle} ms, p99 ${late} ms, longest ${longest} ms`;
  if (isSlow) console.info(figures);
  const failed = answers.filter(({ status, isNamed }) => status < 200 || status > 299 || !isNamed);
  expect(counted(failed), `${figures}\n${await gateway.errors()}`).toEqual({});
  expect(restarts).toBeGreaterThan(1);

  const db = new pg.Client({ connectionString: database.url });
  await db.connect();
  const { rows } = await db.query(
    "SELECT count(*)::int, count(DISTINCT reference)::int AS once FROM transfer WHERE reference LIKE 'restart-%' AND status = 'completed'",
  );
  await db.end();
  expect(rows).toEqual([{ count: requests / 2, once: requests / 2 }]);
});

it.skipIf(!hasGateway)('says whether a request may be sent again when no process answers', async () => {
  for (const server of servers) await server.kill('SIGTERM');
  const retryOf = async (asked: Question) => {
    const { status, isNamed, text } = await send(asked);
    expect({ status, isNamed }).toEqual({ status: 503, isNamed: true });
    const body = JSON.parse(text);
    expect(body).toEqual({
      error: 'No process answers.',
      code: 'dependency_unavailable',
      details: { retry: expect.any(Object) },
      request_id: expect.stringMatching(/^req_[0-9a-f]{32}$/),
    });
    return body.details.retry;
  };
  const path = '/v1/transfers';
  expect(await retryOf({ kind: 'read', path })).toEqual({ safe: true, after_s: 1 });
  expect(await retryOf({ kind: 'payment', path, body: {} })).toEqual({ safe: false });
  expect(await retryOf({ kind: 'payment', path, body: {}, key: 'once' })).toEqual({ safe: true, same_key: true, after_s: 1 });
});
