// The console in a real browser: every page in both themes, wide and narrow, without a violation that axe finds; and what people do there:
// sign in, freeze an agent, approve a spend, replay a dead letter, watch operations arrive. It asks nobody but this server (CONTRACT.md 21).
// One page is signed in and passed on from test to test, for a browser that loads the console anew costs more than most of what is tested.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Receiver } from './contexts/webhooks/receiver.js';
import { type ConsoleWorld, newConsoleWorld } from './factories/console.js';
import { type Json, useHarness } from './harness.js';
import { isSlow } from './slow.js';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const receiver = await Receiver.start();
const h = useHarness({ env: { WEBHOOK_ALLOW_HOSTS: receiver.host } });
afterAll(() => receiver.stop());
execFileSync(process.execPath, [path.join(import.meta.dirname, '..', 'scripts', 'build.mjs'), '--console']);

const pages = ['Overview', 'Agents', 'Wallets', 'Approvals', 'Budgets', 'Webhooks'] as const;
/** A folder; taking pictures costs more than most of what is tested. */
const shots = process.env['SCREENSHOTS'];
/** Each theme and each width once; with SLOW=1 or for pictures each with each. */
const looks = (
  [
    ['light', 1600],
    ['dark', 380],
    ['dark', 1600],
    ['light', 380],
  ] as const
).slice(0, isSlow || shots !== undefined ? 4 : 2);
const soon = { timeout: 15_000 };

