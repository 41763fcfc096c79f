// Passkeys in the console, with the virtual authenticator of the browser: the first owner joins with one, signs in, and confirms.
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { firstOwnerLink, tokenOf } from './contexts/people/browser.js';
import { ConsoleBrowser, faults, hasBrowser, loaded, look, looks, shapeOf, shoot, soon } from './factories/console-browser.js';
import { useHarness } from './harness.js';

const h = useHarness();

describe.skipIf(!hasBrowser)('a passkey in the console', () => {
  let browser: ConsoleBrowser;
  let page: Page;
  /** An authenticator knows sites by their name. */
  const home = () => h.test.url.replace('127.0.0.1', 'localhost');

  beforeAll(async () => {
    browser = await ConsoleBrowser.start();
    page = await browser.newPage(home());
    const authenticator = await page.context().newCDPSession(page);
    await authenticator.send('WebAuthn.enable');
    await authenticator.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
  });
  afterAll(() => browser?.stop());
  afterEach(() => browser.expectQuiet(1));

  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();

  it('joins, signs in alone, and confirms what cannot be taken back', async () => {
    await page.goto(`${home()}/console/join#${tokenOf(await firstOwnerLink(h))}`);
    await press('Use a passkey instead of a password');
    await page.getByLabel('Your name').fill('Ada Lovelace');
    await press('Make a passkey');
    await page.getByText('Say by which e-mail you will be known.').waitFor(soon);
    await page.getByLabel('E-mail').fill('ada@example.com');
    await press('Make a passkey');
    await loaded(page, 'Overview');
    await press('Sign out');
    await page.getByText('You have signed out.').waitFor(soon);
    await press('Sign in with a passkey');
    await loaded(page, 'Overview');

    await page.getByRole('link', { name: 'Ada Lovelace' }).click();
    await loaded(page, 'My sign-in');
    const found: string[] = [];
    for (const scheme of looks) {
      await look(page, scheme);
      found.push(...(await faults(page)));
      await shoot(page, `Passkeys-${scheme.join('-')}`);
    }
    await look(page, ['light', 1280]);
    expect(found).toEqual([]);
    await expect(`${['My sign-in', ...(await shapeOf(page))].join('\n  ')}\n`).toMatchFileSnapshot('console-passkey-shape.txt');

    h.clock.advance(400);
    await page.getByRole('button', { name: /^Forget/ }).click();
    await press('Forget the passkey');
    const confirmation = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await confirmation.getByRole('button', { name: 'Use a passkey' }).click();
    await confirmation.waitFor({ state: 'hidden', ...soon });
    // It is all that she signs in with.
    await expect.poll(() => page.getByRole('dialog').getByRole('alert').textContent(), soon).not.toBe('');
    expect((await h.test.get('/v1/members')).body.data).toMatchObject([{ name: 'Ada Lovelace', methods: ['passkey'] }]);
    browser.forgive('403');
    browser.forgive('409');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();

    await page.getByLabel('New password').fill('lamp olive quartz tide');
    await press('Set the password');
    await page.locator('.notices', { hasText: 'The password is set.' }).waitFor(soon);
    await page.getByRole('button', { name: /^Forget/ }).click();
    await press('Forget the passkey');
    await page.getByText('You have no passkey yet.').waitFor(soon);
  }, 120_000);
});
