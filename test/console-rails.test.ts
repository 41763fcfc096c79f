// Rails in the console, in a real browser: how each stands, its stop button for whoever may freeze, and the proof.
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { dataOf, farSide, plenty, useRails } from './contexts/rails/test-kind.js';
import { ConsoleBrowser, hasBrowser, Inspection, loaded, signIn, soon } from './factories/console-browser.js';

const rails = useRails([`usdc-base: {kind: test, ${plenty}}`, `usdc-far: {kind: test, ${plenty}}`]);
const { harness: h } = rails;

describe.skipIf(!hasBrowser)('rails in the console', () => {
  let browser: ConsoleBrowser;
  let page: Page;
  const inspection = new Inspection('console-rails-shape.txt');

  beforeAll(async () => {
    h.clock.set(new Date().toISOString());
    await rails.turn();
    dataOf(await rails.payout(await rails.wallet()));
    await h.runDue();
    await rails.look();
    browser = await ConsoleBrowser.start();
    page = await browser.newPage(h.live.url);
    await signIn(page, h.live.key);
  });
  afterAll(() => browser?.stop());
  afterEach(() => browser.expectQuiet(1));

  const open = async (on: Page) => {
    await on.getByRole('navigation').getByRole('link', { name: 'Rails', exact: true }).click();
    await loaded(on, 'Rails');
  };
  const buttons = (on: Page, row: string) => on.getByRole('row', { name: row }).getByRole('button').allTextContents();
  const confirm = async (on: Page, reason: string, action: string) => {
    const dialog = on.getByRole('dialog');
    await dialog.getByLabel('Reason').fill(reason);
    await dialog.getByRole('button', { name: action, exact: true }).click();
    await dialog.waitFor({ state: 'hidden', ...soon });
  };
  const standing = async () => {
    const { status, reason } = (await h.live.get('/v1/rails/usdc-base')).body.data;
    return [status, reason];
  };

  it('shows how each stands', async () => {
    await open(page);
    await page.getByRole('row', { name: 'usdc-base' }).getByText('of 100,000.00 USDC').waitFor(soon);
    await inspection.of(page, 'Rails');
    await page.getByRole('link', { name: 'usdc-base' }).click();
    await loaded(page, 'Rail');
    await page.getByText('Nothing is wrong.').waitFor(soon);
    await inspection.of(page, 'A rail');
  });

  it('proves one when somebody asks', async () => {
    farSide.money = 500n;
    await page.getByRole('button', { name: 'Prove now' }).click();
    await page.locator('.badge', { hasText: 'Differs' }).waitFor(soon);
    await page.getByRole('row', { name: 'Difference' }).getByText('100.00 USDC').waitFor(soon);
    await inspection.of(page, 'A rail, proven');
    await inspection.expectShapes();
  });

  it('stops one with a reason, on its page and in the list', async () => {
    await page.getByRole('button', { name: 'Switch off usdc-base' }).click();
    await confirm(page, 'A payout looks wrong', 'Switch off');
    await page.locator('.notices', { hasText: 'usdc-base is off. Nothing leaves by it.' }).waitFor(soon);
    expect(await standing()).toEqual(['off', 'A payout looks wrong']);
    await page.getByText('Reason: A payout looks wrong').waitFor(soon);
    await open(page);
    expect(await buttons(page, 'usdc-base')).toEqual(['Drain usdc-base', 'Switch on usdc-base']);
    await page.getByRole('button', { name: 'Switch on usdc-base' }).click();
    await confirm(page, 'It was not', 'Switch on');
    await expect.poll(standing).toEqual(['on', 'It was not']);
  });

  it('lets who may freeze stop one, and no more', async () => {
    const { key } = await h.live.make('/v1/api-keys', { name: 'Night watch', scopes: ['*:read', 'freeze:write'] });
    const other = await browser.newPage(h.live.url);
    await signIn(other, key);
    await open(other);
    await other.getByRole('button', { name: 'Switch off usdc-base' }).waitFor(soon);
    expect(await buttons(other, 'usdc-base')).toEqual(['Switch off usdc-base']);
    await other.getByRole('button', { name: 'Switch off usdc-base' }).click();
    await confirm(other, 'Night', 'Switch off');
    await expect.poll(standing).toEqual(['off', 'Night']);
  });
});
