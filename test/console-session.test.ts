// Sessions of the console in a real browser: signing in, going on, and the end.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ConsoleBrowser, hasBrowser, loaded, signIn, soon } from './factories/console-browser.js';
import { useHarness } from './harness.js';

/** Sign-ins of an address in a minute: the last test uses them up in production. */
const authBudget = 40;
const h = useHarness({ limits: { auth: authBudget } });

describe.skipIf(!hasBrowser)('a session of the console', () => {
  let browser: ConsoleBrowser;

  beforeAll(async () => {
    browser = await ConsoleBrowser.start();
  });
  afterAll(() => browser?.stop());
  afterEach(() => browser.expectQuiet());

  it('signs in by keyboard with a key that is not kept, and says why a session ended', async () => {
    const fresh = await browser.newPage(h.test.url);
    await fresh.clock.install();
    await fresh.goto(`${h.test.url}/console/budgets`);
    await fresh.getByRole('button', { name: 'Use an API key' }).press('Enter');
    for (const [typed, answer] of [
      ['pk_test_wrong', 'This key is not known here'],
      ['portal_1234', 'This is a portal token'],
    ] as const) {
      await fresh.keyboard.press('Control+A');
      await fresh.keyboard.type(typed);
      await fresh.keyboard.press('Enter');
      await fresh.getByRole('alert').filter({ hasText: answer }).waitFor(soon);
    }
    browser.forgive('401');
    await fresh.keyboard.press('Control+A');
    await fresh.keyboard.type(h.test.key);
    await fresh.keyboard.press('Enter');
    await loaded(fresh, 'Budgets');
    expect(await fresh.title()).toBe('Budgets · Agent Payments');
    const kept = (await fresh.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')) as string;
    expect(kept).toContain('eyJ');
    expect(kept).not.toContain(h.test.key);
    await fresh.reload();
    await loaded(fresh, 'Budgets');
    await fresh.keyboard.press('Tab');
    expect(await fresh.evaluate('document.activeElement.textContent.trim()')).toBe('Skip to the page');
    const tokenOf = async () => JSON.parse((await fresh.evaluate('sessionStorage["console.session"]')) as string).token as string;
    const first = await tokenOf();
    await fresh.clock.fastForward('56:00');
    await expect.poll(tokenOf, soon).not.toBe(first);
    await fresh.route('**/graphql', (route) => route.abort());
    await fresh.clock.fastForward('56:00');
    await fresh.getByText('Your session ends at').waitFor(soon);
    await fresh.clock.fastForward('05:00');
    await fresh.getByText('Your session has ended. Sign in again to go on.').waitFor(soon);
    browser.forgive('net::ERR_FAILED');
    expect(await fresh.evaluate('JSON.stringify(sessionStorage)')).toBe('{}');
  }, 60_000);

  it('ends the session when its key is revoked', async () => {
    const key = await h.test.make('/v1/api-keys', { name: 'For a moment', environment: 'test' });
    const page = await browser.newPage(h.test.url);
    await signIn(page, key.key);
    await loaded(page);
    await h.test.delete(`/v1/api-keys/${key.id}`);
    await page.getByRole('navigation').getByRole('link', { name: 'Wallets' }).click();
    await page.getByText('Your session has ended. Sign in again to go on.').waitFor(soon);
    browser.forgive('401');
  }, 60_000);

  it('says that it is production where it is, keeps the theme that was chosen, and counts the seconds where no sign-in is left', async () => {
    const fresh = await browser.newPage(h.live.url);
    await signIn(fresh, h.test.key);
    await fresh.getByText('This key belongs to the other environment').waitFor(soon);
    await signIn(fresh, h.live.key);
    await fresh.getByText('Live · production').waitFor(soon);
    await fresh.getByRole('button', { name: 'Dark theme' }).click();
    await fresh.reload();
    expect(await fresh.getByRole('button', { name: 'Dark theme' }).getAttribute('aria-pressed')).toBe('true');
    expect(await fresh.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(16, 19, 27)');
    for (let sent = 0; sent < authBudget; sent += 1) await h.live.post('/v1/auth/session', { api_key: 'pk_live_unknown' }, { as: null });
    await fresh.getByRole('button', { name: 'Sign out' }).click();
    await signIn(fresh, h.live.key);
    await fresh.getByText(/sign-ins that this address has in a minute are used up. Try again in \d+ seconds?\./).waitFor(soon);
    browser.forgive('429');
    browser.forgive('401');
  }, 60_000);
});
