// The public page of a receipt in a real browser: links and files, whole and broken, and what somebody reads whose link is no good. It asks
// nobody but this server.
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ConsoleBrowser, faults, hasBrowser, look, looks, shoot, soon } from './factories/console-browser.js';
import { transferBody, twoWallets } from './factories/payment.js';
import { type Json, useHarness } from './harness.js';

// Opened from one address: each test opens a few links.
const h = useHarness({ limits: { login: 40 } });

/** A payment with all that a pack of an operator says of it. */
async function paid(): Promise<Json> {
  const { from, to } = await twoWallets(h.test);
  await h.test.make('/v1/policies', {
    name: 'Limit',
    target: { type: 'account', id: from.account_id },
    rules: [{ kind: 'max_amount', per: 'day', amount: '100.00', currency: 'USD' }],
  });
  const transfer = await h.test.make('/v1/transfers', transferBody(from, to, '4.00'));
  await h.test.make(`/v1/transfers/${transfer.id}/delivery`, { sha256: 'ab'.repeat(32) });
  await h.test.make('/v1/refunds', { original_transfer_id: transfer.id, amount: '1.50', reason: 'customer_request' });
  return transfer;
}

/** A link, as the path of its page. */
async function linkTo(transfer: Json, extra: object = {}): Promise<Json & { place: string }> {
  const link = await h.test.make('/v1/evidence/links', { transfer_id: transfer.id, ...extra });
  const { origin, pathname, hash } = new URL(link.url);
  expect(origin).toBe(new URL(h.test.url).origin);
  return { ...link, place: pathname + hash };
}

const packOf = async ({ id }: Json): Promise<string> =>
  (await fetch(`${h.test.url}/v1/transfers/${id}/evidence`, { headers: { Authorization: `Bearer ${h.test.key}` } })).text();

/** Statements with the leaf that carries each. */
async function statements(page: Page): Promise<string[]> {
  const texts = await page.locator('.statements li').allTextContents();
  return texts.map((text) => text.replaceAll(/\s+/g, ' '));
}

const verdict = (page: Page) => page.locator('.verdict [role=status]');

async function choose(page: Page, name: string, text: string): Promise<void> {
  const [input] = [page.getByLabel('File of a payment')];
  await input.setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(text) });
}

