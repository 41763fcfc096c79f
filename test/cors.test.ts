// Web pages of other origins (CORS_ORIGINS): which may call, and what they may read of the answers.
import { describe, expect, it } from 'vitest';
import { newShop } from './factories/checkout.js';
import { type Answer, type Client, useHarness } from './harness.js';

const page = 'https://pages.example';
const granted = ({ headers }: Answer) =>
  ['allow-origin', 'allow-methods', 'allow-headers', 'allow-credentials', 'expose-headers'].map((name) =>
    headers.get(`access-control-${name}`),
  );
const nothing = [null, null, null, null, null];

const preflight = (client: Client, path: string, origin: string, method = 'POST') =>
  client.call('OPTIONS', path, {
    as: null,
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': method,
      'Access-Control-Request-Headers': 'authorization,content-type,idempotency-key',
    },
  });

describe('with a page that is allowed', () => {
  const harness = useHarness({ env: { CORS_ORIGINS: `${page}, http://localhost:3000` } });

  it('204: its preflight, for whatever path and without a credential', async () => {
    for (const path of ['/v1/transfers', '/graphql', '/graphql/stream', '/mcp', '/v1/no-such-path']) {
      const answer = await preflight(harness.test, path, page);
      expect([answer.status, ...granted(answer)]).toEqual([
        204,
        page,
        'GET,HEAD,PUT,POST,DELETE,PATCH',
        'authorization,content-type,idempotency-key',
        null,
        null,
      ]);
      expect(answer.headers.get('access-control-max-age')).toBe('7200');
    }
  });

  it('every answer is its to read, also one that refuses', async () => {
    const headers = { Origin: page };
    const answers = [
      await harness.test.get('/v1/me', { headers }),
      await harness.test.get('/v1/me', { headers, as: null }),
      await harness.test.get('/v1/no-such-path', { headers }),
      await harness.test.post('/v1/accounts', {}, { headers }),
      await harness.test.graphql('{ me { environment } }', {}, { headers }),
      await harness.test.call('OPTIONS', '/v1/me', { headers }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 404, 400, 200, 405]);
    for (const answer of answers) {
      const isPreflight = answer.status === 405;
      expect(granted(answer)).toEqual(isPreflight ? nothing : [page, null, null, null, '*']);
      expect(answer.headers.get('vary')).toMatch(/origin/i);
    }
  });

  it('so are streams', async () => {
    const { token } = await newShop(harness.test);
    const leave = new AbortController();
    const streams = [
      await fetch(`${harness.test.url}/graphql/stream`, {
        method: 'POST',
        headers: {
          Origin: page,
          Authorization: `Bearer ${harness.test.key}`,
          'Content-Type': 'application/json',
          Accept: 'text/event-stream',
        },
        body: JSON.stringify({ query: 'subscription { workspaceEvents { id } }' }),
        signal: leave.signal,
      }),
      await fetch(`${harness.test.url}/mcp`, {
        method: 'POST',
        headers: {
          Origin: page,
          Authorization: `Bearer ${token}`,
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'initialize',
          params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'page', version: '1' } },
        }),
        signal: leave.signal,
      }),
    ];
    for (const { status, headers } of streams) {
      expect([status, headers.get('access-control-allow-origin'), headers.get('access-control-expose-headers')]).toEqual([200, page, '*']);
    }
    leave.abort();
  });

  it.each([`${page}.evil.example`, 'http://pages.example', `${page}:8443`, 'null', ''])('not to a page of "%s"', async (origin) => {
    expect(granted(await harness.test.get('/v1/me', { headers: { Origin: origin } }))).toEqual(nothing);
    expect(granted(await preflight(harness.test, '/v1/transfers', origin))).toEqual(nothing);
  });
});

describe('with any page allowed', () => {
  const harness = useHarness({ env: { CORS_ORIGINS: '*' } });

  it('names the origin that asked', async () => {
    expect(granted(await harness.test.get('/v1/me', { headers: { Origin: 'https://any.example' } }))).toEqual([
      'https://any.example',
      null,
      null,
      null,
      '*',
    ]);
  });
});

describe('by default', () => {
  const harness = useHarness();

  it('allows no page, and answers as if there were no origins', async () => {
    const answer = await harness.test.get('/v1/me', { headers: { Origin: page } });
    expect([...granted(answer), answer.headers.get('vary')]).toEqual([...nothing, null]);
    expect((await preflight(harness.test, '/v1/me', page)).status).toBe(405);
  });
});
