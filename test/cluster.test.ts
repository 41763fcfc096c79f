// Several processes of one start (decision 0064): they serve one port, share what must be one, and end together.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { maxOfActor } from '../src/http/open-stream.js';
import { EventReader } from './contexts/agents/stream.js';
import { ask, Load, make, type Server } from './load.js';
import {
  buildOnce,
  copyData,
  type DataDir,
  isAlive,
  launchServer,
  makeDataDir,
  postmasterPid,
  prepareData,
  type ServerProcess,
  startServerProcess,
} from './process.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 150_000 });
const [testKey, liveKey] = [`pk_test_${randomUUID()}`, `pk_live_${randomUUID()}`];
const env: Record<string, string> = {
  PORT: '0',
  SANDBOX_PORT: '0',
  METRICS_PORT: '0',
  PROCESSES: '3',
  BOOTSTRAP_TEST_KEY: testKey,
  BOOTSTRAP_LIVE_KEY: liveKey,
  RATE_LIMIT_SANDBOX: '1000000',
  RATE_LIMIT_AUTH: '1000000',
  LOG_LEVEL: 'info',
};
let data: DataDir;
let server: ServerProcess;
const sandbox = (key = testKey): Server => ({ url: server.test, key });
const hasProc = existsSync('/proc/self/fd');

beforeAll(async () => {
  await buildOnce();
  data = await makeDataDir();
  const blank = await prepareData();
  await copyData(blank.dataDir, data.dataDir);
  await blank.remove();
  env['DATA_DIR'] = data.dataDir;
  server = await startServerProcess(env);
});

afterAll(async () => {
  if (server?.isRunning) await server.kill('SIGKILL');
  const postmaster = await postmasterPid(data.dataDir).catch(() => undefined);
  if (postmaster !== undefined && isAlive(postmaster)) {
    process.kill(postmaster, 'SIGINT');
    await vi.waitUntil(() => !isAlive(postmaster), { interval: 20, timeout: 15_000 });
  }
  await data.remove();
});

/** The processes that the first one has started, without its PostgreSQL. */
function processes(): number[] {
  const { pid } = server.child;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  return children.filter((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('main.js'));
}

/** Which process has the other end of each connection to `port`. The kernel says it: callers are told nothing of processes. */
function holdersOf(sockets: readonly Socket[], port: number): (number | undefined)[] {
  const hex = (value: number) => value.toString(16).toUpperCase().padStart(4, '0');
  const inodes = new Map<string, string>();
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1)) {
    const [, local = '', remote = '', , , , , , , inode = ''] = line.trim().split(/\s+/);
    if (local.endsWith(`:${hex(port)}`)) inodes.set(remote.split(':')[1] ?? '', inode);
  }
  const holders = new Map<string, number>();
  for (const pid of processes()) {
    for (const fd of readdirSync(`/proc/${pid}/fd`)) {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${fd}`)) ?? [];
      if (inode !== undefined) holders.set(inode, pid);
    }
  }
  return sockets.map(({ localPort = 0 }) => holders.get(inodes.get(hex(localPort)) ?? ''));
}

/** A descriptor may be closed while it is looked at. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** Opens a connection to the sandbox and asks over it, so that a process has taken it. */
async function open(path = '/health'): Promise<Socket> {
  const { hostname, port } = new URL(server.test);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${testKey}\r\n\r\n`);
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
  return socket;
}

/** The value of a metric, over all processes. */
async function metric(name: string, url = `${server.test}/metrics`): Promise<number> {
  const response = await fetch(url);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(line.lastIndexOf(' ') + 1) ?? 0);
}

