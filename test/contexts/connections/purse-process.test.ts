// Security property "The purse holds": 200 payments at once with the token of one connection, over transfers, holds, streams, x402 and tasks,
// in two processes of which one is killed on the way, are never more than its budget, exact to the cent. Revoked in the middle, none is made
// after. One caller has a session of MCP, the other speaks 2026-07-28. MPP has no tool, and the token is good for tools alone.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { newEndpoint } from '../../factories/x402.js';
import { Client, type Json, openWallet } from '../../harness.js';
import { rawCaller } from '../../mcp/era.js';
import { type ServerProcess, startServerProcess } from '../../process.js';
import { ServerOnDatabase } from '../../server-database.js';
import type { Person } from '../people/browser.js';
import { joinByCommandLine } from '../people/command-line.js';
import { connectProgram } from './program.js';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let server: ServerOnDatabase;
let second: ServerProcess;
let client: Client;
let person: Person;
let payer: Awaited<ReturnType<typeof openWallet>>;
let shop: Json;
let endpoint: Json;

beforeAll(async () => {
  server = await ServerOnDatabase.start({ RATE_LIMIT_GENERAL: '1000000', RATE_LIMIT_LOGIN: '1000' });
  second = await startServerProcess(server.env);
  // This one stays.
  client = new Client(second.test, server.sandbox.key);
  person = await joinByCommandLine(client, server.env);
  payer = await openWallet(client, { funded: '5000.00' });
  shop = await openWallet(client, { name: 'Shop' });
  endpoint = await newEndpoint(client, { currency: 'USD', base_price: '1.05' });
});
afterAll(async () => {
  if (second?.isRunning) await second.kill('SIGKILL');
  await server?.stop();
});

/** An agent with 300.00 USD, and a program that may spend 50.00 of it. */
async function connected(): Promise<{ agent: Json; wallet: Json; connection: Json; token: string }> {
  const agent = await client.make('/v1/agents', { parent_account_id: payer.account.id, name: 'Buyer', wallet: { currency: 'USD' } });
  const wallet = { id: agent.default_wallet_id };
  const fill = { type: 'internal', from_wallet_id: payer.wallet.id, to_wallet_id: wallet.id, amount: '300.00', currency: 'USD' };
  await client.make('/v1/transfers', fill);
  const budget = { amount: '50.00', currency: 'USD', period: 'once' };
  const { accessToken, connection } = await connectProgram(person, { agent_id: agent.id, budget });
  return { agent, wallet, connection, token: accessToken };
}

/** What came of a call. */
interface Outcome {
  status: 'done' | 'refused' | 'lost';
  code?: string;
}
type Call = (name: string, given: object, key: string) => Promise<Outcome>;

/** What a server says that has too much to do, has lost its database for a moment, or has not finished the same call yet. */
const passing = new Set(['overloaded', 'dependency_unavailable', 'idempotency_in_flight']);

/** Calls tools of a process with a token, in an era. A call whose answer does not come is lost. */
async function caller(era: string, url: string, token: string): Promise<Call> {
  const send = await rawCaller(era, url, token);
  return async (name, given, key) => {
    for (;;) {
      const reply = await send(name, { ...given, idempotency_key: key }).catch(() => null);
      if (reply === null) return { status: 'lost' };
      const { result, error } = reply.body ?? {};
      const refusal = result === undefined ? error?.data : result.isError ? JSON.parse(result.content[0].text) : null;
      if (refusal === null) return { status: 'done' };
      const fields: Json[] = refusal?.details?.fields ?? [];
      if (!passing.has(refusal?.code)) return { status: 'refused', code: [refusal?.code, ...fields.map((field) => field.path)].join(' ') };
    }
  };
}

/** A caller of each process, each in another era. */
const callers = async (token: string) =>
  [await caller('with a session', server.sandbox.url, token), await caller('2026-07-28', second.test, token)] as const;

