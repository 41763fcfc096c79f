// How a process starts and ends, on an empty folder or before its first tenant: its keys work from the first answer on, and repeated signals do not disturb an
// orderly end (docs/architecture.md 9).
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { freePort } from '../src/platform/postgres/cluster.js';
import { masterKey } from '../src/platform/secrets/key-ring.js';
import { runHere } from './command.js';
import {
  buildOnce,
  copyData,
  type DataDir,
  isAlive,
  launchServer,
  makeDataDir,
  postmasterPid,
  prepareData,
  runCli,
  type ServerProcess,
} from './process.js';

vi.setConfig({ testTimeout: 150_000 });
let data: DataDir;
/** Data that nobody has written to, so that the first start finds no tenant. */
let blank: DataDir;
let server: ServerProcess;

// Another test file may be building; it is waited for up to a minute.
beforeAll(async () => {
  await buildOnce();
  blank = await prepareData();
}, 150_000);
afterAll(() => blank?.remove());
beforeEach(async () => {
  data = await makeDataDir();
});
afterEach(async () => {
  if (server.isRunning) await server.kill('SIGKILL');
  const postmaster = await postmasterPid(data.dataDir).catch(() => undefined);
  if (postmaster !== undefined && isAlive(postmaster)) {
    process.kill(postmaster, 'SIGINT');
    await expect.poll(() => isAlive(postmaster), { interval: 20, timeout: 15_000 }).toBe(false);
  }
  await data.remove();
});

const launch = (env: Record<string, string>): ServerProcess =>
  launchServer({ PORT: '0', SANDBOX_PORT: '0', DATA_DIR: data.dataDir, LOG_LEVEL: 'info', ...env });
/** Starts on blank data in place of an empty folder. */
async function launchBlank(env: Record<string, string>): Promise<ServerProcess> {
  await copyData(blank.dataDir, data.dataDir);
  return launch(env);
}
const statusOf = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, { headers }).then(
    ({ status }) => status,
    () => 0,
  );
const untilShown = (text: string, interval = 20) =>
  expect.poll(() => server.stdout + server.stderr, { interval, timeout: 90_000 }).toContain(text);
const newKeys = /live {2}pk_live_.{43}\n {2}test {2}pk_test_.{43}\n/;

/** Sends the signal, and sends it and another one again while the process ends. */
async function expectOrderlyEnd(signal: NodeJS.Signals): Promise<void> {
  const postmaster = await postmasterPid(data.dataDir);
  server.child.kill(signal);
  await untilShown('stopping', 1);
  server.child.kill(signal);
  server.child.kill('SIGTERM');
  const ended = await server.ended;
  expect([ended.code, ended.signal]).toEqual([0, null]);
  expect(isAlive(postmaster)).toBe(false);
}

it('listens when its keys work; ends in order though SIGTERM is repeated', async () => {
  const [port, sandboxPort] = [await freePort(), await freePort()];
  const [live, test] = [`pk_live_${randomUUID()}`, `pk_test_${randomUUID()}`];
  server = launch({ PORT: String(port), SANDBOX_PORT: String(sandboxPort), BOOTSTRAP_LIVE_KEY: live, BOOTSTRAP_TEST_KEY: test });
  for (const [at, key] of [
    [port, live],
    [sandboxPort, test],
  ]) {
    await expect.poll(() => statusOf(`http://127.0.0.1:${at}/health`), { interval: 25, timeout: 100_000 }).toBe(200);
    expect(await statusOf(`http://127.0.0.1:${at}/v1/me`, { Authorization: `Bearer ${key}` })).toBe(200);
    // The runaway breaker watches the demo tenant, and stops nobody there.
    const breakers = await fetch(`http://127.0.0.1:${at}/v1/breakers`, { headers: { Authorization: `Bearer ${key}` } });
    const { data } = (await breakers.json()) as { data: { detectors: { kind: string; action: string }[] } };
    expect(data.detectors.map(({ kind, action }) => `${kind} ${action}`)).toEqual(
      ['same_payment', 'failures', 'rate', 'ping_pong'].map((kind) => `${kind} notify`),
    );
  }
  await untilShown('is ready');
  await expectOrderlyEnd('SIGTERM');
});