describe.skipIf(!hasProc)('several processes', () => {
  it('serve one port in turn', async () => {
    expect(processes()).toHaveLength(3);
    const sockets = await Promise.all(Array.from({ length: 9 }, () => open()));
    const holders = holdersOf(sockets, Number(new URL(server.test).port));
    for (const socket of sockets) socket.destroy();
    expect(new Set(holders)).toEqual(new Set(processes()));
  });

  it('say once that they are ready, and one of them works', async () => {
    expect(server.stdout.match(/is ready/g)).toHaveLength(1);
    const ready = await Promise.all(Array.from({ length: 9 }, () => open('/ready').then((socket) => socket.destroy())));
    expect(ready).toHaveLength(9);
    expect(await metric('worker_lag_seconds')).toBeLessThan(60);
    const wallets = await twoWallets(1);
    await make(sandbox(), '/v1/transfers', payment(wallets));
    const published = async () => (await ask(sandbox(), 'GET', '/v1/events?type=transfer.completed')).body.data?.length;
    await expect.poll(published, { interval: 50, timeout: 20_000 }).toBeGreaterThan(0);
  });

  it('say once why they cannot start', async () => {
    const { port } = new URL(server.live);
    const { code, stderr } = await launchServer({ ...env, PORT: port, LOG_LEVEL: 'error' }).ended;
    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toEqual([expect.stringContaining(`PORT ${port} is in use`)]);
  });

  it('give an address its hundred requests a minute together', async () => {
    const statuses: number[] = [];
    // Each on a connection of its own, so that every process answers some.
    const one = async () => {
      const response = await fetch(`${server.live}/v1/me`, { headers: { Authorization: `Bearer ${liveKey}`, Connection: 'close' } });
      statuses.push(response.status);
      await response.arrayBuffer();
    };
    for (let round = 0; round < 13; round += 1) await Promise.all(Array.from({ length: 10 }, one));
    const count = (wanted: number) => statuses.filter((status) => status === wanted).length;
    expect([count(200), count(429)]).toEqual([100, 30]);
  });

  it('add up what they have counted, on the public ports and on METRICS_PORT', async () => {
    const name = 'http_request_duration_seconds_count{environment="test",route="/v1/wallets",status="2xx"}';
    const [, metricsUrl = ''] = /Metrics\s+(\S+)/.exec(server.stdout) ?? [];
    const before = await metric(name);
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(
        Array.from({ length: 10 }, async () => {
          const headers = { Authorization: `Bearer ${testKey}`, Connection: 'close' };
          await (await fetch(`${server.test}/v1/wallets`, { headers })).arrayBuffer();
        }),
      );
    }
    for (const url of [`${server.test}/metrics`, `${server.live}/metrics`, metricsUrl]) expect((await metric(name, url)) - before).toBe(30);
  });
});

async function twoWallets(dollars: number): Promise<{ from: string; to: string; agent: string; token: string }> {
  const account = await make(sandbox(), '/v1/accounts', { type: 'business', name: 'Both' });
  const made = await ask(sandbox(), 'POST', '/v1/agents', { parent_account_id: account.id, name: 'Agent', wallet: { currency: 'USD' } });
  const to = made.body.data.default_wallet_id;
  const from = (await make(sandbox(), '/v1/wallets', { owner_type: 'account', owner_id: account.id, currency: 'USD' })).id;
  await make(sandbox(), `/v1/wallets/${from}/fund`, { amount: `${dollars}.00` });
  return { from, to, agent: made.body.data.id, token: made.body.credentials.token };
}

const payment = ({ from, to }: { from: string; to: string }) => ({
  type: 'internal',
  from_wallet_id: from,
  to_wallet_id: to,
  amount: '0.01',
  currency: 'USD',
});

async function subscribe(key: string): Promise<{ response: Response; gone: AbortController }> {
  const gone = new AbortController();
  const response = await fetch(`${server.test}/graphql/stream`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', Accept: 'text/event-stream' },
    body: JSON.stringify({ query: 'subscription { workspaceEvents { type } }' }),
    signal: gone.signal,
  });
  return { response, gone };
}

describe.skipIf(!hasProc)('streams of several processes', () => {
  it('tell of what another process has done, and count together for their actor', async () => {
    const wallets = await twoWallets(10);
    const { key } = await make(sandbox(), '/v1/api-keys', { name: 'Dashboard' });
    const streams = await Promise.all(Array.from({ length: maxOfActor }, () => subscribe(key)));
    expect(streams.map(({ response }) => response.status)).toEqual(Array(maxOfActor).fill(200));
    for (let n = 0; n < 6; n += 1) {
      const late = await subscribe(key);
      expect(late.response.status).toBe(429);
      await late.response.arrayBuffer();
    }
    expect(await metric('open_streams{face="graphql"}')).toBe(maxOfActor);
    const readers = streams.map(({ response, gone }) => new EventReader(response, gone));
    await make(sandbox(), '/v1/transfers', payment(wallets));
    // Ten streams are in three processes, and one of those has made the payment.
    for (const reader of readers)
      await reader.until((events) => events.some(({ data }) => JSON.stringify(data ?? '').includes('transfer.completed')));
    for (const reader of readers) await reader.leave();
    await expect.poll(async () => await metric('open_streams{face="graphql"}'), { interval: 20, timeout: 20_000 }).toBe(0);
    const again = await subscribe(key);
    expect(again.response.status).toBe(200);
    again.gone.abort();
  });
});

