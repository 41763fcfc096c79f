// kill -9 of a worker in the middle of its deliveries: another takes them up within 60 s, and none is lost (docs/architecture.md "Time").
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { migrate } from '../../../src/platform/postgres/migration.js';
import { admin, withDatabase } from '../../database.js';
import { ask, make, type Server } from '../../load.js';
import { buildOnce, type ServerProcess, startServerProcess } from '../../process.js';
import { Receiver } from './receiver.js';

const receiver = await Receiver.start();
const database = `t_${process.pid}_${randomBytes(4).toString('hex')}`;
const testKey = `pk_test_${randomUUID()}`;
const env: Record<string, string> = {
  PORT: '0',
  SANDBOX_PORT: '0',
  SECRETS_KEY: randomBytes(32).toString('hex'),
  BOOTSTRAP_TEST_KEY: testKey,
  BOOTSTRAP_LIVE_KEY: `pk_live_${randomUUID()}`,
  RATE_LIMIT_SANDBOX: '1000000',
  WEBHOOK_ALLOW_HOSTS: receiver.host,
  LOG_LEVEL: 'error',
};
let first: ServerProcess;
let second: ServerProcess | undefined;

beforeAll(async () => {
  await buildOnce();
  await admin(inject('databaseUrl'), `CREATE DATABASE ${database}`);
  env['DATABASE_URL'] = withDatabase(inject('databaseUrl'), database);
  await migrate(env['DATABASE_URL']);
  first = await startServerProcess(env);
});
afterAll(async () => {
  for (const server of [first, second]) if (server?.isRunning) await server.kill('SIGKILL');
  await receiver.stop();
  await admin(inject('databaseUrl'), `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
});

describe('kill -9 of a worker in mid-delivery', () => {
  it('is followed by a second send within 60 s; every event arrives', { timeout: 120_000 }, async ({ annotate }) => {
    const server: Server = { url: first.test, key: testKey };
    const webhook = await make(server, '/v1/webhooks', { url: receiver.url(), events: ['account.created'] });
    // Nobody answers the first process.
    receiver.answer('/hook', () => {});
    for (let n = 0; n < 20; n += 1) await make(server, '/v1/accounts', { type: 'business', name: `Account ${n}` });
    await expect.poll(() => receiver.received.length, { interval: 20, timeout: 10_000 }).toBe(10);
    const interrupted = new Set(receiver.received.map(({ json }) => json.id));
    await first.kill('SIGKILL');
    const killed = performance.now();
    receiver.received.length = 0;
    receiver.answer('/hook', 200);
    second = await startServerProcess(env);
    const arrived = () => new Set(receiver.received.map(({ json }) => json.id));
    await expect.poll(() => arrived().size, { interval: 100, timeout: 60_000 }).toBe(20);
    const seconds = (performance.now() - killed) / 1000;
    for (const id of interrupted) expect(arrived()).toContain(id);
    await annotate(`the last of 20 was sent ${seconds.toFixed(1)} s after the kill`);
    expect(seconds).toBeLessThan(60);
    await expect
      .poll(
        async () =>
          (await ask({ url: second?.test ?? '', key: testKey }, 'GET', `/v1/webhooks/${webhook.id}/deliveries?status=delivered`)).body.data
            .length,
        { interval: 100, timeout: 5_000 },
      )
      .toBe(20);
  });
});
