// The consent of a person in a real browser: a program opens it, the person signs in first, says which agent, what and how much, and the
// browser brings the answer back. What the program calls itself is text.
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Program } from './contexts/connections/program.js';
import { join, password } from './contexts/people/browser.js';
import { ConsoleBrowser, hasBrowser, Inspection, loaded, soon } from './factories/console-browser.js';
import { useHarness } from './harness.js';

const h = useHarness();

describe.skipIf(!hasBrowser)('the consent to a program', () => {
  let browser: ConsoleBrowser;
  let page: Page;
  const inspection = new Inspection('console-connect-shape.txt');
  const inspect = (title: string) => inspection.of(page, title);

  beforeAll(async () => {
    browser = await ConsoleBrowser.start();
    page = await browser.newPage(h.test.url);
  });
  afterAll(() => browser?.stop());
  afterEach(() => browser.expectQuiet(1));

  /** Opens what a program opens. Its answer comes to this server, which has no such page. */
  async function begin(): Promise<Program> {
    const back = `${h.test.url}/callback`;
    const program = await Program.register(h.test.url, { client_name: 'Claude <b>bold</b>', redirect_uris: [back] });
    await page.goto(program.authorizeUrl({ redirect_uri: back }));
    return program;
  }
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();

  it('asks to sign in first, shows who asks as text, and lets a program pay from a purse', async () => {
    const owner = await join(h, 'owner');
    const account = await h.test.make('/v1/accounts', { type: 'business', name: 'Northwind Travel', email: 'office@example.com' });
    await begin();
    await page.getByLabel('E-mail').fill(owner.email);
    await page.getByLabel('Password').fill(password);
    await press('Sign in');
    await page.getByText('a program on this computer').waitFor(soon);
    await page.getByText('Claude <b>bold</b>').waitFor(soon);
    await page.getByText('nobody vouches for its name').waitFor(soon);
    expect(await page.getByLabel('It acts as the agent').inputValue()).toBe('');
    await page.getByLabel('It acts as the agent').selectOption('new');
    await page.getByLabel('Name of the new agent').fill('Claude of Ada');
    await page.getByLabel('It acts for').selectOption(account.id);
    await page.getByLabel('It spends at most').fill('50.00');
    await page.getByText('pay up to $50.00 per month').waitFor(soon);
    expect(await page.getByLabel('Per', { exact: true }).inputValue()).toBe('month');
    await inspect('Consent');
    await press('Allow');
    await page.waitForURL(/\/callback\?.*code=/, soon);
    browser.forgive('404');
    const [connection] = (await h.test.get('/v1/connections')).body.data;
    expect(connection).toMatchObject({ status: 'active', scopes: ['agent:read', 'agent:act'], member: { id: owner.id } });

    await page.goto(`${h.test.url}/console/connections`);
    await loaded(page, 'Connections');
    await page.getByText('$50.00 per month').waitFor(soon);
    await inspect('Connections');
    await page.getByRole('button', { name: /^Revoke/ }).click();
    await press('Revoke the connection');
    await page.locator('.notices', { hasText: 'is no longer connected' }).waitFor(soon);
    expect((await h.test.get(`/v1/connections/${connection.id}`)).body.data.status).toBe('revoked');
  }, 120_000);

  it('tells the program no, and says that there is nothing more to answer', async () => {
    await begin();
    const address = page.url();
    await press('Deny');
    await page.waitForURL(/\/callback\?.*error=access_denied/, soon);
    browser.forgive('404');
    await page.goto(address);
    await page.getByText('There is nothing to answer here').waitFor(soon);
    browser.forgive('404');
    await inspection.expectShapes();
  }, 60_000);
});
