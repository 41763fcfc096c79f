// The sign-in of a company in the console, in a real browser: an owner sets it, takes it up, signs in by it, and steps up there.
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inviteByPlatform, join, type Person, password, tokenOf } from './contexts/people/browser.js';
import { FakeProvider } from './contexts/people/provider.js';
import { ConsoleBrowser, hasBrowser, Inspection, loaded, soon } from './factories/console-browser.js';
import { useHarness } from './harness.js';

const provider = await FakeProvider.start();
afterAll(() => provider.stop());
const h = useHarness({ env: { OIDC_ALLOW_HOSTS: provider.host } });

describe.skipIf(!hasBrowser)('the sign-in of a company in the console', () => {
  let browser: ConsoleBrowser;
  let page: Page;
  let owner: Person;
  const inspection = new Inspection('console-company-shape.txt');
  const inspect = (title: string) => inspection.of(page, title);

  beforeAll(async () => {
    h.clock.set(new Date().toISOString());
    owner = await join(h, 'owner');
    browser = await ConsoleBrowser.start();
    page = await browser.newPage(h.test.url);
  });
  afterAll(() => browser?.stop());
  afterEach(() => browser.expectQuiet(1));

  const said = (text: string) => page.locator('.notices', { hasText: text }).waitFor(soon);
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  /** Leads to the provider and back to the same page: that it is loaded anew says that it was away. */
  const goAway = async (press: () => Promise<void>) => {
    const back = page.waitForEvent('load', soon);
    await press();
    await back;
  };
  const open = async (title: string) => {
    await page.getByRole('navigation').getByRole('link', { name: title, exact: true }).click();
    await loaded(page, title);
  };

  it('is set by an owner, who is told what would lock everybody out', async () => {
    await page.getByRole('button', { name: 'Use e-mail and password' }).or(page.getByLabel('E-mail')).first().waitFor(soon);
    await page.getByLabel('E-mail').fill(owner.email);
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    await loaded(page, 'Overview');
    await open('Sign-in');
    await page.getByLabel('Short name').fill('acme');
    await page.getByLabel('Issuer').fill('http://10.0.0.7');
    await page.getByLabel('Client id').fill('agent-payments');
    await page.getByLabel('Client secret').fill('a secret of the company');
    await page.getByLabel('The sign-in of your company').check();
    await press('Save');
    await page.getByText('Issuer must begin with https://').waitFor(soon);
    await inspect('Sign-in, refused');
    await page.getByLabel('Issuer').fill(provider.issuer);
    await page.getByLabel('A password').uncheck();
    await press('Save');
    await page.getByText('No owner could sign in any more.').waitFor(soon);
    browser.forgive('400');
    browser.forgive('409');
    await page.getByLabel('A password').check();
    await press('Save');
    await said('This is how people sign in from now on.');
    await expect.poll(() => page.getByLabel('Client secret').inputValue(), soon).toBe('');
    await inspect('Sign-in');
  });

  it('is taken up, signs in by keyboard, and confirms who it is', async () => {
    await page.getByRole('link', { name: /^Person/ }).click();
    await loaded(page, 'My sign-in');
    provider.subject = 'owner';
    await inspect('My sign-in, with a company');
    await goAway(() => press('Take it up'));
    await page.waitForURL(`${h.test.url}/console/my-sign-in`, soon);
    await loaded(page, 'My sign-in');
    browser.expectStranger(provider.issuer);
    await press('Sign out');
    await page.getByText('You have signed out.').waitFor(soon);

    await press('Sign in with your company');
    await inspect('Signing in with a company');
    await page.getByLabel('Your company').waitFor(soon);
    for (const key of ['nobody', 'Enter']) await (key === 'Enter' ? page.keyboard.press(key) : page.keyboard.type(key));
    await page.getByText('No company is called so here').waitFor(soon);
    browser.forgive('401');
    await page.getByLabel('Your company').focus();
    for (const key of ['Control+A', 'acme', 'Enter']) await (key === 'acme' ? page.keyboard.type(key) : page.keyboard.press(key));
    await loaded(page, 'My sign-in');
    browser.expectStranger(provider.issuer);

    await open('Sign-in');
    await page.getByLabel('Minutes that a session lives without use').fill('30');
    await press('Save');
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await dialog.waitFor(soon);
    browser.forgive('403');
    await inspect('Confirming at the company');
    await goAway(() => dialog.getByRole('button', { name: 'Go to your company' }).click());
    await page.waitForURL(`${h.test.url}/console/sign-in`, soon);
    await loaded(page, 'Sign-in');
    browser.expectStranger(provider.issuer);
    await page.getByLabel('Minutes that a session lives without use').fill('30');
    await press('Save');
    await said('This is how people sign in from now on.');
  });

  it('lets somebody join, and says so where it lets nobody in', async () => {
    page = await browser.newPage(h.test.url);
    await page.goto(`${h.test.url}/console/join#${tokenOf(await inviteByPlatform(h, 'vera@example.com', 'viewer'))}`);
    await press('Use the sign-in of your company');
    await page.getByLabel('Your name').fill('Vera Rubin');
    await inspect('Joining by a company');
    provider.subject = 'vera';
    await press('Go to your company');
    await loaded(page, 'Overview');
    await page.getByRole('link', { name: 'Vera Rubin' }).waitFor(soon);
    expect(await page.getByRole('navigation').getByRole('link', { name: 'Sign-in', exact: true }).count()).toBe(0);
    await press('Sign out');

    provider.subject = 'stranger';
    await page.goto(`${h.test.url}/console?company=acme`);
    expect(await page.getByLabel('Your company').inputValue()).toBe('acme');
    await press('Go to your company');
    await page.getByText('did not let you in here').waitFor(soon);
    browser.expectStranger(provider.issuer);
    browser.forgive('401');
    await inspect('Not let in by a company');
    expect(page.url()).toBe(`${h.test.url}/console?sign_in=failed`);
  });

  it('has no fault, and the shapes that it had', () => inspection.expectShapes());
});
