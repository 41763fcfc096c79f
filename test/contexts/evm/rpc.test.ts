// What a URL answers that is no answer, each with its own name, and how long it is left alone after it.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RpcCall, RpcFailure, RpcUrl } from '../../../src/contexts/evm/rpc.js';
import { Outbound } from '../../../src/platform/outbound/client.js';
import { LyingNode } from '../../chain/lying-node.js';

const outbound = new Outbound({ allowHosts: [] });
let node: LyingNode;
beforeAll(async () => {
  node = await LyingNode.open();
});
afterEach(() => node.repent());
afterAll(async () => {
  await outbound.close();
  await node.close();
});

let nowMs = 0;
const clock = { now: () => new Date(nowMs) };
const failures: RpcFailure[] = [];
beforeEach(() => {
  nowMs = Date.parse('2026-11-27T00:00:00Z');
  failures.length = 0;
});

/** A URL whose path is a token. */
const open = (url = `${node.url}v1/s3cret?key=s3cret`, timeoutMs?: number) =>
  new RpcUrl({ url, outbound, clock, timeoutMs, onFailure: (failure) => failures.push(failure) });
const failureOf = (asked: Promise<unknown>): Promise<RpcFailure> =>
  asked.then(
    () => {
      throw new Error('it was answered');
    },
    (error) => {
      expect(error).toBeInstanceOf(RpcFailure);
      return error;
    },
  );
type Request = { id: number };
const json = (make: (content: Request & Request[]) => unknown) => (content: Request & Request[]) => ({
  body: JSON.stringify(make(content)),
});
const ok = ({ id }: Request, result: unknown = '0x1') => ({ jsonrpc: '2.0', id, result });
const two: RpcCall[] = [
  { method: 'eth_chainId', params: [] },
  { method: 'eth_blockNumber', params: [] },
];

describe('a URL', () => {
  it('answers a call and a batch, whose answers stand in the order of the calls', async () => {
    node.raw = json((content) => (Array.isArray(content) ? content.map((call, i) => ok(call, i)).reverse() : ok(content)));
    expect(await open().ask('eth_chainId', [])).toEqual({ result: '0x1' });
    expect(await open().askAll(two)).toEqual([{ result: 0 }, { result: 1 }]);
  });

  it('takes a long batch in parts', async () => {
    node.raw = json((content) => content.map((call) => ok(call)));
    const url = open();
    expect(await url.askAll(Array.from({ length: 40 }, () => two[0] as RpcCall))).toHaveLength(40);
  });

  it('passes on what a node refuses, under any status', async () => {
    const error = { code: 3, message: 'execution reverted', data: '0x' };
    const body = (content: Request) => JSON.stringify({ jsonrpc: '2.0', id: content.id, error });
    for (const status of [200, 400, 500]) {
      node.raw = (content) => ({ status, body: body(content) });
      expect(await open().ask('eth_call', [])).toEqual({ refused: error });
    }
  });

  it('is sent its user and password as a header', async () => {
    node.raw = json((content) => ok(content));
    const { host } = new URL(node.url);
    expect(await open(`http://us%40er:pass@${host}/`).ask('eth_chainId', [])).toEqual({ result: '0x1' });
  });
});

const big = Buffer.alloc(10 * 1024 * 1024, 'a');

