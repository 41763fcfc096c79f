// The stated limits on the whole platform: 100 per minute in production, 1,000 in the sandbox, 5 for signing in, each listener
// with its own budgets (SPEC.md "Limits", CONTRACT.md 0 "Small decisions").
import { type Redis, Redis as RedisClient } from 'ioredis';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limitTenant } from '../src/cli/tenant.js';
import { loadConfig } from '../src/config.js';
import { tenantWorkspace } from '../src/contexts/identity/tenant.js';
import type { Workspace } from '../src/platform/ctx.js';
import { limitsOf, type OperatorRates } from '../src/platform/rate-limit.js';
import { type Answer, type Client, nowhere, useHarness } from './harness.js';
import { findRedis } from './http/redis.js';

const budgetOf = ({ headers }: Answer) => ['limit', 'remaining'].map((name) => Number(headers.get(`x-ratelimit-${name}`)));
const { rateLimit } = loadConfig({});
const stated = { general: rateLimit.general, sandbox: rateLimit.sandbox, auth: rateLimit.auth };

/** Takes `count` points of the budget of a client's address, without a credential: the cheapest way. */
async function drain(client: Client, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await client.get('/v1/me', { as: null });
}

async function expectRefused(answer: Answer, limit: number): Promise<void> {
  expect(answer.status).toBe(429);
  expect(budgetOf(answer)).toEqual([limit, 0]);
  const after = Number(answer.headers.get('retry-after'));
  expect(answer.body).toEqual({ error: 'rate_limit_exceeded', retry_after: after });
  expect(Number.isInteger(after) && after >= 1 && after <= 60).toBe(true);
}

describe('by default', () => {
  it('the numbers are those of the specification', () => {
    expect(limitsOf(loadConfig({}), 'live')).toEqual({ general: 100, auth: 5, login: 20, tile: 1_000 });
    expect(limitsOf(loadConfig({}), 'test')).toEqual({ general: 1_000, auth: 5, login: 20, tile: 1_000 });
  });
});

describe('production', () => {
  const h = useHarness({ limits: stated });

  it('says what is left on every answer, whatever it is', async () => {
    const answers: [number, Answer][] = [
      [200, await h.live.get('/v1/me')],
      [401, await h.live.get('/v1/me', { as: null })],
      [400, await h.live.get('/v1/me?no_such=1')],
      [404, await h.live.get(`/v1/wallets/${nowhere}`)],
      [404, await h.live.get('/v1/no-such-path')],
      [405, await h.live.call('DELETE', '/v1/me')],
      [413, await h.live.post('/v1/accounts', { name: 'x'.repeat(300_000) })],
      [415, await h.live.call('POST', '/v1/accounts', { raw: 'a', headers: { 'Content-Type': 'text/plain' } })],
      [200, await h.live.get('/v1/openapi.json')],
      [200, await h.live.graphql('{ me { environment } }')],
    ];
    expect(answers.map(([, { status }]) => status)).toEqual(answers.map(([status]) => status));
    expect(answers.map(([, answer]) => budgetOf(answer))).toEqual(answers.map((_, taken) => [100, 99 - taken]));
  });

  it('refuses the request after the hundredth, before it looks at the credential', async () => {
    await drain(h.live, 90);
    await expectRefused(await h.live.get('/v1/me'), 100);
    await expectRefused(await h.live.get('/v1/me', { as: 'nonsense' }), 100);
    const graphql = await h.live.graphql('{ me { environment } }');
    expect(graphql.status).toBe(429);
    expect(budgetOf(graphql)).toEqual([100, 0]);
    expect(graphql.body.errors[0].extensions).toMatchObject({
      code: 'rate_limit_exceeded',
      details: { retry_after: Number(graphql.headers.get('retry-after')) },
    });
  });

  it('keeps /health, /ready and /metrics open, and the sandbox untouched', async () => {
    for (const path of ['/health', '/ready', '/metrics']) expect((await h.live.get(path)).status).toBe(200);
    expect(budgetOf(await h.test.get('/v1/me'))).toEqual([1_000, 999]);
  });

  it('has a budget of its own for signing in', async () => {
    const answer = await h.live.post('/v1/auth/session', { api_key: h.live.key }, { as: null });
    expect(answer.status).toBe(201);
    expect(budgetOf(answer)).toEqual([5, 4]);
  });
});

describe('sandbox', () => {
  const h = useHarness({ limits: stated });

  it('takes five requests of the auth class a minute together, apart from the others', async () => {
    const signIns = [
      () => h.test.post('/v1/auth/session', { api_key: h.test.key }, { as: null }),
      () => h.test.post(`/v1/agents/${nowhere}/challenge`, undefined, { as: null }),
      () => h.test.post(`/v1/agents/${nowhere}/authenticate`, { challenge: 'x', signature: 'x' }, { as: null }),
    ];
    for (let n = 0; n < 5; n += 1) expect(budgetOf((await signIns[n % 3]?.()) as Answer)).toEqual([5, 4 - n]);
    for (const signIn of signIns) await expectRefused(await signIn(), 5);
    expect(budgetOf(await h.test.get('/v1/me'))).toEqual([1_000, 999]);
  });

  it('refuses the request after the thousandth', async () => {
    await Promise.all(Array.from({ length: 37 }, () => drain(h.test, 27)));
    expect(budgetOf(await h.test.get('/v1/me'))).toEqual([1_000, 0]);
    await expectRefused(await h.test.get('/v1/me'), 1_000);
  });
});

