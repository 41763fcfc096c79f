// Transfers on two servers in turn, each on a database of its own in one PostgreSQL.
import pg from 'pg';
import { measure, type Result } from './measure.js';
import { type BenchDatabase, median, Sandbox, say } from './platform.js';
import { makeWallets, requestMaker } from './wallets.js';

/** One of the two: how it is called in what is printed, and what makes it different. */
export interface Side {
  name: string;
  settings?: Readonly<Record<string, string>>;
  /** Statements that change its database once its wallets are there. */
  statements?: string;
}

export interface Rounds {
  rounds: number;
  seconds: number;
  wallets: number;
}

/** Compares at 1, 16 and 64 connections, and prints the ratio of the first to the second. */
export async function compareServers(database: BenchDatabase, sides: readonly [Side, Side], { rounds, seconds, wallets }: Rounds) {
  const servers: { sandbox: Sandbox; ids: string[]; results: Result[] }[] = [];
  try {
    for (const [at, { settings, statements }] of sides.entries()) {
      const url = await ownDatabase(database.url, `bench_side_${at}`);
      const sandbox = await Sandbox.start(url, settings);
      servers.push({ sandbox, ids: await makeWallets(sandbox, wallets), results: [] });
      if (statements !== undefined) await execute(url, statements);
    }
    // The first seconds compile.
    for (const { sandbox, ids } of servers) await measure(sandbox.url, 64, 5, requestMaker(sandbox.url, ids, false, false));
    for (const connections of [1, 16, 64]) {
      for (const server of servers) server.results = [];
      for (let round = -1; round < rounds; round += 1) {
        // Whoever comes first in a round comes second in the next.
        for (const { sandbox, ids, results } of round % 2 === 0 ? servers : [...servers].reverse()) {
          const result = await measure(sandbox.url, connections, round < 0 ? 1 : seconds, requestMaker(sandbox.url, ids, false, false));
          if (round >= 0) results.push(result);
        }
      }
      const [first = [], second = []] = servers.map(({ results }) => results);
      say(`${String(connections).padStart(2)} connections: ${describe(sides, first, second)}`);
    }
  } finally {
    for (const { sandbox } of servers) await sandbox.stop();
  }
}

async function ownDatabase(serverUrl: string, name: string): Promise<string> {
  await execute(serverUrl, `CREATE DATABASE ${name}`);
  const own = new URL(serverUrl);
  own.pathname = `/${name}`;
  return own.href;
}

async function execute(url: string, statements: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statements);
  } finally {
    await client.end();
  }
}

function describe([one, other]: readonly [Side, Side], ones: readonly Result[], others: readonly Result[]): string {
  const middle = (results: readonly Result[], of: keyof Result) => median(results.map((result) => result[of])).toFixed(0);
  const ratios = ones.map(({ ours }, round) => ours / (others[round]?.ours ?? Number.NaN));
  const cpu = (results: readonly Result[]) => `server ${middle(results, 'server')} us, PostgreSQL ${middle(results, 'postgres')} us`;
  return (
    `${middle(ones, 'ours')}/s ${one.name} beside ${middle(others, 'ours')}/s ${other.name}, ratio ${median(ratios).toFixed(2)} ` +
    `(${ratios.map((ratio) => ratio.toFixed(2)).join(' ')}); CPU a request ${one.name}: ${cpu(ones)}; ${other.name}: ${cpu(others)}`
  );
}
