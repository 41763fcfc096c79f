// A listener hears every published event exactly once: in one process or several, and also when one of them is killed on the way
// (src/events/listener.ts).
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { manifest } from '../../src/contexts.js';
import { eventsOf, Listening, type Stretch } from '../../src/events/listener.js';
import { publishEvents, sweepPublications } from '../../src/events/outbox.js';
import { work } from '../../src/worker.js';
import { type Client, useHarness } from '../harness.js';
import { query } from '../ledger/wallet-ref.js';
import { tallyListener, tallyTables } from './tally.js';

const harness = useHarness();
const children: ChildProcess[] = [];
const published = { ...manifest.followers, listeners: [] };

beforeAll(async () => void (await query(harness, tallyTables)));
afterAll(async () => {
  for (const child of children) await kill(child);
});

/** Resolves when the process hears events, or hangs in the middle of a stretch. */
async function start(...args: string[]): Promise<ChildProcess> {
  const file = fileURLToPath(new URL('./tally-process.ts', import.meta.url));
  const child = fork(file, [harness.platform.config.databaseUrl ?? '', ...args], { execArgv: ['--import', 'tsx'] });
  children.push(child);
  await once(child, 'message');
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

async function emit(client: Client, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    await client.make('/v1/accounts', { type: 'person', name: `Ada ${n}` });
    // A publication of its own.
    await publishEvents(harness.platform, published);
  }
}

/** What was published, and what was heard, in order. */
const allPublished = async () =>
  (await query(harness, 'SELECT unnest(event_ids) AS id FROM publication ORDER BY number')).map(({ id }) => id).sort();
const allHeard = async () => (await query(harness, 'SELECT event_id FROM heard ORDER BY n')).map(({ event_id }) => event_id);

describe('a listener in several processes', () => {
  it('hears every event once, although one of them is killed in the middle of a stretch', { timeout: 180_000 }, async () => {
    await emit(harness.test, 3);
    const first = await start('hang');
    // The publisher does not wait for it, and another process hears the other workspaces.
    await emit(harness.test, 3);
    await emit(harness.other, 4);
    const second = await start();
    await expect.poll(async () => (await allHeard()).length, { timeout: 60_000, interval: 20 }).toBe(4);
    expect(await query(harness, `SELECT DISTINCT pid FROM heard`)).toEqual([{ pid: second.pid }]);
    await kill(first);
    await expect.poll(async () => (await allHeard()).length, { timeout: 60_000, interval: 20 }).toBe(10);
    await start();
    await emit(harness.test, 20);
    await expect.poll(async () => (await allHeard()).length, { timeout: 60_000, interval: 20 }).toBe(30);
    expect((await allHeard()).sort()).toEqual(await allPublished());
    expect(await query(harness, 'SELECT type, count FROM tally ORDER BY count')).toEqual([
      { type: 'account.created', count: 4 },
      { type: 'account.created', count: 26 },
    ]);
    for (const child of children) await kill(child);
  });
});

describe('a listener', () => {
  it('hears the events of a workspace in the order of their publication, in work()', async () => {
    const heard: string[] = [];
    const stretches: Stretch[] = [];
    const listener = {
      name: 'in-order',
      hear: async (tx: Parameters<typeof eventsOf>[0], stretch: Stretch) => {
        stretches.push(stretch);
        heard.push(...(await eventsOf(tx, stretch)).map(({ data }) => data['name'] as string));
      },
    };
    await harness.live.make('/v1/accounts', { type: 'person', name: 'One' });
    await harness.live.make('/v1/accounts', { type: 'person', name: 'Two' });
    await publishEvents(harness.platform, published);
    await harness.live.make('/v1/accounts', { type: 'person', name: 'Three' });
    await work(harness.platform, { followers: { ...published, listeners: [listener] }, due: [] });
    expect(heard.slice(-3)).toEqual(['One', 'Two', 'Three']);
    const before = stretches.length;
    await work(harness.platform, { followers: { ...published, listeners: [listener] }, due: [] });
    expect(stretches).toHaveLength(before);
  });

  it('that fails is asked again, and holds up no other workspace', async () => {
    await query(harness, 'TRUNCATE tally, heard');
    let broken: string | undefined;
    const listening = new Listening(
      harness.platform,
      tallyListener('broken', async (workspaceId) => {
        broken ??= workspaceId;
        if (workspaceId === broken) throw new Error('a fault of the listener');
      }),
    );
    await listening.drain();
    const heard = await query(harness, 'SELECT DISTINCT workspace_id FROM heard');
    expect(heard.length).toBeGreaterThan(0);
    expect(heard.map(({ workspace_id }) => workspace_id)).not.toContain(broken);
    broken = '';
    await listening.drain();
    expect((await allHeard()).sort()).toEqual(await allPublished());
  });

  it('keeps publications from being swept until it has read them', async () => {
    const listener = tallyListener('late');
    const count = async () => (await query(harness, 'SELECT count(*)::int FROM publication'))[0].count;
    const before = await count();
    harness.clock.advance(86_400 + 60);
    expect(await sweepPublications([listener])(harness.platform, 1_000)).toBe(0);
    await new Listening(harness.platform, listener).drain();
    expect(await sweepPublications([listener])(harness.platform, 1_000)).toBe(before);
    expect(await count()).toBe(0);
  });
});
