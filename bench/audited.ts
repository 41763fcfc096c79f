// Transfers with the audit log and without, in turn: two servers, each on a database of its own in one PostgreSQL. One of them drops the
// line of every change before it is written, so that there is nothing to chain.
import pg from 'pg';
import { measure, type Result } from './measure.js';
import { type BenchDatabase, median, Sandbox, say } from './platform.js';
import { makeWallets, requestMaker } from './wallets.js';

const withoutAudit = `
  CREATE FUNCTION drop_line() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
  CREATE TRIGGER a_drop BEFORE INSERT ON audit_entry FOR EACH ROW EXECUTE FUNCTION drop_line();`;

interface Side {
  sandbox: Sandbox;
  ids: string[];
  results: Result[];
}

/** Compares at 1, 16 and 64 connections. */
export async function runAudited(
  database: BenchDatabase,
  { rounds, seconds, wallets }: { rounds: number; seconds: number; wallets: number },
) {
  const sides: Side[] = [];
  try {
    for (const name of ['audited', 'unaudited']) {
      const url = await ownDatabase(database.url, `bench_${name}`);
      const sandbox = await Sandbox.start(url);
      const ids = await makeWallets(sandbox, wallets);
      if (name === 'unaudited') await execute(url, withoutAudit);
      sides.push({ sandbox, ids, results: [] });
    }
    // The first seconds compile.
    for (const { sandbox, ids } of sides) await measure(sandbox.url, 64, 5, requestMaker(sandbox.url, ids, false, false));
    for (const connections of [1, 16, 64]) {
      for (const side of sides) side.results = [];
      for (let round = -1; round < rounds; round += 1) {
        // Whoever comes first in a round comes second in the next.
        for (const { sandbox, ids, results } of round % 2 === 0 ? sides : [...sides].reverse()) {
          const result = await measure(sandbox.url, connections, round < 0 ? 1 : seconds, requestMaker(sandbox.url, ids, false, false));
          if (round >= 0) results.push(result);
        }
      }
      say(`${String(connections).padStart(2)} connections: ${describe(sides[0]?.results ?? [], sides[1]?.results ?? [])}`);
    }
  } finally {
    for (const { sandbox } of sides) await sandbox.stop();
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

function describe(audited: readonly Result[], unaudited: readonly Result[]): string {
  const cpu = (results: readonly Result[], part: 'server' | 'postgres') => median(results.map((result) => result[part])).toFixed(0);
  const ratios = audited.map(({ ours }, round) => ours / (unaudited[round]?.ours ?? Number.NaN));
  return (
    `${median(audited.map(({ ours }) => ours)).toFixed(0)}/s with the audit log beside ` +
    `${median(unaudited.map(({ ours }) => ours)).toFixed(0)}/s without, ratio ${median(ratios).toFixed(2)} ` +
    `(${ratios.map((ratio) => ratio.toFixed(2)).join(' ')}); CPU a request with it: server ${cpu(audited, 'server')} us, PostgreSQL ` +
    `${cpu(audited, 'postgres')} us; without: server ${cpu(unaudited, 'server')} us, PostgreSQL ${cpu(unaudited, 'postgres')} us`
  );
}