describe('what is no answer', () => {
  it.each([
    ['HTML with 200', { body: '<html><body>Welcome</body></html>' }, 'not_json'],
    ['nothing', { body: '' }, 'not_json'],
    ['null', { body: 'null' }, 'malformed'],
    ['a text', { body: '"0x1"' }, 'malformed'],
    ['a number', { body: '1' }, 'malformed'],
    ['another version', json(({ id }) => ({ jsonrpc: '1.0', id, result: 1 })), 'malformed'],
    ['neither result nor error', json(({ id }) => ({ jsonrpc: '2.0', id })), 'malformed'],
    ['both result and error', json((call) => ({ ...ok(call), error: { code: 1, message: 'no' } })), 'malformed'],
    ['an error without a code', json(({ id }) => ({ jsonrpc: '2.0', id, error: { message: 'no' } })), 'malformed'],
    ['an error that is a text', json(({ id }) => ({ jsonrpc: '2.0', id, error: 'no' })), 'malformed'],
    ['another id', json(({ id }) => ok({ id: id + 1 })), 'mismatched'],
    ['the id as a text', json(({ id }) => ({ ...ok({ id }), id: String(id) })), 'mismatched'],
    ['an array for one call', json((call) => [ok(call)]), 'malformed'],
    ['10 MiB', { body: big }, 'too_large'],
    ['404', { status: 404, body: 'not found' }, 'http'],
    ['a redirect', { status: 302, body: '' }, 'http'],
    ['502', { status: 502, body: 'bad gateway' }, 'unreachable'],
    ['429', { status: 429, body: '' }, 'rate_limited'],
    ['-32005', json(({ id }) => ({ jsonrpc: '2.0', id, error: { code: -32005, message: 'slow down' } })), 'rate_limited'],
  ] as const)('%s', async (_, raw, kind) => {
    node.raw = raw as typeof node.raw;
    const failure = await failureOf(open().ask('eth_chainId', []));
    expect(failure.kind).toBe(kind);
    expect(failures).toEqual([failure]);
    expect(failure.message).not.toContain('s3cret');
    expect(failure.message).toContain(new URL(node.url).host);
  });

  it.each([
    ['half of it', json((calls) => [ok(calls[0] as Request)]), 'mismatched'],
    ['one answer twice', json((calls) => [ok(calls[0] as Request), ok(calls[0] as Request)]), 'mismatched'],
    ['one more', json((calls) => [...calls.map((call) => ok(call)), ok({ id: 99_999 })]), 'mismatched'],
    ['none', json(() => []), 'mismatched'],
    ['one object', json((calls) => ok(calls[0] as Request)), 'malformed'],
    ['a null within', json((calls) => [ok(calls[0] as Request), null]), 'malformed'],
    ['-32005 for all', json(() => ({ jsonrpc: '2.0', id: null, error: { code: -32005, message: 'slow' } })), 'rate_limited'],
  ] as const)('to a batch: %s', async (_, raw, kind) => {
    node.raw = raw as typeof node.raw;
    expect((await failureOf(open().askAll(two))).kind).toBe(kind);
  });

  it('an answer that is late, and a connection that is cut', async () => {
    node.raw = json((content) => ok(content));
    node.isLate = true;
    expect((await failureOf(open(undefined, 30).ask('eth_chainId', []))).kind).toBe('timeout');
    node.release();
    node.loses = () => true;
    expect((await failureOf(open().ask('eth_chainId', []))).kind).toBe('unreachable');
  });

  it.each(['s3cret', 'ftp://host/s3cret', ''])('%j, which is no URL of a node and is not repeated', (url) => {
    let said: unknown;
    try {
      open(url);
    } catch (error) {
      said = error;
    }
    expect(String(said)).toContain('must begin with https://');
    expect(JSON.stringify(Object.entries(said as Error)) + String(said)).not.toContain('s3cret');
  });

  it('nobody who listens', async () => {
    const failure = await failureOf(open('http://127.0.0.1:1/s3cret').ask('eth_chainId', []));
    expect(failure).toMatchObject({ kind: 'unreachable', host: '127.0.0.1:1' });
    expect(failure.message).not.toContain('s3cret');
  });
});

describe('a URL that fails', () => {
  it.each([
    ['429', { status: 429, body: '' }],
    ['-32005', json(({ id }) => ({ jsonrpc: '2.0', id, error: { code: -32005, message: 'slow down' } }))],
    ['503', { status: 503, body: '' }],
  ] as const)('with %s is left alone for a second, and twice as long each time, up to a minute', async (_, raw) => {
    node.raw = raw as typeof node.raw;
    const url = open();
    const waits: number[] = [];
    for (let i = 0; i < 8; i++) {
      await failureOf(url.ask('eth_chainId', []));
      const begun = nowMs;
      const before = node.asked.length;
      expect(url.isAside).toBe(true);
      expect((await failureOf(url.ask('eth_chainId', []))).kind).toBe('aside');
      expect(node.asked.length).toBe(before);
      while (url.isAside) nowMs += 500;
      waits.push((nowMs - begun) / 1_000);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    node.raw = json((content) => ok(content));
    await url.ask('eth_chainId', []);
    node.raw = raw as typeof node.raw;
    await failureOf(url.ask('eth_chainId', []));
    nowMs += 1_000;
    expect(url.isAside).toBe(false);
  });

  it('with many calls at once counts once', async () => {
    node.raw = { status: 429, body: '' };
    const url = open();
    await Promise.all(Array.from({ length: 10 }, () => failureOf(url.ask('eth_chainId', []))));
    nowMs += 1_000;
    expect(url.isAside).toBe(false);
  });

  it('with an answer that is none is asked again at once', async () => {
    node.raw = { body: '<html>' };
    const url = open();
    await failureOf(url.ask('eth_chainId', []));
    expect(url.isAside).toBe(false);
  });
});
