// Real money over a chain of this machine: how soon a payment is answered, beside a bare transaction that waits for its block; what it costs; payouts,
// deposits, and what addresses cost in calls to the nodes.
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { LyingNode } from '../test/chain/lying-node.js';
import { ChainPlace, railName } from './chain-place.js';
import { ChainShop, type Endpoint } from './chain-shop.js';
import { cpuSeconds } from './cpu.js';
import { openBenchDatabase, Sandbox, say } from './platform.js';

const parts = ['settle', 'deposits', 'payouts', 'addresses'] as const;

const about = `Usage: npm run bench -- chain [--only ${parts.join('|')}] [--rate 8] [--seconds 60] [--payouts 1000] [--addresses 10000] [--deposits 20]

Needs Anvil (npm ci --prefix test/oracles). Uses an embedded PostgreSQL of its own unless DATABASE_URL names a database that it may fill.
settle pays --rate calls a second by x402 for --seconds, and sends as many bare transactions in turn. Blocks come every second, and every two
for addresses.`;

interface Given {
  rate: number;
  seconds: number;
  payouts: number;
  addresses: number;
  deposits: number;
}

interface World {
  place: ChainPlace;
  node: LyingNode;
  sandbox: Sandbox;
  shop: ChainShop;
}

const share = (sorted: readonly number[], part: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
const inOrder = (values: readonly number[]) => [...values].sort((a, b) => a - b);
const ms = (value: number) => `${value.toFixed(0)} ms`;

export async function run(args: string[]): Promise<void> {
  const text = { type: 'string' } as const;
  const names = { only: text, rate: text, seconds: text, payouts: text, addresses: text, deposits: text };
  const { values } = parseArgs({ args, options: { ...names, help: { type: 'boolean' } } });
  if (values.help) return say(about);
  const or = (value: string | undefined, preset: number) => Number(value ?? preset);
  const given: Given = {
    rate: or(values.rate, 8),
    seconds: or(values.seconds, 60),
    payouts: or(values.payouts, 1_000),
    addresses: or(values.addresses, 10_000),
    deposits: or(values.deposits, 20),
  };
  const chosen = parts.filter((part) => values.only === undefined || values.only === part);
  const quick = chosen.filter((part) => part !== 'addresses');
  if (quick.length > 0) {
    await withWorld(1, async (world) => {
      if (quick.includes('settle')) await settle(world, given);
      if (quick.includes('deposits')) await deposits(world, given);
      if (quick.includes('payouts')) await payouts(world, given);
    });
  }
  if (chosen.includes('addresses')) await withWorld(2, (world) => addresses(world, given));
}

async function withWorld(blockTime: number, body: (world: World) => Promise<void>): Promise<void> {
  const database = await openBenchDatabase();
  const open: { stop(): Promise<void> }[] = [database];
  try {
    let node: LyingNode | undefined;
    const through = async (url: string) => {
      node = await LyingNode.open(url);
      return node.url;
    };
    const place = await ChainPlace.open(database.scratch, { blockTime, through });
    open.push(place);
    if (node === undefined) throw new Error('the chain has no node');
    const passes = node;
    open.push({ stop: () => passes.close() });
    const sandbox = await Sandbox.start(database.url, place.settings);
    open.push(sandbox);
    await body({ place, node: passes, sandbox, shop: await ChainShop.open(place, sandbox) });
  } finally {
    for (const each of open.reverse()) await each.stop();
  }
}

/** Calls something so many times a second, whether or not the answers are there, and returns how long each took, in order. */
async function atRate(rate: number, count: number, call: (at: number) => Promise<void>): Promise<number[]> {
  const begun = performance.now();
  const taken = Array.from({ length: count }, async (_, at) => {
    await pause(Math.max(0, begun + (at * 1_000) / rate - performance.now()));
    const from = performance.now();
    await call(at);
    return performance.now() - from;
  });
  return inOrder(await Promise.all(taken));
}

/** Payments by x402, and bare transactions that are asked for every 100 ms, in turn. */
async function settle({ place, sandbox, shop }: World, { rate, seconds }: Given): Promise<void> {
  const endpoint = await shop.newEndpoint();
  const rounds = 3;
  const count = Math.ceil((rate * seconds) / rounds);
  const payments = await shop.signedPayments(endpoint, count * rounds + rate);
  await payAll(shop, endpoint, payments.splice(0, rate), rate);
  const idle = await serverCpu(sandbox, () => pause(15_000));
  const taken: { ours: number[]; bare: number[]; cpu: number } = { ours: [], bare: [], cpu: 0 };
  for (let round = 0; round < rounds; round += 1) {
    taken.bare.push(...(await atRate(rate, count, () => bareTransaction(place))));
    const cpu = await serverCpu(sandbox, async () => {
      taken.ours.push(...(await payAll(shop, endpoint, payments.splice(0, count), rate)));
    });
    taken.cpu += cpu.seconds - idle.share * cpu.lasted;
  }
  const [ours, bare] = [inOrder(taken.ours), inOrder(taken.bare)];
  say(
    `settle: ${ours.length} payments at ${rate}/s answered after ${ms(share(ours, 0.5))} (p95 ${ms(share(ours, 0.95))}; aim 2300), bare transactions ` +
      `${ms(share(bare, 0.5))} (p95 ${ms(share(bare, 0.95))}), ratio of p95 ${(share(ours, 0.95) / share(bare, 0.95)).toFixed(2)}; ` +
      `CPU of the server ${((taken.cpu * 1_000) / ours.length).toFixed(1)} ms each (aim 5), idle ${(idle.share * 1_000).toFixed(1)} ms a second`,
  );
}

function payAll(shop: ChainShop, endpoint: Endpoint, payments: readonly string[], rate: number): Promise<number[]> {
  return atRate(rate, payments.length, (at) => shop.pay(endpoint, payments[at] ?? ''));
}

async function bareTransaction({ anvil }: ChainPlace): Promise<void> {
  const [from, to] = await anvil.ask('eth_accounts');
  const hash = await anvil.ask('eth_sendTransaction', { from, to, value: '0x1' });
  while ((await anvil.ask('eth_getTransactionReceipt', hash)) === null) await pause(100);
}

async function serverCpu({ live }: Sandbox, body: () => Promise<unknown>): Promise<{ seconds: number; lasted: number; share: number }> {
  const [before, from] = [(await cpuSeconds(live)).server, performance.now()];
  await body();
  const lasted = (performance.now() - from) / 1_000;
  const seconds = (await cpuSeconds(live)).server - before;
  return { seconds, lasted, share: seconds / lasted };
}

/** How long after its block is deep a deposit is in the wallet. */
async function deposits({ place, shop }: World, { deposits: count }: Given): Promise<void> {
  const wallet = await shop.newWallet();
  const late: number[] = [];
  for (let at = 1; at <= count; at += 1) {
    const hash = await shop.mint(wallet.address, 1_000_000n);
    const deepAt = await deepFrom(place, hash);
    while ((await shop.available(wallet.id)) < at) await pause(20);
    late.push(Math.max(0, performance.now() - deepAt));
  }
  const sorted = inOrder(late);
  say(`deposits: ${count} in the wallet ${ms(share(sorted, 0.5))} after they are deep (most ${ms(share(sorted, 1))}; aim two polls, 2000)`);
}

/** When the block of a transaction was three deep. */
async function deepFrom({ anvil }: ChainPlace, hash: string): Promise<number> {
  for (;;) {
    const receipt = await anvil.ask('eth_getTransactionReceipt', hash);
    if (receipt !== null && BigInt(await anvil.ask('eth_blockNumber')) >= BigInt(receipt.blockNumber) + 2n) return performance.now();
    await pause(20);
  }
}

/** How long payouts take, from the first request to the last completion. */
async function payouts({ shop }: World, { payouts: count }: Given): Promise<void> {
  const wallet = await shop.newWallet();
  await shop.mint(wallet.address, BigInt(count) * 1_250_000n);
  while ((await shop.available(wallet.id)) === 0) await pause(200);
  const from = performance.now();
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const destination = { type: 'wallet', ref: `0x${(0xbead0000 + next++).toString(16).padStart(40, '0')}` };
      await shop.make('/v1/payouts', { wallet_id: wallet.id, amount: '1.25', currency: 'USDC', rail: railName, destination });
    }
  };
  await Promise.all(Array.from({ length: 16 }, lane));
  const asked = performance.now() - from;
  const isOpen = async () => {
    for (const status of ['pending', 'confirmed']) if ((await shop.read(`/v1/payouts?status=${status}&limit=1`)).length > 0) return true;
    return false;
  };
  while (await isOpen()) await pause(200);
  say(
    `payouts: ${count} asked for in ${(asked / 1_000).toFixed(1)} s, complete after ${((performance.now() - from) / 1_000).toFixed(0)} s (aim for 1,000: 180)`,
  );
}