it('ends in order and in time though a collector hangs, and callers are in the middle of a request; shows no live key when told so', async () => {
  const collector = createServer().listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const [port, metricsPort] = [await freePort(), await freePort()];
  server = await launchBlank({
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    PRINT_KEYS: 'false',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
  });
  await untilShown('is ready');
  expect(server.stdout + server.stderr).not.toMatch(/pk_live_/);
  expect(server.stdout).toMatch(/cli.js key create --tenant [0-9a-f-]{36} --environment live\n {2}test {2}pk_test_.{43}\n/);
  const halves = [port, metricsPort].map((at) => connect(Number(at), '127.0.0.1').on('error', () => {}));
  for (const half of halves) half.write('POST /v1/accounts HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{');
  expect(await statusOf(`http://127.0.0.1:${port}/v1/me`)).toBe(401);
  await expectOrderlyEnd('SIGTERM');
  for (const half of halves) half.destroy();
  collector.close();
});

it('shows the keys of the first tenant in a worker too; ends in order though SIGINT is repeated', async () => {
  server = await launchBlank({ ROLE: 'worker' });
  await untilShown('Working.');
  expect(server.stdout).toMatch(newKeys);
  await expectOrderlyEnd('SIGINT');
});

it('says that a port is in use before anything is made', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  server = launch({ SANDBOX_PORT: String(port) });
  const { code, stdout, stderr } = await server.ended;
  other.close();
  expect([code, stdout]).toEqual([1, 'Agent Payments is starting.\n']);
  expect(stderr).toContain(`SANDBOX_PORT ${port} is in use`);
  expect(existsSync(data.dataDir)).toBe(false);
});

it('refuses another SECRETS_KEY than that of the first start, and commands without a server', async () => {
  server = await launchBlank({});
  await untilShown('is ready');
  // The link of the first owner names the port that was picked.
  await untilShown('/console/join#join_');
  expect(server.stdout).not.toMatch(/:0\/console/);
  const [link = ''] = /http\S+\/console\/join#join_[\w-]+/.exec(server.stdout) ?? [];
  expect(link).toContain(`${/Sandbox +(\S+)/.exec(server.stdout)?.[1]}/console/join#`);
  expect(await statusOf(link)).toBe(200);
  const place = ['--data-dir', data.dataDir];
  const doctor = await runCli(['doctor', ...place, '--url', /Sandbox +(\S+)/.exec(server.stdout)?.[1] ?? ''], {});
  expect(doctor).toMatchObject({ code: 0, stdout: expect.stringContaining('opens 1 of 1 signing keys') });
  for (const line of ['Server', 'Database', 'Versions', 'Migrations', 'Clock', 'Disk', 'Rails'])
    expect(doctor.stdout).toMatch(new RegExp(`^${line} `, 'm'));
  expect((await runHere(['tenant', 'create', '--name', 'Second', ...place], {})).code).toBe(0);
  const file = path.join(data.dataDir, 'secrets-key');
  const { name: old } = masterKey((await readFile(file, 'utf8')).trim());
  expect(await runHere(['secrets', 'rotate', ...place], {})).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`secrets retire ${old}`),
  });
  // The server that runs knows the old key alone.
  expect(await runHere(['secrets', 'retire', old, ...place], {})).toMatchObject({ code: 1, stderr: expect.stringContaining('restart it') });
  await expectOrderlyEnd('SIGTERM');

  server = launch({});
  await untilShown('is ready');
  await expect.poll(async () => (await runHere(['secrets', 'status', ...place], {})).stdout).toMatch(/^process .* knows \w{8}, \w{8}, 1$/m);
  expect(await runHere(['secrets', 'retire', old, ...place], {})).toMatchObject({ code: 0 });
  expect((await readFile(file, 'utf8')).trim()).toMatch(/^[0-9a-f]{64}$/);
  const status = JSON.parse((await runHere(['secrets', 'status', '--json', ...place], {})).stdout);
  expect(status.masters.map(({ name }: { name: string }) => name)).not.toContain(old);
  await expectOrderlyEnd('SIGTERM');

  server = launch({ SECRETS_KEY: 'ab'.repeat(32) });
  const { code, stdout, stderr } = await server.ended;
  expect([code, stdout]).toEqual([1, expect.not.stringContaining('is ready')]);
  expect(stderr).toMatch(/^SECRETS_KEY \(from the environment\) is not the key .* signing key /m);

  const stopped = await runHere(['ledger', 'check', ...place], {});
  expect([stopped.code, stopped.stderr]).toEqual([1, expect.stringContaining(`The database in ${data.dataDir} is not running`)]);
  const nowhere = path.join(path.dirname(data.dataDir), 'nowhere');
  const none = await runCli(['tenant', 'create', '--name', 'Lost'], { DATA_DIR: nowhere });
  expect([none.code, none.stderr, existsSync(nowhere)]).toEqual([1, expect.stringContaining('There is no database in'), false]);
});
