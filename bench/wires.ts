// What today's wire of a protocol costs beside the one before it, in turn, in one server. A wire is one entry of `wiresOf`.
import { parseArgs } from 'node:util';
import { knownKey } from './known-key.js';
import { measure, type Next, type Result } from './measure.js';
import { median, openBenchDatabase, Sandbox, say } from './platform.js';
import { checkoutWire, offerWire, type ProfileServer, serveProfile } from './shop-wires.js';
import { startTime } from './start-time.js';
import type { Wire } from './wire.js';

interface Spender {
  token: string;
  session: string;
  from: string;
  to: string;
}

const version = '2026-07-28';
const reserved = 'io.modelcontextprotocol';
const _meta = { [`${reserved}/protocolVersion`]: version, [`${reserved}/clientCapabilities`]: {} };

/** An agent with money, and a session of it. */
async function spender(sandbox: Sandbox): Promise<Spender> {
  const { data: account } = await sandbox.make<{ data: { id: string } }>('/v1/accounts', { type: 'business', name: 'Wires' });
  const agent = { parent_account_id: account.id, name: 'Model', wallet: { currency: 'USD' } };
  type Made = { data: { default_wallet_id: string }; credentials: { token: string } };
  const { data, credentials } = await sandbox.make<Made>('/v1/agents', agent);
  await sandbox.make(`/v1/wallets/${data.default_wallet_id}/fund`, { amount: '1000000.00' });
  const payee = { owner_type: 'account', owner_id: account.id, currency: 'USD' };
  const { data: wallet } = await sandbox.make<{ data: { id: string } }>('/v1/wallets', payee);
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  const answer = await fetch(new URL('/mcp', sandbox.url), {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${credentials.token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
  });
  const session = answer.headers.get('Mcp-Session-Id');
  if (session === null) throw new Error(`no session: ${await answer.text()}`);
  return { token: credentials.token, session, from: data.default_wallet_id, to: wallet.id };
}

/** A message of MCP as a whole HTTP request, in a session or by today's revision. */
function message({ url }: Sandbox, { token, session }: Spender, method: string, params: { name?: string }, isToday: boolean): string {
  count += 1;
  const body = JSON.stringify({ jsonrpc: '2.0', id: count, method, params: isToday ? { _meta, ...params } : params });
  const named = params.name === undefined ? '' : `Mcp-Name: ${params.name}\r\n`;
  const era = isToday ? `MCP-Protocol-Version: ${version}\r\nMcp-Method: ${method}\r\n${named}` : `Mcp-Session-Id: ${session}\r\n`;
  return (
    `POST /mcp HTTP/1.1\r\nHost: ${url.host}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
    `Accept: application/json, text/event-stream\r\n${era}Content-Length: ${body.length}\r\n\r\n${body}`
  );
}

let count = 0;

const mcp = (name: string, aim: number, method: string, paramsOf: (spender: Spender) => { name?: string }): Wire => ({
  name,
  beside: 'the same by 2025-11-25',
  aim,
  async open(sandbox) {
    const who = await spender(sandbox);
    const next = (isToday: boolean) => () => message(sandbox, who, method, paramsOf(who), isToday);
    return { today: next(true), before: next(false) };
  },
});

const pay = ({ from, to }: Spender) => {
  const given = { from_wallet_id: from, to_wallet_id: to, amount: '0.01', currency: 'USD', idempotency_key: `wires-${count}` };
  return { name: 'pay', arguments: given };
};

const wiresOf = (profile: ProfileServer): readonly Wire[] => [
  mcp('mcp-pay', 0.8, 'tools/call', pay),
  mcp('mcp-whoami', 0.8, 'tools/call', () => ({ name: 'whoami', arguments: {} })),
  mcp('mcp-list', 1, 'tools/list', () => ({})),
  checkoutWire(profile),
  offerWire,
];

const about = `Usage: npm run bench -- wires [--rounds 5] [--seconds 2] [--connections 16] [--only name]

Uses an embedded PostgreSQL of its own unless DATABASE_URL names a database that it may fill.
Wires: mcp-pay, mcp-whoami, mcp-list, ucp-checkout, x402-offers, known-key, start.`;

export async function run(args: string[]): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args,
    options: { rounds: text, seconds: text, connections: text, only: text, help: { type: 'boolean' } },
  });
  if (values.help) return say(about);
  const [rounds, seconds, connections] = [Number(values.rounds ?? 5), Number(values.seconds ?? 2), Number(values.connections ?? 16)];
  const isAsked = (name: string) => values.only === undefined || values.only === name;
  if (isAsked('known-key')) say(knownKey());
  const [database, profile] = [await openBenchDatabase(), await serveProfile()];
  let sandbox: Sandbox | undefined;
  try {
    if (isAsked('start')) say(await startTime(database.url, rounds));
    sandbox = await Sandbox.start(database.url, { WEBHOOK_ALLOW_HOSTS: profile.host });
    for (const wire of wiresOf(profile).filter(({ name }) => isAsked(name)))
      say(line(wire, await compare(sandbox, wire, { rounds, seconds, connections })));
  } finally {
    await sandbox?.stop();
    profile.stop();
    await database.stop();
  }
}

interface Pair {
  today: Result;
  before: Result;
}

/** Measures a wire and what it stands beside, in turn. */
async function compare(
  sandbox: Sandbox,
  wire: Wire,
  { rounds, seconds, connections }: Record<'rounds' | 'seconds' | 'connections', number>,
) {
  const { today, before } = await wire.open(sandbox);
  const time = (next: Next, span = seconds) => measure(sandbox.url, connections, span, next, wire.status);
  for (const next of [before, today]) await time(next, 2);
  const pairs: Pair[] = [];
  for (let round = 0; round < rounds; round += 1) pairs.push({ before: await time(before), today: await time(today) });
  return pairs;
}

function line({ name, aim, beside }: Wire, pairs: readonly Pair[]): string {
  const middle = (of: 'today' | 'before', part: keyof Result) => median(pairs.map((pair) => pair[of][part])).toFixed(0);
  const ratios = pairs.map(({ today, before }) => today.ours / before.ours);
  return (
    `${name}: ${middle('today', 'ours')}/s, ${beside} ${middle('before', 'ours')}/s, ratio ${median(ratios).toFixed(2)} ` +
    `(${ratios.map((ratio) => ratio.toFixed(2)).join(' ')}; aim ${aim}); CPU of the server ${middle('today', 'server')} us beside ` +
    `${middle('before', 'server')} us`
  );
}
