// Memory of a process is bounded whatever callers do: no cache, budget or body grows with their number (ARCHITECTURE.md 12).
// The server runs with a heap that a leak of a few kilobytes per request would fill. With SLOW=1 alone.
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eachOf, type RawRequest, sendRaw } from './hostile.js';
import { ask, make } from './load.js';
import { type NewDatabase, newDatabase } from './new-database.js';
import { buildOnce, type ServerProcess, startServerProcess } from './process.js';
import { isSlow } from './slow.js';

const key = `pk_test_${randomUUID()}`;
let database: NewDatabase;
let server: ServerProcess;

beforeAll(async () => {
  await buildOnce();
  database = await newDatabase();
  server = await startServerProcess({
    DATABASE_URL: database.url,
    SECRETS_KEY: randomBytes(32).toString('hex'),
    PORT: '0',
    SANDBOX_PORT: '0',
    BOOTSTRAP_TEST_KEY: key,
    RATE_LIMIT_SANDBOX: '1000000',
    RATE_LIMIT_AUTH: '1000000',
    TRUSTED_PROXIES: '1',
    LOG_LEVEL: 'error',
    NODE_OPTIONS: '--max-old-space-size=192',
  });
});
afterAll(async () => {
  if (server?.isRunning) await server.kill('SIGTERM');
  await database?.drop();
});

/** The smallest heap of some looks, in MB: between two collections there is garbage too. */
async function heapMb(): Promise<number> {
  const looks: number[] = [];
  await expect
    .poll(
      async () => {
        const text = await (await fetch(`${server.test}/metrics`)).text();
        looks.push(Number(/^nodejs_heap_size_used_bytes (\S+)/m.exec(text)?.[1]) / 1e6);
        return looks.length;
      },
      { interval: 20, timeout: 10_000 },
    )
    .toBe(12);
  return Math.min(...looks);
}

const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
const times = (count: number) => Array.from({ length: count }, (_, n) => n);

async function sendAll(count: number, request: (n: number) => RawRequest, status: number, atOnce = 12): Promise<void> {
  await eachOf(
    times(count),
    async (n) => {
      const answer = await sendRaw(server.test, request(n));
      expect(answer.status, answer.text).toBe(status);
    },
    atOnce,
  );
}

it.skipIf(!isSlow)(
  'stays as it is under callers, documents, keys and bodies without end',
  async ({ annotate }) => {
    const account = await make({ url: server.test, key }, '/v1/accounts', { type: 'business', name: 'Memory' });
    const round = async (name: string) => {
      const strangers = (n: number) => ({
        ...headers,
        authorization: `Bearer pk_test_${name}${n}`,
        'x-forwarded-for': `10.${n % 250}.${n >> 8}.${name.charCodeAt(0)}`,
      });
      await sendAll(1_000, (n) => ({ method: 'GET', path: '/v1/me', headers: strangers(n) }), 401);
      const query = (n: number) => JSON.stringify({ query: `query ${name}${n} { me { environment } } # ${'x'.repeat(2_000)}` });
      await sendAll(600, (n) => ({ method: 'POST', path: '/graphql', headers, body: query(n) }), 200);
      const update = (n: number) => ({ ...headers, 'idempotency-key': `${name}-${n}` });
      await sendAll(
        400,
        (n) => ({
          method: 'PATCH',
          path: `/v1/accounts/${account.id}`,
          headers: update(n),
          body: JSON.stringify({ metadata: { n, pad: 'x'.repeat(1_000) } }),
        }),
        200,
      );
      const big = `{"metadata":{"a":"${'x'.repeat(10_000_000)}"}}`;
      await sendAll(24, (n) => ({ method: 'PATCH', path: `/v1/accounts/${account.id}`, headers, body: big, chunked: n % 2 === 0 }), 413);
      await sendAll(24, (n) => ({ method: 'POST', path: '/graphql', headers, body: big, chunked: n % 2 === 0 }), 413);
    };
    await round('a');
    const before = await heapMb();
    await round('b');
    await round('c');
    const after = await heapMb();
    const resident = server.residentMb();
    await annotate(`heap ${before.toFixed(0)} MB after one round, ${after.toFixed(0)} MB after three; ${resident ?? '?'} MB resident`);
    expect(after - before).toBeLessThan(15);
    expect(resident ?? 0).toBeLessThan(400);
    expect((await ask({ url: server.test, key }, 'GET', '/v1/me')).status).toBe(200);
    expect(server.isRunning).toBe(true);
  },
  90_000,
);
