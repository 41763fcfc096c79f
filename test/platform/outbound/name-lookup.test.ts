// The names that tenants choose, asked of a name server that answers at once, late, never, with nothing, or with private addresses.
import { createServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Outbound } from '../../../src/platform/outbound/client.js';
import { NameLookups } from '../../../src/platform/outbound/name-lookup.js';
import { NameServer } from '../../name-server.js';

let server: NameServer;
let names: NameLookups;
let now = 0;
beforeAll(async () => {
  server = await NameServer.start();
});
afterAll(() => server.stop());
beforeEach(async () => {
  names?.close();
  await server.stop();
  server = await NameServer.start();
  names = new NameLookups({ servers: [server.address], now: () => now });
});

const find = (hostname: string, workspaceId = 'w', signal?: AbortSignal) => names.addressesOf(hostname, { workspaceId, signal });
const some = (count: number, of: string) => Array.from({ length: count }, (_, n) => `n${n}.${of}.example`);
/** Names that get no answer until they are led somewhere. */
function hold(hostnames: readonly string[]): void {
  for (const name of hostnames) server.lead(name, 'never');
}

describe('a name', () => {
  it('leads to its addresses of both kinds', async () => {
    server.lead('both.example', ['93.184.216.34', '2606:4700::1111', '1.1.1.1']);
    expect(await find('both.example')).toEqual([
      { address: '93.184.216.34', family: 4 },
      { address: '1.1.1.1', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ]);
  });
  it('may have addresses of one kind alone', async () => {
    server.lead('six.example', ['2606:4700::1111']);
    expect(await find('six.example')).toEqual([{ address: '2606:4700::1111', family: 6 }]);
  });
  it('is asked for once by all of a workspace who want it', async () => {
    hold(['shared.example']);
    const asked = [find('shared.example'), find('shared.example'), find('shared.example')];
    await server.heard(1);
    server.lead('shared.example', ['1.1.1.1']);
    for (const found of await Promise.all(asked)) expect(found).toEqual([{ address: '1.1.1.1', family: 4 }]);
    expect(server.questions.length).toBeLessThanOrEqual(3);
  });
});

describe('a failure', () => {
  it('says what it is: no such name, a server that fails, one that never answers, none at all', async () => {
    server.lead('broken.example', 'servfail');
    hold(['silent.example']);
    await expect(find('nobody.example')).rejects.toMatchObject({ code: 'ENOTFOUND', message: expect.stringContaining('nobody.example') });
    await expect(find('broken.example')).rejects.toMatchObject({ code: 'ESERVFAIL' });
    await expect(find('silent.example')).rejects.toMatchObject({ code: 'ETIMEOUT', message: expect.stringContaining('within 2 s') });
    const { port } = await closedPort();
    const alone = new NameLookups({ servers: [`127.0.0.1:${port}`] });
    const failed = { code: 'ECONNREFUSED', message: expect.stringContaining('no name server') };
    await expect(alone.addressesOf('a.example', { workspaceId: 'w' })).rejects.toMatchObject(failed);
  });
  it('is kept for a minute, for its workspace', async () => {
    await expect(find('later.example')).rejects.toThrow();
    server.lead('later.example', ['1.1.1.1']);
    now += 59_000;
    await expect(find('later.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(await find('later.example', 'another')).toHaveLength(1);
    now += 1_000;
    expect(await find('later.example')).toHaveLength(1);
  });
  it('is not kept where nobody wanted the answer any more', async () => {
    hold(['late.example']);
    const impatience = new AbortController();
    const asked = find('late.example', 'w', impatience.signal);
    await server.heard(1);
    impatience.abort();
    await expect(asked).rejects.toMatchObject({ code: 'ECANCELLED' });
    server.lead('late.example', ['1.1.1.1']);
    expect(await find('late.example')).toHaveLength(1);
  });
});

describe('how many names are looked up at once', () => {
  it('four for a workspace, and the others wait for their turn', async () => {
    const held = some(5, 'four');
    hold(held);
    const asked = held.map((name) => find(name));
    await server.heard(4);
    server.lead('elsewhere.example', ['1.1.1.1']);
    expect(await find('elsewhere.example', 'another')).toHaveLength(1);
    expect(server.names).not.toContain(held[4]);
    for (const name of held) server.lead(name, ['1.1.1.1']);
    expect(await Promise.all(asked)).toHaveLength(5);
    expect(server.names).toContain(held[4]);
  });
  it('twenty for all; then the workspace with the fewest comes first', async () => {
    const greedy = some(6, 'greedy');
    const held = ['a', 'b', 'c', 'd', 'e'].flatMap((of) => some(4, of).map((name) => [name, of] as const));
    hold([...held.map(([name]) => name), ...greedy, 'modest.example']);
    const asked = held.map(([name, workspace]) => find(name, workspace));
    await server.heard(20);
    const more = [...greedy.map((name) => find(name, 'a')), find('modest.example', 'z')];
    server.lead(held[0]?.[0] ?? '', ['1.1.1.1']);
    expect((await server.heard(21))[20]).toBe('modest.example');
    for (const name of [...held.map(([each]) => each), ...greedy, 'modest.example']) server.lead(name, ['1.1.1.1']);
    await Promise.all([...asked, ...more]);
  });
  it('one that nobody wants any more makes room at once', async () => {
    const held = some(4, 'gone');
    hold(held);
    server.lead('next.example', ['1.1.1.1']);
    const impatience = new AbortController();
    const asked = held.map((name) => find(name, 'w', impatience.signal).catch((error) => error.code));
    await server.heard(4);
    const next = find('next.example');
    impatience.abort();
    expect(await Promise.all(asked)).toEqual(Array(4).fill('ECANCELLED'));
    expect(await next).toHaveLength(1);
  });
});

describe('a request', () => {
  it('gives its look-up up with itself, and its room to the next', async () => {
    const outbound = new Outbound({ allowHosts: [], nameServers: [server.address] });
    const send = (name: string, timeoutMs: number) =>
      outbound.get(`https://${name}/`, { workspaceId: 'w', mayBePrivate: false, longest: 100, timeoutMs });
    const held = some(4, 'slow');
    hold(held);
    server.lead('inside.example', ['127.0.0.1', '::1', '10.0.0.1']);
    const slow = held.map((name) => send(name, 200));
    await server.heard(4);
    // It waits until a slow one gives up; name servers would have kept those for two seconds.
    expect(await send('inside.example', 1_500)).toMatchObject({ refused: true, error: expect.stringContaining('private') });
    for (const { status, error } of await Promise.all(slow)) expect([status, error]).toEqual([null, 'no answer within 0.2 s']);
    await outbound.close();
  });
  it('asks nobody for an address, nor for a host of the operator', async () => {
    const listener = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await new Promise((resolve) => listener.once('listening', resolve));
    const { port } = listener.address() as { port: number };
    const outbound = new Outbound({ allowHosts: [`localhost:${port}`], nameServers: [server.address] });
    const to = (url: string) => outbound.get(url, { workspaceId: 'w', mayBePrivate: true, longest: 100, timeoutMs: 1_000 });
    expect(await to(`http://localhost:${port}/`)).toMatchObject({ refused: false, status: null });
    expect(await to(`https://localhost:${port + 1}/`)).toMatchObject({ refused: true });
    expect(await to('https://10.0.0.1/')).toMatchObject({ refused: true });
    expect(server.questions).toEqual([]);
    await outbound.close();
    listener.close();
  });
});

/** A port that nobody listens on. */
async function closedPort(): Promise<{ port: number }> {
  const gone = await NameServer.start();
  const port = Number(gone.address.split(':')[1]);
  await gone.stop();
  return { port };
}