describe.skipIf(executablePath === undefined)('the console', () => {
  let browser: Browser;
  /** Signed in at the sandbox by the first test. */
  let page: Page;
  let world: ConsoleWorld;
  const contexts: BrowserContext[] = [];
  /** What went elsewhere, and what a page complained about. */
  const strangers: string[] = [];
  let complaints: string[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath as string, args: ['--no-sandbox', '--disable-gpu'] });
    [world, page] = [await newConsoleWorld(h, receiver), await newPage()];
  });
  afterAll(() => browser?.close());
  afterEach(async () => {
    for (const context of contexts.splice(1)) await context.close();
    expect(strangers.splice(0)).toEqual([]);
    expect(complaints.splice(0)).toEqual([]);
  });

  /** A page of a browser that has never been here, watched. All but the first are closed after the test. */
  async function newPage(home = h.test.url): Promise<Page> {
    const context = await browser.newContext({ locale: 'en-US', timezoneId: 'UTC', viewport: { width: 1600, height: 1000 } });
    contexts.push(context);
    const made = await context.newPage();
    made.on('request', (request) => {
      if (!request.url().startsWith(home)) strangers.push(request.url());
    });
    made.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(`${message.text()} (${message.location().url})`);
    });
    made.on('pageerror', (error) => complaints.push(String(error)));
    await made.goto(`${home}/console`);
    return made;
  }
  const forgive = (expected: string) => {
    complaints = complaints.filter((text) => !text.includes(expected));
  };

  async function signIn(at: Page, key = h.test.key): Promise<void> {
    await at.getByLabel('API key').fill(key);
    await at.getByRole('button', { name: 'Sign in' }).click();
  }
  const loaded = async (title = '', at = page) => {
    await at.locator('.shell h1', { hasText: title }).waitFor(soon);
    await expect.poll(() => at.locator('.loading, [aria-busy="true"]').count(), soon).toBe(0);
  };
  const open = async (title: string) => {
    await page.getByRole('navigation').getByRole('link', { name: title }).click();
    await loaded(title);
  };

  const shoot = async (name: string) => {
    if (shots !== undefined) await page.screenshot({ path: path.join(shots, `${name}.png`), fullPage: true });
  };
  const look = async ([colorScheme, width]: (typeof looks)[number]) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 1000 });
  };

  /** What axe finds against WCAG 2.2 AA and its own good practice, and whether the page is wider than the window. */
  async function faults(): Promise<string[]> {
    if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(axe.source);
    const { violations } = (await page.evaluate('axe.run({ resultTypes: ["violations"] })')) as Json;
    const found = violations.map(({ id, nodes }: Json) => `${id}: ${nodes.map(({ html }: Json) => html).join(' ')}`);
    const wide = (await page.evaluate(`[document.documentElement, ...document.querySelectorAll('.panel, .card, .tile, .table')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(({ className, tagName }) => tagName + ' ' + className + ' is too narrow for what is in it')`)) as string[];
    return [...found, ...wide];
  }

  /** What a person does in a dialog: says why, and presses its button. */
  async function confirm(remark: string, action: string): Promise<void> {
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill(remark);
    await dialog.getByRole('button', { name: action, exact: true }).click();
    await dialog.waitFor({ state: 'hidden', ...soon });
  }
  const said = (text: string) => page.locator('.notices', { hasText: text }).waitFor(soon);

  it('shows every page in both themes, wide and narrow, without a violation', async () => {
    for (const scheme of looks) {
      await look(scheme);
      expect(await faults()).toEqual([]);
      await shoot(`sign-in-${scheme.join('-')}`);
    }
    await signIn(page);
    for (const title of pages) {
      await open(title);
      for (const scheme of looks) {
        await look(scheme);
        expect(await faults(), title).toEqual([]);
        await shoot(`${title}-${scheme.join('-')}`);
      }
    }
    await look(['light', 1600]);
  }, 60_000);

  it('signs in by keyboard with a key that is not kept, and says why a session ended', async () => {
    const fresh = await newPage();
    await fresh.clock.install();
    await fresh.goto(`${h.test.url}/console/budgets`);
    for (const [typed, answer] of [
      ['pk_test_wrong', 'This key is not known here'],
      ['portal_1234', 'This is a portal token'],
    ] as const) {
      await fresh.keyboard.press('Control+A');
      await fresh.keyboard.type(typed);
      await fresh.keyboard.press('Enter');
      await fresh.getByRole('alert').filter({ hasText: answer }).waitFor(soon);
    }
    forgive('401');
    await fresh.keyboard.press('Control+A');
    await fresh.keyboard.type(h.test.key);
    await fresh.keyboard.press('Enter');
    await loaded('Budgets', fresh);
    expect(await fresh.title()).toBe('Budgets · Agent Payments');
    const kept = (await fresh.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')) as string;
    expect(kept).toContain('eyJ');
    expect(kept).not.toContain(h.test.key);
    await fresh.reload();
    await loaded('Budgets', fresh);
    await fresh.keyboard.press('Tab');
    expect(await fresh.evaluate('document.activeElement.textContent.trim()')).toBe('Skip to the page');
    await fresh.clock.fastForward('56:00');
    await fresh.getByText('Your session ends at').waitFor(soon);
    await fresh.clock.fastForward('05:00');
    await fresh.getByText('Your session has ended after an hour. Sign in again to go on.').waitFor(soon);
    expect(await fresh.evaluate('JSON.stringify(sessionStorage)')).toBe('{}');
  }, 60_000);

  it('freezes an agent when a person says so twice, and shows its limits', async () => {
    await open('Agents');
    await page.getByRole('button', { name: 'Limits of Booking agent' }).click();
    await page.getByRole('table', { name: 'Limits of Booking agent' }).getByText('Company, daily').waitFor(soon);
    expect(await faults()).toEqual([]);
    const button = page.getByRole('button', { name: 'Freeze Booking agent' });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor(soon);
    expect(await faults()).toEqual([]);
    await shoot('freeze');
    await page.keyboard.press('Escape');
    expect(await button.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await button.click();
    await confirm('Spends at night', 'Freeze');
    await said('Booking agent is frozen');
    const agent = async () => (await h.test.get(`/v1/agents/${world.booking.id}`)).body.data;
    expect((await agent()).status).toBe('frozen');
    await page.getByRole('row', { name: 'Booking agent' }).getByText('Spends at night').waitFor(soon);
    await page.getByRole('button', { name: 'Unfreeze Booking agent' }).click();
    await confirm('', 'Unfreeze');
    await said('Booking agent may spend again');
    expect((await agent()).status).toBe('active');
  }, 60_000);

  it('approves a spend, which is carried out', async () => {
    await open('Approvals');
    await page.getByRole('button', { name: 'Approve $4.75 for Research agent' }).click();
    await confirm('Go ahead', 'Approve');
    await said('$4.75 of Research agent approved.');
    await page.getByText('Nothing waits for you.').waitFor(soon);
    const [approval] = (await h.test.get('/v1/approvals?status=approved')).body.data;
    expect(approval).toMatchObject({ status: 'approved', comment: 'Go ahead' });
    expect((await h.test.get(`/v1/transfers/${approval.subject.id}`)).body.data.status).toBe('completed');
  }, 60_000);

  it('replays a dead letter once, and then all of them', async () => {
    await open('Webhooks');
    const before = receiver.at('/orders').length;
    const arrived = async () => {
      await h.advance(5);
      return receiver.at('/orders').length - before;
    };
    await page.getByRole('button', { name: 'Replay account.created' }).first().click();
    await page.locator('.badge', { hasText: 'Queued again' }).waitFor(soon);
    expect(await arrived()).toBe(1);
    // Whoever has not seen it replays it again, which changes nothing.
    await page.reload();
    await loaded('Webhooks');
    await page.getByRole('button', { name: 'Replay all shown' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
    await said('3 dead letters queued again.');
    expect(await page.locator('.badge', { hasText: 'Queued again' }).count()).toBe(3);
    expect(await arrived()).toBe(3);
  }, 60_000);

  it('shows an operation when it happens, and nothing jumps', async () => {
    await open('Overview');
    const panel = page.locator('.panel.live');
    await panel.locator('.badge', { hasText: 'Live' }).waitFor(soon);
    await loaded();
    const operations = async () => Number(await page.locator('.tile', { hasText: 'Operations' }).locator('.value').textContent());
    const [place, count] = [await panel.boundingBox(), await operations()];
    await world.pay('12.34');
    await h.runDue();
    await panel.locator('li').first().filter({ hasText: '12.34' }).waitFor(soon);
    await expect.poll(operations, soon).toBe(count + 1);
    expect(await panel.boundingBox()).toEqual(place);
    expect(await panel.locator('[aria-live]').textContent()).toBe('1 new operation');
    await panel.getByRole('button', { name: 'Pause' }).click();
    await world.pay('56.78');
    await h.runDue();
    await panel.getByText('1 new', { exact: true }).waitFor(soon);
    expect(await panel.locator('li').first().textContent()).toContain('12.34');
    await panel.getByRole('button', { name: 'Pause' }).click();
    await panel.locator('li').first().filter({ hasText: '56.78' }).waitFor(soon);
    await page.getByRole('radio', { name: '7 days' }).check();
    await page
      .getByRole('img', { name: /in columns by day/ })
      .first()
      .waitFor(soon);
    await page
      .locator('.picture')
      .first()
      .hover({ position: { x: 500, y: 100 } });
    await expect.poll(() => page.locator('.readout').first().textContent(), soon).toContain('(UTC)');
    await page.getByText('The same as a table').first().click();
    expect(await page.getByRole('table', { name: 'How much moved?' }).locator('tbody tr').count()).toBe(7);
  }, 60_000);

  it('says what to do where nothing is there, and where the server is away', async () => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, h.other.key);
    for (const title of pages) {
      await open(title);
      await page.locator('.empty, .nothing').first().waitFor(soon);
      if (title === 'Overview' || shots) expect(await faults(), title).toEqual([]);
      await shoot(`${title}-empty`);
    }
    await page.route('**/graphql', (route) => route.abort());
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByText('The server cannot be reached').waitFor(soon);
    expect(await faults()).toEqual([]);
    await shoot('failure');
    await page.unroute('**/graphql');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('There are no agents yet.').waitFor(soon);
    forgive('net::ERR_FAILED');
  }, 60_000);

  it('ends the session when its key is revoked', async () => {
    const key = await h.test.make('/v1/api-keys', { name: 'For a moment', environment: 'test' });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, key.key);
    await loaded();
    await h.test.delete(`/v1/api-keys/${key.id}`);
    await page.getByRole('link', { name: 'Wallets' }).click();
    await page.getByText('Your session has ended. Sign in again to go on.').waitFor(soon);
    forgive('401');
  }, 60_000);

  it('says that it is production where it is, and keeps the theme that was chosen', async () => {
    const fresh = await newPage(h.live.url);
    await signIn(fresh);
    await fresh.getByText('This key belongs to the other environment').waitFor(soon);
    await signIn(fresh, h.live.key);
    await fresh.getByText('Live · production').waitFor(soon);
    await fresh.getByRole('button', { name: 'Dark theme' }).click();
    await fresh.reload();
    expect(await fresh.getByRole('button', { name: 'Dark theme' }).getAttribute('aria-pressed')).toBe('true');
    expect(await fresh.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(16, 19, 27)');
    forgive('401');
  }, 60_000);
});
