// Documents that are fetched from places that somebody else named: within bounds of time and size.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Outbound } from '../../../src/platform/outbound/client.js';

let answer: (response: ServerResponse) => void = () => {};
const server = createServer((request, response) => {
  seen.push(`${request.method} ${request.url} ${request.headers.accept}`);
  answer(response);
});
const seen: string[] = [];
let outbound: Outbound;
let host = '';
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  outbound = new Outbound({ allowHosts: [host] });
});
afterAll(async () => {
  await outbound.close();
  server.closeAllConnections();
  server.close();
});

const get = (limits: { longest?: number; timeoutMs?: number; mayBePrivate?: boolean } = {}) =>
  outbound.get(`http://${host}/a?b=c`, { workspaceId: 'w', mayBePrivate: true, longest: 100, timeoutMs: 5_000, ...limits });

it('is the whole document', async () => {
  answer = (response) => response.end('{"ü":1}');
  expect(await get()).toMatchObject({ status: 200, body: '{"ü":1}', isCut: false, error: null });
  expect(seen.at(-1)).toBe('GET /a?b=c application/json');
});

it('is cut where it is longer, or breaks off', async () => {
  answer = (response) => response.end('x'.repeat(101));
  expect(await get()).toMatchObject({ status: 200, isCut: true, body: 'x'.repeat(100) });
  answer = (response) => {
    response.writeHead(200, { 'Content-Length': '50' }).write('x');
    response.socket?.end();
  };
  expect(await get()).toMatchObject({ status: 200, isCut: true });
});

it('is not waited for longer than its time', async () => {
  answer = () => {};
  expect(await get({ timeoutMs: 50 })).toMatchObject({ status: null, error: expect.stringContaining('0.05 s') });
});

it('is not fetched from where it may not be', async () => {
  const before = seen.length;
  expect(await get({ mayBePrivate: false })).toMatchObject({ status: null, refused: true });
  expect(seen.length).toBe(before);
});

it('a redirect is an answer, and not followed', async () => {
  answer = (response) => response.writeHead(302, { Location: '/b' }).end();
  expect(await get()).toMatchObject({ status: 302 });
  expect(seen.at(-1)).toContain('/a');
});
