// What only real processes show: nothing acknowledged is lost to kill -9, a lost PostgreSQL is a 503 and comes back, two servers on
// one database agree, signals end a server in order (ARCHITECTURE.md 9 and 12).
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { availableParallelism, loadavg } from 'node:os';
import nacl from 'tweetnacl';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/platform/postgres/embedded-server.js';
import { ask, Load, make, type Refusal, type Server } from './load.js';
import { buildOnce, isAlive, launchServer, makeDataDir, postmasterPid, runCli, type ServerProcess, startServerProcess } from './process.js';
import { isSlow } from './slow.js';

vi.setConfig({ testTimeout: 60_000 });
const testKey = `pk_test_${randomUUID()}`;
const env: Record<string, string> = {
  PORT: '0',
  SANDBOX_PORT: '0',
  BOOTSTRAP_TEST_KEY: testKey,
  BOOTSTRAP_LIVE_KEY: `pk_live_${randomUUID()}`,
  RATE_LIMIT_GENERAL: '1000000',
  RATE_LIMIT_SANDBOX: '1000000',
  RATE_LIMIT_AUTH: '1000000',
  LOG_LEVEL: 'error',
};
let first: ServerProcess;
let second: ServerProcess;
let postgres: EmbeddedPostgres | undefined;
let removeData: () => Promise<void>;
let load: Load;
const sandboxOf = (server: ServerProcess, key = testKey): Server => ({ url: server.test, key });
const dataDir = () => env['DATA_DIR'] as string;

beforeAll(async () => {
  await buildOnce();
  const data = await makeDataDir();
  removeData = data.remove;
  env['DATA_DIR'] = data.dataDir;
  first = await startServerProcess(env);
});

afterAll(async () => {
  for (const server of [first, second]) if (server?.isRunning) await server.kill('SIGKILL');
  // Whoever started it last: here it is found running, or started, and ended.
  const pid = await postmasterPid(dataDir()).catch(() => undefined);
  if (postgres !== undefined) await postgres.stop();
  else if (pid !== undefined) await ended(pid, 'SIGINT');
  await removeData?.();
});

/** Ends a process that is no child of ours and waits until it is gone. */
async function ended(pid: number, signal: NodeJS.Signals): Promise<void> {
  process.kill(pid, signal);
  await expect.poll(() => isAlive(pid), { interval: 20, timeout: 15_000 }).toBe(false);
}

