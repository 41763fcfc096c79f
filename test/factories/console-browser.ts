// The console in a real browser, watched: what went elsewhere, what a page complained about, what axe finds, and what shape a page has.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Json } from '../harness.js';
import { isSlow } from '../slow.js';

const executablePath = [process.env['CHROMIUM'] ?? '', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);
/** False where there is no browser: the tests are skipped then. */
export const hasBrowser = executablePath !== undefined;

/** A folder; taking pictures costs more than most of what is tested. */
export const shots = process.env['SCREENSHOTS'];
/** Each theme and each width once; with SLOW=1 or for pictures each with each. */
export const looks = (
  [
    ['light', 1280],
    ['dark', 390],
    ['dark', 1280],
    ['light', 390],
    ['light', 768],
  ] as const
).slice(0, isSlow || shots !== undefined ? 5 : 2);
export const soon = { timeout: 15_000 };

/** Runs in the page. Figures and names are left out: they are the world's, not the page's. */
const shapeOfPage = `(() => {
  const text = (element) => {
    const copy = element.cloneNode(true);
    for (const hidden of copy.querySelectorAll('.hidden')) hidden.remove();
    return copy.textContent.replace(/\\s+/g, ' ').trim();
  };
  const all = (selector) => [...document.querySelectorAll(selector)];
  const unique = (list) => [...new Set(list)].filter((line) => line !== '').join(', ');
  const label = ({ caption, tHead }) => '| ' + [...tHead.rows[0].cells].map((cell) => cell.textContent).join(' | ') + ' |';
  return [
    'landmarks: ' + unique(all('header.top, nav, main, search').map((one) => one.tagName.toLowerCase() + (one.ariaLabel ? ' ' + one.ariaLabel : ''))),
    'headings: ' + unique(all('h1, h2').map(text).map((line) => /[\\d…/]/.test(line) || document.querySelector('.back') && !line.match(/^(Payment|Approval|Agent|Account|Wallet|Mandate|Task|Webhook|What|Who|Ledger|Events|Newest|Statement|Paid|Messages|Deliveries|Success|Mandates|Wallets)/) ? '*' : line)),
    'fields: ' + unique(all('main label').map(text)),
    'buttons: ' + unique(all('button').map(text)),
    ...new Set(all('main .table table').map((table) => 'table ' + label(table))),
  ];
})()`;

type Look = (typeof looks)[number];

/** The shape of a page: its landmarks, headings, fields, buttons, and the columns of its tables. */
export async function shapeOf(page: Page): Promise<string[]> {
  return (await page.evaluate(shapeOfPage)) as string[];
}

/** Shows a page in a theme and at a width. */
export async function look(page: Page, [colorScheme, width]: Look): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.setViewportSize({ width, height: 1000 });
  // Tables look at their place when it has another width.
  await page.evaluate('new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))');
}

/** Takes a picture where pictures are wanted. */
export async function shoot(page: Page, name: string): Promise<void> {
  if (shots !== undefined) await page.screenshot({ path: path.join(shots, `${name}.png`), fullPage: true });
}

/** What axe finds against WCAG 2.2 AA and its own good practice, and whether the page is wider than the window. */
export async function faults(page: Page): Promise<string[]> {
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run({ resultTypes: ["violations"] })')) as Json;
  const found = violations.map(({ id, nodes }: Json) => `${id}: ${nodes.map(({ html }: Json) => html).join(' ')}`);
  return [...found, ...(await overflow(page))];
}

/** What is wider than its place. */
export async function overflow(page: Page): Promise<string[]> {
  return (await page.evaluate(`[document.documentElement, ...document.querySelectorAll('.panel, .card, .tile, .table')]
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    .map((place) => {
      const end = place.getBoundingClientRect().right;
      const over = [...place.querySelectorAll('*')].filter((one) => one.getBoundingClientRect().right > end + 0.5).at(-1);
      return place.tagName + ' ' + place.className + ' is too narrow for ' + (over?.outerHTML.slice(0, 200) ?? 'what is in it');
    })`)) as string[];
}

/** Waits until a page, of that title, has loaded all that it shows. */
export async function loaded(page: Page, title = ''): Promise<void> {
  await page.locator('.shell h1', { hasText: title }).waitFor(soon);
  await expect.poll(() => page.locator('.loading, [aria-busy="true"]').count(), soon).toBe(0);
}

