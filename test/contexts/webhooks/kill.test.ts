// kill -9 of a worker in the middle of its deliveries: another takes them up within 60 s, and none is lost (docs/architecture.md "Time").
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, make } from '../../load.js';
import { passLeases, ServerOnDatabase } from '../../server-database.js';
import { Receiver } from './receiver.js';

/** Of the 30 seconds of a lease nobody waits for these: they pass at once. */
const skipped = 25;
const receiver = await Receiver.start();
let server: ServerOnDatabase;

beforeAll(async () => {
  server = await ServerOnDatabase.start({ WEBHOOK_ALLOW_HOSTS: receiver.host });
});
afterAll(async () => {
  await server?.stop();
  await receiver.stop();
});

describe('kill -9 of a worker in mid-delivery', () => {
  it('is followed by a second send within 60 s; every event arrives', { timeout: 120_000 }, async ({ annotate }) => {
    const { sandbox } = server;
    const webhook = await make(sandbox, '/v1/webhooks', { url: receiver.url(), events: ['account.created'] });
    // Nobody answers the first process.
    receiver.answer('/hook', () => {});
    for (let n = 0; n < 20; n += 1) await make(sandbox, '/v1/accounts', { type: 'business', name: `Account ${n}` });
    await expect.poll(() => receiver.received.length, { interval: 20, timeout: 10_000 }).toBe(10);
    const interrupted = new Set(receiver.received.map(({ json }) => json.id));
    await server.crash();
    const killed = performance.now();
    receiver.received.length = 0;
    receiver.answer('/hook', 200);
    await server.startAgain({ freeLeases: false });
    await passLeases(server.db, skipped);
    const arrived = () => new Set(receiver.received.map(({ json }) => json.id));
    await expect.poll(() => arrived().size, { interval: 100, timeout: 60_000 }).toBe(20);
    const seconds = skipped + (performance.now() - killed) / 1000;
    for (const id of interrupted) expect(arrived()).toContain(id);
    await annotate(`the last of 20 was sent ${seconds.toFixed(1)} s after the kill`);
    expect(seconds).toBeLessThan(60);
    await expect
      .poll(async () => (await ask(server.sandbox, 'GET', `/v1/webhooks/${webhook.id}/deliveries?status=delivered`)).body.data.length, {
        interval: 100,
        timeout: 20_000,
      })
      .toBe(20);
  });
});
