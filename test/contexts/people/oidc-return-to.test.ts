// Where a sign-in at a company leads back to (security property 8): a page of the console, and nothing else.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useHarness } from '../../harness.js';
import { begin, companyOf } from './company.js';
import { comeBack, FakeProvider, ownerWith } from './provider.js';

const provider = await FakeProvider.start();
afterAll(() => provider.stop());
const harness = useHarness({ env: { OIDC_ALLOW_HOSTS: provider.host } });
const { fresh, invite, joinAs } = companyOf(harness);

beforeAll(async () => {
  harness.clock.set(new Date().toISOString());
  await ownerWith(harness, provider);
  await joinAs(provider, 'bob-1', await invite());
});
beforeEach(() => {
  harness.clock.set(new Date().toISOString());
});
afterEach(() => {
  provider.reset();
  provider.subject = 'bob-1';
});

describe('property 8, open redirect', () => {
  const evil = 'evil.example';
  const spellings = [
    `//${evil}`,
    `///${evil}`,
    `////${evil}`,
    `/\\${evil}`,
    `\\\\${evil}`,
    `\\/${evil}`,
    `/\\/${evil}`,
    `https:${evil}`,
    `https:/${evil}`,
    `https://${evil}`,
    `HTTPS://${evil}`,
    `http://${evil}/console`,
    `//${evil}/console`,
    `//console@${evil}`,
    `/console@${evil}`,
    `/console.${evil}`,
    `/console:80@${evil}`,
    `console`,
    `console/../../${evil}`,
    '',
    ' ',
    '/',
    '/v1/me',
    '/oauth/authorize',
    '/consoles',
    '/Console',
    '/console/..',
    '/console/../v1/me',
    '/console/.',
    '/console/./x',
    '/console//evil.example',
    '/console/\\evil.example',
    '/console\\evil.example',
    '/console/..%2f..%2f',
    '/console%2f..%2f..',
    '/console%2f%2fevil.example',
    '/%2f%2fevil.example',
    '/%5cevil.example',
    '/console/%2e%2e/%2e%2e/evil',
    '/console%00',
    '/console\u0000',
    '/console\r\nLocation: https://evil.example',
    '/console%0d%0aLocation:%20https://evil.example',
    '/console\nSet-Cookie: ap_test=x',
    '/console\t//evil.example',
    '\t//evil.example',
    '\u00a0//evil.example',
    ' //evil.example',
    '/console#@evil.example',
    '#//evil.example',
    '?//evil.example',
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)//console',
    'data:text/html,x',
    'file:///etc/passwd',
    'ftp://evil.example',
    '//evil%E3%80%82example',
    '/console\u2028//evil.example',
    '/\u2215evil.example',
    '/console;@evil.example',
    `/console?x=${'x'.repeat(600)}`,
    'http:@evil.example',
    'https:///evil.example',
    '/console?x=<script>',
    '/console/\ud800',
  ];
  it('has 60 spellings', () => expect(new Set(spellings).size).toBeGreaterThanOrEqual(60));
  it.each(spellings)('return_to leads nowhere by %j', async (place) => {
    const browser = fresh();
    const over = await begin(browser, 'acme', `?return_to=${encodeURIComponent(place.toWellFormed())}`);
    expect(over.status).toBe(400);
    expect([...browser.jar.keys()]).toEqual([]);
    const posted = await browser.post('/v1/login/oidc', { purpose: 'sign_in', slug: 'acme', return_to: place });
    expect(posted.status).toBe(400);
    const shown = await browser.get(`/v1/login/oidc/acme?return_to=${encodeURIComponent(place.toWellFormed())}`, {
      headers: { Accept: 'text/html' },
    });
    expect(shown.headers.get('location')).toBe(`${browser.origin}/console?sign_in=failed`);
  });

  it('nor by two of them', async () => {
    expect((await begin(fresh(), 'acme', '?return_to=/console&return_to=//evil.example')).status).toBe(400);
  });

  it.each(['/console', '/console/', '/console/payments/tr_1', '/console/approvals?status=pending&x=%20y'])('leads to %s', async (place) => {
    const browser = fresh();
    const back = await comeBack(browser, await begin(browser, 'acme', `?return_to=${encodeURIComponent(place)}`));
    expect(back.headers.get('location')).toBe(`${browser.origin}${place}`);
  });

  it('no other address than that of the listener is where the provider leads back to', async () => {
    for (const host of ['evil.example', 'localhost.evil.example', 'localhost:99999', '127.0.0.1@evil.example']) {
      const answer = await harness.test.get('/v1/login/oidc/acme', { as: null, headers: { Host: host } });
      if (answer.status !== 303) continue;
      const back = new URL(new URL(answer.headers.get('location') ?? '').searchParams.get('redirect_uri') ?? '');
      expect(['127.0.0.1', 'localhost']).toContain(back.hostname);
    }
  });
});