/** Signs in with a key. */
export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByRole('button', { name: 'Use an API key' }).or(page.getByLabel('API key')).first().waitFor(soon);
  if (!(await page.getByLabel('API key').isVisible())) await page.getByRole('button', { name: 'Use an API key' }).click();
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** A browser on a console that is built from the sources as they are. */
export class ConsoleBrowser {
  readonly #browser: Browser;
  readonly #contexts: BrowserContext[] = [];
  readonly #strangers: string[] = [];
  #complaints: string[] = [];

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async start(): Promise<ConsoleBrowser> {
    execFileSync(process.execPath, [path.join(import.meta.dirname, '..', '..', 'scripts', 'build.mjs'), '--console']);
    return new ConsoleBrowser(await chromium.launch({ executablePath: executablePath as string, args: ['--no-sandbox', '--disable-gpu'] }));
  }

  stop(): Promise<void> {
    return this.#browser.close();
  }

  /** A page of a server, the console by default, in a profile that has never been there. */
  async newPage(home: string, place = '/console'): Promise<Page> {
    const context = await this.#browser.newContext({ locale: 'en-US', timezoneId: 'UTC', viewport: { width: 1280, height: 1000 } });
    this.#contexts.push(context);
    const made = await context.newPage();
    made.on('request', (request) => {
      if (!request.url().startsWith(home)) this.#strangers.push(request.url());
    });
    made.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning')
        this.#complaints.push(`${message.text()} (${message.location().url})`);
    });
    made.on('pageerror', (error) => this.#complaints.push(String(error)));
    await made.goto(home + place);
    return made;
  }

  /** Pages of others to which the console leads. */
  expectStranger(home: string): void {
    expect(this.#strangers.filter((url) => url.startsWith(home))).not.toEqual([]);
    for (const url of this.#strangers.splice(0)) if (!url.startsWith(home)) this.#strangers.push(url);
  }

  /** Complaints that were to be expected. */
  forgive(expected: string): void {
    this.#complaints = this.#complaints.filter((text) => !text.includes(expected));
  }

  /** Nothing was asked of others, and no page complained. Closes all pages but the first `kept`. */
  async expectQuiet(kept = 0): Promise<void> {
    for (const context of this.#contexts.splice(kept)) await context.close();
    expect(this.#strangers.splice(0)).toEqual([]);
    expect(this.#complaints.splice(0)).toEqual([]);
  }
}

/** What pages look like and what is wrong with them, in both themes, wide and narrow. */
export class Inspection {
  readonly #file: string;
  readonly #wanted: Set<string>;
  readonly #shapes: string[] = [];
  readonly #found: string[] = [];

  /** The file beside the test holds the shape of each page, with an empty line between two. */
  constructor(file: string) {
    this.#file = path.join(import.meta.dirname, '..', file);
    this.#wanted = new Set(existsSync(this.#file) ? readFileSync(this.#file, 'utf8').trimEnd().split('\n\n') : []);
  }

  /** Looks at what the page shows once it has the shape of the file, or never gets it. */
  async of(page: Page, title: string): Promise<void> {
    let shape = '';
    const hasShape = async (): Promise<boolean> => {
      shape = [title, ...(await shapeOf(page))].join('\n  ');
      return this.#wanted.has(shape);
    };
    await expect
      .poll(hasShape, { timeout: 5_000 })
      .toBe(true)
      .catch(() => undefined);
    this.#shapes.push(shape);
    for (const scheme of looks) {
      await look(page, scheme);
      this.#found.push(...[...(await faults(page)), ...(await overflow(page))].map((fault) => `${title} ${scheme}: ${fault}`));
      await shoot(page, `${title}-${scheme.join('-')}`);
    }
    await look(page, ['light', 1280]);
  }

  /** Expects that nothing was wrong, and each shape as the file has it. */
  async expectShapes(): Promise<void> {
    expect(this.#found).toEqual([]);
    const strange = this.#shapes.filter((shape) => !this.#wanted.has(shape));
    await expect(`${this.#shapes.join('\n\n')}\n`, `unlike ${path.basename(this.#file)}: ${strange.join('\n')}`).toMatchFileSnapshot(
      this.#file,
    );
  }
}
