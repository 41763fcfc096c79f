// The stock clients of both eras, against one process at the same time; and which era a message is of, as the package says it too.
import { classifyInboundRequest } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isModern } from '../../src/mcp/era.js';
import { newBudget, type Spender, spender } from '../factories/budget.js';
import { type Json, useHarness } from '../harness.js';
import { readFiles } from '../source.js';
import { connect, type McpCalls } from './client.js';
import { connectNext, type Mode } from './next-client.js';

const harness = useHarness();
type Connected = McpCalls & AsyncDisposable & { told: number[] };
const next = (mode: Mode) => (token: string) => connectNext(harness.test.url, token, mode);
const clients: [string, string, (token: string) => Promise<Connected>][] = [
  ['sdk 1.32.2', '2025-11-25', (token) => connect(harness.test.url, token)],
  ['client 2.4, legacy', '2025-11-25', next('legacy')],
  ['client 2.4, auto', '2026-07-28', next('auto')],
  ['client 2.4, pinned', '2026-07-28', next({ pin: '2026-07-28' })],
];
const payment = ({ from, to }: Spender, amount: string, extra: object = {}) => ({
  from_wallet_id: from.id,
  to_wallet_id: to.id,
  amount,
  currency: 'USD',
  ...extra,
});

describe('clients of both eras', () => {
  it.each(clients)('%s lists, pays, is refused, waits, and hears of a freeze', async (_, version, open) => {
    const payer = await spender(harness.test);
    await newBudget(harness.test, { scope: { type: 'agent', id: payer.uuid }, amount: '5.00' });
    await using agent = await open(payer.token);
    const { client } = agent as unknown as { client: Json };
    expect(client.getNegotiatedProtocolVersion?.() ?? version).toBe(version);
    expect([client.getServerCapabilities(), client.getInstructions()]).toEqual([
      { tools: { listChanged: true } },
      expect.stringContaining('whoami'),
    ]);
    expect(await agent.names()).toContain('pay');
    expect((await agent.call('pay', payment(payer, '2.00'))).data.status).toBe('completed');
    expect((await agent.refused('pay', payment(payer, '9.00'))).code).toBe('budget_exceeded');
    await expect(agent.result('steal')).rejects.toMatchObject({ code: -32_602 });
    const { approval } = await agent.call('request_approval', payment(payer, '9.00'));
    const waiting = agent.call('wait_for_approval', { id: approval.id });
    await harness.test.post(`/v1/approvals/${approval.id}/reject`, {});
    expect((await waiting).data.status).toBe('rejected');
    const before = agent.told.length;
    await harness.test.post(`/v1/agents/${payer.id}/freeze`, {});
    await expect.poll(() => agent.told.length, { timeout: 10_000, interval: 10 }).toBeGreaterThan(before);
    expect(await agent.names()).not.toContain('pay');
  });

  it('of 100 keyed payments at once, by all of them, a budget for 37 lets 37 through', async () => {
    const racer = await spender(harness.test);
    await newBudget(harness.test, { scope: { type: 'agent', id: racer.uuid }, amount: '37.00' });
    const agents = await Promise.all(clients.map(([, , open]) => open(racer.token)));
    const pay = (at: number) =>
      (agents[at % agents.length] as Connected).result('pay', payment(racer, '1.00', { idempotency_key: `racer-${at}` }));
    const race = () => Promise.all(Array.from({ length: 100 }, (_, at) => pay(at)));
    const paid = (await race()).filter(({ isError }) => !isError);
    expect(paid).toHaveLength(37);
    // Made again, whichever client makes them, they pay no more.
    const before = paid.length;
    agents.push(agents.shift() as Connected);
    expect((await race()).filter(({ isError }) => !isError)).toHaveLength(before);
    expect((await harness.test.get(`/v1/wallets/${racer.to.id}/balance`)).body.data.available).toBe('37.00');
    await Promise.all(agents.map((agent) => agent[Symbol.asyncDispose]()));
  });
});

describe('the era of a message', () => {
  const [versionKey, capabilitiesKey] = ['io.modelcontextprotocol/protocolVersion', 'io.modelcontextprotocol/clientCapabilities'];
  const version = fc.constantFrom<unknown>('2026-07-28', '2027-01-01', '2026-13-01', '2025-11-25', '', 7, null, 'next');
  const meta = fc.oneof(
    fc.record({ [versionKey]: version, [capabilitiesKey]: fc.constantFrom<unknown>({}, { a: 1 }, null, []) }, { requiredKeys: [] }),
    fc.constantFrom<unknown>(undefined, null, [], 'text'),
  );
  const params = fc.oneof(fc.record({ _meta: meta }, { requiredKeys: [] }), fc.constantFrom<unknown>(undefined, [], null));
  const method = fc.constantFrom('initialize', 'tools/list', 'ping', 'server/discover', 'notifications/initialized');
  const header = fc.constantFrom('', '2025-11-25', '2026-07-28', '1999-01-01', ' 2026-07-28 ', 'future');

  it('is the one that the package says', () => {
    const isSame = (protocolVersionHeader: string, message: Record<string, unknown>) => {
      const theirs = classifyInboundRequest({
        httpMethod: 'POST',
        body: message,
        ...(protocolVersionHeader !== '' && { protocolVersionHeader }),
      });
      // What is no message at all was refused before there were two eras, and is refused so still.
      if (theirs.kind === 'reject' && theirs.cell === 'invalid-json-rpc-body') return;
      expect(isModern(message, protocolVersionHeader)).toBe(theirs.kind !== 'legacy');
    };
    const message = fc.record(
      { jsonrpc: fc.constant('2.0'), id: fc.constantFrom(1, 'a'), method, params },
      { requiredKeys: ['jsonrpc', 'method'] },
    );
    fc.assert(fc.property(header, message, isSame), { numRuns: 2_000 });
  });
});

it('is loaded by its first caller', () => {
  const files = readFiles(['src'], ['.ts']).filter(({ path }) => !path.startsWith('src/generated/'));
  const importers = (name: string) =>
    files.filter(({ text }) => new RegExp(`^(?:import|export) .*'${name}';$`, 'm').test(text)).map(({ path }) => path);
  expect(importers('@modelcontextprotocol/server')).toEqual(['src/mcp/modern.ts']);
  expect(importers('./modern.js')).toEqual([]);
  expect(importers('./speaker.js')).toEqual([]);
});
