// The channel of an agent as the SDK gives it: one sequence over connections that break, with gaps said.
import type { ChannelEvent, ChannelOptions, Client as SdkClient } from '@agent-payments/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Buyer, newBuyer } from '../factories/x402.js';
import { type Json, openWallet, useHarness } from '../harness.js';
import { collectGarbage, Wire } from './wire.js';

const h = useHarness();
let buyer: Buyer;
let payee: Json;
let wire: Wire;
let sdk: SdkClient;
let end: AbortController;

beforeEach(async () => {
  buyer = await newBuyer(h.test);
  await h.runDue();
  payee = (await openWallet(h.test, { currency: 'USDC' })).wallet;
  wire = new Wire();
  sdk = wire.client(h.test.url, { agentId: buyer.id, privateKey: buyer.privateKey });
  end = new AbortController();
});
afterEach(() => end.abort());

/** Pays once, and lets it be published. */
async function pay(amount: string): Promise<void> {
  await h.test.make('/v1/transfers', {
    type: 'internal',
    from_wallet_id: buyer.wallet.id,
    to_wallet_id: payee.id,
    amount,
    currency: 'USDC',
  });
  await h.runDue();
}

/** Reads a channel beside the test. */
function listen(options: ChannelOptions = {}): { seen: ChannelEvent[]; amounts(): unknown[]; done: Promise<void> } {
  const seen: ChannelEvent[] = [];
  const read = async () => {
    for await (const event of sdk.channel({ signal: end.signal, ...options })) seen.push(event);
  };
  return { seen, done: read(), amounts: () => seen.filter(({ type }) => type === 'transfer_completed').map(({ data }) => data['amount']) };
}

const until = (condition: () => boolean) => expect.poll(condition, { interval: 10, timeout: 15_000 }).toBe(true);
const connects = () => wire.attempts.filter(({ path }) => path.endsWith('/connect')).length;

describe('the channel', () => {
  it('gives what happens, as it happens, and ends with its signal', async () => {
    const { seen, amounts, done } = listen();
    await until(() => seen.length === 1);
    expect(seen[0]).toMatchObject({ type: 'connected', data: { resumed: false, agent_id: buyer.id } });
    await pay('1.00');
    await until(() => amounts().length === 1);
    expect(seen[1]).toMatchObject({
      type: 'transfer_completed',
      lastEventId: expect.stringMatching(/^\d+$/),
      data: { amount: '1.00', direction: 'outbound' },
    });
    end.abort();
    await done;
  });

  it('goes on where it was when the connection breaks: nothing is missed, nothing comes twice', async () => {
    const { seen, amounts } = listen();
    await until(() => seen.length === 1);
    await pay('1.00');
    await until(() => amounts().length === 1);
    // A second connection of the session closes the first one.
    const token = wire.attempts.find(({ token }) => token !== null)?.token ?? '';
    wire.fates = ['refused', 'refused'];
    const other = await fetch(`${h.test.url}/v1/agents/${buyer.id}/connect`, { headers: { Authorization: token } });
    await pay('2.00');
    await other.body?.cancel();
    await until(() => amounts().length === 2);
    await pay('3.00');
    await until(() => amounts().length === 3);
    expect(amounts()).toEqual(['1.00', '2.00', '3.00']);
    expect(connects()).toBeGreaterThan(3);
    expect(seen.filter(({ type }) => type === 'gap')).toEqual([]);
  });

  it('goes on after an event that another process has seen', async () => {
    const first = listen();
    await until(() => first.seen.length === 1);
    await pay('1.00');
    await until(() => first.amounts().length === 1);
    end.abort();
    await first.done;
    await pay('2.00');
    end = new AbortController();
    const second = listen({ lastEventId: first.seen.at(-1)?.lastEventId ?? '' });
    await until(() => second.amounts().length === 1);
    expect(second.amounts()).toEqual(['2.00']);
  });

  it('says that events are missing which can no longer be read again', async () => {
    await pay('1.00');
    h.clock.advance(301);
    await pay('2.00');
    const { seen, amounts } = listen({ lastEventId: '0' });
    await until(() => amounts().length === 1);
    expect(seen.find(({ type }) => type === 'gap')?.data).toMatchObject({ backfill: expect.stringContaining('/v1/events?agent_id=') });
    expect(amounts()).toEqual(['2.00']);
  });

  it('goes on behind a gateway that waits for the platform, and after a page that is no channel', async () => {
    const gateway = (status: number) => () => new Response('<html>', { status, headers: { 'Content-Type': 'text/html' } });
    await sdk.GET('/v1/me');
    wire.fates = [gateway(502), gateway(504), gateway(200)];
    const { seen } = listen();
    await until(() => seen.length === 1);
    expect(connects()).toBe(4);
  });

  it('comes back after the time that it is told, however little patience single calls have', async () => {
    sdk = wire.client(h.test.url, { agentId: buyer.id, privateKey: buyer.privateKey }, { retryForMs: 0 });
    await sdk.GET('/v1/me');
    wire.fates = [() => new Response('{}', { status: 429, headers: { 'Retry-After': '1' } })];
    const begun = performance.now();
    const { seen } = listen();
    await until(() => seen.length === 1);
    expect([performance.now() - begun > 1000, connects()]).toEqual([true, 2]);
  });

  it('asks ever more slowly whoever ends it at once', async () => {
    await sdk.GET('/v1/me');
    wire.decide = () => () => new Response('', { headers: { 'Content-Type': 'text/event-stream' } });
    const { done } = listen({ signal: AbortSignal.timeout(2_000) });
    await done;
    expect(connects()).toBeGreaterThan(2);
    expect(connects()).toBeLessThan(9);
  });

  it('gives what comes where the platform does not know its number any more, as after a restore', async () => {
    const { seen, amounts } = listen({ lastEventId: '000000000999999' });
    await until(() => seen.length === 1);
    await pay('1.00');
    await until(() => amounts().length === 1);
    expect(Number(seen.at(-1)?.lastEventId)).toBeLessThan(999_999);
  });

  it('ends with its signal also when memory was tidied up meanwhile, and lets go of its connection', async () => {
    sdk = wire.client(h.test.url, { agentId: buyer.id, privateKey: buyer.privateKey }, { fetch: (request) => fetch(request) });
    const { seen, done } = listen();
    await until(() => seen.length === 1);
    await collectGarbage();
    end.abort();
    await done;
    await expect.poll(async () => (await h.test.get(`/v1/agents/${buyer.id}/liveness`)).body.data.connections).toBe(0);
  });

  it('ends with an error where the platform refuses it for good', async () => {
    await h.test.delete(`/v1/agents/${buyer.id}/auth-keys`);
    await expect(listen().done).rejects.toMatchObject({ name: 'ApiError', status: 401 });
    expect(() => wire.client(h.test.url, h.test.key).channel()).toThrow('Say which agent');
  });
});
