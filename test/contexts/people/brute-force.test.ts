// Guesses at a password: the same work for every e-mail, ten failures an hour for one, over processes and restarts.
import { createHook } from 'node:async_hooks';
import { afterAll, expect, it } from 'vitest';
import { Client, useHarness } from '../../harness.js';
import { expectRefused } from '../../refusal.js';
import { startSecond } from '../../second-server.js';
import { Browser, join } from './browser.js';

/** Counts what scrypt computes in this process. */
const scrypts = { count: 0 };
const counting = createHook({
  init: (_id, type) => {
    if (type === 'SCRYPTREQUEST') scrypts.count += 1;
  },
}).enable();

const harness = useHarness();
const stops: (() => Promise<void>)[] = [];
afterAll(async () => {
  counting.disable();
  for (const stop of stops) await stop();
});

async function another(): Promise<Browser> {
  const server = await startSecond(harness);
  stops.push(() => server.stop());
  return new Browser(new Client(server.urls.test ?? '', ''));
}

it('does the same work for a known and an unknown e-mail, and a suspended member', async () => {
  const owner = await join(harness, 'owner');
  const gone = await join(harness, 'viewer');
  await owner.browser.ask('mutation ($id: MemberId!) { removeMember(id: $id) { id } }', { id: gone.id });
  for (const email of [owner.email, gone.email, 'nobody@example.com']) {
    scrypts.count = 0;
    expectRefused(await new Browser(harness.test).signIn(email, 'wrong wrong wrong'), 401, 'sign_in_failed');
    expect(scrypts.count, email).toBe(1);
  }
});

it('refuses the 11th guess within an hour, over two processes and a third one that starts later', async () => {
  const { email } = await join(harness, 'owner');
  const [first, second] = [new Browser(harness.test), await another()];
  for (let guess = 1; guess <= 10; guess += 1)
    expectRefused(
      await (guess % 2 === 0 ? first : second).signIn(guess % 3 === 0 ? email.toUpperCase() : email, `guess number ${guess}`),
      401,
      'sign_in_failed',
    );
  const third = await another();
  for (const browser of [first, second, third]) {
    const answer = await browser.signIn(email);
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBe(3_600);
  }
  // Somebody else is not kept out.
  const other = await join(harness, 'owner');
  expect((await first.signIn(other.email)).status).toBe(200);
  harness.clock.advance(3_601);
  expect((await second.signIn(email)).status).toBe(200);
});

it('counts guesses that come at once', async () => {
  const { email } = await join(harness, 'owner');
  const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => new Browser(harness.test).signIn(email, `guess at once ${n}`)));
  const looked = answers.filter(({ status }) => status === 401).length;
  expect(looked).toBeLessThanOrEqual(10);
  // Places are taken before anything is computed: whoever finds none is told at once.
  expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
  expect(answers.every(({ status }) => [401, 429, 503].includes(status))).toBe(true);
});