/** What addresses cost in calls to a node while no money comes: over five minutes, in which the rail is proven once. */
async function addresses({ node, shop }: World, { addresses: count }: Given): Promise<void> {
  const none = await callsPerMinute(node);
  let made = 0;
  const lane = async () => {
    while (made++ < count) await shop.newWallet();
  };
  await Promise.all(Array.from({ length: 16 }, lane));
  // The first look at all of them may come at once.
  await pause(5_000);
  const all = await callsPerMinute(node);
  say(`addresses: ${print(none)} without, ${print(all)} with ${count}: ${Math.round(all.sum - none.sum)} calls more (aim 60)`);
}

interface Calls {
  sum: number;
  methods: Map<string, number>;
}

async function callsPerMinute({ asked }: LyingNode): Promise<Calls> {
  const minutes = 5;
  const before = asked.length;
  await pause(minutes * 60_000);
  const methods = new Map<string, number>();
  for (const { method } of asked.slice(before)) methods.set(method, (methods.get(method) ?? 0) + 1 / minutes);
  return { sum: (asked.length - before) / minutes, methods };
}

function print({ sum, methods }: Calls): string {
  return `${Math.round(sum)} calls a minute (${[...methods].map(([method, count]) => `${method} ${Math.round(count)}`).join(', ')})`;
}
