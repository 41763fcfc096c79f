// Transfers with traces and without, in turn: three servers, each on a database of its own in one PostgreSQL. One traces nothing, one
// what it traces by default, one every request.
import pg from 'pg';
import { Collector } from './collector.js';
import { measure, type Result } from './measure.js';
import { type BenchDatabase, median, Sandbox, say } from './platform.js';
import { traceCost, untracedCost } from './trace-cost.js';
import { makeWallets, requestMaker } from './wallets.js';

const kinds = ['untraced', 'traced', 'all'] as const;
type Kind = (typeof kinds)[number];

const settingsOf = (kind: Kind, endpoint: string): Record<string, string> => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: kind === 'untraced' ? '' : endpoint,
  OTEL_TRACES_SAMPLER: kind === 'all' ? 'parentbased_always_on' : '',
});

/** Compares at 1, 16 and 64 connections. */
export async function runTraced(
  database: BenchDatabase,
  { rounds, seconds, wallets }: { rounds: number; seconds: number; wallets: number },
) {
  const collector = await Collector.start();
  const admin = new pg.Client({ connectionString: database.url });
  const sandboxes: [Kind, Sandbox, string[]][] = [];
  try {
    await traceCost(collector.url, 'always_on', 5_000);
    const [sampled, unsampled] = [
      await traceCost(collector.url, 'always_on', 20_000),
      await traceCost(collector.url, 'always_off', 20_000),
    ];
    say(
      `CPU of a trace: ${sampled.toFixed(1)} us sampled and sent, ${unsampled.toFixed(1)} us not sampled; untraced ${untracedCost(2_000_000).toFixed(0)} ns a span`,
    );
    await admin.connect();
    for (const kind of kinds) {
      await admin.query(`CREATE DATABASE bench_${kind}`);
      const own = new URL(database.url);
      own.pathname = `/bench_${kind}`;
      const sandbox = await Sandbox.start(own.href, settingsOf(kind, collector.url));
      sandboxes.push([kind, sandbox, await makeWallets(sandbox, wallets)]);
    }
    // The first seconds compile.
    for (const [, { url }, ids] of sandboxes) await measure(url, 64, 5, requestMaker(url, ids, false, false));
    for (const connections of [1, 16, 64]) {
      const results = { untraced: [] as Result[], traced: [] as Result[], all: [] as Result[] };
      const before = await collector.taken();
      for (let round = -1; round < rounds; round += 1) {
        // Whoever comes first in a round comes last in the next.
        const order = round % 2 === 0 ? sandboxes : [...sandboxes].reverse();
        for (const [kind, { url }, ids] of order) {
          const result = await measure(url, connections, round < 0 ? 1 : seconds, requestMaker(url, ids, false, false));
          if (round >= 0) results[kind].push(result);
        }
      }
      const { spans } = await collector.taken();
      say(`${String(connections).padStart(2)} connections: ${describe(results)}; the collector took ${spans - before.spans} spans`);
    }
  } finally {
    for (const [, sandbox] of sandboxes) await sandbox.stop();
    await admin.end();
    await collector.stop();
  }
}

function describe(results: Readonly<Record<Kind, readonly Result[]>>): string {
  const middle = (kind: Kind, of: keyof Result) => median(results[kind].map((result) => result[of]));
  const ratio = (kind: Kind, of: keyof Result) => {
    const each = results[kind].map((result, round) => result[of] / (results.untraced[round]?.[of] ?? Number.NaN));
    return `${median(each).toFixed(3)} (${each.map((one) => one.toFixed(2)).join(' ')})`;
  };
  const told = (kind: Kind) =>
    `${kind} ${middle(kind, 'ours').toFixed(0)}/s, ratio ${ratio(kind, 'ours')}, CPU of the server ${middle(kind, 'server').toFixed(0)} us a request, ratio ${ratio(kind, 'server')}`;
  return `untraced ${middle('untraced', 'ours').toFixed(0)}/s, ${middle('untraced', 'server').toFixed(0)} us; ${told('traced')}; ${told('all')}`;
}
