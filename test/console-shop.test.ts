// The shop of a merchant in the console, and the orders that are sent to platforms: what a person sees and changes there, in a real browser.
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { OrderReceiver } from './contexts/ucp/order-receiver.js';
import { byWallet, songs, Talk } from './contexts/ucp/talk.js';
import { ConsoleBrowser, faults, hasBrowser, loaded, look, overflow, shoot, signIn, soon } from './factories/console-browser.js';
import { newSeller } from './factories/offer.js';
import { type Json, openWallet, useHarness } from './harness.js';

const platform = await OrderReceiver.start();
const h = useHarness({ allowHosts: [platform.host] });
afterAll(() => platform.stop());

describe.skipIf(!hasBrowser)('the console', () => {
  let browser: ConsoleBrowser;
  let page: Page;
  let merchant: Json;

  beforeAll(async () => {
    [browser, { merchant }] = await Promise.all([ConsoleBrowser.start(), newSeller(h.test)]);
    page = await browser.newPage(h.test.url);
    await signIn(page, h.test.key);
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
  /** Looks at the page in one theme wide, in the other narrow. */
  const inspect = async (name: string) => {
    for (const at of [['light', 1280] as const, ['dark', 390] as const]) {
      await look(page, at);
      expect([...(await faults(page)), ...(await overflow(page))]).toEqual([]);
      await shoot(page, `${name}-${at.join('-')}`);
    }
    await look(page, ['light', 1280]);
  };
  const said = (text: string) => page.locator('.notices', { hasText: text }).waitFor(soon);
  const read = async () => (await h.test.get(`/v1/merchants/${merchant.id}`)).body.data;

  it('changes the hosts of a shop; one that is another merchant’s is refused in words', async () => {
    const { merchant: neighbour } = await newSeller(h.other);
    await h.other.patch(`/v1/merchants/${neighbour.id}`, { shop_hosts: ['taken.shop.example'] });
    await open('Merchants');
    await page.getByRole('link', { name: 'Shop', exact: true }).first().click();
    await page.getByText('It has no host of its own.').waitFor(soon);
    await inspect('merchant');
    await page.getByRole('button', { name: 'Change hosts' }).click();
    const dialog = page.getByRole('dialog');
    expect(await faults(page)).toEqual([]);
    await shoot(page, 'hosts');
    await dialog.getByLabel('Hosts').fill('pots.shop.example, taken.shop.example');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText(/taken\.shop\.example/).waitFor(soon);
    await dialog.getByLabel('Hosts').fill('pots.shop.example,  cups.shop.example:8443');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await said('The hosts are changed.');
    await page.getByText('cups.shop.example:8443').waitFor(soon);
    expect((await read()).shop_hosts).toEqual(['pots.shop.example', 'cups.shop.example:8443']);
    await inspect('merchant-hosts');
    browser.forgive('409 (Conflict)');
  }, 60_000);

  it('opens and closes the catalogue, and leaves the rest of the metadata as it is', async () => {
    const before = (await h.test.patch(`/v1/merchants/${merchant.id}`, { metadata: { ...merchant.metadata, own: 'word' } })).body.data;
    const catalogue = (readers: string) => ({ ...before.metadata, offer: { ...before.metadata.offer, catalog: readers } });
    await page.getByRole('button', { name: 'Open the catalogue' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Open the catalogue' }).click();
    await said('Anybody may read the catalogue.');
    await page.locator('.badge', { hasText: 'Open catalogue' }).waitFor(soon);
    expect((await read()).metadata).toEqual(catalogue('public'));
    await page.getByRole('button', { name: 'Close the catalogue' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Close the catalogue' }).click();
    await page.locator('.badge', { hasText: 'Closed catalogue' }).waitFor(soon);
    expect((await read()).metadata).toEqual(catalogue('private'));
  }, 60_000);

  it('names the orders that are sent to platforms, among the deliveries and the dead letters', async () => {
    const { wallet } = await openWallet(h.test, { funded: '50.00' });
    platform.answer = 410;
    const talk = new Talk(h.test, merchant, platform.profileWith(platform.hook('/orders')));
    const { id } = await talk.ready(songs());
    await talk.complete(id, byWallet(wallet));
    await h.runDue();
    await open('Webhooks');
    await page.getByRole('cell', { name: 'Order by UCP' }).waitFor(soon);
    await inspect('order-webhooks');
    await page.locator('.card h3 a').first().click();
    await page.getByRole('button', { name: 'Attempts of Order by UCP' }).click();
    await page.getByRole('region', { name: 'Request' }).getByText('The whole order as it was then').waitFor(soon);
    await inspect('order-webhook');
  }, 60_000);
});