/** The ways in which a program pays, and the cents of each. */
const ways = (wallet: Json): { cents: number; tool: string; given: (n: number) => object }[] => {
  const party = { from_wallet_id: wallet.id, to_wallet_id: shop.wallet.id, currency: 'USD' };
  return [
    { cents: 101, tool: 'pay', given: () => ({ ...party, amount: '1.01' }) },
    { cents: 102, tool: 'hold', given: () => ({ ...party, amount: '1.02' }) },
    { cents: 103, tool: 'open_stream', given: () => ({ ...party, flow_rate: '0.000001', initial_deposit: '1.03' }) },
    {
      cents: 104,
      tool: 'create_task',
      given: (n) => ({
        skill_id: 'translate',
        payload: { n },
        payment: { amount: '1.04', currency: 'USD', method: 'wallet', from_wallet_id: wallet.id },
      }),
    },
    { cents: 105, tool: 'pay_x402', given: () => ({ from_wallet_id: wallet.id, endpoint_id: endpoint.id }) },
  ];
};

const centsOf = (amount: string) => Math.round(Number(amount) * 100);

/** What the wallet of the agent has less than at the beginning. */
async function takenFrom(wallet: Json): Promise<number> {
  return 30_000 - centsOf((await client.get(`/v1/wallets/${wallet.id}`)).body.data.balance.available);
}

/** What a purse has given out. */
async function takenOf({ budget_id: id }: Json): Promise<number> {
  const { spent, reserved } = (await client.get(`/v1/budgets/${id}`)).body.data;
  return centsOf(spent) + centsOf(reserved);
}

describe('The purse holds', () => {
  it('revoked in the middle, nothing is paid after', async () => {
    const { wallet, connection, token } = await connected();
    const calls = await callers(token);
    const all = ways(wallet);
    const pay = (n: number) => {
      const { tool, given } = all[n % all.length] as (typeof all)[number];
      return calls[n % 2 === 0 ? 0 : 1](tool, given(n), `revoked-${n}`);
    };
    const begun = Array.from({ length: 40 }, (_, n) => pay(n));
    await Promise.race(begun);
    expect((await client.delete(`/v1/connections/${connection.id}`)).status).toBe(200);
    const atTheEnd = await takenFrom(wallet);
    const after = await Promise.all(Array.from({ length: 40 }, (_, n) => pay(100 + n)));
    expect([...new Set(after.map(({ status }) => status))]).toEqual(['refused']);
    const before = (await Promise.all(begun)).filter(({ status }) => status === 'done').length;
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(40);
    expect(await takenFrom(wallet)).toBe(atTheEnd);
    await server.expectBalanced();
  });

  it('200 payments at once over every protocol, in two processes, one of them killed', async () => {
    const { wallet, connection, token } = await connected();
    const calls = await callers(token);
    const all = ways(wallet);
    let answered = 0;
    const pay = async (call: Call, n: number): Promise<Outcome> => {
      const { tool, given } = all[n % all.length] as (typeof all)[number];
      const outcome = await call(tool, given(n), `purse-${n}`);
      if (outcome.status !== 'lost') answered += 1;
      return outcome;
    };
    // Each way is taken once before the crowd comes.
    const alone: Outcome[] = [];
    for (const n of all.keys()) alone.push(await pay(calls[1], 200 + n));
    const killed = (async () => {
      await vi.waitUntil(() => answered >= 15, { timeout: 60_000, interval: 2 });
      await server.crash();
    })();
    const outcomes = await Promise.all(Array.from({ length: 200 }, (_, n) => pay(calls[n % 2 === 0 ? 0 : 1], n)));
    await killed;
    // Some were under way when the process died. Nobody knows what came of them, so they are sent again, with the same key.
    expect(outcomes.filter(({ status }) => status === 'lost').length).toBeGreaterThan(0);
    const settled = await Promise.all(outcomes.map((outcome, n) => (outcome.status === 'lost' ? pay(calls[1], n) : outcome)));
    const known = [...settled, ...alone];
    expect([...new Set(known.flatMap(({ code }) => code ?? []))]).toEqual(['budget_exceeded']);
    const done = known.flatMap(({ status }, n) => (status === 'done' ? [all[n % all.length]?.cents ?? 0] : []));
    const acknowledged = done.reduce((sum, cents) => sum + cents, 0);
    expect(new Set(done).size).toBe(all.length);
    expect([await takenOf(connection), await takenFrom(wallet)]).toEqual([acknowledged, acknowledged]);
    expect(acknowledged).toBeLessThanOrEqual(5_000);
    // Not a payment less than fits either.
    expect(acknowledged).toBeGreaterThan(5_000 - 105);
    await server.expectBalanced();
  });
});
