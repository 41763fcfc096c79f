// The console in a real browser: every page in both themes, wide and narrow, without a violation that axe finds; and what people do there:
// sign in, freeze an agent, approve a spend, replay a dead letter, watch operations arrive. It asks nobody but this server (CONTRACT.md 21).
// One page is signed in and passed on from test to test, for a browser that loads the console anew costs more than most of what is tested.
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Receiver } from './contexts/webhooks/receiver.js';
import { type ConsoleWorld, newConsoleWorld } from './factories/console.js';
import {
  ConsoleBrowser,
  faults,
  hasBrowser,
  loaded,
  look,
  looks,
  overflow,
  shapeOf,
  shoot,
  shots,
  signIn,
  soon,
} from './factories/console-browser.js';
import { useHarness } from './harness.js';

const receiver = await Receiver.start();
const h = useHarness({ env: { WEBHOOK_ALLOW_HOSTS: receiver.host } });
afterAll(() => receiver.stop());

/** The pages of lists, and how a person opens one of what they list. */
const pages: Readonly<Record<string, ((page: Page) => Promise<void>) | undefined>> = {
  Overview: undefined,
  Payments: (page) => page.getByRole('link', { name: 'Flight to Oslo' }).first().click(),
  Approvals: (page) => page.locator('.card h3 a').first().click(),
  Agents: (page) => page.getByRole('link', { name: 'Booking agent' }).click(),
  Accounts: (page) => page.getByRole('link', { name: 'Northwind Travel' }).click(),
  Merchants: (page) => page.locator('tbody a').first().click(),
  Wallets: (page) => page.getByRole('link', { name: 'Research income' }).click(),
  Budgets: undefined,
  Mandates: (page) => page.locator('tbody a').first().click(),
  Tasks: (page) => page.getByRole('link', { name: 'translate' }).first().click(),
  Reconciliation: undefined,
  Rails: (page) => page.getByRole('link', { name: 'ach', exact: true }).click(),
  Webhooks: (page) => page.locator('.card h3 a').first().click(),
  'Audit log': undefined,
  Members: undefined,
  'API keys': undefined,
};
describe.skipIf(!hasBrowser)('the console', () => {
  let browser: ConsoleBrowser;
  /** Signed in at the sandbox by the first test. */
  let page: Page;
  let world: ConsoleWorld;

  beforeAll(async () => {
    browser = await ConsoleBrowser.start();
    [world, page] = [await newConsoleWorld(h, receiver), await browser.newPage(h.test.url)];
  });
  afterAll(() => browser?.stop());
  afterEach(() => browser.expectQuiet(1));

  const open = async (title: string) => {
    await page
      .getByRole('navigation')
      .getByRole('link', { name: new RegExp(`^${title}`) })
      .click();
    await loaded(page, title);
  };

  /** What a person does in a dialog: says why, and presses its button. */
  async function confirm(remark: string, action: string): Promise<void> {
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill(remark);
    await dialog.getByRole('button', { name: action, exact: true }).click();
    await dialog.waitFor({ state: 'hidden', ...soon });
  }
  const said = (text: string) => page.locator('.notices', { hasText: text }).waitFor(soon);

  it('shows every page in both themes, wide and narrow, without a violation and in its shape', async () => {
    const [shapes, found]: [string[], string[]] = [[], []];
    // Pages are made of the same parts: by default axe looks at each in one theme and width, the next one in the other.
    const inspect = async (title: string) => {
      const schemes = looks.filter((_, at) => looks.length > 2 || at === shapes.length % 2);
      shapes.push([title, ...(await shapeOf(page))].join('\n  '));
      await look(page, ['light', 768]);
      found.push(...(await overflow(page)).map((fault) => `${title} 768: ${fault}`));
      for (const scheme of schemes) {
        await look(page, scheme);
        found.push(...(await faults(page)).map((fault) => `${title} ${scheme}: ${fault}`));
        await shoot(page, `${title}-${scheme.join('-')}`);
      }
      await look(page, ['light', 1280]);
    };
    await inspect('Sign-in');
    await page.getByRole('button', { name: 'Use an API key' }).click();
    await inspect('Sign-in with a key');
    await signIn(page, h.test.key);
    for (const [title, openOne] of Object.entries(pages)) {
      await open(title);
      await inspect(title);
      if (openOne === undefined) continue;
      await openOne(page);
      await page.locator('.back').waitFor(soon);
      await loaded(page);
      await inspect(`${title}, one of them`);
    }
    expect(found).toEqual([]);
    await expect(`${shapes.join('\n\n')}\n`).toMatchFileSnapshot('console-shape.txt');
  }, 240_000);

  it('freezes an agent when a person says so twice', async () => {
    await open('Agents');
    const button = page.getByRole('button', { name: 'Freeze Booking agent' });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor(soon);
    expect(await faults(page)).toEqual([]);
    await shoot(page, 'freeze');
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
    await page.getByRole('button', { name: 'Approve $4.75 requested by Research agent' }).click();
    await confirm('Go ahead', 'Approve');
    await said('$4.75 approved, requested by Research agent.');
    await page.getByText('No approvals match these filters.').waitFor(soon);
    await expect.poll(() => page.locator('.bubble').count(), soon).toBe(0);
    const [approval] = (await h.test.get('/v1/approvals?status=approved')).body.data;
    expect(approval).toMatchObject({ status: 'approved', comment: 'Go ahead' });
    expect((await h.test.get(`/v1/transfers/${approval.subject.id}`)).body.data.status).toBe('completed');
  }, 60_000);

  it('finds a payment, tells its story, and does what is allowed with it', async () => {
    const field = page.getByRole('searchbox');
    await field.fill('INV-2031');
    await field.press('Enter');
    await page.getByRole('link', { name: world.flight.id }).click();
    await loaded(page, 'Payment');
    const story = page.locator('.story');
    await story.getByText('Requested by Booking agent').waitFor(soon);
    await story.getByText('Budget: Company, daily').waitFor(soon);
    expect(await story.locator('strong').allTextContents()).toEqual([
      'Requested by Booking agent',
      'Decided',
      'Posted',
      'Completed',
      'Refund of $8.00: completed',
      'Dispute of $20.00: open',
    ]);
    expect(await story.textContent()).toContain('Debit $48.00');
    expect(await page.locator('.panel > .buttons').first().getByRole('button').allTextContents()).toEqual(['Refund']);
    await field.fill(world.held.id);
    await field.press('Enter');
    await page.getByRole('link', { name: world.held.id }).click();
    await page.getByRole('button', { name: 'Capture' }).click();
    await page.getByRole('dialog').getByLabel('Amount in USD').fill('9.00');
    await page.getByRole('button', { name: 'Capture the payment' }).click();
    await said('The payment is captured.');
    await page.getByRole('button', { name: 'Refund', exact: true }).waitFor(soon);
    expect((await h.test.get(`/v1/transfers/${world.held.id}`)).body.data.hold.captured_amount).toBe('9.00');
  }, 60_000);

  it('filters payments by what the address says, and saves them as a file', async () => {
    await page.goto(`${h.test.url}/console/payments?reference=INV-2031`);
    await loaded(page, 'Payments');
    expect(await page.locator('tbody tr').count()).toBe(1);
    await page.getByText('Totals of 1 payment').click();
    await page.getByRole('table', { name: 'Totals by currency and state' }).getByText('$48.00').waitFor(soon);
    const file = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const lines = (await (await (await file).createReadStream()).toArray()).join('').trim().split('\r\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain('INV-2031');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => page.locator('tbody tr').count(), soon).toBeGreaterThan(5);
  }, 60_000);

  it('disables a webhook with the key itself', async () => {
    await open('Webhooks');
    await page.getByRole('link', { name: /ledger/ }).click();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByLabel('API key').fill(h.test.key);
    await page.getByRole('button', { name: 'Disable the webhook' }).click();
    await said('Nothing more is sent there.');
    await page.getByRole('button', { name: 'Enable' }).waitFor(soon);
    expect((await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')) as string).not.toContain(h.test.key);
    await page.getByRole('button', { name: 'Attempts of transfer.completed' }).first().click();
    await page.getByRole('region', { name: 'Request' }).getByText('"transfer.completed"').waitFor(soon);
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
    await loaded(page, 'Webhooks');
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
    await loaded(page);
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
      .hover({ position: { x: 200, y: 100 } });
    await expect.poll(() => page.locator('.readout').first().textContent(), soon).toContain('(UTC)');
    await page.getByText('Show as a table').first().click();
    expect(await page.getByRole('table', { name: 'Volume' }).locator('tbody tr').count()).toBe(7);
  }, 60_000);

  it('says what to do where nothing is there, and where the server is away', async () => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, h.other.key);
    for (const title of Object.keys(pages)) {
      // A log of who has signed in, and rails that are simulated, are there at once.
      if (title === 'Audit log' || title === 'Rails') continue;
      await open(title);
      await page.locator('.empty, .nothing').first().waitFor(soon);
      if (title === 'Overview' || shots) expect(await faults(page), title).toEqual([]);
      await shoot(page, `${title}-empty`);
    }
    await page.route('**/graphql', (route) => route.abort());
    await page.getByRole('navigation').getByRole('link', { name: 'Agents' }).click();
    await page.getByText('The server cannot be reached').waitFor(soon);
    expect(await faults(page)).toEqual([]);
    await shoot(page, 'failure');
    await page.unroute('**/graphql');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('There are no agents yet.').waitFor(soon);
    browser.forgive('net::ERR_FAILED');
  }, 60_000);
});
