// Two cells on two PostgreSQL beside one: what a transfer and a read cost, and what a move of a large tenant takes from it and from others.
import { parseArgs } from 'node:util';
import { runMove } from './cell-move.js';
import { cpuSeconds, postgresSeconds } from './cpu.js';
import { sendLoad } from './http-load.js';
import { get } from './latency.js';
import { median, Sandbox, say } from './platform.js';
import { asTenant, type CellDatabase, command, newTenant, openCellDatabase, type Tenant } from './two-cells.js';
import { makeWallets, requestMaker } from './wallets.js';

const about = `Usage: npm run bench -- cells [--only cpu|move] [--rounds 5] [--seconds 4] [--wallets 200] [--megabytes 200]

Three PostgreSQL servers of its own: one for an installation of one cell, two for one of two. cpu: transfers at 32 connections, in turn, on
the same cores: with one cell, in the second of two, and in both. move: a tenant of so many megabytes is moved, while it
pays and others pay in both cells.`;

/** An installation, and what is sent to it. */
interface Side {
  sandbox: Sandbox;
  databases: readonly CellDatabase[];
  tenants: readonly Tenant[];
}

export async function run(args: string[]): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args,
    options: { only: text, rounds: text, seconds: text, wallets: text, megabytes: text, help: { type: 'boolean' } },
  });
  if (values.help) return say(about);
  const [rounds, seconds, wallets] = [Number(values.rounds ?? 5), Number(values.seconds ?? 4), Number(values.wallets ?? 200)];
  const open: { stop(): Promise<void> }[] = [];
  const opened = <T extends { stop(): Promise<void> }>(part: T): T => {
    open.unshift(part);
    return part;
  };
  try {
    const [main, other] = [opened(await openCellDatabase()), opened(await openCellDatabase())];
    const sandbox = opened(await Sandbox.start(main.url));
    await command(main.url, 'cell', 'add', '--name', 'b', '--url', other.url);
    const tenants = [await newTenant(sandbox, main.url, 'main'), await newTenant(sandbox, main.url, 'b')];
    const two = { sandbox, databases: [main, other], tenants };
    if (values.only !== 'move') {
      const alone = opened(await openCellDatabase());
      const single = opened(await Sandbox.start(alone.url));
      const own = [await newTenant(single, alone.url, 'main'), await newTenant(single, alone.url, 'main')];
      await compare({ sandbox: single, databases: [alone], tenants: own }, two, { rounds, seconds, wallets });
    }
    if (values.only !== 'cpu') await runMove(two, { megabytes: Number(values.megabytes ?? 200), wallets });
  } finally {
    for (const part of open) await part.stop();
  }
}

/** Connections of the load. With fewer for a cell a set of postings has fewer, and each costs more. */
const connections = 32;

/** CPU microseconds of a request. */
interface Cost {
  server: number;
  postgres: number;
}

/** Compares one cell with one of two, while the other is idle, and with both. */
async function compare(one: Side, two: Side, { rounds, seconds, wallets }: { rounds: number; seconds: number; wallets: number }) {
  const sides = [];
  for (const side of [one, { ...two, tenants: two.tenants.slice(1) }, two])
    sides.push({ ...side, next: await alternating(side, wallets), costs: [] as Cost[] });
  for (const { sandbox, next } of sides) await sendLoad(sandbox.url, connections, 4, next);
  for (let round = 0; round < rounds; round += 1)
    // Whoever comes first in a round comes last in the next.
    for (const side of round % 2 === 0 ? sides : [...sides].reverse()) side.costs.push(await costOf(side, seconds));
  const [alone, second, both] = sides.map(({ costs }) => costs) as [Cost[], Cost[], Cost[]];
  for (const [name, costs] of [
    ['in the second of two cells', second],
    ['in both cells in turn', both],
  ] as const)
    say(`CPU of a transfer ${name}, beside one cell: ${describe(costs, alone)}`);
  for (const [name, side] of [
    ['one cell', one],
    ['two cells', two],
  ] as const)
    say(`${name}: ${(await transactionsOf(side)).toFixed(2)} transactions for a read of a tenant that is known`);
}

function describe(costs: readonly Cost[], alone: readonly Cost[]): string {
  const sum = ({ server, postgres }: Cost) => server + postgres;
  const told = (name: string, of: (cost: Cost) => number) => {
    const ratios = costs.map((cost, round) => of(cost) / of(alone[round] as Cost));
    const middle = (all: readonly Cost[]) => median(all.map(of)).toFixed(0);
    return `${name} ${middle(costs)} us and ${middle(alone)} us, ratio ${median(ratios).toFixed(3)} (${ratios.map((ratio) => ratio.toFixed(2)).join(' ')})`;
  };
  return [told('server', ({ server }) => server), told('PostgreSQL', ({ postgres }) => postgres), told('together', sum)].join('; ');
}

/** Transfers of the tenants in turn. */
async function alternating({ sandbox, tenants }: Side, wallets: number): Promise<() => string> {
  const makers: (() => string)[] = [];
  for (const tenant of tenants) makers.push(asTenant(tenant, requestMaker(sandbox.url, await makeWallets(tenant, wallets), false, true)));
  let n = 0;
  return () => {
    n += 1;
    return (makers[n % makers.length] as () => string)();
  };
}

async function costOf({ sandbox: { url }, databases, next }: Side & { next: () => string }, seconds: number): Promise<Cost> {
  const postgres = async () => {
    const each = await Promise.all(databases.map(({ postmaster }) => postgresSeconds(postmaster)));
    return each.reduce((sum, one) => sum + one, 0);
  };
  const before = { server: (await cpuSeconds(url)).server, postgres: await postgres() };
  const { requests, failures } = await sendLoad(url, connections, seconds, next);
  if (failures > 0) throw new Error(`${failures} of ${requests} requests failed`);
  const after = { server: (await cpuSeconds(url)).server, postgres: await postgres() };
  const micros = (part: keyof Cost) => ((after[part] - before[part]) * 1e6) / requests;
  return { server: micros('server'), postgres: micros('postgres') };
}

const reads = 500;

/** Transactions in all databases for a read, less what the idle platform does in the same time. */
async function transactionsOf({ sandbox: { url }, databases, tenants }: Side): Promise<number> {
  const count = async () => {
    let sum = 0;
    for (const { pool } of databases) {
      const text = 'SELECT (xact_commit + xact_rollback)::int AS n FROM pg_stat_database WHERE datname = current_database()';
      sum += (await pool.query<{ n: number }>(text)).rows[0]?.n ?? 0;
    }
    return sum;
  };
  const spent = async (work: () => Promise<void>): Promise<{ n: number; ms: number }> => {
    const [before, begun] = [await count(), performance.now()];
    await work();
    const ms = performance.now() - begun;
    // What the backends have counted is told after a second.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    return { n: (await count()) - before, ms: ms + 1_500 };
  };
  const idle = await spent(() => new Promise((resolve) => setTimeout(resolve, 3_000)));
  const busy = await spent(async () => {
    for (let n = 0; n < reads; n += 1) await get(url, '/v1/accounts?limit=1', tenants[n % tenants.length]?.key);
  });
  return (busy.n - (idle.n * busy.ms) / idle.ms) / reads;
}