describe('a start', () => {
  it('is ready within 5 s, on an empty folder, and idles below 350 MB', async ({ annotate }) => {
    const resident = first.residentMb();
    await annotate(`ready in ${Math.round(first.readyIn)} ms; ${resident ?? '?'} MB resident`);
    // On a machine that has more to do than it can, the clock on the wall says little.
    const busy = (loadavg()[0] ?? 0) > availableParallelism();
    expect(first.readyIn).toBeLessThan(busy ? 20_000 : 5_000);
    // The thread that schemas of callers run in takes about 60 of them: it is there from the start, so that nobody waits for it.
    expect(resident ?? 0).toBeLessThan(350);
  });

  it('names every wrong setting at once and exits 1', async () => {
    const wrong = {
      PORT: 'four',
      SANDBOX_PORT: '99999',
      ROLE: 'boss',
      DATABASE_URL: 'mysql://x',
      RATE_LIMIT_AUTH: '-1',
      LOG_LEVEL: 'loud',
    };
    const { code, stderr } = await launchServer({ ...env, ...wrong }).ended;
    expect(code).toBe(1);
    for (const name of [...Object.keys(wrong), 'SECRETS_KEY']) expect(stderr).toMatch(new RegExp(`^  - ${name} `, 'm'));
    expect(stderr).not.toContain('    at ');
  });

  it('says plainly that a port is in use and exits 1', async () => {
    const { port } = new URL(first.live);
    const { code, stderr } = await launchServer({ ...env, PORT: port }).ended;
    expect(code).toBe(1);
    expect(stderr).toContain(`PORT ${port} is in use`);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

describe('kill -9 of the server under load', () => {
  it('loses no acknowledged transfer, and finds PostgreSQL running', async () => {
    load = await Load.open(sandboxOf(first));
    load.start(sandboxOf(first));
    await load.untilAcknowledged(300);
    const before = await postmasterPid(dataDir());
    await first.kill('SIGKILL');
    await load.stop();
    expect(load.refusals).toEqual([]);
    expect(load.unknown.size).toBeGreaterThan(0);
    first = await startServerProcess(env);
    expect(await postmasterPid(dataDir())).toBe(before);
    await load.settle(sandboxOf(first));
    await load.verify(sandboxOf(first));
    await expectBalanced();
  });
});

async function expectBalanced(): Promise<void> {
  const { code, stdout } = await runCli(['ledger', 'check'], env);
  expect(stdout).toContain('The ledger is right');
  expect(code).toBe(0);
}

describe('PostgreSQL lost under load', () => {
  for (const [how, signal] of [['killed', 'SIGKILL'] as const, ...(isSlow ? [['shut down fast', 'SIGINT'] as const] : [])]) {
    it(`${how}: 503 with Retry-After, and recovery without a restart`, async ({ annotate }) => {
      const server = sandboxOf(first);
      load.refusals.length = 0;
      load.start(server);
      await load.untilAcknowledged(100);
      await ended(await postmasterPid(dataDir()), signal);
      await expect.poll(() => load.refusals.length, { interval: 20, timeout: 20_000 }).toBeGreaterThan(20);
      await expectUnavailable(server);
      postgres = await startEmbeddedPostgres({ dataDir: dataDir(), notice: () => {} });
      const back = performance.now();
      await load.untilAcknowledged(1);
      await annotate(`served again ${Math.round(performance.now() - back)} ms after PostgreSQL was back`);
      expect(performance.now() - back).toBeLessThan(5_000);
      await load.untilAcknowledged(100);
      await load.stop();
      expect(load.refusals.filter(isWrong)).toEqual([]);
      // The answer of /ready is kept for a second.
      await expect.poll(async () => (await fetch(`${first.test}/ready`)).status, { interval: 50, timeout: 20_000 }).toBe(200);
      await load.settle(server);
      await load.verify(server);
      await expectBalanced();
      expect(first.isRunning).toBe(true);
    });
  }
});

const isWrong = ({ status, retryAfter, body }: Refusal) => {
  // The same key again, while its first statement may still be under way.
  if (status === 409) return JSON.parse(body).code !== 'idempotency_in_flight';
  return status !== 503 || !(Number(retryAfter) >= 1) || JSON.parse(body).code !== 'dependency_unavailable';
};

/** Other kinds of request, while PostgreSQL is away. */
async function expectUnavailable(server: Server): Promise<void> {
  for (const [method, path, body] of [
    ['GET', '/v1/wallets', undefined],
    ['POST', '/v1/accounts', { type: 'business', name: 'Nobody' }],
  ] as const) {
    const { status, headers, body: answer } = await ask(server, method, path, body);
    expect({ status, code: answer.code }).toEqual({ status: 503, code: 'dependency_unavailable' });
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  }
  const graphql = await ask(server, 'POST', '/graphql', { query: '{ wallets { nodes { id } } }' });
  expect(graphql.status).toBe(503);
  expect(graphql.body.errors[0].extensions.code).toBe('dependency_unavailable');
  expect(graphql.headers.get('retry-after')).not.toBeNull();
  const stranger = await ask({ ...server, key: `pk_test_${randomUUID()}` }, 'GET', '/v1/me');
  expect(stranger.status).toBe(503);
  expect((await fetch(`${server.url}/ready`)).status).toBe(503);
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
}

describe('two servers on one database', () => {
  let wallets: { from: string; to: string };
  let agent: { id: string; wallet: string; session: string };

  beforeAll(async () => {
    second = await startServerProcess(env);
    const server = sandboxOf(first);
    const account = await make(server, '/v1/accounts', { type: 'business', name: 'Both' });
    const agentBody = { parent_account_id: account.id, name: 'Agent', generate_keypair: true, wallet: { currency: 'USD' } };
    const { body: made } = await ask(server, 'POST', '/v1/agents', agentBody);
    const from = made.data.default_wallet_id;
    await make(server, `/v1/wallets/${from}/fund`, { amount: '1000.00' });
    const to = await make(server, '/v1/wallets', { owner_type: 'account', owner_id: account.id, currency: 'USD' });
    wallets = { from, to: to.id };
    const { challenge } = await make(server, `/v1/agents/${made.data.id}/challenge`, undefined);
    const secret = Buffer.from(made.authKey.privateKey, 'base64');
    const signature = Buffer.from(nacl.sign.detached(Buffer.from(challenge), secret)).toString('base64');
    const { sessionToken } = await make(server, `/v1/agents/${made.data.id}/authenticate`, { challenge, signature });
    agent = { id: made.data.id, wallet: from, session: sessionToken };
  });

  const pay = (server: Server, headers: Record<string, string> = {}) =>
    ask(
      server,
      'POST',
      '/v1/transfers',
      { type: 'internal', from_wallet_id: wallets.from, to_wallet_id: wallets.to, amount: '1.00', currency: 'USD' },
      headers,
    );

  /** The credential is warm on the second server, is revoked on the first, and must end on both. */
  async function expectRevoked(credential: string, revoke: () => Promise<{ status: number }>, codes: readonly string[]): Promise<number> {
    const there = sandboxOf(second, credential);
    expect((await pay(there)).status).toBe(201);
    expect((await ask(there, 'GET', '/v1/me')).status).toBe(200);
    expect((await revoke()).status).toBe(200);
    const revoked = performance.now();
    const posting = await pay(there);
    expect([posting.status, codes.includes(posting.body.code)], JSON.stringify(posting.body)).toEqual([401, true]);
    expect((await ask(sandboxOf(first, credential), 'GET', '/v1/me')).status).toBe(401);
    await expect.poll(async () => (await ask(there, 'GET', '/v1/me')).status, { interval: 5, timeout: 1_000 }).toBe(401);
    return performance.now() - revoked;
  }

  it('refuse an API key at once that either has revoked', async ({ annotate }) => {
    const { id, key } = await make(sandboxOf(first), '/v1/api-keys', { name: 'Short-lived' });
    const ms = await expectRevoked(key, () => ask(sandboxOf(first), 'DELETE', `/v1/api-keys/${id}`), ['invalid_api_key']);
    await annotate(`refused by the other server after ${Math.round(ms)} ms`);
    expect(ms).toBeLessThan(1_000);
  });

  it('refuse the session of an agent whose key either has revoked', async ({ annotate }) => {
    const revoke = () => ask(sandboxOf(first), 'DELETE', `/v1/agents/${agent.id}/auth-keys`);
    const ms = await expectRevoked(agent.session, revoke, ['session_revoked', 'invalid_session_token', 'key_revoked']);
    await annotate(`refused by the other server after ${Math.round(ms)} ms`);
    expect(ms).toBeLessThan(1_000);
  });

  it('give 50 parallel calls with one Idempotency-Key one effect', async () => {
    const before = await ask(sandboxOf(first), 'GET', `/v1/wallets/${wallets.to}`);
    const key = { 'idempotency-key': randomUUID() };
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => pay(sandboxOf(n % 2 === 0 ? first : second), key)));
    const paid = answers.filter(({ status }) => status === 201);
    const waiting = answers.filter(({ status }) => status !== 201);
    expect(paid.length).toBeGreaterThan(0);
    for (const { status, body, headers } of waiting) {
      expect({ status, code: body.code, after: headers.get('retry-after') }).toEqual({
        status: 409,
        code: 'idempotency_in_flight',
        after: '1',
      });
    }
    expect(new Set(paid.map(({ body }) => body.data.id)).size).toBe(1);
    expect(paid.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
    const again = await pay(sandboxOf(second), key);
    expect(again.body.data).toEqual(paid[0]?.body.data);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const after = await ask(sandboxOf(first), 'GET', `/v1/wallets/${wallets.to}`);
    expect(Number(after.body.data.balance.available) - Number(before.body.data.balance.available)).toBe(1);
  });
});

describe('SIGTERM', () => {
  it('finishes what is in flight, takes nothing new, and exits 0 within 10 s', async ({ annotate }) => {
    const { hostname, port } = new URL(second.test);
    const body = JSON.stringify({ type: 'business', name: 'Last' });
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const head = [
      'POST /v1/accounts HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${testKey}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 5)}`);
    // Another request on the way shows that the server has read the first half.
    expect((await fetch(`${second.test}/health`)).status).toBe(200);
    const begun = performance.now();
    second.child.kill('SIGTERM');
    await expect
      .poll(
        () =>
          fetch(`${second.test}/health`).then(
            () => 'open',
            () => 'closed',
          ),
        { interval: 10, timeout: 2_000 },
      )
      .toBe('closed');
    let answer = '';
    socket.on('data', (data) => {
      answer += data.toString();
    });
    socket.write(body.slice(5));
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
    const { code } = await second.ended;
    await annotate(`exited ${Math.round(performance.now() - begun)} ms after the signal`);
    expect(code).toBe(0);
    expect(performance.now() - begun).toBeLessThan(10_000);
  });
});
