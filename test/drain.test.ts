// A process that is told to end goes on serving for DRAIN_SECONDS, and says that it is not ready (CONTRACT.md 24). What has reached it by then
// is answered.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { type Json, useHarness } from './harness.js';
import { startSecond } from './second-server.js';

const harness = useHarness();

it('is served by a process that drains, which is not ready and keeps no connection', async () => {
  const server = await startSecond(harness, undefined, { drainSeconds: 1 });
  const ask = async (path: string) => {
    const answer = await fetch(`${server.urls.test}${path}`, { headers: { Authorization: `Bearer ${harness.test.key}` } });
    return { status: answer.status, connection: answer.headers.get('connection'), body: (await answer.json()) as Json };
  };
  expect(await ask('/ready')).toMatchObject({ status: 200, connection: 'keep-alive', body: { status: 'ready' } });
  const stopped = server.stop();
  expect(await ask('/ready')).toMatchObject({ status: 503, connection: 'close', body: { status: 'draining' } });
  expect(await ask('/health')).toMatchObject({ status: 200, connection: 'close' });
  expect(await ask('/v1/me')).toMatchObject({ status: 200, connection: 'close' });
  await stopped;
  await expect(ask('/health')).rejects.toThrow('fetch failed');
});

it('answers the first request of a connection that came before the sockets closed', async () => {
  const server = await startSecond(harness);
  const url = new URL(server.urls.test ?? '');
  const open = async (): Promise<Socket> => {
    const socket = connect(Number(url.port), url.hostname);
    await once(socket, 'connect');
    return socket;
  };
  // A process takes one in a turn of its event loop.
  const [asks, ...askLate] = await Promise.all([open(), open(), open(), open()]);
  const ask = (socket: Socket) => socket.write(`GET /health HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`);
  // Sent as the process is told to end, and when it listens no more.
  const stopped = server.stop();
  ask(asks as Socket);
  await expect
    .poll(() =>
      open().then(
        (socket) => socket.destroy(),
        () => 'refused',
      ),
    )
    .toBe('refused');
  for (const socket of askLate) ask(socket);
  for (const socket of [asks as Socket, ...askLate]) {
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toMatch(/\r\nConnection: close\r\n/);
  }
  await stopped;
});