describe.skipIf(!hasProc)('kill -9', () => {
  it('of one process loses nothing that was acknowledged; the others go on, and another one takes its place', async () => {
    const load = await Load.open(sandbox());
    load.start(sandbox());
    await load.untilAcknowledged(100);
    const before = processes();
    const name = 'http_request_duration_seconds_count{environment="test",route="/v1/transfers",status="2xx"}';
    const counted = await metric(name);
    process.kill(before[0] as number, 'SIGKILL');
    await load.untilAcknowledged(100);
    // A counter never falls, or it would look like one of a new process.
    expect(await metric(name)).toBeGreaterThanOrEqual(counted);
    await expect.poll(() => processes().filter((pid) => !before.includes(pid)).length, { interval: 20, timeout: 30_000 }).toBe(1);
    await expect.poll(holders, { interval: 50, timeout: 60_000 }).toEqual(new Set(processes()));
    await load.untilAcknowledged(50);
    await load.stop();
    expect(load.refusals.filter(({ body }) => !body.includes('idempotency_in_flight'))).toEqual([]);
    await load.settle(sandbox());
    await load.verify(sandbox());
    expect(server.stderr).toContain('a process has ended by itself; another one takes its place');
  });

  const holders = async () => {
    const sockets = await Promise.all(Array.from({ length: 9 }, () => open()));
    const found = new Set(holdersOf(sockets, Number(new URL(server.test).port)));
    for (const socket of sockets) socket.destroy();
    return found;
  };

  it('of the first process ends all, and a new start works on the same data', async () => {
    const others = processes();
    // The others hold its output, so this ends when all have.
    const { signal } = await server.kill('SIGKILL');
    expect(signal).toBe('SIGKILL');
    expect(others.filter(isAlive)).toEqual([]);
    await expect(fetch(`${server.test}/health`)).rejects.toThrow();
    server = await startServerProcess(env);
    expect((await ask(sandbox(), 'GET', '/v1/me')).status).toBe(200);
    expect(server.stdout).not.toContain('A demo tenant was made');
  });
});

describe.skipIf(!hasProc)('SIGTERM', () => {
  it('lets every process answer what it has begun, and exits 0', async () => {
    const others = processes();
    const body = JSON.stringify({ type: 'business', name: 'Last' });
    const { hostname, port } = new URL(server.test);
    const head = `POST /v1/accounts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${testKey}\r\nContent-Type: application/json\r\n`;
    const sockets = await Promise.all(Array.from({ length: 6 }, () => open()));
    expect(new Set(holdersOf(sockets, Number(port)))).toEqual(new Set(others));
    // Whoever answers 100 has begun the request: a connection without one would be closed.
    const begun = sockets.map(async (socket) => {
      socket.write(`${head}Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`);
      const [word] = await once(socket, 'data');
      return String(word).split('\r\n')[0];
    });
    expect(await Promise.all(begun)).toEqual(Array(6).fill('HTTP/1.1 100 Continue'));
    server.child.kill('SIGTERM');
    // A connection that is handed to a process which has just closed is nobody's: it gets no answer (decision 0064).
    const isOpen = () =>
      fetch(`http://${hostname}:${port}/health`, { signal: AbortSignal.timeout(2_000) }).then(
        () => true,
        ({ name }) => name === 'TimeoutError',
      );
    await expect.poll(isOpen, { interval: 10 }).toBe(false);
    const answers = sockets.map(async (socket) => {
      socket.write(body.slice(5));
      const [answer] = await once(socket, 'data');
      return String(answer).split('\r\n')[0];
    });
    expect(await Promise.all(answers)).toEqual(Array(6).fill('HTTP/1.1 201 Created'));
    const { code } = await server.ended;
    expect(code).toBe(0);
    expect(others.filter(isAlive)).toEqual([]);
  });
});
