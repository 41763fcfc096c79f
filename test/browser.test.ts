// The two pages in a real browser: GraphiQL and the API reference work, and ask nobody but this server (CONTRACT.md 21).
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openWallet, useHarness } from './harness.js';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const h = useHarness();

describe.skipIf(executablePath === undefined)('in a browser', () => {
  let browser: Browser;
  let page: Page;
  let shots: string;
  /** What went elsewhere, and what the page complained about. */
  let strangers: string[];
  let complaints: string[];

  beforeAll(async () => {
    shots = process.env['SCREENSHOTS'] ?? (await mkdtemp(path.join(tmpdir(), 'screenshots-')));
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

  const shot = (name: string) => page.screenshot({ path: path.join(shots, `${name}.png`) });

  /** What a person reads, with plain spaces. */
  const textOf = async (selector: string) => (await page.locator(selector).first().textContent())?.replaceAll('\u00a0', ' ');
  const soon = { timeout: 15_000 };

  it('GraphiQL opens with a query, and runs it with a key', async () => {
    await page.goto(`${h.test.url}/graphql`);
    await expect.poll(() => textOf('.graphiql-query-editor'), soon).toContain('query Welcome');
    await shot('graphiql');
    await page.locator('.graphiql-editor-tool .monaco-editor:visible').first().click();
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Delete');
    await page.keyboard.insertText(JSON.stringify({ Authorization: `Bearer ${h.test.key}` }));
    await page.locator('.graphiql-execute-button').click();
    await expect.poll(() => textOf('.result-window'), soon).toContain('"environment": "test"');
    expect(await textOf('.result-window')).toContain('"available": "42.00"');
    await shot('graphiql-answer');
  }, 60_000);

  it('GraphiQL opens with the operation that a Link header names', async () => {
    await page.goto(`${h.test.url}/graphql?op=listWallets`);
    await expect.poll(() => textOf('.graphiql-query-editor'), soon).toContain('query listWallets(');
    await shot('graphiql-operation');
  }, 60_000);

  it('the reference renders, and its try-it works', async () => {
    await page.goto(`${h.test.url}/docs`);
    const operation = page.locator('[id^="operations-"][id$="-listWallets"]');
    await operation.waitFor(soon);
    expect(await page.locator('.opblock').count()).toBeGreaterThan(40);
    await shot('docs');
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
    await answer.scrollIntoViewIfNeeded();
    await shot('docs-answer');
  }, 60_000);

  it('the reference leads to GraphiQL with the operation', async () => {
    await page.goto(`${h.test.url}/docs#/transfers/listTransfers`);
    const link = page.locator('[id$="-listTransfers"] a[href*="op=listTransfers"]');
    await link.waitFor(soon);
    await page.goto((await link.getAttribute('href')) ?? '');
    await expect.poll(() => textOf('.graphiql-query-editor'), soon).toContain('query listTransfers(');
  }, 60_000);
});
