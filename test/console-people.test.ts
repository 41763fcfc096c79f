// People in the console, in a real browser: they join by a link, sign in, invite, confirm, and see no more than their role opens.
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Browser, firstOwnerLink, inviteByPlatform, join, type Person, password, tokenOf } from './contexts/people/browser.js';
import { spender } from './factories/approval.js';
import { ConsoleBrowser, hasBrowser, Inspection, loaded, soon } from './factories/console-browser.js';
import { useHarness } from './harness.js';

const h = useHarness();

describe.skipIf(!hasBrowser)('people in the console', () => {
  let browser: ConsoleBrowser;
  let page: Page;
  /** Signed in since the third test. */
  let owner: Person;
  const inspection = new Inspection('console-people-shape.txt');
  const inspect = (title: string) => inspection.of(page, title);

  beforeAll(async () => {
    browser = await ConsoleBrowser.start();
    page = await browser.newPage(h.test.url);
  });
  afterAll(() => browser?.stop());
  afterEach(() => browser.expectQuiet(1));

  const said = (text: string) => page.locator('.notices', { hasText: text }).waitFor(soon);
  const open = async (title: string) => {
    await page.getByRole('navigation').getByRole('link', { name: title }).click();
    await loaded(page, title);
  };
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const tabs = () => page.getByRole('navigation').getByRole('link').allTextContents();

  /** By keyboard: the first field has the focus. */
  async function signIn(email: string, word = password): Promise<void> {
    await page.getByLabel('E-mail').waitFor(soon);
    for (const key of ['Control+A', email, 'Tab', word, 'Enter'])
      await (/^[A-Z]/.test(key) && !key.includes('@') ? page.keyboard.press(key) : page.keyboard.type(key));
  }

  /** The page of a link that was made by the command line, which knows no port. */
  const joinAt = (link: string) => `${h.test.url}/console/join#${tokenOf(link)}`;

  it('joins by the link of the first owner, invites by a link that is shown once, and sees no button as a viewer', async () => {
    await page.goto(joinAt(await firstOwnerLink(h)));
    await inspect('Join');
    await page.getByLabel('Your name').fill('Ada Lovelace');
    await page.getByLabel('Password').fill(password);
    await press('Join');
    await page.getByLabel('E-mail').fill('ada@example.com');
    await press('Join');
    await loaded(page, 'Overview');
    browser.forgive('400');
    expect(page.url()).toBe(`${h.test.url}/console`);
    await page.reload();
    await loaded(page, 'Overview');
    await page.getByRole('link', { name: 'Ada Lovelace' }).click();
    await loaded(page, 'My sign-in');
    await inspect('My sign-in');

    await open('Members');
    await press('Invite somebody');
    await inspect('Members, an invitation');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('E-mail').fill('vera@example.com');
    await dialog.getByRole('button', { name: 'Invite' }).click();
    const link = await page.getByRole('dialog', { name: 'The link for vera@example.com' }).getByLabel('Link').inputValue();
    await press('Done');
    await page.getByRole('row', { name: 'vera@example.com' }).getByText('Pending').waitFor(soon);
    await inspect('Members');
    await page.getByRole('link', { name: 'Ada Lovelace' }).last().click();
    await page.locator('.back').waitFor(soon);
    await loaded(page, 'Member');
    await inspect('Members, one of them');
    expect(await tabs()).toEqual(expect.arrayContaining(['API keys', 'Audit log']));
    await press('Sign out');
    await page.getByText('You have signed out.').waitFor(soon);

    await page.goto(link);
    await page.getByLabel('Your name').fill('Vera Rubin');
    await page.getByLabel('Password').fill(password);
    await press('Join');
    await loaded(page, 'Overview');
    await press('Sign out');
    await signIn('vera@example.com', 'not the right one');
    await page.getByText('E-mail and password do not fit').waitFor(soon);
    await page.getByLabel('E-mail').focus();
    browser.forgive('401');
    await signIn('VERA@example.com');
    await open('Members');
    await page.getByText('ada@example.com').waitFor(soon);
    expect(await page.locator('main').getByRole('button').allTextContents()).toEqual([]);
    expect(await tabs()).not.toEqual(expect.arrayContaining(['API keys']));
    expect(await tabs()).not.toEqual(expect.arrayContaining(['Audit log']));
    expect((await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')) as string).toBe(
      JSON.stringify([{ 'console.way': 'person' }, { 'console.tenants': JSON.stringify([{ id: h.tenantId, name: 'Tenant' }]) }, '']),
    );
    await page.goto(link);
    await page.getByLabel('Your name').fill('Mallory');
    await page.getByLabel('Password').fill(password);
    await press('Join');
    await page.getByText('This link was used, has ended or has expired,').waitFor(soon);
    browser.forgive('401');
  }, 120_000);

  it('asks for the password once more before what cannot be taken back, and goes on', async () => {
    const [first, developer] = [await join(h, 'owner'), await join(h, 'developer')];
    const members = new URL('/console/members', h.test.url);
    await page.goto(String(members));
    await press('Sign out');
    await signIn(first.email);
    await loaded(page, 'Members');
    const tab = await page.context().newPage();
    await tab.goto(String(members));
    await loaded(tab, 'Members');
    h.clock.advance(400);
    await page.goto(`${members}/${developer.id}`);
    await loaded(page, 'Member');
    await press('Change');
    const change = page.getByRole('dialog');
    expect(await change.getByLabel('Role').inputValue()).toBe('developer');
    expect(await change.getByLabel('Approvals').inputValue()).toBe('none');
    await change.getByRole('button', { name: 'Cancel' }).click();
    await press('Suspend');
    const question = page.getByRole('dialog', { name: /^Suspend / });
    await question.getByRole('button', { name: 'Suspend' }).click();
    const confirmation = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await confirmation.getByLabel('Your password').fill('not the right one');
    await confirmation.getByRole('button', { name: 'Confirm' }).click();
    await confirmation.getByText('This is not your password.').waitFor(soon);
    await inspect('Step-up');
    await confirmation.getByLabel('Your password').fill(password);
    await confirmation.getByRole('button', { name: 'Confirm' }).click();
    await said('is suspended');
    browser.forgive('401');
    browser.forgive('403');
    // The session of the other tab has another cookie and token now.
    await tab.getByRole('navigation').getByRole('link', { name: 'Wallets' }).click();
    await loaded(tab, 'Wallets');
    await tab.close();
    await page.locator('.badge', { hasText: 'Suspended' }).waitFor(soon);
    expect((await developer.browser.graphql('{ me { environment } }')).status).toBe(401);
  }, 60_000);

  it('leads back to the page where one was when the session has ended', async () => {
    h.clock.advance(3_700);
    await page.getByRole('navigation').getByRole('link', { name: 'Wallets' }).click();
    await page.getByText('Your session has ended. Sign in again to go on.').waitFor(soon);
    browser.forgive('401');
    owner = await join(h, 'owner');
    await signIn(owner.email);
    await loaded(page, 'Wallets');
    expect(page.url()).toBe(`${h.test.url}/console/wallets`);
  }, 60_000);

  it('makes a key with the scopes of a table, shows it once, and revokes it', async () => {
    await open('API keys');
    await press('Make an API key');
    const dialog = page.getByRole('dialog', { name: 'Make an API key' });
    await dialog.getByRole('radio', { name: 'Wallets: read' }).check();
    await dialog.getByRole('radio', { name: 'Transfers: write' }).check();
    await dialog.getByLabel('Name').fill('Reports');
    await dialog.getByLabel(/^Only from these networks/).fill('203.0.113.0/33');
    await dialog.getByRole('button', { name: 'Make the key' }).click();
    await dialog.getByText('must be a network').waitFor(soon);
    await inspect('API keys, a new one');
    browser.forgive('400');
    await dialog.getByLabel(/^Only from these networks/).fill('127.0.0.1/32, 203.0.113.0/24');
    await dialog.getByRole('button', { name: 'Make the key' }).click();
    const key = await page.getByRole('dialog', { name: 'The key Reports' }).getByLabel('API key').inputValue();
    await press('Done');
    expect(key).toMatch(/^pk_test_/);
    const row = page.getByRole('row', { name: 'Reports' });
    await row.getByText('Writes transfers. Reads wallets').waitFor(soon);
    await row.getByText('127.0.0.1/32, 203.0.113.0/24').waitFor(soon);
    await inspect('API keys of a person');
    expect((await h.test.get('/v1/wallets', { as: key })).status).toBe(200);
    expect((await h.test.get('/v1/policies', { as: key })).status).toBe(403);
    await page.getByRole('button', { name: 'Revoke Reports' }).click();
    await press('Revoke the key');
    await said('Reports is revoked.');
    expect((await h.test.get('/v1/wallets', { as: key })).status).toBe(401);
  }, 60_000);

  it('counts votes, says who is missing, and pays with the last one', async () => {
    const other = await join(h, 'finance');
    const name: string = (await other.browser.get('/v1/me')).body.data.member.name;
    const agent = await spender(h);
    const approval = { threshold: '10.00', currency: 'USD', approvers: { count: 2, member_ids: [owner.id, other.id] } };
    await h.test.make('/v1/policies', { name: 'Two people', target: { type: 'agent', id: agent.id }, rules: [], approval });
    const waiting = await agent.wait('30.00');
    await open('Approvals');
    await page.getByText('0 of 2').waitFor(soon);
    await page.getByRole('button', { name: /^Approve/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('It is carried out once 1 more member approves.').waitFor(soon);
    await dialog.getByRole('textbox').fill('Fine with me');
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await said('Your vote is counted. One more is missing.');
    await page.getByText('1 of 2').waitFor(soon);
    await page.getByText(/approved on .*: Fine with me/).waitFor(soon);
    await page.getByText(`Missing: ${name}`).waitFor(soon);
    await inspect('Approvals, one vote of two');
    await other.browser.ask(`mutation { approveApproval(id: "${waiting.approval.id}", input: {}) { missing } }`);
    await page.reload();
    await page.getByText('No approvals match these filters.').waitFor(soon);
    expect((await h.test.get(`/v1/transfers/${waiting.transfer.id}`)).body.data.status).toBe('completed');
  }, 60_000);

  it('gives somebody a link to come back by, with a new password', async () => {
    const lost = await join(h, 'developer');
    await page.goto(`${h.test.url}/console/members/${lost.id}`);
    await loaded(page, 'Member');
    await press('Recover');
    await page.getByRole('dialog').getByRole('button', { name: 'Recover' }).click();
    const link = await page
      .getByRole('dialog', { name: /^The recovery link/ })
      .getByLabel('Link')
      .inputValue();
    await page.goto(link);
    await page.getByRole('heading', { name: 'Come back' }).waitFor(soon);
    await page.getByLabel('New password').fill('another lamp of quartz');
    await press('Set the password');
    await loaded(page, 'Overview');
    await press('Sign out');
    await signIn(lost.email, 'another lamp of quartz');
    await loaded(page, 'Overview');
  }, 60_000);

  it('lets somebody choose among several tenants', async () => {
    const other: string = (await h.other.get('/v1/me')).body.data.tenant_id;
    for (const [tenantId, role] of [
      [other, 'owner'],
      [h.tenantId, 'developer'],
    ] as const) {
      const token = tokenOf(await inviteByPlatform(h, 'twice@example.com', role, tenantId));
      await new Browser(h.test).post('/v1/login/join', { token, name: 'Grace Hopper', password });
    }
    await page.reload();
    await press('Sign out');
    await signIn('twice@example.com');
    await page.getByText('Where do you want to go on?').waitFor(soon);
    await inspect('Several tenants');
    await page
      .getByRole('radio')
      .and(page.locator(`[value="${other}"]`))
      .check();
    await press('Go on');
    await page.getByRole('link', { name: 'Grace Hopper' }).click();
    await loaded(page, 'My sign-in');
    await page.getByText('Owner', { exact: true }).waitFor(soon);
    await press('Go on there');
    await page.getByText('Developer', { exact: true }).waitFor(soon);
  }, 60_000);

  it('is clean and has its shape', async () => {
    await inspection.expectShapes();
  });
});
