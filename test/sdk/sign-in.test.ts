// Signing in with an agent's Ed25519 key: once for many requests, again before the session ends, and again where it was ended.
import { setImmediate } from 'node:timers/promises';
import { ApiError } from '@agent-payments/sdk';
import nacl from 'tweetnacl';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { enrol, type TestAgent } from '../contexts/agents/identity.js';
import { useHarness } from '../harness.js';
import { StandIn } from './stand-in.js';
import { Wire } from './wire.js';

const h = useHarness();
let agent: TestAgent;
let wire: Wire;
const sdk = (privateKey: string | ((text: Uint8Array) => Promise<Uint8Array>) = agent.privateKey) =>
  wire.client(h.test.url, { agentId: agent.id, privateKey });
const signIns = () => wire.attempts.filter(({ path, status }) => path.endsWith('/authenticate') && status === 200).length;

beforeAll(async () => {
  agent = await enrol(h.test);
});
beforeEach(() => {
  wire = new Wire();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('signing in', () => {
  it('happens once for requests at the same moment, and for those after them', async () => {
    const client = sdk();
    const [answer] = await Promise.all([1, 2, 3].map(() => client.GET('/v1/me')));
    await client.GET('/v1/me');
    expect(answer?.data.actor).toMatchObject({ type: 'agent', id: agent.id });
    expect(signIns()).toBe(1);
    expect(new Set(wire.attempts.flatMap(({ token }) => token ?? [])).size).toBe(1);
  });

  it('takes a key of 64 bytes, its seed, or what signs for it', async () => {
    const secret = Buffer.from(agent.privateKey, 'base64');
    const keys = [
      agent.privateKey,
      secret.subarray(0, 32).toString('base64'),
      async (text: Uint8Array) => nacl.sign.detached(text, secret),
    ];
    for (const key of keys) expect((await sdk(key).GET('/v1/me')).data.actor.id).toBe(agent.id);
    for (const wrong of ['c2hvcnQ=', 'no base64!', '-----BEGIN PRIVATE KEY-----'])
      await expect(sdk(wrong).GET('/v1/me')).rejects.toThrow('32 or 64 bytes');
  });

  it('is refused with another key', async () => {
    const other = Buffer.from(nacl.sign.keyPair().secretKey).toString('base64');
    const refused = await sdk(other)
      .GET('/v1/me')
      .catch((error) => error);
    expect(refused).toBeInstanceOf(ApiError);
    expect(refused).toMatchObject({ status: 401, code: 'signature_invalid' });
  });

  it('survives answers that are lost on the way, in either of its steps', async () => {
    wire.fates = ['lost'];
    const client = sdk();
    await client.GET('/v1/me');
    wire = new Wire();
    const other = sdk();
    wire.fates = ['passed', 'lost'];
    await other.GET('/v1/me');
    expect(wire.attempts.filter(({ path }) => path.endsWith('/challenge'))).toHaveLength(2);
  });
});

describe('a sign-in that is put off by a limit', () => {
  it('begins with another challenge: the first one does not live as long as a limit may last', async () => {
    wire.fates = ['passed', () => new Response('{}', { status: 429, headers: { 'Retry-After': '1' } })];
    const client = sdk();
    const call = client.GET('/v1/me');
    await expect.poll(() => wire.attempts.length).toBe(2);
    h.clock.advance(61);
    expect((await call).data.actor.id).toBe(agent.id);
    expect(wire.attempts.map(({ path }) => path.split('/').at(-1))).toEqual([
      'challenge',
      'authenticate',
      'challenge',
      'authenticate',
      'me',
    ]);
  });

  it('is told to every call that waits for it, as their own answer', async () => {
    const limited = () => new Response('{"error": "rate_limit_exceeded"}', { status: 429, headers: { 'Retry-After': '600' } });
    wire.fates = [limited];
    const client = sdk();
    const refused = await Promise.allSettled([client.GET('/v1/me'), client.GET('/v1/wallets'), client.fetch('/v1/me')]);
    for (const each of refused.slice(0, 2)) expect(each).toMatchObject({ reason: { name: 'ApiError', status: 429 } });
    expect(refused[2]).toMatchObject({ value: { status: 429 } });
    expect(wire.attempts).toHaveLength(1);
  });
});

describe('a sign-in that nobody waits for any more', () => {
  it('lets go of its connection', async () => {
    let close = () => {};
    const closed = new Promise<void>((resolve) => {
      close = resolve;
    });
    const silent = await new StandIn(({ socket }) => void socket.once('close', close)).start();
    try {
      const client = wire.client(silent.url, { agentId: agent.id, privateKey: agent.privateKey });
      await expect(client.GET('/v1/me', { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ name: 'TimeoutError' });
      await closed;
    } finally {
      silent.stop();
    }
  });

  it('is not gone on with, and the next call begins another one', async () => {
    wire.fates = [() => new Response('{}', { status: 429, headers: { 'Retry-After': '60' } })];
    const client = sdk();
    await expect(client.GET('/v1/me', { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ name: 'TimeoutError' });
    expect((await client.GET('/v1/me')).data.actor.id).toBe(agent.id);
    expect(wire.attempts.map(({ path }) => path.split('/').at(-1))).toEqual(['challenge', 'challenge', 'authenticate', 'me']);
  });

  it('goes on while another call waits for it', async () => {
    wire.fates = [() => new Response('{}', { status: 429, headers: { 'Retry-After': '0' } })];
    const client = sdk();
    const [left, stayed] = await Promise.allSettled([client.GET('/v1/me', { signal: AbortSignal.timeout(5) }), client.GET('/v1/me')]);
    expect([left.status, stayed.status, signIns()]).toEqual(['rejected', 'fulfilled', 1]);
  });
});

describe('a session', () => {
  it('is renewed before it ends', async () => {
    const client = sdk();
    await client.GET('/v1/me');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_550_000 });
    await client.GET('/v1/me');
    expect(signIns()).toBe(2);
    vi.setSystemTime(Date.now() + 3_550_000);
    await Promise.all(Array.from({ length: 100 }, () => client.GET('/v1/me')));
    expect(signIns()).toBe(3);
    expect(wire.attempts.map(({ status }) => status)).not.toContain(401);
  });

  it('that was ended, or is over by the clock of the platform, is followed by another one: the request is sent again', async () => {
    const client = sdk();
    await client.GET('/v1/me');
    for (const { id } of (await h.test.get(`/v1/agents/${agent.id}/sessions`)).body.data)
      await h.test.delete(`/v1/agents/${agent.id}/sessions/${id}`);
    await Promise.all([client.GET('/v1/me'), client.GET('/v1/me')]);
    h.clock.advance(3_700);
    await client.GET('/v1/me');
    expect(signIns()).toBe(3);
  });

  it('that was ended is told of while the next one is begun: there is one next one', async () => {
    // The end of the first session is heard of when the challenge of the next one is on its way.
    let begin = () => {};
    const renewing = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const fetch = async (request: Request): Promise<Response> => {
      const response = await wire.fetch(request);
      if (response.status === 401) await renewing;
      if (request.url.endsWith('/challenge') && signIns() === 1) {
        begin();
        await setImmediate();
      }
      return response;
    };
    const client = wire.client(h.test.url, { agentId: agent.id, privateKey: agent.privateKey }, { fetch });
    await client.GET('/v1/me');
    for (const { id } of (await h.test.get(`/v1/agents/${agent.id}/sessions`)).body.data)
      await h.test.delete(`/v1/agents/${agent.id}/sessions/${id}`);
    const slow = client.GET('/v1/me');
    await expect.poll(() => wire.attempts.at(-1)?.status).toBe(401);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_550_000 });
    await Promise.all([slow, client.GET('/v1/me')]);
    expect(signIns()).toBe(2);
  });

  it('of a suspended agent is not', async () => {
    const client = sdk();
    await client.GET('/v1/me');
    await h.test.post(`/v1/agents/${agent.id}/suspend`, {});
    await expect(client.GET('/v1/me')).rejects.toMatchObject({ status: 403, code: 'agent_suspended' });
    expect(signIns()).toBe(1);
  });
});
