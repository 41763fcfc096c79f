// kill -9 of a worker in the middle of its alerts: another takes up the rest, and each crossing is told of exactly once.
import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { migrate } from '../../../src/platform/postgres/migration.js';
import { admin, withDatabase } from '../../database.js';
import { budgetBody } from '../../factories/budget.js';
import { transferBody } from '../../factories/payment.js';
import { eachOf } from '../../hostile.js';
import { make, type Server } from '../../load.js';
import { buildOnce, type ServerProcess, startServerProcess } from '../../process.js';

const database = `t_${process.pid}_${randomBytes(4).toString('hex')}`;
const testKey = `pk_test_${randomUUID()}`;
const env: Record<string, string> = {
  PORT: '0',
  SANDBOX_PORT: '0',
  SECRETS_KEY: randomBytes(32).toString('hex'),
  BOOTSTRAP_TEST_KEY: testKey,
  BOOTSTRAP_LIVE_KEY: `pk_live_${randomUUID()}`,
  RATE_LIMIT_SANDBOX: '1000000',
  LOG_LEVEL: 'error',
};
const budgets = 300;
let first: ServerProcess;
let second: ServerProcess | undefined;
let db: pg.Client;

beforeAll(async () => {
  await buildOnce();
  await admin(inject('databaseUrl'), `CREATE DATABASE ${database}`);
  env['DATABASE_URL'] = withDatabase(inject('databaseUrl'), database);
  await migrate(env['DATABASE_URL']);
  first = await startServerProcess(env);
  db = new pg.Client({ connectionString: env['DATABASE_URL'] });
  await db.connect();
}, 120_000);
afterAll(async () => {
  await db.end();
  for (const server of [first, second]) if (server?.isRunning) await server.kill('SIGKILL');
  await admin(inject('databaseUrl'), `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
});

const countOf = async (query: string) => Number((await db.query(`SELECT count(*) FROM ${query}`)).rows[0].count);
const told = () => countOf(`event WHERE type = '_budget.alert'`);

/** A wallet of a new account. */
async function wallet(server: Server): Promise<{ id: string; currency: string }> {
  const account = await make(server, '/v1/accounts', { type: 'business', name: 'Ada' });
  return make(server, '/v1/wallets', { owner_type: 'account', owner_id: account.id, currency: 'USD' });
}

describe('kill -9 of a worker that tells of crossings', () => {
  it('is followed by the rest of them, each told of once', { timeout: 180_000 }, async ({ annotate }) => {
    const server: Server = { url: first.test, key: testKey };
    const [from, to] = [await wallet(server), await wallet(server)];
    await make(server, `/v1/wallets/${from.id}/fund`, { amount: '100.00' });
    const names = Array.from({ length: budgets }, (_, n) => `Budget ${n}`);
    await eachOf(names, async (name) => void (await make(server, '/v1/budgets', budgetBody({ name, alerts_at: [0.5] }))), 8);
    // One spend takes all of them over their mark.
    await make(server, '/v1/transfers', transferBody(from, to, '60.00'));
    await expect.poll(told, { interval: 2, timeout: 20_000 }).toBeGreaterThan(0);
    await first.kill('SIGKILL');
    const before = await told();
    expect(await countOf('limit_crossing')).toBe(budgets - before);
    expect(before).toBeLessThan(budgets);
    second = await startServerProcess(env);
    await expect.poll(told, { interval: 100, timeout: 60_000 }).toBe(budgets);
    expect(await countOf(`(SELECT DISTINCT object_id FROM event WHERE type = '_budget.alert') told`)).toBe(budgets);
    expect(await countOf('limit_crossing')).toBe(0);
    await annotate(`${before} of ${budgets} were told of before the kill`);
  });
});
