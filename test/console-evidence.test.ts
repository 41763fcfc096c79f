// Evidence in the console, in a real browser: the receipt of a payment and a link to it for others, and the log with its keys, its newest
// head, and what to do where it is halted.
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { join, type Person, password } from './contexts/people/browser.js';
import { ConsoleBrowser, hasBrowser, Inspection, loaded, soon } from './factories/console-browser.js';
import { transferBody, twoWallets } from './factories/payment.js';
import { type Json, useHarness } from './harness.js';

const h = useHarness();

describe.skipIf(!hasBrowser)('evidence in the console', () => {
  let browser: ConsoleBrowser;
  let page: Page;
  let owner: Person;
  let transfer: Json;
  const inspection = new Inspection('console-evidence-shape.txt');
  const inspect = (title: string) => inspection.of(page, title);

  beforeAll(async () => {
    // The session of a person is by real time.
    h.clock.set(new Date().toISOString());
    owner = await join(h, 'owner');
    const { from, to } = await twoWallets(h.test);
    await h.test.make('/v1/policies', {
      name: 'Limit',
      target: { type: 'account', id: from.account_id },
      rules: [{ kind: 'max_amount', per: 'day', amount: '100.00', currency: 'USD' }],
    });
    transfer = await h.test.make('/v1/transfers', transferBody(from, to, '4.00', { description: 'Rent' }));
    await h.test.make('/v1/transfers', transferBody(from, to, '7.00', { description: 'Held', capture: 'manual' }));
    browser = await ConsoleBrowser.start();
    page = await browser.newPage(h.test.url);
  });
  afterAll(() => browser?.stop());
  afterEach(() => browser.expectQuiet(1));

  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const open = async (title: string) => {
    await page.getByRole('navigation').getByRole('link', { name: title, exact: true }).click();
    await loaded(page, title);
  };
  const saved = async (name: string) => {
    const coming = page.waitForEvent('download');
    await press(name);
    const download = await coming;
    return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
  };

  it('shows the receipt of a payment, and gives its file and a link', async () => {
    await page.getByRole('button', { name: 'Use e-mail and password' }).or(page.getByLabel('E-mail')).first().waitFor(soon);
    await page.getByLabel('E-mail').fill(owner.email);
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    await loaded(page, 'Overview');
    await open('Payments');
    await page.getByRole('link', { name: 'Rent' }).first().click();
    await page.getByRole('link', { name: 'Receipt', exact: true }).click(soon);
    await page.locator('.verdict').getByText('By the file’s own keys').waitFor(soon);
    const said = await page.locator('.statements li').allTextContents();
    const plain = said.map((text) => text.replaceAll(/\s+/g, ' '));
    const index = (await h.test.get(`/v1/transfers/${transfer.id}/receipt`)).body.data.leaf_index;
    for (const text of ['Authorized by key_', 'Limit of 100.00 USD per day: 0.00 used before, 4.00 now', 'Paid: 4.00 USD'])
      expect(plain).toContainEqual(expect.stringMatching(new RegExp(`^${text}.* Leaf ${index}$`)));
    await page.locator('.panel', { hasText: 'The log' }).locator('.badge', { hasText: 'Open' }).waitFor(soon);
    await inspect('Receipt');
    const file = await saved('Download the file');
    const sent = await fetch(`${h.test.url}/v1/transfers/${transfer.id}/evidence`, { headers: { Authorization: `Bearer ${h.test.key}` } });
    expect(file).toEqual({ name: `tx_${transfer.id}.evidence.json`, text: await sent.text() });
    await press('Make a link');
    await page.getByLabel('It shows').selectOption('all');
    await page.getByLabel('It ends').selectOption('In a week');
    await press('Make the link');
    const address = await page.getByLabel('Address').inputValue(soon);
    await inspect('Receipt, a link');
    await press('Done');
    const [link] = (await h.test.get('/v1/evidence/links')).body.data;
    expect(link.parts).toEqual(expect.arrayContaining(['act', 'money', 'decision', 'figures']));
    expect(Math.round((Date.parse(link.expires_at) - Date.parse(link.created_at)) / 86_400_000)).toBe(7);
    // Whoever has it needs no session.
    const stranger = await browser.newPage(h.test.url, address.slice(h.test.url.length));
    await stranger.locator('.statements').getByText('Paid: 4.00 USD').waitFor(soon);
  }, 120_000);

  it('says that a payment which waits has none', async () => {
    await open('Payments');
    await page.getByRole('link', { name: 'Held' }).first().click();
    await page.locator('.back').waitFor(soon);
    await loaded(page);
    expect(await page.getByRole('link', { name: 'Receipt', exact: true }).count()).toBe(0);
    await page.goto(page.url().replace('/payments/', '/receipts/'));
    await page.getByText('Only a completed transfer has a receipt').waitFor(soon);
    browser.forgive('409');
  }, 60_000);

  it('shows the log, gives its newest head, and says who reads it', async () => {
    await open('Evidence');
    const log = async () => (await h.test.get('/v1/evidence')).body.data;
    const { vkeys, tree_size: size } = await log();
    await page.getByText(vkeys[0].vkey).waitFor(soon);
    await inspect('Evidence');
    const head = await saved('Keep this head');
    expect(head.text).toBe((await h.test.get(`/v1/evidence/head?tree_size=${/\d+/.exec(head.name)?.[0] ?? size}`)).body.data.checkpoint);
    await page.getByLabel('Whoever has its id: the signed heads').check();
    await page.getByLabel('Seconds between two events with its head').fill('30');
    await press('Save');
    await page.getByRole('alert').getByText('60').waitFor(soon);
    browser.forgive('400');
    await page.getByLabel('Seconds between two events with its head').fill('120');
    await press('Save');
    await page.getByText('It is read at').waitFor(soon);
    expect(await log()).toMatchObject({ publish: 'heads', head_event_seconds: 120 });
  }, 60_000);

  it('revokes a link', async () => {
    await open('Evidence');
    await page.getByRole('button', { name: /^Revoke the link to/ }).click();
    await press('Revoke the link');
    await page.locator('.badge', { hasText: 'Revoked' }).waitFor(soon);
    expect((await h.test.get('/v1/evidence/links')).body.data[0].revoked_at).not.toBeNull();
  }, 60_000);

  it('says what to do while the log is halted', async () => {
    // How a log gets there is tried in test/contexts/evidence/put-back.test.ts.
    const set = (state: string, reason: string | null) =>
      h.platform.database.pool.query('UPDATE evidence_log SET state = $1::evidence_state, reason = $2', [state, reason]);
    await set('halted', 'memory_ahead');
    await open('Overview');
    await open('Evidence');
    await page.locator('.badge', { hasText: 'Halted' }).waitFor(soon);
    await page.getByText('it was put back to an earlier state').waitFor(soon);
    await inspect('Evidence, halted');
    await set('open', null);
    await inspection.expectShapes();
  }, 60_000);
});
