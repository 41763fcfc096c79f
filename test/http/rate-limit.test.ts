// Budgets per address and per actor, counted in memory and in Redis (SPEC.md "Limits").
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Handler } from '../../src/http/state.js';
import { createLogger } from '../../src/platform/log.js';
import { networkOf } from '../../src/platform/network.js';
import { openRedis, type Redis } from '../../src/platform/redis.js';
import { asAda, type RunningServer, type ServerOptions, send, startServer } from './notes.js';
import { findRedis } from './redis.js';

const asBob = { authorization: 'Bearer pk_live_bob' };
let server: RunningServer;
afterEach(() => server.close());

const answerOk: Handler = (http) => {
  http.body = {};
};
const answerA: Handler = (http, next) => (http.path === '/a' ? answerOk(http, next) : undefined);
const start = async (options: ServerOptions) => {
  server = await startServer({ handler: answerOk, trustedProxies: 1, ...options });
};
const get = (path: string, headers: Record<string, string> = {}) => fetch(server.url + path, { headers });
const from = (ip: string) => ({ 'x-forwarded-for': ip });
const budget = ({ headers }: { headers: Headers }) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`x-ratelimit-${name}`)));

describe('every answer', () => {
  it('says what is left: 200, 401, 404, 405 and 429', async () => {
    await start({ limits: { general: 5, auth: 5 }, handler: answerA });
    const answers = [
      await get('/a'),
      await get('/a', { authorization: 'nonsense' }),
      await get('/none'),
      await fetch(`${server.url}/graphql`, { method: 'PUT' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 404, 405]);
    expect(answers.map((answer) => budget(answer)[1])).toEqual([4, 3, 2, 1]);
    await get('/a');
    const refused = await get('/a');
    expect(refused.status).toBe(429);
    expect(budget(refused).slice(0, 2)).toEqual([5, 0]);
  });

  it('names the end of the window as a unix time', async () => {
    await start({ limits: { general: 5, auth: 5 } });
    const now = Date.now() / 1000;
    const [, , reset] = budget(await get('/a'));
    expect(reset).toBeGreaterThan(now + 55);
    expect(reset).toBeLessThan(now + 65);
  });
});

describe('429', () => {
  it('has the stated body and Retry-After', async () => {
    await start({ limits: { general: 1, auth: 1 } });
    await get('/a');
    const refused = await get('/a');
    const wait = Number(refused.headers.get('retry-after'));
    expect(await refused.json()).toEqual({ error: 'rate_limit_exceeded', retry_after: wait });
    expect(wait).toBeGreaterThan(50);
    expect(wait).toBeLessThanOrEqual(60);
  });

  it('comes before authentication', async () => {
    await start({ limits: { general: 1, auth: 1 } });
    await get('/a');
    expect((await get('/a', { authorization: 'nonsense' })).status).toBe(429);
  });

  it('ends with the window', async () => {
    await start({ limits: { general: 1, auth: 1 }, windowSeconds: 1 });
    await get('/a');
    expect((await get('/a')).status).toBe(429);
    await expect.poll(async () => (await get('/a')).status, { timeout: 3_000, interval: 300 }).toBe(200);
  });
});

describe('budgets', () => {
  it('belong to the actor as well, wherever it calls from', async () => {
    await start({ limits: { general: 2, auth: 2 } });
    expect((await get('/a', { ...asAda, ...from('192.0.2.1') })).status).toBe(200);
    expect(budget(await get('/a', { ...asAda, ...from('192.0.2.2') }))[1]).toBe(0);
    const refused = await get('/a', { ...asAda, ...from('192.0.2.3') });
    expect(refused.status).toBe(429);
    expect((await get('/a', { ...asBob, ...from('192.0.2.4') })).status).toBe(200);
  });

  it('show the tighter of the two', async () => {
    await start({ limits: { general: 10, auth: 10 } });
    for (const ip of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) await get('/a', { ...asAda, ...from(ip) });
    expect(budget(await get('/a', { ...asAda, ...from('192.0.2.9') }))[1]).toBe(6);
    for (let n = 0; n < 5; n += 1) await get('/a', from('192.0.2.9'));
    expect(budget(await get('/a', { ...asBob, ...from('192.0.2.9') }))[1]).toBe(3);
  });

  it('of all actors of a workspace together are ten times that of one', async () => {
    await start({ limits: { general: 2, auth: 2 } });
    let address = 0;
    const ask = (name: string) => {
      address += 1;
      return get('/a', { authorization: `Bearer pk_live_${name}`, ...from(`198.51.100.${address}`) });
    };
    for (let actor = 0; actor < 9; actor += 1) for (const _ of [1, 2]) expect((await ask(`actor${actor}`)).status).toBe(200);
    expect(budget(await ask('last')).slice(0, 2)).toEqual([2, 1]);
    expect(budget(await ask('another')).slice(0, 2)).toEqual([20, 0]);
    const refused = await ask('oneMore');
    expect(refused.status).toBe(429);
    expect(budget(refused).slice(0, 2)).toEqual([20, 0]);
  });

  it('of the auth class are apart from the general ones', async () => {
    await start({ limits: { general: 1, auth: 2 } });
    expect(budget(await get('/auth/session')).slice(0, 2)).toEqual([2, 1]);
    expect((await get('/auth/session')).status).toBe(200);
    expect((await get('/auth/session')).status).toBe(429);
    expect((await get('/a')).status).toBe(200);
  });

  it('believe X-Forwarded-For only from the right', async () => {
    await start({ limits: { general: 1, auth: 1 } });
    await get('/a', from('198.51.100.1, 203.0.113.5'));
    expect((await get('/a', from('198.51.100.77, 203.0.113.5'))).status).toBe(429);
    await server.close();
    await start({ limits: { general: 1, auth: 1 }, trustedProxies: 0 });
    await get('/a', from('198.51.100.1'));
    expect((await get('/a', from('198.51.100.2'))).status).toBe(429);
  });

  it('are those of a network in IPv6', async () => {
    await start({});
    expect(networkOf('2001:db8:1:2::1')).toBe(networkOf('2001:0db8:1:2:ffff::9'));
    expect(networkOf('2001:db8:1:2::1')).not.toBe(networkOf('2001:db8:1:3::1'));
    expect(networkOf('::1')).toBe('0000:0000:0000:0000::/64');
    expect(networkOf('192.0.2.1')).toBe('192.0.2.1');
  });
});

describe('GraphQL', () => {
  const aliases = (field: string, times: number) => Array.from({ length: times }, (_, n) => `a${n}: ${field}`).join(' ');

  it('draws one point for each root field, through fragments', async () => {
    await start({ limits: { general: 20, auth: 20 } });
    expect(budget(await send(server.url, '{ weather }'))[1]).toBe(19);
    expect(budget(await send(server.url, `{ ${aliases('weather', 4)} }`))[1]).toBe(15);
    expect(budget(await send(server.url, `{ ...w ...w weather } fragment w on Query { ${aliases('weather', 4)} }`))[1]).toBe(10);
  });

  it('takes the strictest class among the fields', async () => {
    await start({ limits: { general: 1, auth: 5 } });
    const twice = await send(server.url, `mutation { ...s b: signIn } fragment s on Mutation { a: signIn }`);
    expect(twice.body).toEqual({ data: { a: 'welcome', b: 'welcome' } });
    expect(budget(twice).slice(0, 2)).toEqual([5, 3]);
    const many = await send(server.url, `mutation { ${aliases('signIn', 4)} }`);
    expect(many.status).toBe(429);
    expect(many.body.errors?.[0]?.extensions).toMatchObject({
      code: 'rate_limit_exceeded',
      details: { retry_after: Number(many.headers.get('retry-after')) },
    });
    expect((await send(server.url, '{ weather }')).status).toBe(200);
  });

  it('costs a point also when it cannot be read', async () => {
    await start({ limits: { general: 2, auth: 5 } });
    await send(server.url, '{');
    await fetch(`${server.url}/graphql`, { method: 'POST', body: 'nonsense' });
    expect((await send(server.url, '{ weather }')).status).toBe(429);
  });
});

describe('memory', () => {
  it('forgets the budget that was used longest ago rather than grow', async () => {
    const { limitRates } = await import('../../src/http/rate-limit.js');
    const { systemClock } = await import('../../src/platform/clock.js');
    await start({});
    const { address } = limitRates({
      limits: { general: 1, auth: 1, login: 1, tile: 1 },
      environment: 'live',
      clock: systemClock,
      maxBudgets: 2,
    });
    const call = (ip: string) =>
      Promise.resolve(address({ state: { ip, rateClass: 'general', rateCost: 1 }, res: { setHeader() {} } } as never, async () => {})).then(
        () => 'passed',
        (error: { code: string }) => error.code,
      );
    for (const ip of ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.1']) expect(await call(ip)).toBe('passed');
    expect(await call('192.0.2.3')).toBe('rate_limit_exceeded');
  });
});

const found = await findRedis();
describe.skipIf(found === null)('Redis', () => {
  const keyPrefix = `test-${randomUUID()}`;
  let redis: Redis;
  beforeAll(async () => {
    redis = openRedis(found?.url ?? '', createLogger('silent'));
    await once(redis, 'ready');
  });
  afterAll(async () => {
    const keys = await redis.keys(`${keyPrefix}:*`);
    if (keys.length > 0) await redis.del(keys);
    redis.disconnect();
    await found?.stop();
  });

  it('shares a budget between processes, each environment with its own', async () => {
    const limits = { general: 2, auth: 2 };
    await start({ limits, redis, keyPrefix });
    const other = await startServer({ limits, redis, keyPrefix, handler: answerOk });
    const sandbox = await startServer({ limits, redis, keyPrefix, environment: 'test', handler: answerOk });
    expect((await get('/a')).status).toBe(200);
    expect(budget(await fetch(`${other.url}/a`))[1]).toBe(0);
    expect((await get('/a')).status).toBe(429);
    expect((await get('/a')).status).toBe(429);
    expect((await fetch(`${sandbox.url}/a`)).status).toBe(200);
    await other.close();
    await sandbox.close();
  });

  it('counts in memory while Redis is away', async () => {
    const gone = openRedis('redis://127.0.0.1:1', createLogger('silent'));
    await start({ limits: { general: 2, auth: 2 }, redis: gone });
    expect([(await get('/a')).status, (await get('/a')).status, (await get('/a')).status]).toEqual([200, 200, 429]);
    const ready = (await (await get('/ready')).json()) as { checks: Record<string, unknown> };
    expect(ready.checks['redis']).toEqual({ status: 'failed', required: false });
    gone.disconnect();
  });
});
