// GET /v1/usage/requests: real HTTP calls, counted in memory and written in groups (CONTRACT.md 17).
import { beforeEach, describe, expect, it } from 'vitest';
import { countRequest, writeRequests } from '../../../src/contexts/usage/request-count.js';
import { sweepAccountRequests, sweepRequests } from '../../../src/contexts/usage/retention.sql.js';
import { type Json, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const report = async (query = ''): Promise<Json> => {
  await writeRequests(harness.platform);
  const answer = await harness.test.get(`/v1/usage/requests?${query}`);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
};
const of = (rows: Json[], route: string) => rows.find((row) => row.route === route);
/** Each test has days of its own. */
beforeEach(async () => {
  await writeRequests(harness.platform);
  harness.clock.advance(60 * 86_400);
  harness.clock.set(`${harness.clock.now().toISOString().slice(0, 10)}T10:20:30.000Z`);
});

describe('GET /v1/usage/requests', () => {
  it('200: counts calls by status, method, route and day, of this tenant alone', async () => {
    await harness.test.get('/v1/accounts');
    await harness.test.get('/v1/accounts/01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d');
    await harness.test.post('/v1/accounts', { type: 'person' });
    await harness.test.get('/v1/nothing');
    await harness.test.graphql('{ me { environment } }');
    await harness.other.get('/v1/accounts');
    await harness.test.get('/v1/accounts', { as: null });
    await harness.test.get('/v1/accounts', { as: 'pk_test_unknown' });
    const first = await report();
    expect(first).toMatchObject({
      total: 5,
      by_status_class: { '2xx': 2, '4xx': 3 },
      by_method: { GET: 3, POST: 2 },
      rate_limited: 0,
    });
    expect(first.by_route.map(({ route, count }: Json) => [route, count])).toEqual(
      [
        ['/graphql', 1],
        ['/v1/accounts', 2],
        ['/v1/accounts/{id}', 1],
        ['unknown', 1],
      ].sort(([a, n], [b, m]) => (m as number) - (n as number) || ((a as string) < (b as string) ? -1 : 1)),
    );
    for (const { p95_ms: ms } of first.by_route) expect(ms).toBeGreaterThan(0);
    // The report itself, and a day without any.
    harness.clock.advance(2 * 86_400);
    const [today, yesterday, before] = (await report()).by_day.reverse();
    expect([today.count, yesterday.count, before.count]).toEqual([0, 0, 6]);
    const day = before.date;
    const hours = await report(`start=${day}T10:59:00Z&end=${day}T10:59:30Z`);
    expect([hours.period.start, hours.period.end, hours.total]).toEqual([`${day}T10:00:00.000Z`, `${day}T11:00:00.000Z`, 6]);
    expect((await report(`start=${day}T11:00:00Z&end=${day}`)).total).toBe(0);
  });

  it('200: the time within which 95 of 100 were answered, and what the limit refused', async () => {
    const { id: workspaceId } = await harness.platform.database.unscoped.workspace.findFirstOrThrow({
      where: { tenantId: harness.tenantId, environment: 'test' },
    });
    const note = (request: Parameters<typeof countRequest>[1]) => countRequest(harness.platform, request);
    for (let n = 1; n <= 100; n += 1)
      note({
        workspaceId,
        accountId: null,
        method: 'GET',
        route: '/v1/slow',
        status: n <= 2 ? 429 : 200,
        milliseconds: n <= 95 ? n : 5_000,
      });
    const { by_route: routes, rate_limited: limited } = await report();
    expect(limited).toBe(2);
    expect(of(routes, '/v1/slow').count).toBe(100);
    expect(Math.abs(of(routes, '/v1/slow').p95_ms - 95) / 95).toBeLessThan(0.1);
  });

  it('200: counts that could not be written are kept, and old ones by the hour are swept', async () => {
    const { pool } = harness.platform.database;
    await harness.test.get('/v1/accounts');
    await pool.query('ALTER TABLE request_count RENAME TO request_count_away');
    await writeRequests(harness.platform);
    await pool.query('ALTER TABLE request_count_away RENAME TO request_count');
    expect((await report()).total).toBe(1);
    harness.clock.advance(402 * 86_400);
    while ((await sweepRequests(harness.platform, 500)) > 0);
    expect((await pool.query('SELECT DISTINCT size FROM request_count')).rows).toEqual([{ size: 86_400 }]);
    while ((await sweepAccountRequests(harness.platform, 500)) > 0);
    expect((await pool.query('SELECT FROM account_request_count')).rowCount).toBe(0);
  });

  it('200: a portal token sees the requests of its accounts alone, by route without durations', async () => {
    const reference = `customer-${harness.clock.now().toISOString().slice(0, 10)}`;
    const agentOf = async (name: string) => {
      const account = await harness.test.make('/v1/accounts', { type: 'business', name, customer_reference: reference });
      return enrol(harness.test, { parent_account_id: account.id });
    };
    const [one, two, other] = [await agentOf('First'), await agentOf('Second'), await enrol(harness.test)];
    for (const { token: as } of [one, two, other]) await harness.test.get('/v1/wallets', { as });
    await harness.test.get('/v1/nothing', { as: two.token });
    const tokenOf = async (customer_reference: string, scope = 'usage:read') =>
      (await harness.test.make('/v1/portal-tokens', { customer_reference, scopes: [scope] })).token as string;
    const [token, stranger] = [await tokenOf(reference), await tokenOf('nobody')];
    await harness.test.get('/v1/usage/costs', { as: token });
    await writeRequests(harness.platform);
    const read = async (as: string) => (await harness.test.get('/v1/usage/requests', { as })).body;
    const day = harness.clock.now().toISOString().slice(0, 10);
    const seen = await read(token);
    expect(seen).toMatchObject({ total: 4, by_status_class: { '2xx': 3, '4xx': 1 }, by_method: { GET: 4 }, rate_limited: 0 });
    expect(seen.by_route).toEqual([
      { route: '/v1/wallets', count: 2 },
      { route: '/v1/usage/costs', count: 1 },
      { route: 'unknown', count: 1 },
    ]);
    expect(seen.by_day.at(-1)).toEqual({ date: day, count: 4 });
    expect(seen.period.start).toMatch(/T00:00:00\.000Z$/);
    expect(await read(stranger)).toMatchObject({ total: 0, by_route: [] });
    // Counted once more for the account, and not twice for the tenant.
    expect((await report()).by_route.find(({ route }: Json) => route === '/v1/wallets').count).toBe(3);
    expectRefused(await harness.test.get('/v1/usage/requests', { as: await tokenOf(reference, 'agents:read') }), 403, 'insufficient_scope');
  });

  it('400: a window that ends before it begins, one beyond what is kept, and one that has not begun', async () => {
    for (const [query, field] of [
      ['start=2099-01-01&end=2099-02-01', 'start'],
      ['start=2026-05-02&end=2026-05-01', 'end'],
      ['start=2020-01-01', 'start'],
    ] as const) {
      const answer = await harness.test.get(`/v1/usage/requests?${query}`);
      expectRefused(answer, 400, 'validation_failed');
      expect(answer.body.details.fields[0].path).toBe(field);
    }
  });

  it('401 without a credential, 403 for an agent', async () => {
    expectRefused(await harness.test.get('/v1/usage/requests', { as: null }), 401, 'missing_credential');
    const { token } = await enrol(harness.test);
    expectRefused(await harness.test.get('/v1/usage/requests', { as: token }), 403, 'forbidden');
  });
});