describe.skipIf(!hasBrowser)('GET /receipt', () => {
  let browser: ConsoleBrowser;
  let transfer: Json;
  beforeAll(async () => {
    [browser, transfer] = [await ConsoleBrowser.start(), await paid()];
  });
  afterAll(() => browser?.stop());
  afterEach(() => browser.expectQuiet());

  it('opens a link, says what happened and which leaf carries it, and in how little time that was checked', async () => {
    const parts = ['act', 'money', 'decision', 'figures', 'delivery', 'authority'];
    const page = await browser.newPage(h.test.url, (await linkTo(transfer, { parts })).place);
    await verdict(page).getByText('By the file’s own keys').waitFor(soon);
    expect(await page.locator('.environment').textContent()).toBe('Sandbox');
    const said = await statements(page);
    const amounts = [
      'Paid: 4.00 USD',
      'Limit of 100.00 USD per day: 0.00 used before, 4.00 now',
      'Refunded: 1.50 USD',
      'Delivered, says the payee',
    ];
    for (const text of amounts) expect(said).toContainEqual(expect.stringMatching(new RegExp(`^${text}.* Leaf \\d+$`)));
    const { vkeys, origin } = (await h.test.get('/v1/evidence')).body.data;
    const { leaf_index: index } = (await h.test.get(`/v1/transfers/${transfer.id}/receipt`)).body.data;
    const place = page.locator('.panel', { hasText: 'Where it stands' });
    for (const text of [origin, vkeys[0].vkey, `Leaf of the payment${index}`, transfer.id])
      expect(await place.textContent()).toContain(text);
    for (const scheme of looks) {
      await look(page, scheme);
      expect(await faults(page), scheme.join(' ')).toEqual([]);
      await shoot(page, `Receipt-${scheme.join('-')}`);
    }
    // Every part that the file shows can be read.
    const payment = page.locator('details', { hasText: /^Leaf \d+: payment/ });
    await payment.locator('summary').click();
    expect(await payment.locator('.json').textContent()).toContain('"amount": "4.00"');
    // The key of the log anchors it, another one is told, and what is neither is asked for again.
    await page.getByText('Check it with a key or a head that you know').click();
    expect(await faults(page)).toEqual([]);
    const checkWith = async (known: string) => {
      await page.getByLabel('Key of the log, or a head of it').fill(known);
      await page.getByRole('button', { name: 'Check again' }).click();
      return verdict(page).textContent();
    };
    expect(await checkWith(vkeys[0].vkey)).toContain('Whole, and anchored');
    expect(await checkWith('example.com/log+00000000+AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA')).toContain('anchored');
    expect(await page.getByRole('alert').textContent()).toContain('neither a key of a log nor a head');
    const { checkpoint } = (await h.test.get('/v1/evidence/head')).body.data;
    expect(await checkWith(checkpoint)).toContain('Whole, and anchored');
    expect(await page.getByRole('alert').count()).toBe(0);
    const took = await Promise.all((await page.locator('.took').allTextContents()).map(Number));
    expect(Math.min(...took)).toBeLessThan(200);
  }, 60_000);

  it('gives the file as it was sent', async () => {
    const { place } = await linkTo(transfer);
    const page = await browser.newPage(h.test.url, place);
    const coming = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the file' }).click(soon);
    const download = await coming;
    expect(download.suggestedFilename()).toBe(`tx_${transfer.id}.evidence.json`);
    const sent = await fetch(`${h.test.url}/v1/evidence/open`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token: place.split('#')[1] }),
    });
    expect(await readFile(await download.path(), 'utf8')).toBe(await sent.text());
  });

  it('checks a file that is chosen or dropped, and names the leg that a change has broken', async () => {
    const page = await browser.newPage(h.test.url, '/receipt');
    await page.getByLabel('File of a payment').waitFor(soon);
    expect(await faults(page)).toEqual([]);
    await shoot(page, 'Receipt-empty');
    const pack = await packOf(transfer);
    await choose(page, 'a.evidence.json', pack);
    await verdict(page).getByText('By the file’s own keys').waitFor(soon);
    expect(await statements(page)).toContainEqual(expect.stringMatching(/^Authorized by .* with an API key\. Leaf \d+$/));
    const { index } = JSON.parse(pack).leaves.at(-1);
    await choose(page, 'b.evidence.json', pack.replace(`"index":${index},`, `"index":${index + 1},`));
    await verdict(page).getByText('Broken at inclusion').waitFor(soon);
    expect(await page.locator('.statements').count()).toBe(0);
    expect(await faults(page)).toEqual([]);
    await shoot(page, 'Receipt-broken');
    // What is dropped: the same, and what is no pack.
    const drop = (name: string, text: string) =>
      page.evaluate(`(() => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}));
        document.body.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }));
      })()`);
    await drop('c.evidence.json', pack);
    await verdict(page).getByText('By the file’s own keys').waitFor(soon);
    await drop('d.evidence.json', `${pack} `);
    await verdict(page).getByText('Broken at format').waitFor(soon);
    await drop('photo.json', '{}');
    await verdict(page).getByText('Unreadable').waitFor(soon);
  });

  it('says what to do about a link that was cut, was revoked, or has ended', async () => {
    const [revoked, ended] = [await linkTo(transfer), await linkTo(transfer, { expires_in: 3_600 })];
    expect((await h.test.delete(`/v1/evidence/links/${revoked.id}`)).status).toBe(200);
    const page = await browser.newPage(h.test.url, revoked.place);
    const alert = page.getByRole('alert');
    await alert.getByText('This link shows nothing any more.').waitFor(soon);
    expect(await alert.textContent()).toContain('Ask whoever sent it for a new one');
    expect(await faults(page)).toEqual([]);
    await shoot(page, 'Receipt-revoked');
    const goTo = async (place: string) => {
      await page.goto(h.test.url + place);
      return page.locator('.failure, .verdict').first().waitFor(soon);
    };
    await page.goto('about:blank');
    await goTo(ended.place);
    expect(await verdict(page).textContent()).toContain('Whole');
    h.clock.advance(3_601);
    await page.reload();
    await alert.getByText('This link shows nothing any more.').waitFor(soon);
    // Another address in the same page is opened too.
    await goTo(ended.place.slice(0, -1));
    await alert.getByText('This address is not whole.').waitFor(soon);
    browser.forgive('404');
  });

  it('says so where the server is away, and tries again', async () => {
    const { place } = await linkTo(transfer);
    const page = await browser.newPage(h.test.url, '/receipt');
    await page.route('**/v1/evidence/open', (route) => route.abort());
    await page.goto(h.test.url + place);
    await page.getByText('The server cannot be reached.').waitFor(soon);
    await page.unroute('**/v1/evidence/open');
    await page.getByRole('button', { name: 'Try again' }).click();
    await verdict(page).getByText('By the file’s own keys').waitFor(soon);
    browser.forgive('net::ERR_FAILED');
  });

  it('is there in production too, without the word of the sandbox, and runs nothing of others', async () => {
    const answer = await fetch(`${h.live.url}/receipt`);
    const policy = answer.headers.get('content-security-policy');
    expect([answer.status, policy]).toEqual([200, expect.stringMatching(/default-src 'none'; script-src 'self'; .*connect-src 'self'/)]);
    expect(await answer.text()).toContain('<html data-environment="live"');
    expect((await fetch(`${h.live.url}/docs/verify`)).status).toBe(200);
    const page = await browser.newPage(h.live.url, '/receipt');
    await page.getByLabel('File of a payment').waitFor(soon);
    expect(await page.locator('.environment').count()).toBe(0);
    // Nothing of what is behind the sign-in is loaded.
    const loaded = (await page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)")) as string[];
    const scripts = loaded.filter((name) => name.endsWith('.js'));
    expect(scripts.length).toBeGreaterThan(0);
    for (const script of scripts) expect(await (await fetch(script)).text()).not.toContain('mutation ');
  });

  it('says so while the log is halted, and where too many links were opened', async () => {
    const { place } = await linkTo(transfer);
    const set = (state: string) => h.platform.database.pool.query('UPDATE evidence_log SET state = $1::evidence_state', [state]);
    await set('halted');
    const page = await browser.newPage(h.test.url, place);
    await page.getByText('The log that proves this payment is halted.').waitFor(soon);
    await set('open');
    await page.getByRole('button', { name: 'Try again' }).click();
    await verdict(page).waitFor(soon);
    const attempt = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"token":"evl_x"}' };
    let status = 0;
    for (let n = 0; n < 40; n += 1) ({ status } = await fetch(`${h.test.url}/v1/evidence/open`, attempt));
    expect(status).toBe(429);
    await page.reload();
    await page.getByText('Too many links were opened from your address.').waitFor(soon);
    expect(await page.getByRole('alert').textContent()).toMatch(/Try again in \d+ seconds/);
    for (const refused of ['409', '429']) browser.forgive(refused);
  });
});
