// Reports of usage and analytics on many operations, beside the plain GROUP BY that would say the same; pages of operations at any depth;
// how reports grow with the operations; and what reading reports all the time takes from transfers.
import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';
import pg from 'pg';
import { sendLoad } from './http-load.js';
import { transferRequest } from './measure.js';
import { median, openBenchDatabase, Sandbox, say, testKey } from './platform.js';

const about = `Usage: npm run bench -- insight [--operations 1000000] [--requests 200] [--rounds 5] [--seconds 4]

Fills a sandbox with a tenth of --operations over 30 days, sends --requests of each report, fills in the rest and sends them again. Then
--rounds of --seconds transfers over 16 connections, with reports read all the time and without. Uses an embedded PostgreSQL of its own
unless DATABASE_URL names an empty database.`;

export async function run(args: string[]): Promise<void> {
  const option = { type: 'string' } as const;
  const { values } = parseArgs({
    args,
    options: { operations: option, requests: option, rounds: option, seconds: option, help: { type: 'boolean' } },
  });
  if (values.help) return say(about);
  const number = (text: string | undefined, preset: number) => Number(text ?? preset);
  const [operations, requests] = [number(values.operations, 1_000_000), number(values.requests, 200)];
  const [rounds, seconds] = [number(values.rounds, 5), number(values.seconds, 4)];
  const database = await openBenchDatabase();
  const db = new pg.Client({ connectionString: database.url });
  let sandbox: Sandbox | undefined;
  try {
    await db.connect();
    sandbox = await Sandbox.start(database.url);
    const part = Math.floor(operations / 10);
    await fill(database.url, part);
    await settle(db);
    const before = await reports(sandbox.url, requests);
    await fill(database.url, operations - part);
    await settle(db);
    const after = await reports(sandbox.url, requests);
    const plain = await plainly(db);
    say(`\n${operations} operations; a plain GROUP BY takes ${plain.toFixed(0)} ms; ${requests} of each report`);
    for (const { name, p50, p99 } of after) {
      const earlier = before.find((report) => report.name === name)?.p50 ?? Number.NaN;
      const growth = `${(p50 / earlier).toFixed(2)} times the p50 of ${part}`;
      say(`${name.padEnd(34)} p50 ${ms(p50)} ms, p99 ${ms(p99)} ms, ${(plain / p50).toFixed(0)} times faster than plain, ${growth}`);
    }
    await pages(sandbox.url, operations);
    await transfers(sandbox, rounds, seconds);
  } finally {
    await sandbox?.stop();
    await db.end();
    await database.stop();
  }
}

const ms = (value: number): string => value.toFixed(1);

