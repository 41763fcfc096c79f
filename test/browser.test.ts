// Pages in a real browser: GraphiQL, the guides and the API reference work, and ask nobody but this server (CONTRACT.md 21).
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Json, openWallet, useHarness } from './harness.js';
import { isSlow } from './slow.js';

const executablePath = [process.env['CHROMIUM'] ?? '', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);
const h = useHarness();
/** A folder; each picture costs a second. */
const shots = process.env['SCREENSHOTS'];

/** The document with one operation alone: all of them take the page many seconds to draw. */
function excerpt(document: Json): Json {
  const components: Json = {};
  const keep = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      const [, kind, id] = (name === '$ref' && /^#\/components\/(\w+)\/(.+)$/.exec(String(member))) || [];
      if (kind === undefined || id === undefined) keep(member);
      else if (components[kind]?.[id] === undefined) {
        components[kind] = { ...components[kind], [id]: document['components'][kind][id] };
        keep(components[kind][id]);
      }
    }
  };
  const paths = { '/v1/wallets': { get: document['paths']['/v1/wallets'].get } };
  keep(paths);
  return { ...document, paths, components: { ...components, securitySchemes: document['components'].securitySchemes } };
}

/** What axe finds on the page, by its own rules. */
const faultsOf = `(() => { ${readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')}; })();
  axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].target.join(' ')))`;

describe.skipIf(executablePath === undefined)('in a browser', () => {
  let browser: Browser;
  let page: Page;
  /** What went elsewhere, and what the page complained about. */
  let strangers: string[];
  let complaints: string[];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath as string, args: ['--no-sandbox', '--disable-gpu'] });
    await openWallet(h.test, { funded: '42.00' });
  });
  afterAll(() => browser?.close());

  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width: 1360, height: 860 } });
    strangers = [];
    complaints = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(h.test.url) && !/^(data|blob):/.test(request.url())) strangers.push(request.url());
    });
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(`${message.text()} (${message.location().url})`);
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
  });
  afterEach(async () => {
    await page.close();
    expect(strangers).toEqual([]);
    expect(complaints).toEqual([]);
  });

  const shot = async (name: string) => {
    if (shots !== undefined) await page.screenshot({ path: path.join(shots, `${name}.png`) });
  };

  /** What a person reads, with plain spaces. */
  const textOf = async (selector: string) => (await page.locator(selector).first().textContent())?.replaceAll('\u00a0', ' ');
  const soon = { timeout: 15_000 };
  /** What the browser would show the next person who opens the page. */
  const kept = () => page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');

  it('GraphiQL opens with an example and a list of them, and runs each tab with the key that it is given once and does not keep', async () => {
    await page.goto(`${h.test.url}/graphql`);
    await expect.poll(() => textOf('.graphiql-query-editor'), soon).toContain('query Welcome');
    await shot('graphiql');
    await page.getByLabel('API key for all tabs').fill(h.test.key);
    await page.locator('.graphiql-execute-button').click();
    await expect.poll(() => textOf('.result-window'), soon).toContain('"environment": "test"');
    expect(await textOf('.result-window')).toContain('"available": "42.00"');
    await shot('graphiql-answer');
    await page.getByLabel('Explore: open an example').selectOption({ label: 'A dashboard in one request' });
    await expect.poll(() => textOf('.graphiql-query-editor'), soon).toContain('query Dashboard');
    await page.locator('.graphiql-execute-button').click();
    await expect.poll(() => textOf('.result-window'), soon).toContain('"insight"');
    await shot('graphiql-dashboard');
    // Headers of a tab win over it.
    await page.locator('.graphiql-editor-tool .monaco-editor:visible').first().click();
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Delete');
    await page.keyboard.insertText('{ "authorization": "Bearer pk_test_unknown" }');
    await page.locator('.graphiql-execute-button').click();
    await expect.poll(() => textOf('.result-window'), soon).toContain('invalid_api_key');
    complaints = complaints.filter((text) => !text.includes('401'));
    expect(await kept()).not.toContain('pk_test_');
  }, 60_000);

  it('a guide is read by tab, found by search, fits each screen, and has no fault of accessibility', async () => {
    await page.goto(`${h.test.url}/docs/start`);
    const [python, block] = [page.getByRole('tab', { name: 'Python' }), page.locator('.codes').first()];
    await page.getByRole('tab', { name: 'curl' }).first().focus();
    await page.keyboard.press('ArrowLeft');
    expect(await python.first().getAttribute('aria-selected')).toBe('true');
    expect(await block.locator('pre:visible').first().textContent()).toContain('import json');
    // What somebody chose counts on the next page too, and in every block of it.
    await page.goto(`${h.test.url}/docs/pay`);
    const chosen = await python.evaluateAll((tabs) => tabs.map((tab) => tab.getAttribute('aria-selected')));
    expect([chosen.length > 3, new Set(chosen)]).toEqual([true, new Set(['true'])]);
    await page.keyboard.press('/');
    await page.keyboard.type('replace secret');
    await expect.poll(() => textOf('[role=option][aria-selected=true]'), soon).toContain('Replace the secret');
    await shot('docs-search');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/webhooks#replace-the-secret');
    expect(await page.evaluate(faultsOf)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await page.evaluate(faultsOf)).toEqual([]);
    for (const width of [390, 768, 1280]) {
      await page.setViewportSize({ width, height: 860 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      await shot(`docs-${width}`);
    }
  }, 60_000);

  it('the reference renders, its try-it works, and it leads to GraphiQL with the operation', async () => {
    await page.route('**/docs/openapi.json', async (route) => route.fulfill({ json: excerpt(await (await route.fetch()).json()) }));
    await page.addInitScript("localStorage.setItem('authorized', 'pk_test_of_before')");
    await page.goto(`${h.test.url}/docs/reference`);
    const operation = page.locator('[id^="operations-"][id$="-listWallets"]');
    await page.locator('#operations-tag-accounts').click(soon);
    await operation.waitFor(soon);
    await page.locator('button.authorize').first().click();
    await shot('docs-authorize');
    await page.locator('.modal-ux input').first().fill(h.test.key);
    await page.locator('.modal-ux button.authorize').first().click();
    await page.locator('.modal-ux .btn-done').first().click();
    await operation.locator('.opblock-summary').click();
    await operation.locator('.execute').click();
    const answer = operation.locator('.live-responses-table');
    await answer.waitFor(soon);
    expect(await answer.locator('tbody .response-col_status').first().textContent()).toContain('200');
    expect(await answer.textContent()).toContain('42.00');
    expect(await kept()).not.toContain('pk_test_');
    await answer.scrollIntoViewIfNeeded();
    await shot('docs-answer');
    await page.goto((await operation.locator('a[href*="op=listWallets"]').getAttribute('href')) ?? '');
    await expect.poll(() => textOf('.graphiql-query-editor'), soon).toContain('query listWallets(');
    await shot('graphiql-operation');
  }, 60_000);

  it.skipIf(!isSlow)(
    'the reference renders all that there is, and opens where a link says',
    async () => {
      await page.goto(`${h.test.url}/docs#/transfers/listTransfers`);
      await page.locator('[id$="-listTransfers"] a[href*="op=listTransfers"]').waitFor({ timeout: 60_000 });
      expect(await page.locator('.opblock-tag').count()).toBeGreaterThan(20);
      expect(await page.locator('.opblock').count()).toBeGreaterThan(10);
      await shot('docs');
    },
    90_000,
  );
});
