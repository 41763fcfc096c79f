// The pages and documents: GraphiQL, the API reference, openapi.json, health and metrics. That they work in a browser is
// tried with the whole application; here, that nothing of them comes from elsewhere.

import { readFileSync } from 'node:fs';
import { get as httpGet } from 'node:http';
import { Script } from 'node:vm';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPlatform, printed, type RunningServer, readiness, startServer } from './notes.js';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer({});
});
afterAll(() => server.close());

const get = (path: string, headers: Record<string, string> = {}) => fetch(server.url + path, { headers });
const browser = { accept: 'text/html,application/xhtml+xml' };

/** The raw bytes, as `fetch` would not show them. */
function rawGet(
  path: string,
  headers: Record<string, string>,
  url = server.url,
): Promise<{ headers: Record<string, unknown>; body: Buffer }> {
  return new Promise((resolve, reject) => {
    httpGet(url + path, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(chunks) }));
    }).on('error', reject);
  });
}

/** What a page loads: each must be a path of this server or data. */
function references(html: string): string[] {
  return [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, link]) => link as string);
}

describe.each([
  ['/graphql', 'Notes', ['js', 'css']],
  ['/docs', 'Agent Payments', ['js', 'css', 'svg']],
  ['/docs/reference', 'REST reference · Agent Payments', ['js', 'css', 'svg']],
])('GET %s in a browser', (path, title, kinds) => {
  it('is a page of this server alone, under a strict policy', async () => {
    const response = await get(path, browser);
    const html = await response.text();
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(html).toContain(`<title>${title}</title>`);
    for (const link of references(html)) expect(link).toMatch(/^(\/(?!\/)|data:|#)/);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
    expect(html).not.toMatch(/<script>[^<]/);
  });

  it('has files that are kept for ever and sent compressed', async () => {
    const html = await (await get(path, browser)).text();
    const files = references(html).filter((link) => link.includes('/assets/'));
    expect(new Set(files.map((file) => file.split('.').at(-1)))).toEqual(new Set(kinds));
    for (const file of files) {
      const response = await get(file);
      expect(response.status).toBe(200);
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(response.headers.get('content-type')).toMatch(/^(text\/javascript|text\/css|image\/svg\+xml)/);
      const etag = response.headers.get('etag') ?? '';
      const plain = Buffer.from(await response.arrayBuffer());
      expect((await get(file, { 'if-none-match': etag })).status).toBe(304);
      if (file.endsWith('.svg')) continue;
      expect(plain.subarray(-300).toString('utf8')).not.toContain('sourceMappingURL');
      if (file.endsWith('.js')) expect(() => new Script(plain.toString('utf8'))).not.toThrow();
      if (file.endsWith('.css')) expect(plain.toString('utf8')).not.toMatch(/<\/?style|@import|url\(['"]?(?!['"]?data:|['"]?#)/);
      const gzipped = await rawGet(file, { 'accept-encoding': 'gzip' });
      expect(gzipped.headers['content-encoding']).toBe('gzip');
      expect(gunzipSync(gzipped.body).equals(plain)).toBe(true);
      const bare = await rawGet(file, {});
      expect(bare.headers['content-encoding']).toBeUndefined();
      expect(bare.body.equals(plain)).toBe(true);
    }
    expect((await get(files[0]?.replace(/\.[0-9a-f]{16}\./, '.0000000000000000.') ?? '')).status).toBe(404);
  });
});

describe('the documentation', () => {
  it('is there for models as markdown', async () => {
    const index = await get('/llms.txt');
    expect(index.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const text = await index.text();
    expect(text).toMatch(/^# Agent Payments\n/);
    const pages = [...text.matchAll(/\]\((\/docs\/[\w-]+\.md)\)/g)].map(([, page = '']) => page);
    expect(pages.length).toBeGreaterThan(5);
    for (const page of pages) {
      const response = await get(page);
      expect([page, response.status, response.headers.get('content-type')]).toEqual([page, 200, 'text/markdown; charset=utf-8']);
      expect(await response.text()).toMatch(/^# /);
    }
    expect(await (await get('/docs/llms.txt')).text()).toBe(text);
  });

  it('leads to pages and sections that are there, each in the navigation and in the search', async () => {
    const first = await (await get('/docs')).text();
    const addresses = [...new Set(references(first).filter((link) => /^\/docs\/[\w-]+$/.test(link)))];
    const [index = ''] = /\/docs\/assets\/search\.\w+\.json/.exec(first) ?? [];
    const found = ((await (await get(index)).json()) as { address: string }[]).map(({ address }) => address);
    const html = new Map(await Promise.all(addresses.map(async (page) => [page, await (await get(page)).text()] as const)));
    const leads = [...html].flatMap(([page, text]) => references(text).map((link) => (link.startsWith('#') ? page + link : link)));
    const broken = [...leads, ...found].filter((link) => {
      const [page = '', section] = link.split('#');
      if (!/^\/docs\/[\w-]+$/.test(page) || page === '/docs/reference') return false;
      return section === undefined ? !html.has(page) : !html.get(page)?.includes(`id="${section}"`);
    });
    expect(broken).toEqual([]);
    expect(addresses.filter((page) => page !== '/docs/reference' && !found.includes(page))).toEqual(['/docs/schema']);
  });

  it('has no page for any other name', async () => {
    for (const name of ['no-such', 'assets', '.stamp', 'start.MD', '..%2Fmain.js', 'constructor'])
      expect((await get(`/docs/${name}`)).status).toBe(404);
  });
});

describe('GraphiQL', () => {
  const options = async (path: string) => {
    const html = await (await get(path, browser)).text();
    return JSON.parse(/<script type="application\/json" id="options">(.*?)<\/script>/.exec(html)?.[1] ?? '') as Record<string, string>;
  };
  it('opens with the example, and has one place for the credential of all tabs', async () => {
    const { defaultQuery, query, headers } = await options('/graphql');
    expect(defaultQuery).toBe('{ weather }');
    expect(query).toBeUndefined();
    expect(headers).toContain('Headers of this tab alone');
    expect(await (await get('/graphql', browser)).text()).toContain('<input id="api-key"');
  });
  it('opens with the document of a REST operation', async () => {
    expect((await options('/graphql?op=getMe'))['query']).toBe('query getMe { me } # </script>');
    expect((await options('/graphql?op=nothing'))['query']).toBeUndefined();
  });
  it('leaves the endpoint to clients', async () => {
    expect((await get('/graphql?query={weather}')).headers.get('content-type')).toContain('application/json');
  });
});

describe('GET /v1/openapi.json', () => {
  it('names the server that was asked, and is kept by its ETag', async () => {
    const response = await get('/v1/openapi.json');
    expect(await response.json()).toEqual({
      openapi: '3.1.0',
      info: { title: 'Notes' },
      // Written for 2026-11-21, and served on the day of the clock.
      example: { at: '2026-03-02T10:00:00.000Z', due: '2026-03-12', of: '2026' },
      servers: [{ url: server.url, description: 'Test' }],
    });
    expect((await get('/v1/openapi.json', { 'if-none-match': response.headers.get('etag') ?? '' })).status).toBe(304);
  });

  it('names this machine by the name that was used, and no other host', async () => {
    const named = async (host: string) => JSON.parse(String((await rawGet('/v1/openapi.json', { host })).body)).servers[0].url;
    expect(await named('localhost:8080')).toBe('http://localhost:8080');
    expect(await named('evil.example')).toBe(server.url);
  });

  it('is printed once for each address, and for few', async () => {
    const crowded = await startServer({});
    const before = printed.documents;
    const ask = (port: number) => rawGet('/v1/openapi.json', { host: `localhost:${port}` }, crowded.url);
    const answers = [];
    for (let port = 1; port <= 40; port += 1) answers.push(await ask(port), await ask(port));
    expect(printed.documents - before).toBe(9);
    const named = answers.map(({ body }) => JSON.parse(String(body)).servers[0].url);
    expect(named[0]).toBe('http://localhost:1');
    expect(named.at(-1)).toBe('/');
    await crowded.close();
  });
});

describe('operations', () => {
  it('GET /health is alive without a database', async () => {
    const response = await get('/health');
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
    expect(response.headers.has('x-ratelimit-limit')).toBe(false);
  });

  it('GET /ready is 503 without one, and tells no address', async () => {
    const response = await get('/ready');
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    const body = await response.json();
    expect(body).toMatchObject({
      status: 'not_ready',
      checks: { database: { status: 'failed', required: true }, redis: { status: 'ok', required: false } },
    });
  });

  it('GET /ready checks once a second, however many ask', async () => {
    let now = new Date('2026-03-02T10:00:00.000Z');
    const probed = await startServer({ platform: openPlatform({ clock: { now: () => now } }) });
    const probe = () => fetch(`${probed.url}/ready`).then((response) => response.status);
    const before = readiness.checks;
    expect(await Promise.all(Array.from({ length: 10 }, probe))).toEqual(Array(10).fill(503));
    expect(readiness.checks - before).toBe(1);
    now = new Date(now.getTime() + 999);
    await probe();
    expect(readiness.checks - before).toBe(1);
    now = new Date(now.getTime() + 1);
    await probe();
    expect(readiness.checks - before).toBe(2);
    await probed.close();
  });

  it('GET /metrics counts requests by route and class of status', async () => {
    await get('/nothing');
    const text = await (await get('/metrics')).text();
    expect(text).toMatch(/http_request_duration_seconds_count\{environment="live",route="unknown",status="4xx"\} \d+/);
    expect(text).toContain('http_request_duration_seconds_count{environment="live",route="/health",status="2xx"} 1');
    expect(text).toContain('database_connections{cell="main",state="open"} 0');
    expect(text).toContain('process_cpu_user_seconds_total');
  });
});

describe('the gateway of docker-compose.yml', () => {
  const settings = readFileSync(new URL('../../nginx.conf', import.meta.url), 'utf8');
  const servers = [...settings.matchAll(/server \{([^{}]*\{[^{}]*\})*/g)].map(([block]) => block);

  it('keeps /metrics and /ready to itself, and passes on everything else', () => {
    expect([...settings.matchAll(/listen (\d+);/g)].map(([, port]) => port)).toEqual(['4000', '4001']);
    for (const block of servers) {
      const hidden = new RegExp(/location ~ (\S+) \{ return 404; \}/.exec(block)?.[1] ?? 'none');
      for (const path of ['/metrics', '/ready']) expect(path).toMatch(hidden);
      for (const path of ['/health', '/v1/metrics', '/graphql', '/readiness']) expect(path).not.toMatch(hidden);
    }
    expect(servers).toHaveLength(1);
  });
});