/** `cli sandbox fill`, as anybody runs it. */
async function fill(databaseUrl: string, operations: number): Promise<void> {
  const env = { ...process.env, DATABASE_URL: databaseUrl, SECRETS_KEY: '00'.repeat(32) };
  const begun = performance.now();
  const command = ['dist/cli.js', 'sandbox', 'fill', '--operations', String(operations)];
  const { stdout } = await promisify(execFile)(process.execPath, command, { env, maxBuffer: 2 ** 24 });
  say(`${stdout.trim()} in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
}

/** Leaves the tables as a month of work would: what was written at once has not been vacuumed yet. */
async function settle(db: pg.Client): Promise<void> {
  await db.query('VACUUM ANALYZE');
  await db.query('CHECKPOINT');
}

interface Timed {
  name: string;
  p50: number;
  p99: number;
}

const paths = [
  '/v1/usage/summary',
  '/v1/usage/costs',
  '/v1/usage/operations',
  '/v1/usage/operations?success=false',
  '/v1/usage/requests',
  '/v1/analytics/protocol-distribution?timeRange=30d',
  '/v1/analytics/protocol-activity?timeRange=24h',
  '/v1/analytics/protocol-activity?timeRange=30d',
  '/v1/analytics/protocol-stats?timeRange=30d',
  '/v1/analytics/recent-activity?limit=100',
  '/v1/analytics/checkout-demand?timeRange=30d',
];

const dashboard = `{ insight { summary { totalOperations byProtocol } costs { totalUsd } operations(limit: 20) { nodes { id } }
  distribution { total data { protocol value } } activity { data { timestamp total } } stats { data { protocol successRate } }
  demand { data { sessionsOpened completionRate } } } }`;

async function reports(url: URL, requests: number): Promise<Timed[]> {
  const found: Timed[] = [];
  for (const path of paths) found.push({ name: path.replace('/v1/', ''), ...(await timed(requests, () => get(url, path))) });
  const body = JSON.stringify({ query: dashboard });
  found.push({ name: 'GraphQL insight, all reports', ...(await timed(requests, () => post(url, body))) });
  return found;
}

/** Milliseconds of the statement that would make a summary without rollups: the middle of five. */
async function plainly(db: pg.Client): Promise<number> {
  const took: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    const begun = performance.now();
    await db.query(`SELECT protocol, category, success, count(*), sum(amount_usd), sum(external_cost_usd) FROM operation
      WHERE workspace_id = (SELECT workspace_id FROM operation LIMIT 1) AND at >= now() - interval '30 days' GROUP BY 1, 2, 3`);
    took.push(performance.now() - begun);
  }
  return median(took);
}

/** Follows the cursor through a tenth of all rows, and goes on from rows far behind. */
async function pages(url: URL, operations: number): Promise<void> {
  let cursor: string | null = null;
  const took: number[] = [];
  const deepest = Math.max(20, Math.ceil(operations / 10 / 200));
  for (let n = 0; n < deepest; n += 1) {
    const begun = performance.now();
    const from: string = cursor === null ? '' : `&starting_after=${cursor}`;
    const { pagination } = JSON.parse(await get(url, `/v1/usage/operations?limit=200${from}`)) as { pagination: { next_cursor?: string } };
    took.push(performance.now() - begun);
    cursor = pagination.next_cursor ?? null;
    if (cursor === null) break;
  }
  const half = Math.floor(took.length / 2);
  const first = median(took.slice(1, half));
  say(`pages of 200 by cursor: p50 ${ms(first)} ms in the first half of ${took.length}, ${ms(median(took.slice(half)))} ms in the second`);
  const small = await timed(100, () =>
    get(url, `/v1/usage/operations?limit=50&starting_after=${cursor ?? ''}`.replace(/&starting_after=$/, '')),
  );
  say(`a page of 50 at that depth: p50 ${ms(small.p50)} ms, p99 ${ms(small.p99)} ms`);
}

/** Transfers per second alone, and while reports are read all the time, in turn. */
async function transfers(sandbox: Sandbox, rounds: number, seconds: number): Promise<void> {
  const { url } = sandbox;
  const wallets: string[] = [];
  for (let n = 0; n < 100; n += 1) {
    const account = await sandbox.make<Made>('/v1/accounts', { type: 'business', name: `Owner ${n}` });
    const wallet = await sandbox.make<Made>('/v1/wallets', { owner_type: 'account', owner_id: account.data.id, currency: 'USD' });
    await sandbox.make(`/v1/wallets/${wallet.data.id}/fund`, { amount: '1000000.00' });
    wallets.push(wallet.data.id);
  }
  let n = 0;
  const next = () => {
    n += 1;
    const [from, to] = [wallets[n % 100], wallets[(n * 7 + 1) % 100 === n % 100 ? (n + 1) % 100 : (n * 7 + 1) % 100]];
    const body = { type: 'internal', from_wallet_id: from, to_wallet_id: to, amount: '0.01', currency: 'USD' };
    return transferRequest(url, JSON.stringify(body), `insight-${n}`);
  };
  const rate = async () => {
    const load = await sendLoad(url, 16, seconds, next);
    return load.requests / load.seconds;
  };
  await rate();
  const [alone, beside]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    alone.push(await rate());
    const reading = new AbortController();
    const reader = readAllTheTime(url, reading.signal);
    beside.push(await rate());
    reading.abort();
    await reader;
  }
  const [plain, read] = [median(alone), median(beside)];
  say(`transfers: ${plain.toFixed(0)} a second alone, ${read.toFixed(0)} while reports are read: ${(read / plain).toFixed(2)}`);
}

interface Made {
  data: { id: string };
}

/** A dashboard that asks for everything, ten times a second. */
async function readAllTheTime(url: URL, signal: AbortSignal): Promise<void> {
  const body = JSON.stringify({ query: dashboard });
  while (!signal.aborted) {
    await post(url, body);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const headers = { Authorization: `Bearer ${testKey}`, 'Content-Type': 'application/json' };

async function get(url: URL, path: string): Promise<string> {
  const response = await fetch(new URL(path, url), { headers });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${text}`);
  return text;
}

async function post(url: URL, body: string): Promise<void> {
  const response = await fetch(new URL('/graphql', url), { method: 'POST', headers, body });
  const text = await response.text();
  if (!response.ok || text.includes('"errors"')) throw new Error(text);
}

/** Milliseconds of `count` calls, one after the other, after a tenth of them to warm up. */
async function timed(count: number, call: () => Promise<unknown>): Promise<{ p50: number; p99: number }> {
  const taken: number[] = [];
  const warm = Math.ceil(count / 10);
  for (let n = 0; n < warm + count; n += 1) {
    const begun = performance.now();
    await call();
    if (n >= warm) taken.push(performance.now() - begun);
  }
  taken.sort((a, b) => a - b);
  const share = (part: number) => taken[Math.min(taken.length - 1, Math.floor(taken.length * part))] ?? Number.NaN;
  return { p50: share(0.5), p99: share(0.99) };
}