describe('the operator', () => {
  const h = useHarness({ limits: { general: 3 }, env: { TRUSTED_PROXIES: '1' } });
  let address = 0;
  /** From an address of its own, which so binds nobody. */
  const ask = (path = '/v1/me', as = h.live.key) => {
    address += 1;
    return h.live.get(path, { as, headers: { 'X-Forwarded-For': `198.51.100.${address}` } });
  };
  const workspace = async () => (await tenantWorkspace(h.platform, h.tenantId, 'live')) as Workspace;
  const say = async (rates: OperatorRates) => limitTenant(h.platform, [await workspace()], rates);

  it('gives a tenant other numbers, which hold at once, also where a budget was used up', async () => {
    for (const left of [2, 1, 0]) expect(budgetOf(await ask())).toEqual([3, left]);
    await expectRefused(await ask(), 3);
    expect(await say({ actorRate: 8 })).toEqual([{ environment: 'live', actor: 8, workspace: 80 }]);
    // The address has its own three, and less than that is left of eight after the refused ones.
    expect((await ask()).status).toBe(200);
    expect(await say({ workspaceRate: 6 })).toEqual([{ environment: 'live', actor: 8, workspace: 6 }]);
    expect((await ask('/v1/rate-limits')).body.data.slice(1, 3)).toMatchObject([
      { class: 'general', per: 'actor', limit: 8 },
      { class: 'general', per: 'workspace', limit: 6 },
    ]);
    expect(await say({ actorRate: null, workspaceRate: null })).toEqual([{ environment: 'live', actor: 3, workspace: 30 }]);
    await expectRefused(await ask(), 3);
    expect(budgetOf(await h.test.get('/v1/me'))[0]).toBe(1_000_000);
  });

  it('counts the requests of all keys of a workspace together', async () => {
    await say({ actorRate: 100, workspaceRate: 1_000 });
    const { key } = await h.live.make('/v1/api-keys', { name: 'Second' });
    expect((await ask('/v1/me', key)).status).toBe(200);
    await say({ workspaceRate: 1 });
    await expectRefused(await ask('/v1/me', key), 1);
    await say({ actorRate: null, workspaceRate: null });
  });

  it('is heard by other processes within a second, and written into the audit log', async () => {
    await say({ actorRate: 100 });
    expect((await ask()).status).toBe(200);
    // As another process does it: nobody here drops anything.
    const { id } = await workspace();
    const client = new pg.Client({ connectionString: h.platform.config.databaseUrl ?? '' });
    await client.connect();
    await client.query('UPDATE workspace SET workspace_rate = 2 WHERE id = $1', [id]);
    await client.end();
    await expect.poll(async () => (await ask()).headers.get('x-ratelimit-limit'), { timeout: 1_000, interval: 50 }).toBe('2');
    await say({ actorRate: 900, workspaceRate: 1_000 });
    await h.advance(0);
    const { data } = (await h.live.get('/v1/audit-log?action=setRateLimits', { headers: { 'X-Forwarded-For': '198.51.100.250' } })).body;
    expect(data[0]).toMatchObject({ action: 'setRateLimits', changes: { actor: 900, workspace: 1_000 } });
  });
});

const found = await findRedis();
describe.skipIf(found === null)('with Redis', () => {
  const h = useHarness({ limits: { general: 3, sandbox: 4, auth: 2 }, env: { REDIS_URL: found?.url ?? '' } });
  let redis: Redis;
  const ours = async () => (await redis.keys('rl:*')).filter((key) => /:(127\.0\.0\.1|::1|ip|actor|workspace)/.test(key));

  beforeAll(async () => {
    redis = new RedisClient(found?.url ?? '');
    const left = await ours();
    if (left.length > 0) await redis.del(left);
  });
  afterAll(async () => {
    const left = await ours();
    if (left.length > 0) await redis.del(left);
    redis.disconnect();
    await found?.stop();
  });

  it('counts there, for each listener apart', async () => {
    await expect.poll(async () => (await h.live.get('/ready')).body.checks.redis.status, { interval: 20 }).toBe('ok');
    expect(budgetOf(await h.live.get('/v1/me'))).toEqual([3, 2]);
    expect(budgetOf(await h.test.get('/v1/me'))).toEqual([4, 3]);
    await drain(h.live, 2);
    await expectRefused(await h.live.get('/v1/me'), 3);
    expect(budgetOf(await h.test.get('/v1/me'))).toEqual([4, 2]);
    const keys = await ours();
    expect(keys.filter((key) => key.includes(':live:')).length).toBeGreaterThan(0);
    expect(keys.filter((key) => key.includes(':test:')).length).toBeGreaterThan(0);
    expect(keys.filter((key) => key.includes(':workspace:'))).toHaveLength(2);
    const left = await Promise.all(keys.map((key) => redis.ttl(key)));
    expect(Math.min(...left)).toBeGreaterThan(0);
    expect(Math.max(...left)).toBeLessThanOrEqual(60);
  });
});
